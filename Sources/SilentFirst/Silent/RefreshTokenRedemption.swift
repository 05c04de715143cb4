import Identity
import LegacyCaches
import SilentCore
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

    private var token: CachedCredential { candidate.credential }
    private var isRelative: Bool { token.clientID != context.configuration.clientID }

    /// Completes even if the caller cancels: losing a rotated token would end the sign-in. The request has a deadline.
    ///
    /// It first makes sure that the store can save the response: a single-use refresh token is invalid once sent.
    func finish() async throws(Failure) -> Outcome {
        let refreshes = context.provider.refreshes
        guard !Task.isCancelled, refreshes.begin() else { throw Failure(.cancelled, "cancelled") }
        // Runs last, after the reservation is released, because the process may exit right then.
        defer { refreshes.end() }
        let reservation: WriteReservation
        do throws(StoreError) { reservation = try await context.cache.reserve() } catch {
            record.note(.save, .failed, error.message)
            throw Failure(error)
        }
        defer { reservation.release() }
        if Task.isCancelled { throw Failure(.cancelled, "cancelled") }
        let sending = Task(executorPreference: BlockingExecutor.shared) { () -> Result<Outcome, Failure> in
            do throws(Failure) { return .success(try await send(reservation)) } catch { return .failure(error) }
        }
        return try await sending.value.get()
    }

    /// Whether a place is to get fewer scopes than were granted (RFC 6749 section 6). They are named only where a token
    /// shows that they were granted: some providers refuse others.
    private var narrows: Bool {
        guard resolved.query.bound != nil, let snapshot = try? context.snapshot() else { return false }
        return snapshot.holdsWiderToken(resolved.query)
    }

    private func send(_ reservation: WriteReservation) async throws(Failure) -> Outcome {
        let name: Step.Name =
            candidate.legacy != nil ? .legacyRefreshToken : isRelative ? .familyRefreshToken : .refreshToken
        let endpoint = context.tokenEndpoint(
            metadata, resolved.authority, authentication, request.correlationID, resolved.binding)
        func ask(narrows: Bool) async throws(WireError) -> TokenAnswer {
            try await endpoint.refresh(
                token: token.secret, scopes: resolved.query.scopes, claims: candidate.question.claims,
                anchor: resolved.account.identifier,
                instanceAware: context.configuration.instanceAware && resolved.authority.kind == .aad,
                resource: request.resource, agentSession: request.agentSession, narrows: narrows)
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
            let processor = TokenResponseProcessor(
                context: context, request: request, authority: resolved.authority, metadata: metadata,
                binding: resolved.binding,
                record: record, reservation: reservation)
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
