package import Identity

/// A client that the user can choose to sign in with.
package struct ConfiguredClient: Equatable, Sendable {
    package var name: String
    package var clientID: String
    package var authority: String
    package var scopes: ScopeSet
    package var kind: Authority.Kind?
    /// Whether it is in the settings; well-known clients need no entry.
    package var isInSettings: Bool

    package init(
        name: String, clientID: String, authority: String, scopes: ScopeSet = [], kind: Authority.Kind? = nil,
        isInSettings: Bool = true
    ) {
        self.name = name
        self.clientID = clientID
        self.authority = authority
        self.scopes = scopes
        self.kind = kind
        self.isInSettings = isInSettings
    }
}
