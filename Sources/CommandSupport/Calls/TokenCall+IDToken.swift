package import FoundationEssentials
package import Identity
import SilentFirst
import TokenCache

extension TokenCall {
    /// Seconds that an ID token must still live; whoever takes one does so at once.
    private static let expirationBuffer: TimeInterval = 60

    /// The ID token that came with the last sign-in or refresh, else that of a refresh now. Nobody is asked.
    ///
    /// - Parameters:
    ///   - forceRefresh: whether the one that is there has been refused.
    ///   - renewsAhead: whether one that is about to expire is refreshed already, for whoever reads it later.
    /// - Throws: as a silent call does; `notFound` where the provider gives none.
    package func idToken(
        _ calls: SilentCalls, forceRefresh: Bool = false, renewsAhead: Bool = false, at now: Date = Date()
    ) async throws(Failure) -> IssuedToken {
        let stored = storedIDToken(.cache, in: snapshot, at: now)
        if !forceRefresh, let stored, !(renewsAhead && stored.isDue(at: now)) { return stored }
        do throws(Failure) { _ = try await calls.acquire(self, forceRefresh: true) } catch
            where error.result?.accessToken.isEmpty == true
        {
            // It came alone, and is stored.
        } catch {
            // Nobody has refused the one that is there: it serves until it is over.
            guard !forceRefresh, var stored else { throw hinted(error) }
            stored.notRenewed = error
            return stored
        }
        if let token = storedIDToken(.refresh, in: try application.snapshot(), at: now) { return token }
        throw Failure(
            .notFound, "\(client.name) has no ID token that is valid",
            hint: "ask for the scope openid, and sign in again: an ID token comes with it")
    }

    /// The account's for this client, in the tenant that is asked; the one that lives longest. Nothing is sent.
    package func storedIDToken(at now: Date) -> IssuedToken? { storedIDToken(.cache, in: snapshot, at: now) }

    private func storedIDToken(_ source: AcquiredToken.Source, in snapshot: CacheSnapshot, at now: Date) -> IssuedToken?
    {
        guard let account = meantAccount else { return nil }
        // A domain says nothing about the identifier that is stored.
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
                life: TokenLife(issued: min(payload.date("iat") ?? now, now), expires: end))
        }
        return found.max { $0.expiresOn < $1.expiresOn }
    }
}
