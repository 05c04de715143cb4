/// The registered applications: those of the directory, and dynamically registered ones (RFC 7591).
struct Clients: Sendable {
    private struct Registration: Sendable {
        let clientId: String
        let token: String
    }

    private var known = Clients.fixed
    private var registrations: [String: Registration] = [:]

    private static let fixed = Dictionary(
        uniqueKeysWithValues: (Directory.clients + Directory.oauthClients).map { ($0.clientId, $0) })

    subscript(clientId: String) -> HostedClient? { known[clientId] }
    func all(of kind: HostedClient.Kind) -> [HostedClient] { known.values.filter { $0.kind == kind } }

    func owners(ofSecret secret: String) -> [HostedClient] { known.values.filter { $0.secret == secret } }

    /// Adds a client.
    ///
    /// - Returns: the name of its registration, and the token that manages it (RFC 7592 section 3).
    mutating func register(_ client: HostedClient) -> (handle: String, token: String) {
        known[client.clientId] = client
        let handle = RandomValue.token(12)
        let registration = Registration(clientId: client.clientId, token: RandomValue.token())
        registrations[handle] = registration
        return (handle, registration.token)
    }

    func registered(_ handle: String, token: String?) -> HostedClient? {
        guard let registration = registrations[handle], registration.token == token else { return nil }
        return known[registration.clientId]
    }

    mutating func remove(_ handle: String) {
        if let clientId = registrations.removeValue(forKey: handle)?.clientId { known[clientId] = nil }
    }

    mutating func sweep() { if known.count > 1000 { self = Clients() } }

    /// RFC 6749 section 2.3.1: in the body, or as HTTP Basic with the empty password of a public client.
    func client(of request: SandboxRequest, in issuer: HostedIssuer) throws(OAuthErrorResponse) -> HostedClient {
        guard let clientId = Clients.id(of: request) else { throw .missing("client_id") }
        guard let client = known[clientId], issuer.admits(client) else {
            throw .unknownClient(clientId, entra: issuer.isEntra)
        }
        return client
    }

    static func id(of request: SandboxRequest) -> String? { ClientAuthentication(request).clientId }
}
