/// The requests to the sandbox, for tests.
struct RequestLog: Sendable {
    /// The number of requests by endpoint, see ``Endpoint/names(_:at:)``.
    private(set) var counts: [String: Int] = [:]
    /// Endpoint and issuer of each token sent to an issuer that did not issue it, or no longer knows it, and of each
    /// client secret sent to an issuer without that client, or in a query.
    private(set) var misplaced: [String] = []

    /// Distinct values of `User-Agent` (RFC 9110 section 10.1.5) and Entra ID's `x-client-SKU`.
    private(set) var userAgents: Set<String> = []
    private(set) var skus: Set<String> = []
    private static let mostNames = 64

    mutating func noteNames(in request: SandboxRequest) {
        if let name = request.headers["user-agent"], userAgents.count < Self.mostNames { userAgents.insert(name) }
        if let name = request.headers["x-client-sku"], skus.count < Self.mostNames { skus.insert(name) }
    }

    mutating func count(_ name: String) { counts[name, default: 0] += 1 }

    /// A client must never send a token to an issuer that did not issue it.
    mutating func noteMisplaced(
        _ request: SandboxRequest, at endpoint: Endpoint, in issuer: HostedIssuer, clients: Clients,
        tokens: IssuedTokens, keys: CloudKeys
    ) {
        let place = "\(endpoint.rawValue) \(issuer.identifier)"
        let owners = ClientAuthentication(request).secret.map(clients.owners(ofSecret:)) ?? []
        // RFC 6749 section 2.3.1: never in the address.
        if request.queryForm["client_secret"] != nil || !owners.isEmpty && !owners.contains(where: issuer.admits) {
            misplaced.append(place)
        }
        guard issuer.shape == .openID || issuer.oauth != nil else { return }
        let form = request.form
        let words = (request.headers["authorization"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        let shown = [
            form["refresh_token"], form["token"], words.count == 2 && words[0].lowercased() != "basic" ? words[1] : nil,
        ]
        for case let secret? in shown
        where tokens.refresh[secret]?.provider ?? tokens.access[secret]?.provider != issuer.provider {
            misplaced.append(place)
        }
        if let hint = form["id_token_hint"], keys.global.claims(of: hint)?["iss"]?.string != issuer.identifier {
            misplaced.append(place)
        }
    }
}
