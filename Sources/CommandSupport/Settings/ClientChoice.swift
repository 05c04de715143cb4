package import Identity

package struct ClientChoice: Hashable, Sendable {
    package var name: String
    package var clientID: String
    package var authority: String?
    package var kind: Authority.Kind?
    package var redirectURI: String?
    package var scopes: [String] = []
    package var capabilities: [String] = []
    package var store: String?
    package var behaviour = ClientBehaviour()

    package init(name: String, clientID: String, authority: String? = nil, kind: Authority.Kind? = nil) {
        (self.name, self.clientID, self.authority, self.kind) = (name, clientID, authority, kind)
    }
}
