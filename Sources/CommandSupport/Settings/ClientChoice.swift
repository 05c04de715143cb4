package import Identity

/// A client with what the settings say of it.
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
        self.name = name
        self.clientID = clientID
        self.authority = authority
        self.kind = kind
    }
}

extension Settings {
    /// Whether a selection of these settings is for a client: its names are those of these settings, whatever other
    /// settings call the same client.
    package func selects(_ client: ClientChoice, _ selection: ClientSelection) -> Bool {
        switch selection {
        case .never: false
        case .always: true
        case .clients(let names): clientIDs(names).contains(client.clientID)
        }
    }
}
