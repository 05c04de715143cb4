import Identity
import LegacyCaches
import SilentCore
import Synchronization
import TokenCache
import Wire

/// Redeems one refresh token. Once sent, the token may be used up, so the response is saved even if the caller cancels.
struct RefreshTokenRedemption: Sendable {
    enum Outcome: Sendable {
        case token(AcquiredToken)
        case refused(OAuthError)
    }

    let context: ClientContext
    let request: TokenRequest
    let record: StepRecorder
    let resolved: ResolvedRequest
    let metadata: ProviderMetadata
    let authentication: ClientAuthentication?
    let candidate: RefreshCandidate
    /// The previous ID token, whose subject the new one must have.
    let earlier: CachedCredential?
    let throttle: Throttle
    /// Nil for a store without locks.
    var turn: RefreshLock?

    private var token: CachedCredential { candidate.credential }
    private var isRelative: Bool { token.clientID != context.configuration.clientID }

    /// Completes even if the caller cancels: losing a rotated token would end the sign-in.
    ///
    /// It first makes sure that the store can save the response: a single-use refresh token is invalid once sent. The
    /// caller gets `unavailable` at its own time; a request that was sent by then keeps its turn, and its response is
    /// saved up to ``Provider/longestAnswer`` later.
    func finish() async throws(Failure) -> Outcome {
        let refreshes = context.provider.refreshes
        guard !Task.isCancelled, refreshes.begin() else { throw Failure(.cancelled, "cancelled") }
        let reservation: WriteReservation
        do throws(StoreError) {
            reservation = try await context.cache.reserve()
        } catch {
            refreshes.end()
            record.note(.save, .failed, error.message)
            throw Failure(error)
        }
        if Task.isCancelled {
            reservation.release()
            refreshes.end()
            throw Failure(.cancelled, "cancelled")
        }
        turn?.keep()
        let sent = Sent()
        let sending = Task(executorPreference: BlockingExecutor.shared) { () -> Result<Outcome, Failure> in
            // Last, as the process may exit right then.
            defer { refreshes.end() }
            defer { turn?.stopKeeping() }
            defer { reservation.release() }
            do throws(Failure) { return .success(try await send(reservation, sent)) } catch { return .failure(error) }
        }
        return try await answer(sending, sent).get()
    }

    /// Whether a place is to get fewer scopes than were granted (RFC 6749 section 6). They are named only where a token
    /// shows that they were granted: some providers refuse others.
    private var narrows: Bool {
        guard resolved.query.bound != nil, let snapshot = try? context.snapshot() else { return false }
        return snapshot.holdsWiderToken(resolved.query)
    }

    /// Whether the request has left this machine.
    private final class Sent: Sendable {
        private let state = Mutex(false)
        var value: Bool { state.withLock { $0 } }
        func note() { state.withLock { $0 = true } }
    }

    /// How long the response is read on; nil for the caller's time. Entra ID's refresh tokens can be used again, so
    /// that nothing is lost with one of its answers.
    private var patience: Duration? {
        guard let own = context.provider.patience, !resolved.authority.kind.isEntra, own < Provider.longestAnswer else {
            return nil
        }
        return Provider.longestAnswer
    }

    /// The response, or the time-out of the caller.
    private func answer(_ sending: Task<Result<Outcome, Failure>, Never>, _ sent: Sent) async
        -> Result<Outcome, Failure>
    {
        guard patience != nil, let own = context.provider.patience else { return await sending.value }
        return await withCheckedContinuation { continuation in
            let waiting = FirstAnswer(continuation)
            let timer = Task {
                do { try await Task.sleep(for: own) } catch { return }
                let error = WireError.timedOut(host: metadata.token.hostAndPort)
                guard waiting.isOpen else { return }
                throttle.note(error, candidate.question)
                // Nothing is spent yet.
                if sent.value { noteLost() } else { sending.cancel() }
                record.note(.refreshToken, .failed, error.message + (sent.value ? "; its answer is still read" : ""))
                waiting.end(.failure(Failure(error)))
            }
            Task {
                let result = await sending.value
                timer.cancel()
                waiting.end(result)
            }
        }
    }

    /// Until an answer comes after all.
    private func noteLost() {
        // Entra ID's refresh tokens can be used again.
        if !resolved.authority.kind.isEntra { throttle.noteLost(candidate.question) }
    }

    private func send(_ reservation: WriteReservation, _ sent: Sent) async throws(Failure) -> Outcome {
        let name: Step.Name =
            candidate.legacy != nil ? .legacyRefreshToken : isRelative ? .familyRefreshToken : .refreshToken
        let endpoint = context.tokenEndpoint(
            metadata, resolved.authority, authentication, request.correlationID, resolved.binding)
        func ask(narrows: Bool) async throws(WireError) -> TokenAnswer {
            try await endpoint.refresh(
                token: token.secret, scopes: resolved.query.scopes, claims: candidate.question.claims,
                anchor: resolved.account.identifier,
                instanceAware: context.configuration.instanceAware && resolved.authority.kind == .aad,
                resource: request.resource, agentSession: request.agentSession, narrows: narrows,
                patience: patience, onSent: { sent.note() })
        }
        var answer: TokenAnswer
        do {
            answer = try await ask(narrows: narrows)
            // Some providers take no scopes here, or other names than they tell; a refused request spends no token.
            if case .refused(let error) = answer, error.error == "invalid_scope", narrows {
                record.note(name, .skipped, "the provider issues no token with fewer scopes")
                answer = try await ask(narrows: false)
            }
        } catch {
            record.note(name, .failed, error.message)
            throttle.note(error, candidate.question)
            if sent.value, error.isNotReached { noteLost() }
            throw Failure(error)
        }
        switch answer {
        case .refused(let error):
            record.note(
                name, .failed, "rejected (\([error.error, error.suberror].compactMap { $0 }.joined(separator: ", ")))")
            throttle.note(error, candidate.question)
            return .refused(error)
        case .granted(let grant):
            record.note(name, .done, "refreshed at \(resolved.authority.provider)")
            throttle.noteAnswer(candidate.question)
            let processor = TokenResponseProcessor(
                context: context, request: request, authority: resolved.authority, metadata: metadata,
                authentication: authentication, binding: resolved.binding, record: record, reservation: reservation)
            if let legacy = candidate.legacy {
                return .token(try await processor.keep(grant, of: .legacy(entry: legacy, account: resolved.account)))
            }
            return .token(
                try await processor.keep(
                    grant,
                    of: .refresh(
                        account: resolved.account, redeemed: token.secret, isRelative: isRelative, idToken: earlier)
                ))
        }
    }
}

/// The caller of a request, who gets what comes first.
private final class FirstAnswer<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) { self.continuation = Mutex(continuation) }

    var isOpen: Bool { continuation.withLock { $0 != nil } }

    func end(_ value: sending Value) {
        let waiting = continuation.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        waiting?.resume(returning: value)
    }
}
