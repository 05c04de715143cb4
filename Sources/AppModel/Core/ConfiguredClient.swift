package import Identity

/// A client that the user can choose to sign in with.
package struct ConfiguredClient: Equatable, Sendable {
    package var name: String
    package var clientID = ""
    package var authority = ""
    package var scopes: ScopeSet = []
    package var kind: Authority.Kind?
    /// The name of the known server at the authority, if its host does not tell.
    package var server: String?
    /// Whether it is in the settings; well-known clients need no entry.
    package var isInSettings = true
}

extension ConfiguredClient { package init(_ name: String) { self.init(name: name) } }
