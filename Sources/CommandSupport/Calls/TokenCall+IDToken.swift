package import FoundationEssentials
package import Identity
import SilentCore
import StrictJSON
package import TokenCache

extension TokenCall {
    /// Seconds; short, as an ID token is used immediately.
    private static let expirationBuffer: TimeInterval = 60

    /// The cached ID token for the account, client and tenant that expires last. Nothing is sent.
    package func storedIDToken(at now: Date) -> IssuedToken? { storedIDToken(.cache, in: snapshot, at: now) }

    package func storedIDToken(_ source: AcquiredToken.Source, in snapshot: CacheSnapshot, at now: Date) -> IssuedToken?
    {
        guard let meant = meantAccount, let held = try? cached.held(meant, in: snapshot) else { return nil }
        let account = held.account
        // The store has tenant IDs, so a domain cannot be compared.
        let tenant = request.tenant.flatMap { $0.isGUID ? $0.asciiLowercased : nil }
        let found = snapshot.credentials(of: account.id, clientID: held.clientID).compactMap {
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

    package func show(idToken token: IssuedToken) throws(Failure) {
        guard context.output.json else { return try context.output.token(token.secret) }
        context.output.result(
            JSONValue(
                ("idToken", token.secret.reveal().json), ("expiresOn", token.expiresOn.rfc3339.json),
                ("clientId", token.clientID.json), ("tenantId", token.tenantID.json),
                ("username", token.username.json)))
    }
}
