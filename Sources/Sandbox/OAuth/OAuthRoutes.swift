/// The addresses of the OAuth servers.
extension Endpoint {
    typealias Found = (endpoint: Endpoint, issuer: HostedIssuer)

    /// GitHub is at the root of the host, as an Enterprise Server is; `github.localhost` belongs to it completely.
    static func oauth(_ segments: [String], base: String) -> Found? {
        func isAt(_ host: String) -> Bool { base.hasSuffix("//" + host) || base.contains("//\(host):") }
        if isAt(Origins.gitHubAPIHost) {
            let path = segments.first == "graphql" ? ["api"] + segments : ["api", "v3"] + segments
            let host = base.replacing(Origins.gitHubAPIHost, with: Origins.gitHubHost)
            return gitHub(path, base: host, isAlone: true)
        }
        let isAlone = isAt(Origins.gitHubHost)
        if let found = gitHub(segments, base: base, isAlone: isAlone) { return found }
        switch segments.first {
        case "google": return google(Array(segments.dropFirst()), base: base)
        case "slack": return slack(Array(segments.dropFirst()), base: base)
        case "as" where segments.count > 2: return plain(segments[1], Array(segments.dropFirst(2)), base: base)
        case ".well-known" where segments.count == 4 && segments[1] == "oauth-authorization-server":
            guard let server = OAuthServer(named: segments[2...].joined(separator: "/")), server.isPlain else {
                return nil
            }
            return (.discovery, HostedIssuer(shape: .oauth(server), base: base))
        default: return nil
        }
    }

    private static func gitHub(_ path: [String], base: String, isAlone: Bool) -> Found? {
        let endpoint: Endpoint
        switch path {
        case ["login", "oauth", "authorize"]: endpoint = .authorize
        case ["login", "oauth", "access_token"]: endpoint = .token
        case ["login", "device", "code"]: endpoint = .devicecode
        case ["login", "device"],
            ["device"] where isAlone:
            endpoint = .devicePage
        case ["interaction"] where isAlone: endpoint = .interaction
        case let path where path.first == "api": endpoint = .api
        case let path where isAlone || path.first == "login" || path.first == "settings": endpoint = .web
        case let path where path.first == ".well-known" && (path.count == 2 || path.suffix(2) == ["login", "oauth"]):
            endpoint = .web
        default: return nil
        }
        return (endpoint, HostedIssuer(shape: .oauth(.github), base: base))
    }

    private static func google(_ path: [String], base: String) -> Found? {
        let endpoint: Endpoint
        switch path {
        case [".well-known", "openid-configuration"]: endpoint = .discovery
        case ["o", "oauth2", "v2", "auth"]: endpoint = .authorize
        case ["token"]: endpoint = .token
        case ["device", "code"]: endpoint = .devicecode
        case ["device"]: endpoint = .devicePage
        case ["oauth2", "v3", "certs"]: endpoint = .keys
        case ["v1", "userinfo"]: endpoint = .userinfo
        case ["tokeninfo"]: endpoint = .tokeninfo
        case ["revoke"]: endpoint = .revoke
        default: return nil
        }
        return (endpoint, HostedIssuer(shape: .oauth(.google), base: base))
    }

    private static func slack(_ path: [String], base: String) -> Found? {
        let endpoint: Endpoint
        switch path {
        case ["oauth", "v2", "authorize"]: endpoint = .authorize
        case ["api", "oauth.v2.access"]: endpoint = .token
        case let path where path.count == 2 && path[0] == "api": endpoint = .api
        default: return nil
        }
        return (endpoint, HostedIssuer(shape: .oauth(.slack), base: base))
    }

    private static func plain(_ name: String, _ path: [String], base: String) -> Found? {
        guard let server = OAuthServer(named: "as/" + name), let first = path.first else { return nil }
        let endpoint: Endpoint
        switch first {
        case "api": endpoint = .api
        case "device" where path.count == 1: endpoint = .devicecode
        case "register" where path.count == 2: endpoint = .registered
        default:
            let known: [Endpoint] = [.authorize, .token, .revoke, .introspect, .userinfo, .register]
            guard path.count == 1, let found = known.first(where: { $0.rawValue == first }) else { return nil }
            endpoint = found
        }
        return (endpoint, HostedIssuer(shape: .oauth(server), base: base))
    }
}
