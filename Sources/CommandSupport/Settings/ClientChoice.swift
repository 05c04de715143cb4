package import Identity

package struct ClientChoice: Hashable, Sendable {
    package var name: String
    package var clientID: String
    package var authority: String?
    package var kind: Authority.Kind?
    package var redirectURI: String?
    /// The configured scopes; see ``defaults`` for what is requested without any.
    package var scopes: [String] = []
    package var capabilities: [String] = []
    package var store: String?
    package var behaviour = ClientBehaviour()

    package init(name: String, clientID: String, authority: String? = nil, kind: Authority.Kind? = nil) {
        (self.name, self.clientID, self.authority, self.kind) = (name, clientID, authority, kind)
    }

    package var defaults: RequestDefaults {
        RequestDefaults(
            authority: authority, kind: kind, server: behaviour.server, scopes: ScopeSet(scopes),
            redirectURI: redirectURI)
    }
}
