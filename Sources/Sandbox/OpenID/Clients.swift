import FoundationEssentials

/// The registered applications: those of the directory, and dynamically registered ones (RFC 7591).
struct Clients: Sendable {
    private var known = Clients.fixed

    private static let fixed = Dictionary(uniqueKeysWithValues: Directory.clients.map { ($0.clientId, $0) })

    subscript(clientId: String) -> HostedClient? { known[clientId] }
    func all(of kind: HostedClient.Kind) -> [HostedClient] { known.values.filter { $0.kind == kind } }

    mutating func add(_ client: HostedClient) { known[client.clientId] = client }
    mutating func sweep() { if known.count > 1000 { known = Clients.fixed } }

    /// RFC 6749 section 2.3.1: in the body, or as HTTP Basic with the empty password of a public client.
    func client(of request: SandboxRequest, in issuer: HostedIssuer) throws(OAuthErrorResponse) -> HostedClient {
        guard let clientId = Clients.id(of: request) else { throw .missing("client_id") }
        guard let client = known[clientId], issuer.admits(client) else {
            throw .unknownClient(clientId, entra: issuer.isEntra)
        }
        return client
    }

    static func id(of request: SandboxRequest) -> String? {
        if let named = request.form["client_id"] { return named }
        guard let value = request.headers["authorization"], value.lowercased().hasPrefix("basic "),
            let bytes = Data(base64Encoded: String(value.dropFirst(6)))
        else { return request.queryForm["client_id"] }
        let pair = String(decoding: bytes, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return Form(parsing: "id=" + (pair.first ?? ""))["id"]
    }
}
