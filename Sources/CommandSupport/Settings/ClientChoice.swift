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

    package init(
        name: String, clientID: String, authority: String? = nil, kind: Authority.Kind? = nil,
        redirectURI: String? = nil, scopes: [String] = [], capabilities: [String] = [], store: String? = nil,
        behaviour: ClientBehaviour = ClientBehaviour()
    ) {
        self.name = name
        self.clientID = clientID
        self.authority = authority
        self.kind = kind
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.capabilities = capabilities
        self.store = store
        self.behaviour = behaviour
    }
}

extension ClientSelection {
    /// Whether it is for this client.
    package func serves(_ client: ClientChoice) -> Bool {
        switch self {
        case .never: false
        case .always: true
        case .clients(let names): names.contains(client.name) || names.contains(client.clientID)
        }
    }
}
