package import Identity
package import TokenCache

/// A sign-in that a client may end: its account, its client and its provider match. Nothing else makes one, so that no
/// caller can end the sign-in of another provider that knows the same client ID, subject or name.
package struct HeldSignIn: Sendable {
    /// As found in the store, with the issuer of the client's provider.
    package let account: Account
    /// The client's own ID.
    package let clientID: String

    package var signIn: SignIn { SignIn(account: account.id, clientID: clientID) }

    fileprivate init(_ account: Account, clientID: String) { (self.account, self.clientID) = (account, clientID) }
}

extension CachedClient {
    /// Matches an account with this client and its provider. An account that the store no longer has matches, too:
    /// ending it changes nothing.
    ///
    /// - Throws: `notFound` if the account belongs to another provider.
    package func held(_ account: Account, in snapshot: CacheSnapshot) throws(Failure) -> HeldSignIn {
        let authority = ResolvedRequest.place(of: account, configuration.authority, configuration)
        guard ResolvedRequest.belongs(account, to: authority, in: snapshot, configuration) else {
            throw .ofOtherProvider(account, asked: authority)
        }
        var account = account
        account.issuer = configuration.issuer(of: authority)
        return HeldSignIn(account, clientID: configuration.clientID)
    }
}

extension Failure {
    /// For a call that names an account of another provider; nothing is sent or changed then.
    package static func ofOtherProvider(_ account: Account, asked: Authority) -> Failure {
        Failure(
            .notFound, "\(account.label) is an account of \(account.provider), not of \(asked.provider)",
            hint: "use the client by which the account signed in", naming: account.names)
    }
}
