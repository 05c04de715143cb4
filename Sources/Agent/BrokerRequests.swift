import CommandSupport
import Glibc
import Identity
import Logging
import SilentFirst
import StrictJSON
import TokenCache

// What foyer's broker asks for other programs: their tokens, their accounts, and sign-ins that it makes for them.

extension Asker {
    /// The process that is meant: another one's where foyer's broker asks for it.
    ///
    /// - Throws: `usage` where somebody else speaks for another process.
    func speaking(for process: pid_t?) async throws(Failure) -> Asker {
        guard let process else { return self }
        guard isFoyer else { throw Failure(.usage, "only foyer's broker asks for other processes") }
        let meant = Asker(pid: process, uid: uid)
        return await BlockingExecutor.run { meant.described(by: nil) }
    }
}

extension Permissions {
    /// What a program is given by the broker: the account's tokens for a client, whatever they are for.
    static let everyScope = "every scope"
}

extension AgentTokenRequest {
    var isOfBroker: Bool { forProcess != nil }
}

extension TokenCall {
    /// Whether the client has been signed in itself, and lives on no relative's refresh token.
    var hasOwnSignIn: Bool {
        guard let account = meantAccount else { return false }
        return snapshot.credentials(of: account.id, clientID: client.clientID).contains { $0.kind == .refreshToken }
    }
}

extension SilentCalls {
    /// The accounts of Entra ID that the client can have tokens of without a person.
    func accounts(_ request: AgentTokenRequest) async throws(Failure) -> [Account] {
        let call = try await worked(out: request).0
        return await BlockingExecutor.run {
            call.snapshot.accounts(clientID: nil).filter { account in
                guard account.issuer == nil, account.homeTenantID != nil else { return false }
                guard let wish = try? call.resolution.pointing(at: account, in: call.snapshot).request(call.request)
                else { return false }
                switch call.application.decision(on: wish, from: call.snapshot).outcome {
                case .serve, .refresh, .upgrade: return true
                case .interaction, .failure: return false
                }
            }
        }
    }

    /// The token with the ID token that tells whose it is, which the broker's callers need. Where the store has none,
    /// a refresh brings one.
    func acquireWithIDToken(_ call: TokenCall, _ request: AgentTokenRequest) async throws(Failure) -> (Given, Secret?) {
        var given = try await acquire(call, correlationID: request.correlationID)
        var idToken = await idToken(of: given.token, call)
        if idToken == nil, given.token.source == .cache {
            given = try await acquire(call, forceRefresh: true, correlationID: request.correlationID)
            idToken = await self.idToken(of: given.token, call)
        }
        return (given, idToken)
    }

    private func idToken(of token: AcquiredToken, _ call: TokenCall) async -> Secret? {
        await BlockingExecutor.run { try? call.application.idToken(of: token) }
    }
}

extension RequestHandler {
    func accounts(_ request: AgentTokenRequest, _ asker: Asker, _ onEvent: @escaping Events) async throws(Failure)
        -> JSONValue
    {
        try await lock.check(onEvent)
        let accounts = try await calls.accounts(request)
        try await lock.check(onEvent)
        let who = try await asker.speaking(for: request.forProcess)
        logger.info("named \(accounts.count) accounts to \(who.words)")
        return ["accounts": .array(accounts.map(\.json))]
    }

    /// Answers when the person refuses; whoever has made the sign-in hangs up when it has ended.
    func show(_ signIn: AgentSignIn, _ asker: Asker, _ onEvent: @escaping Events) async throws(Failure) -> JSONValue {
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
