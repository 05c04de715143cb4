import CommandSupport
import Console
import Glibc
import Identity
import SilentFirst
import StrictJSON

/// `foyer token` on a host where nobody is signed in who is meant, while an agent of another host can be reached: that
/// one is asked. A token of this host always comes first.
struct ForwardedCall {
    /// What came from there, checked.
    struct Answer {
        let token: JSONValue
        let output: Output
        private let proof: [Secret]

        fileprivate init?(_ value: JSONValue, for request: ForwardedTokenRequest, _ output: Output) {
            guard let token = value["accessToken"]?.string, !token.isEmpty,
                request.clientID == nil || value["clientId"]?.string == request.clientID,
                (value["proof"]?["authorization"] != nil) == (request.pop != nil)
            else { return nil }
            self.token = value
            self.output = output
            func field(_ name: String, _ member: String) -> Secret? {
                value["proof"]?[member]?.string.map { Secret(name + ": " + $0) }
            }
            proof = [field("Authorization", "authorization"), field("DPoP", "dpop")].compactMap(\.self)
        }

        /// Prints it as a token of this host would be.
        func show() throws(Failure) {
            if output.json { return output.result(token) }
            if !proof.isEmpty { return try output.fields(proof) }
            try output.token(Secret(token["accessToken"]?.string ?? ""))
        }
    }

    private let choices: TokenOptions
    private let session: CommandContext
    private let agent: AgentConnection
    private let request: ForwardedTokenRequest
    /// Whether this host could not even say what is meant.
    private let isOnlyWay: Bool

    /// Nil where this host has an answer of its own, or no agent of another one can be reached.
    init?(_ choices: TokenOptions) {
        guard !choices.dryRun, let common = try? choices.common.checked(),
            let session = try? CommandContext(common)
        else { return nil }
        let sockets = ForwardedSockets(session.environment)
        guard sockets.isAny, let need = Self.need(choices, session), let agent = sockets.connection() else {
            return nil
        }
        if choices.forceRefresh {
            session.output.warn("the agent at home is not asked: nobody forces a refresh from here")
            return nil
        }
        self.choices = choices
        self.session = session
        self.agent = agent
        isOnlyWay = need == .total
        request = Self.request(choices, session)
    }

    private enum Need {
        /// A person would have to sign in here.
        case ofPerson
        /// Neither client nor account are known here.
        case total
    }

    /// Whether this host has nothing to go by: nil where it does, or where its own failure has to be told.
    private static func need(_ choices: TokenOptions, _ session: CommandContext) -> Need? {
        var quiet = choices
        quiet.silent = true
        do throws(Failure) {
            let call = try TokenCall(quiet) { _ in }
            guard case .interaction = call.application.decision(on: call.request, from: call.snapshot).outcome else {
                return nil
            }
            return .ofPerson
        } catch {
            if error.code == .notFound { return .total }
            guard error.code == .configuration else { return nil }
            // Settings that are wrong are told; a client that is not known here may be known there.
            return ((try? session.clientIfAny()) ?? nil) == nil ? .total : nil
        }
    }

    private static func request(_ choices: TokenOptions, _ session: CommandContext) -> ForwardedTokenRequest {
        let common = choices.common
        let client = (try? session.clientIfAny()) ?? nil
        let named = common.client ?? session.environment["FOYER_CLIENT"]
        var request = ForwardedTokenRequest()
        request.clientID = client?.clientID ?? common.clientID ?? named.flatMap { $0.isGUID ? $0 : nil }
        request.client = request.clientID == nil ? named : nil
        request.authority = common.authority ?? session.environment["FOYER_AUTHORITY"] ?? client?.authority
        request.scopes = common.scopes.isEmpty ? client?.scopes ?? [] : common.scopes
        request.account = common.account
        request.tenant = choices.asking.tenant
        request.claims = choices.claims
        request.pop = choices.pop
        request.popNonce = choices.popNonce
        request.timeout = common.timeout.map { Int64(($0 * 1000).rounded()) }
        request.isInteractive = !choices.isSilent
        let parent = ProcessEntry(getppid()).program?.split(separator: "/").last
        request.program = parent.map { SafeText.line(String($0), limit: 100) }
        return request
    }

    /// What the agent there says.
    ///
    /// - Returns: nil when this host has to go on by itself, which asks the person here.
    /// - Throws: what it says instead of a token, where the person there has refused it or nobody can be asked here.
    func answer() throws(Failure) -> Answer? {
        let line = StatusLine(session)
        line?.show(after: 1, counting: "asking the agent at home")
        defer { line?.stop() }
        var isRefusal = false
        let value = agent.ask(request) { event in
            switch event["event"]?.string {
            case AgentProtocol.waitsForPerson:
                line?.aside()
                if let text = event["message"]?.string { session.output.aside(text) }
            case AgentProtocol.refusal: isRefusal = true
            default: break
            }
        }
        guard let value else { return nil }
        if let answer = Answer(value, for: request, session.output) { return answer }
        let failure =
            Failure(value)
            ?? Failure(.untrustedResponse, "the agent at home has answered with something else than was asked for")
        guard isRefusal || choices.isSilent || isOnlyWay else {
            session.output.warn("the agent at home gives no token: \(failure.message)")
            return nil
        }
        throw failure
    }
}

extension Output {
    /// What is waited for, on standard error.
    fileprivate func aside(_ text: String) {
        if json { event("waiting", [("message", .string(text))]) } else { note("foyer: " + text) }
    }
}
