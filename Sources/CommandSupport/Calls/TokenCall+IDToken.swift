package import FoundationEssentials
package import Identity
import SilentCore
import StrictJSON
package import TokenCache

extension TokenCall {
    /// Seconds; short, as an ID token is used immediately.
    private static let longestBuffer: TimeInterval = 60

    /// The cached ID token for the account, client and tenant that expires last. Nothing is sent.
    package func storedIDToken(at now: Date) -> IssuedToken? { storedIDToken(.cache, in: snapshot, at: now) }

    package func storedIDToken(_ source: AcquiredToken.Source, in snapshot: CacheSnapshot, at now: Date) -> IssuedToken?
    {
        guard let held = heldIDTokens(in: snapshot, at: now) else { return nil }
        let usable = held.tokens.filter { token in
            let buffer = CredentialLife.expirationBuffer(Self.longestBuffer, lifetime: token.life.length)
            return token.life.expires.timeIntervalSince(now) > buffer
        }
        return usable.max { $0.life.expires < $1.life.expires }.map { token in
            IssuedToken(
                token.credential, of: held.account, clientID: client.clientID, source: source, life: token.life)
        }
    }

    /// The failure after a refresh that brought no ID token.
    package func withoutIDToken(in snapshot: CacheSnapshot, at now: Date) -> Failure {
        guard let held = heldIDTokens(in: snapshot, at: now), !held.tokens.isEmpty else {
            return Failure(
                .notFound, "\(client.name) has no valid ID token", hint: "add the scope openid and sign in again")
        }
        return hinted(
            Failure(
                .interactionRequired,
                "the ID token of \(held.account.label) expired, and the provider issues one at sign-ins alone",
                naming: held.account.names))
    }

    private struct HeldIDTokens {
        let account: Account
        let clientID: String
        let tokens: [(credential: CachedCredential, life: TokenLifetime)]
    }

    /// All readable ones, also the expired.
    private func heldIDTokens(in snapshot: CacheSnapshot, at now: Date) -> HeldIDTokens? {
        guard let meant = meantAccount, let held = try? cached.held(meant, in: snapshot) else { return nil }
        // The store has tenant IDs, so a domain cannot be compared.
        let tenant = request.tenant.flatMap { $0.isGUID ? $0.asciiLowercased : nil }
        let tokens = snapshot.credentials(of: held.account.id, clientID: held.clientID).compactMap {
            credential -> (credential: CachedCredential, life: TokenLifetime)? in
            guard credential.kind == .idToken, tenant.map({ $0 == credential.realm.asciiLowercased }) ?? true,
                let payload = try? DecodedJWT(credential.secret).payload, let end = payload.date("exp")
            else { return nil }
            return (credential, TokenLifetime(issued: min(payload.date("iat") ?? now, now), expires: end))
        }
        return HeldIDTokens(account: held.account, clientID: held.clientID, tokens: tokens)
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
