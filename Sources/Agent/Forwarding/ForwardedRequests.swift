import CommandSupport
import Console
import Identity
import Logging
import StrictJSON
import TokenCache
import TokenCalls

/// Handles requests from other hosts and containers. They get only access tokens that the agent's own `[forward]`
/// settings allow.
struct ForwardedRequests: Sendable {
    let calls: SilentCalls
    let lock: AgentLock
    let questions: Questions
    let permissions: Permissions
    let record: UsageLog
    let forwardings: Forwardings
    let refreshes: ForwardedRefreshes
    /// The agent's own: the caller never supplies settings, store or network options.
    let environment: ProcessEnvironment
    let logger: Logger
    let open: ForwardedSignIn.SignInOpener

    func answer(
        _ line: [UInt8], _ asker: Peer, _ forwarding: Forwarding, onEvent: @escaping RequestHandler.Events
    ) async -> JSONValue {
        var (asker, program) = (asker, String?.none)
        do throws(Failure) {
            let request = try AgentProtocol.forwardedRequest(line)
            program = request.program.map { SafeText.line($0, limit: 100) }
            asker.forwardedProgram = program
            try await lock.check(onEvent)
            let (token, call) = try await token(request, forwarding, program, onEvent)
            // The agent may have been locked, or the connection closed, in the meantime.
            try await lock.check(onEvent)
            guard !forwardings.isEnded(forwarding) else { throw Self.ended }
            forwardings.gave(forwarding, program: program)
            await record.gave(token, call, asker)
            let scopes = call.request.scopes.target
            logger.notice("token for \(call.client.name) (\(scopes)) to \(Self.words(forwarding, program))")
            return token.forwardedJSON
        } catch {
            forwardings.refused(forwarding, program: program)
            await record.refused(asker)
            logger.notice("refused \(Self.words(forwarding, program)): \(error.message)")
            return ["error": error.json]
        }
    }

    private static let ended = Failure(.cancelled, "this connection was closed on your machine")

    static func words(_ forwarding: Forwarding, _ program: String?) -> String {
        forwarding.words + (program.map { ", for \($0) there" } ?? "")
    }

    private func token(
        _ request: ForwardedTokenRequest, _ forwarding: Forwarding, _ program: String?,
        _ onEvent: RequestHandler.Events
    ) async throws(Failure) -> (AcquiredToken, TokenCall) {
        let wish = try await wish(request, forwarding)
        var isAllowed = false
        var found: (call: TokenCall, account: Account)
        do throws(Failure) { found = try await worked(out: wish) } catch {
            // The account is missing, but an interactive request can add it.
            guard error.code == .notFound, request.isInteractive else { throw error }
            try await signIn(wish, nil, program, isAllowed: false, onEvent)
            isAllowed = true
            found = try await worked(out: wish)
        }
        if !isAllowed {
            isAllowed = try await confirm(found.call, found.account, wish.policy, forwarding, program, onEvent)
        }
        let token: AcquiredToken
        do throws(Failure) { token = try await refreshes.token(found.call, found.account, calls) } catch {
            guard error.code == .interactionRequired, request.isInteractive else { throw error.toldElsewhere }
            try await signIn(wish, found.account, program, isAllowed: isAllowed, onEvent)
            found = try await worked(out: wish)
            do throws(Failure) { token = try await refreshes.token(found.call, found.account, calls) } catch {
                throw error.toldElsewhere
            }
        }
        try wish.policy.check(granted: token.scopes, at: wish.own.kind)
        guard token.account.id.isSamePerson(as: found.account.id) else { throw Self.noAccount }
        return (token, found.call)
    }

    private static let noAccount = Failure(.notFound, "no forwarded account matches")

    // MARK: Resolution and checks

    /// A request, resolved with the settings of this machine.
    struct Query: Sendable {
        let request: ForwardedTokenRequest
        let forwarding: Forwarding
        let policy: ForwardPolicy
        let client: ClientChoice
        let own: Authority
        let scopes: ScopeSet
    }

    private func wish(_ request: ForwardedTokenRequest, _ forwarding: Forwarding) async throws(Failure) -> Query {
        let environment = environment
        return try await BlockingExecutor.run { () throws(Failure) in
            let session = try Self.here { () throws(Failure) in
                try CommandContext(
                    TokenOptions { ($0.scopes, $0.neverAsks) = (request.options.scopes, true) },
                    environment: environment)
            }
            let policy = ForwardPolicy(session.settings)
            try policy.checkAny()
            try policy.check(age: forwarding.age)
            let client = try Self.client(request, session, policy)
            try policy.check(client)
            let own = try Self.here { () throws(Failure) in try session.authority(client) }
            try policy.check(authority: request.options.authority, own: own)
            let scopes = try Self.here { () throws(Failure) in try session.scopes(client, own) }
            try policy.check(asked: scopes, at: own.kind)
            return Query(
                request: request, forwarding: forwarding, policy: policy, client: client, own: own, scopes: scopes)
        }
    }

    func worked(out wish: Query) async throws(Failure) -> (call: TokenCall, account: Account) {
        let environment = environment
        return try await BlockingExecutor.run { () throws(Failure) in
            // Filter the signed-in accounts first: accounts that are not forwarded must look the same as missing ones.
            let look = try Self.call(wish, account: nil, environment)
            let allowed = wish.policy.allowed(look.snapshot.accounts(clientID: wish.client.clientID), at: wish.own)
            let account = try wish.policy.account(wish.request.options.account, of: allowed)
            try wish.policy.check(resource: wish.request.options.resource)
            try wish.policy.check(tenant: wish.request.options.tenant, own: wish.own, home: account.homeTenantID)
            let call = try Self.call(wish, account: account.homeAccountID, environment)
            // Accounts of two issuers may share a home account ID.
            guard call.client == wish.client, call.request.account?.id == account.id else { throw Self.noAccount }
            try wish.policy.check(asked: call.request.scopes, at: wish.own.kind)
            return (call, account)
        }
    }

