package import FoundationEssentials
package import Identity
import SilentFirst
import TokenCache

extension TokenCall {
    /// Seconds; short, as an ID token is used immediately.
    private static let expirationBuffer: TimeInterval = 60

    /// The ID token of the last sign-in or refresh, else of a refresh now. Never prompts.
    ///
    /// - Parameters:
    ///   - forceRefresh: whether the cached one was rejected.
    ///   - renewsAhead: whether to refresh one that expires soon, for later readers.
    /// - Throws: the errors of a silent call; `notFound` if the provider issues none.
    package func idToken(
        _ calls: SilentCalls, forceRefresh: Bool = false, renewsAhead: Bool = false, at now: Date = Date()
    ) async throws(Failure) -> IssuedToken {
        let stored = storedIDToken(.cache, in: snapshot, at: now)
        if !forceRefresh, let stored, !(renewsAhead && stored.isDue(at: now)) { return stored }
        do throws(Failure) { _ = try await calls.acquire(self, forceRefresh: true) } catch
            where error.result?.accessToken.isEmpty == true
        {
            // Only an ID token was issued; it is in the store.
        } catch {
            // The cached one was not rejected, so it is valid until it expires.
            guard !forceRefresh, var stored else { throw hinted(error) }
            stored.notRenewed = error
            return stored
        }
        if let token = storedIDToken(.refresh, in: try application.snapshot(), at: now) { return token }
        throw Failure(
            .notFound, "\(client.name) has no valid ID token",
            hint: "add the scope openid and sign in again")
    }

    /// The cached ID token for the account, client and tenant that expires last. Nothing is sent.
    package func storedIDToken(at now: Date) -> IssuedToken? { storedIDToken(.cache, in: snapshot, at: now) }

    private func storedIDToken(_ source: AcquiredToken.Source, in snapshot: CacheSnapshot, at now: Date) -> IssuedToken?
    {
        guard let account = meantAccount else { return nil }
        // The store has tenant IDs, so a domain cannot be compared.
        let tenant = request.tenant.flatMap { $0.isGUID ? $0.asciiLowercased : nil }
        let found = snapshot.credentials(of: account.id, clientID: client.clientID).compactMap {
            credential -> IssuedToken? in
            guard credential.kind == .idToken,
                tenant.map({ $0 == credential.realm.asciiLowercased }) ?? true,
                let payload = try? DecodedJWT(credential.secret).payload, let end = payload.date("exp"),
                end.timeIntervalSince(now) > Self.expirationBuffer
            else { return nil }
            return IssuedToken(
                credential, of: account, clientID: client.clientID, source: source,
                life: TokenLifetime(issued: min(payload.date("iat") ?? now, now), expires: end))
        }
        return found.max { $0.expiresOn < $1.expiresOn }
    }
}
