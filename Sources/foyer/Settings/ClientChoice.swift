import Identity

/// A client with what the settings say of it.
struct ClientChoice: Hashable, Sendable {
    var name: String
    var clientID: String
    var authority: String?
    var kind: Authority.Kind?
    var redirectURI: String?
    var scopes: [String] = []
    var capabilities: [String] = []
    var store: String?
    var behaviour = ClientBehaviour()
}

extension FamilyOfOtherStores {
    /// Whether this client may use a family refresh token of another program's store.
    func serves(_ client: ClientChoice) -> Bool {
        switch self {
        case .never: false
        case .always: true
        case .clients(let names): names.contains(client.name) || names.contains(client.clientID)
        }
    }
}