    /// The client by ID, then by its name here, then the only forwarded one. Among clients with the same ID, a
    /// forwarded one is preferred.
    private static func client(
        _ request: ForwardedTokenRequest, _ session: CommandContext, _ policy: ForwardPolicy
    ) throws(Failure) -> ClientChoice {
        let named: String?
        if let id = request.options.clientID {
            let configured = session.settings.clients.filter { $0.clientID == id }
            let forwarded = configured.first { policy.settings.clients.contains($0.name) } ?? configured.first
            named = forwarded?.name ?? id
        } else {
            named = request.options.client ?? policy.onlyClient
        }
        guard let named else {
            throw Failure(
                .configuration, "several clients are forwarded: choose one", hint: "use --client")
        }
        // Other hosts must not learn whether the name is unknown or not forwarded.
        guard let client = try? session.client(named: named) else {
            throw Failure(
                .configuration, "this client is not forwarded",
                hint: "on your machine, add its name to clients under [forward] in the settings file")
        }
        return client
    }

    private static func call(
        _ wish: Query, account: String?, _ environment: ProcessEnvironment
    ) throws(Failure) -> TokenCall {
        try here { () throws(Failure) in
            var options = wish.request.options
            // Tenant and authority were checked to be the client's own.
            (options.client, options.clientID, options.account) = (wish.client.name, nil, account)
            (options.tenant, options.authority) = (nil, nil)
            return try TokenCall(options, environment: environment, usual: false) { _ in }
        }
    }

    /// Removes details of this machine from errors.
    private static func here<Value>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        do throws(Failure) { return try body() } catch { throw error.toldElsewhere }
    }

    // MARK: Permission

    /// - Returns: whether the user has just answered.
    private func confirm(
        _ call: TokenCall, _ account: Account, _ policy: ForwardPolicy, _ forwarding: Forwarding, _ program: String?,
        _ onEvent: RequestHandler.Events
    ) async throws(Failure) -> Bool {
        guard policy.settings.confirms else { return false }
        let key = Permissions.Key(
            program: forwarding.name, clientID: call.client.clientID, account: account.id.canonicalHomeAccountID,
            scopes: call.request.scopes.target)
        let question = Questions.Question(
            key: key, asker: Self.words(forwarding, program), client: call.client.name, account: account.label,
            display: ProcessEntry(forwarding.pid).variable("DISPLAY"))
        return try await ask(
            question, forwarding, "waiting for permission on your machine: foyer agent requests", onEvent)
    }

    /// - Returns: false if a saved answer applied.
    func ask(
        _ question: Questions.Question, _ forwarding: Forwarding, _ message: String, _ onEvent: RequestHandler.Events
    ) async throws(Failure) -> Bool {
        let key = question.key
        var answer = await permissions.answer(for: key)
        if answer == nil, forwardings.isRefused(key, of: forwarding) { answer = .refuse }
        let isNew = answer == nil
        if isNew {
            await onEvent(["event": .string(AgentProtocol.waitsForPerson), "message": .string(message)])
            answer = await questions.ask(question)
            // This call saves a window's answer; other answers are saved on receipt.
            if answer == .session { try? await permissions.note(.session, for: key) }
            if answer == .refuse { forwardings.holdRefusal(key, of: forwarding) }
        }
        guard answer?.allows == true else {
            await onEvent(["event": .string(AgentProtocol.refusal)])
            guard answer == nil else { throw Failure(.cancelled, "refused on your machine") }
            throw Failure(
                .interactionRequired, "not allowed yet on your machine",
                hint: "on your machine, answer with \"foyer agent requests allow ID\"")
        }
        return isNew
    }
}

extension AcquiredToken {
    /// The output of `foyer token --json` without the ID token's claims.
    fileprivate var forwardedJSON: JSONValue {
        let members = (json.object?.members ?? []).map { member in
            member.name == "idTokenClaims" ? JSONMember(name: member.name, value: [:]) : member
        }
        return .object(JSONObject(members + [JSONMember(name: "forwarded", value: true)]))
    }
}

extension Failure {
    /// The failure without paths, commands and names of this machine.
    fileprivate var toldElsewhere: Failure {
        switch code {
        case .interactionRequired:
            Failure(
                code, "sign in on your machine", hint: "on your machine, run \"foyer sign-in\"",
                oauthError: oauthError, suberror: suberror, serverCodes: serverCodes, claims: claims,
                correlationID: correlationID, serverCodeOrigin: serverCodeOrigin)
        case .declinedScopes:
            Failure(
                code, message, oauthError: oauthError, suberror: suberror, serverCodes: serverCodes,
                correlationID: correlationID, grantedScopes: grantedScopes, declinedScopes: declinedScopes,
                serverCodeOrigin: serverCodeOrigin)
        case .serverError, .unavailable, .untrustedResponse:
            Failure(
                code, message, oauthError: oauthError, suberror: suberror, serverCodes: serverCodes,
                correlationID: correlationID, serverCodeOrigin: serverCodeOrigin)
        case .storeError:
            Failure(code, "cannot read the store on your machine", hint: "on your machine, run \"foyer doctor\"")
        case .configuration, .invalidInput:
            Failure(
                .configuration, "settings error on your machine", hint: "on your machine, run \"foyer doctor\"")
        case .notFound, .ambiguous: Failure(.notFound, "no forwarded account matches")
        case .usage: Failure(code, message)
        case .cancelled: Failure(code, "cancelled on your machine")
        }
    }
}
