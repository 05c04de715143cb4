package import FoundationEssentials
package import Identity

/// A token of a signed-out account that the provider has not revoked yet. It is kept only to be revoked: it is in no
/// section from which a token is served or refreshed, here or by MSAL.
package struct PendingRevocation: Hashable, Sendable {
    package let account: AccountID
    /// How the person had signed in, with the authority that revokes the token.
    package let use: ClientUse
    package let secret: Secret
    /// A refresh token, or the access token of a sign-in without one.
    package let kind: CachedCredential.Kind
    /// Whether the person allowed the server's service for leaked tokens.
    package let asLeaked: Bool
    package let since: Date

    package init(
        account: AccountID, use: ClientUse, secret: Secret, kind: CachedCredential.Kind, asLeaked: Bool, since: Date
    ) {
        (self.account, self.use, self.secret) = (account, use, secret)
        (self.kind, self.asLeaked, self.since) = (kind, asLeaked, since)
    }

    package var signIn: SignIn { SignIn(account: account, clientID: use.clientID) }

    /// The number of tokens that a store keeps to be revoked.
    package static let most = 500
}

extension CacheSnapshot {
    /// The tokens that wait to be revoked, of an account or of all.
    ///
    /// - Parameter clientID: the client; nil for all.
    package func pendingRevocations(of account: AccountID? = nil, clientID: String? = nil) -> [PendingRevocation] {
        let marks = account.map { person($0, in: .accountMetadata) } ?? Array(entries(.accountMetadata))
        let issuers = AccountIssuers(self)
        return marks.compactMap { $0.pendingRevocation(issuers) }.filter { pending in
            clientID.map { ClientID.isSame($0, pending.use.clientID) } ?? true
        }
    }

    /// The accounts of which a sign-out of this client waits for the provider.
    package func accountsSigningOut(clientID: String) -> [Account] {
        let waiting = Set(pendingRevocations(clientID: clientID).map(\.account))
        guard !waiting.isEmpty else { return [] }
        return accounts().filter { waiting.contains($0.id) && isSigningOut($0.id, clientID: clientID) }
    }

    /// Whether a sign-out of this client waits for the provider, and the person has not signed in again since.
    package func isSigningOut(_ account: AccountID, clientID: String) -> Bool {
        let client = WantedClient(clientID)
        return person(account, in: .accountMetadata).contains { $0.isPendingRevocation && $0.isOf(client) }
            && isSignedOut(account, clientID: clientID)
    }
}

extension CacheEntry {
    fileprivate func pendingRevocation(_ issuers: AccountIssuers) -> PendingRevocation? {
        guard let secret = filled("revocation_secret"), let home = filled("home_account_id"),
            let environment = filled("environment"), let clientID = filled("client_id"), isDecodable
        else { return nil }
        // Whatever else is damaged, the token has to be revoked.
        let use = pendingUse ?? ClientUse(clientID: clientID)
        let kind = filled("revocation_kind").flatMap(CachedCredential.Kind.init(rawValue:)) ?? .refreshToken
        return PendingRevocation(
            account: AccountID(
                homeAccountID: home, environment: environment.hostLowercased, issuer: issuers.issuer(of: self)),
            use: use, secret: Secret(secret), kind: kind, asLeaked: filled("revocation_as_leaked") == "true",
            since: date("revocation_since") ?? .distantPast)
    }
}
