/// What was asked of the sandbox, for tests to look at.
struct RequestLog: Sendable {
    /// How often each endpoint was asked, by the names of ``Endpoint/names(_:)``.
    private(set) var counts: [String: Int] = [:]
    /// Endpoint and issuer of each token that came to an issuer which had not given it, or no longer knew it.
    private(set) var misplaced: [String] = []

    /// What clients and browsers called themselves: `User-Agent` (RFC 9110 section 10.1.5) and Entra ID's
    /// `x-client-SKU`, each once.
    private(set) var userAgents: Set<String> = []
    private(set) var skus: Set<String> = []
    /// Names of each kind that are kept.
    private static let mostNames = 64

    mutating func noteNames(in request: SandboxRequest) {
        if let name = request.headers["user-agent"], userAgents.count < Self.mostNames { userAgents.insert(name) }
        if let name = request.headers["x-client-sku"], skus.count < Self.mostNames { skus.insert(name) }
    }

    mutating func count(_ name: String) { counts[name, default: 0] += 1 }

    /// A token that comes to an issuer which did not give it was handed to a stranger: what no client may ever do.
    mutating func noteMisplaced(
        _ request: SandboxRequest, at endpoint: Endpoint, in issuer: HostedIssuer, tokens: IssuedTokens, keys: CloudKeys
    ) {
        guard issuer.shape == .openID else { return }
        let form = request.form
        let words = (request.headers["authorization"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        let shown = [
            form["refresh_token"], form["token"], words.count == 2 && words[0].lowercased() != "basic" ? words[1] : nil,
        ]
        for case let secret? in shown
        where tokens.refresh[secret]?.provider ?? tokens.access[secret]?.provider != issuer.provider {
            misplaced.append("\(endpoint.rawValue) \(issuer.identifier)")
        }
        if let hint = form["id_token_hint"], keys.global.claims(of: hint)?["iss"]?.string != issuer.identifier {
            misplaced.append("\(endpoint.rawValue) \(issuer.identifier)")
        }
    }
}
