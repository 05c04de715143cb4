import CommandSupport
import Console
import Glibc
import Identity
import Programs
import SilentCore
import SilentFirst
import StrictJSON

/// `foyer token` on a host where the account is not signed in: asks the reachable agent of another host. This host's
/// own tokens always come first.
struct ForwardedCall {
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
    /// Whether this host cannot continue by itself: it cannot prompt, or does not know the client or account.
    private var isOnlyWay: Bool

    /// `foyer token`. Nil if this host has its own result, or no agent of another host can be reached.
    init?(_ options: TokenOptions) {
        guard !options.dryRun, let options = try? options.checked(), let context = try? CommandContext(options) else {
            return nil
        }
        let sockets = ForwardedSockets(environment: context.environment)
        guard sockets.isAny, let need = Self.need(options, context),
            let agent = sockets.connection()
        else {
            return nil
        }
        if options.forceRefresh || !options.challenge.isEmpty {
            context.output.warn(
                options.forceRefresh
                    ? "cannot force a refresh through a forwarded agent"
                    : "cannot answer a challenge through a forwarded agent")
            return nil
        }
        self.init(agent, Self.options(options, context), context, isInteractive: !options.isSilent)
        isOnlyWay = need == .total || options.isSilent
    }

    /// For a credential helper without a token on this host. Nil if no agent of another host can be reached.
    init?(_ call: TokenCall, isInteractive: Bool) {
        let sockets = ForwardedSockets(environment: call.context.environment)
        guard sockets.isAny, !call.request.forceRefresh, call.request.stepUp == nil, let agent = sockets.connection()
        else { return nil }
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

    /// For an endpoint, which cannot prompt.
    @Sendable static func token(_ call: TokenCall) -> Result<IssuedToken?, Failure> {
        do throws(Failure) {
            return .success(try ForwardedCall(call, isInteractive: false)?.answer().flatMap { IssuedToken($0.token) })
        } catch { return .failure(error) }
    }

    private enum Need {
        /// A sign-in is needed here.
        case ofPerson
        /// Neither client nor account are known here.
        case total
    }

    /// - Returns: why this host has no token; nil if it has one, or must report its own failure.
    private static func need(_ options: TokenOptions, _ context: CommandContext) -> Need? {
        var quiet = options
        quiet.silent = true
        do throws(Failure) {
            let call = try TokenCall(quiet) { _ in }
            // Another host's agent has no sessions of this one's.
            guard call.session.allowsPersons,
                case .interaction = call.cached.decision(on: call.request, from: call.snapshot).outcome
            else {
                return nil
            }
            return .ofPerson
        } catch {
            // Without a resolved call no rule has allowed a session anything.
            guard context.world.isOfPerson else { return nil }
            if error.code == .notFound { return .total }
            // The usual account has to sign in.
            if error.code == .interactionRequired { return .ofPerson }
            guard error.code == .configuration else { return nil }
            // Report invalid settings here; the other host may know a client that is unknown here.
            return ((try? context.clientIfAny()) ?? nil) == nil ? .total : nil
        }
    }

    /// Resolves the options with this host's settings, as the other host has settings of its own.
    private static func options(_ options: TokenOptions, _ context: CommandContext) -> TokenOptions {
        let client = (try? context.clientIfAny()) ?? nil
        let named = options.client ?? context.environment["FOYER_CLIENT"]
        var forwarded = options
        forwarded.clientID = client?.clientID ?? options.clientID ?? named.flatMap { $0.isGUID ? $0 : nil }
        forwarded.client = forwarded.clientID == nil ? named : nil
        forwarded.authority = options.authority ?? context.environment["FOYER_AUTHORITY"] ?? client?.authority
        var query = TokenQuery(options)
        query.takesUsualAccount = true
        let usual = try? context.resolved(query)
        forwarded.account = usual?.account ?? options.account
        forwarded.tenant = usual?.tenant ?? options.tenant
        forwarded.scopes = options.scopes.isEmpty ? client.map(context.listedScopes) ?? [] : options.scopes
        return forwarded
    }

    /// - Returns: nil if this host must continue by itself and prompt here.
    /// - Throws: the agent's error, if the user there refused the request or this host cannot prompt.
    func answer() throws(Failure) -> Answer? {
        let line = status
        line?.show(after: 1, counting: "asking the forwarded agent")
        defer { line?.stop() }
        var isRefusal = false
        let value = agent.ask(request) { event in
            switch event["event"]?.string {
            case AgentProtocol.waitsForPerson:
                line?.aside()
                if let text = event["message"]?.string { output.event("waiting", [("message", text.json)], or: text) }
            case AgentProtocol.refusal: isRefusal = true
            default: break
            }
        }
        guard let value else { return nil }
        if let answer = Answer(value, for: request, output) { return answer }
        let failure = Failure(value) ?? Failure(.untrustedResponse, "the forwarded agent sent an unexpected response")
        guard isRefusal || isOnlyWay else {
            output.warn("the forwarded agent refused: \(failure.message)")
            return nil
        }
        throw failure
    }
}
