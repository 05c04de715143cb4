import Identity
import LegacyCaches
import TokenCache
import Wire

/// One refresh token on its way to the provider. Once it is sent it may be spent, so what comes back is stored whatever
/// the caller does meanwhile.
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
    let candidate: RefreshCandidate
    /// The ID token from before, whose subject the new one must have.
    let earlier: CachedCredential?
    let throttle: Throttle

    private var token: CachedCredential { candidate.credential }
    private var isRelative: Bool { token.clientID != context.configuration.clientID }

    /// Not given up when the caller is: the request's own deadline bounds it, and a rotated token that nobody keeps
    /// would end the sign-in.
    ///
    /// Nor is it sent before it is known that its successor can be kept: where tokens are good for one use, it is dead
    /// from then on.
    func finish() async throws(Failure) -> Outcome {
        let refreshes = context.provider.refreshes
        guard !Task.isCancelled, refreshes.begin() else { throw Failure(.cancelled, "cancelled") }
        // Last of all, when the reservation is released too: the process may end right there.
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

    private func send(_ reservation: WriteReservation) async throws(Failure) -> Outcome {
        let name: Step.Name =
            candidate.legacy != nil ? .legacyRefreshToken : isRelative ? .familyRefreshToken : .refreshToken
        let endpoint = context.tokenEndpoint(metadata, resolved.authority, request.correlationID, resolved.binding)
        let answer: TokenAnswer
        do {
            answer = try await endpoint.refresh(
                token: token.secret, scopes: resolved.query.scopes, claims: candidate.question.claims,
                anchor: resolved.account.identifier,
                instanceAware: context.configuration.instanceAware && resolved.authority.kind == .aad,
                agentSession: request.agentSession)
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
