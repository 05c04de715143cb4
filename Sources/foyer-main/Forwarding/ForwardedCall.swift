import CommandSupport
import Console
import Glibc
import Identity
import Programs
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
                request.options.clientID == nil || value["clientId"]?.string == request.options.clientID,
                (value["proof"]?["authorization"] != nil) == (request.options.pop != nil)
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

    private let output: Output
    private let status: StatusLine?
    private let agent: AgentConnection
    private let request: ForwardedTokenRequest
    /// Whether this host cannot go on by itself: nobody can be asked here, or it could not even say what is meant.
    private var isOnlyWay: Bool

    /// `foyer token`. Nil where this host has an answer of its own, or no agent of another one can be reached.
    init?(_ options: TokenOptions) {
        guard !options.dryRun, let options = try? options.checked(), let context = try? CommandContext(options) else {
            return nil
        }
        let sockets = ForwardedSockets(context.environment)
        guard sockets.isAny, let need = Self.need(options, context), let agent = sockets.connection() else {
            return nil
        }
        if options.forceRefresh {
            context.output.warn("the agent at home is not asked: nobody forces a refresh from here")
            return nil
        }
        self.init(agent, Self.options(options, context), context, isInteractive: !options.isSilent)
        isOnlyWay = need == .total || options.isSilent
    }

    /// A helper of a program that this host has no token for. Nil where no agent of another one can be reached.
    init?(_ call: TokenCall, isInteractive: Bool) {
        let sockets = ForwardedSockets(call.context.environment)
        guard sockets.isAny, !call.request.forceRefresh, let agent = sockets.connection() else { return nil }
        var options = call.pinned
        options.scopes = call.request.scopes.names
        (options.client, options.clientID) = (nil, call.client.clientID)
        options.authority =
            call.resolution.by.world.namedAuthority(call.client, call.options, asked: call.resolution.by.query.asked)
        self.init(agent, options, call.context, isInteractive: isInteractive)
    }

    private init(_ agent: AgentConnection, _ options: TokenOptions, _ context: CommandContext, isInteractive: Bool) {
        self.agent = agent
        output = context.output
        status = StatusLine(context)
        isOnlyWay = !isInteractive
        var request = ForwardedTokenRequest(options)
        request.isInteractive = isInteractive
        let parent = ProcessEntry(getppid()).program?.split(separator: "/").last
        request.program = parent.map { SafeText.line(String($0), limit: 100) }
        self.request = request
    }

    /// For an endpoint, at which nobody can be asked.
    @Sendable static func token(_ call: TokenCall) -> Result<IssuedToken?, Failure> {
        do throws(Failure) {
            return .success(try ForwardedCall(call, isInteractive: false)?.answer().flatMap { IssuedToken($0.token) })
        } catch { return .failure(error) }
    }

    private enum Need {
        /// A person would have to sign in here.
        case ofPerson
        /// Neither client nor account are known here.
        case total
    }

    /// Whether this host has nothing to go by: nil where it does, or where its own failure has to be told.
    private static func need(_ options: TokenOptions, _ context: CommandContext) -> Need? {
        var quiet = options
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
            return ((try? context.clientIfAny()) ?? nil) == nil ? .total : nil
        }
    }

    /// What this host makes of the options: home has settings of its own.
    private static func options(_ options: TokenOptions, _ context: CommandContext) -> TokenOptions {
        let client = (try? context.clientIfAny()) ?? nil
        let named = options.client ?? context.environment["FOYER_CLIENT"]
        var forwarded = options
        forwarded.clientID = client?.clientID ?? options.clientID ?? named.flatMap { $0.isGUID ? $0 : nil }
        forwarded.client = forwarded.clientID == nil ? named : nil
        forwarded.authority = options.authority ?? context.environment["FOYER_AUTHORITY"] ?? client?.authority
        forwarded.scopes = options.scopes.isEmpty ? client?.scopes ?? [] : options.scopes
        return forwarded
    }

    /// What the agent there says.
    ///
    /// - Returns: nil when this host has to go on by itself, which asks the person here.
    /// - Throws: what it says instead of a token, where the person there has refused it or nobody can be asked here.
    func answer() throws(Failure) -> Answer? {
        let line = status
        line?.show(after: 1, counting: "asking the agent at home")
        defer { line?.stop() }
        var isRefusal = false
        let value = agent.ask(request) { event in
            switch event["event"]?.string {
            case AgentProtocol.waitsForPerson:
                line?.aside()
                if let text = event["message"]?.string { output.aside(text) }
            case AgentProtocol.refusal: isRefusal = true
            default: break
            }
        }
        guard let value else { return nil }
        if let answer = Answer(value, for: request, output) { return answer }
        let failure =
            Failure(value)
            ?? Failure(.untrustedResponse, "the agent at home has answered with something else than was asked for")
        guard isRefusal || isOnlyWay else {
            output.warn("the agent at home gives no token: \(failure.message)")
            return nil
        }
        throw failure
    }
}

extension Output {
    /// What is waited for, on standard error.
    fileprivate func aside(_ text: String) {
        event("waiting", [("message", .string(text))], or: text)
    }
}
