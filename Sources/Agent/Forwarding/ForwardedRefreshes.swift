import CommandSupport
import Identity
import Proofs
import SilentCore
import TokenCache
import TokenCalls

/// The only way from a forwarded request to the provider. Equal requests at the same time share one refresh, the same
/// claims again get the token that they brought, and ``RefreshAllowance`` limits the rest.
actor ForwardedRefreshes {
    private typealias Answer = Result<AcquiredToken, Failure>

    /// A request as far as it decides which token it gets.
    private struct Request: Hashable {
        let account: AccountID
        let clientID: String
        let authority: String
        let scopes: String
        let claims: String?
        let agentSession: String?
        let isBound: Bool
        /// Nil in ``answers``: any proof can be made of a bound token.
        var proof: ResourceRequest?
    }

    private struct ClaimsAnswer {
        /// The access token's.
        let fingerprint: String
        let at: Duration
    }

    private static let mostAnswers = 256

    private var allowance = RefreshAllowance()
    private var running: [Request: Task<Answer, Never>] = [:]
    private var answers: [Request: ClaimsAnswer] = [:]
    private let now: @Sendable () -> Duration

    /// - Parameter now: the time since the machine started, sleep included.
    init(now: @escaping @Sendable () -> Duration = { BootClock.now }) { self.now = now }

    /// - Parameter account: of the call.
    /// - Throws: `unavailable` with the time to wait if there were too many refreshes; else the call's error.
    func token(_ call: TokenCall, _ account: Account, _ calls: SilentCalls) async throws(Failure) -> AcquiredToken {
        var request = Request(
            account: account.id, clientID: call.client.clientID, authority: call.resolution.authority.description,
            scopes: call.request.scopes.target, claims: call.request.claims, agentSession: call.request.agentSession,
            isBound: call.request.proof != nil, proof: call.request.proof)
        if let task = running[request] { return try await task.value.get() }
        let found = try await BlockingExecutor.run { () throws(Failure) in try CachedAnswer(call) }
        guard found.wouldSend else { return try await calls.acquire(call).token }
        // Others came in the meantime.
        if let task = running[request] { return try await task.value.get() }
        let isForced = call.request.claims != nil
        let started = request
        request.proof = nil
        if isForced, let token = found.token, answers[request]?.fingerprint == Self.fingerprint(token) { return token }
        if let wait = allowance.take(account.id, isForced: isForced, at: now()) { throw Self.refusal(wait, isForced) }
        let task = Task(executorPreference: BlockingExecutor.shared) {
            await Result.of { () throws(Failure) in try await calls.acquire(call).token }
        }
        running[started] = task
        let answer = await task.value
        running[started] = nil
        let token = try answer.get()
        if isForced { note(token, of: request) }
        return token
    }

    private func note(_ token: AcquiredToken, of request: Request) {
        answers[request] = ClaimsAnswer(fingerprint: Self.fingerprint(token), at: now())
        guard answers.count > Self.mostAnswers, let oldest = answers.min(by: { $0.value.at < $1.value.at }) else {
            return
        }
        answers[oldest.key] = nil
    }

    private static func fingerprint(_ token: AcquiredToken) -> String { Fingerprint.of([token.accessToken.reveal()]) }

    private static func refusal(_ wait: Duration, _ isForced: Bool) -> Failure {
        let seconds = max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
        let most =
            isForced
            ? "\(RefreshAllowance.mostForced) claims requests" : "\(RefreshAllowance.most) refreshes"
        return Failure(
            .unavailable,
            """
            an account's limit for other hosts is \(most) in \(RefreshAllowance.period.components.seconds / 60) minutes: \
            try again in \(seconds) s
            """)
    }
}

/// The store's content for a call.
private struct CachedAnswer: Sendable {
    /// Whether a request would be sent.
    let wouldSend: Bool
    /// The cached token for the call without its claims.
    let token: AcquiredToken?

    init(_ call: TokenCall) throws(Failure) {
        let snapshot = try call.cached.snapshot()
        wouldSend = call.cached.decision(on: call.request, from: snapshot).turnName != nil
        var request = call.request
        request.claims = nil
        token = try wouldSend ? call.cached.cachedToken(for: request, from: snapshot) { _ in } : nil
    }
}
