import CommandSupport
import Glibc
import Identity
import Logging
import SilentCore
import StrictJSON
import TokenCache
import TokenCalls

// Requests by foyer's broker for other programs: their tokens and accounts, and sign-ins that the broker performs.

extension Peer {
    /// The requesting process, which differs from the connected one for requests by foyer's broker.
    ///
    /// - Throws: `usage` if any other program names another process.
    func speaking(for process: pid_t?) async throws(Failure) -> Peer {
        guard let process else { return self }
        guard isFoyer else { throw Failure(.usage, "only foyer's broker asks for other processes") }
        let meant = Peer(pid: process, uid: uid)
        return await BlockingExecutor.run { meant.described(by: nil) }
    }
}

extension Permissions {
    /// The scopes of a broker permission, which covers every token of an account for a client.
    static let everyScope = "every scope"
}

extension AgentTokenRequest {
    var isOfBroker: Bool { forProcess != nil }
}

extension TokenCall {
    /// Whether the client has its own sign-in instead of using another client's family refresh token.
    var hasOwnSignIn: Bool {
        guard let account = meantAccount, let held = try? cached.held(account, in: snapshot) else { return false }
        return snapshot.credentials(of: held.account.id, clientID: held.clientID).contains { $0.kind == .refreshToken }
    }
}

extension SilentCalls {
    /// The Entra ID accounts whose tokens the client can get silently.
    func accounts(_ request: AgentTokenRequest) async throws(Failure) -> [Account] {
        let call = try await worked(out: request).0
        return await BlockingExecutor.run {
            call.snapshot.accounts(clientID: nil).filter { account in
                guard account.issuer == nil, account.homeTenantID != nil else { return false }
                guard let wish = try? call.resolution.pointing(at: account, in: call.snapshot).request(call.request)
                else { return false }
                switch call.cached.decision(on: wish, from: call.snapshot).outcome {
                case .serve, .refresh, .upgrade: return true
                case .interaction, .failure: return false
                }
            }
        }
    }

    /// The token with the ID token that identifies its account, which the broker's callers need. Refreshes if the store
    /// has none.
    func acquireWithIDToken(_ call: TokenCall, _ request: AgentTokenRequest) async throws(Failure) -> Given {
        var given = try await acquire(call, correlationID: request.correlationID)
        if given.token.idToken == nil, given.token.source == .cache {
            given = try await acquire(call, forceRefresh: true, correlationID: request.correlationID)
        }
        return given
    }
}

extension RequestHandler {
    func accounts(_ request: AgentTokenRequest, _ asker: Peer, _ onEvent: @escaping Events) async throws(Failure)
        -> JSONValue
    {
        try await lock.check(onEvent)
        let accounts = try await calls.accounts(request)
        try await lock.check(onEvent)
        let who = try await asker.speaking(for: request.forProcess)
        logger.info("listed \(accounts.count) accounts for \(who.words)")
        return ["accounts": .array(accounts.map(\.json))]
    }

    /// Returns when the user refuses; the caller hangs up when its sign-in has ended.
    func show(_ signIn: AgentSignIn, _ asker: Peer, _ onEvent: @escaping Events) async throws(Failure) -> JSONValue {
        try await lock.check(onEvent)
        let who = try await asker.speaking(for: signIn.forProcess)
        let answer = await questions.ask(
            Questions.Question(
                key: Permissions.Key(
                    program: who.responsible, clientID: signIn.client, account: signIn.account,
                    scopes: "sign-in: " + signIn.instruction),
                asker: who.words, client: signIn.client, account: signIn.account, display: nil, isWindow: false))
        return ["answer": (answer?.rawValue).json]
    }
}
