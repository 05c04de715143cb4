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
    /// Whether the authority is the client's own, not only the usual one.
    package var namesProvider = true

    package var defaults: RequestDefaults {
        RequestDefaults(authority: namesProvider ? authority : nil, kind: kind, server: server, scopes: scopes)
    }

    /// The authority of later calls; nil for an invalid one.
    var provider: Authority? { try? defaults.authority(authority) }
}

extension ConfiguredClient { package init(_ name: String) { self.init(name: name) } }

extension ConfiguredClient {
    /// Whether a sign-in was by this client: by its name, else without a name at its authority.
    func isUsed(by use: ClientUse) -> Bool {
        guard ClientID.isSame(clientID, use.clientID) else { return false }
        return use.name.map { $0 == name } ?? (use.authority == nil || use.authority == authority)
    }
}
