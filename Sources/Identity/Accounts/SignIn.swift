/// A person's sign-in through one client at one provider: what a sign-out ends.
///
/// Its identity is the provider (a cloud of Entra ID, or an issuer), the account's identifier and the client ID. It
/// never includes what may change, such as a username, a display name or claims. MSAL's cache has one refresh token for
/// it, which serves several directories.
package struct SignIn: Hashable, Sendable {
    /// The account at its provider.
    package let account: AccountID
    /// The client ID; a GUID is compared without case.
    package let clientID: String

    /// Names a sign-in, whether or not it is in a store.
    ///
    /// - Parameters:
    ///   - account: the account at its provider.
    ///   - clientID: the client ID.
    package init(account: AccountID, clientID: String) { (self.account, self.clientID) = (account, clientID) }

    /// Whether both are of one person, one client and one provider.
    package static func == (one: SignIn, other: SignIn) -> Bool {
        one.account == other.account && ClientID.isSame(one.clientID, other.clientID, issuer: one.account.issuer)
    }

    /// Equal sign-ins have equal hashes.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(account)
        hasher.combine(ClientID.canonical(clientID, issuer: account.issuer))
    }
}

extension SignIn: CustomStringConvertible, CustomReflectable {
    /// The client and the environment only.
    package var description: String { "sign-in at \(account.environment) through \(clientID)" }
    /// No children, so `dump` shows no identifier.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
