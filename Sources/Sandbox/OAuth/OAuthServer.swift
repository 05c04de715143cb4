/// OAuth 2.0 servers that are not plain OpenID Connect issuers: a vendor's protocol, or RFC 6749 alone.
///
/// They share users, and each has its own tokens. This room has their differences from the OpenID Connect issuer;
/// pages, grants and rotation are those of OpenID.
enum OAuthServer: Hashable, Sendable {
    /// GitHub with the addresses of an Enterprise Server: no discovery, and token errors with status 200.
    case github
    /// Google: OpenID Connect, and a secret even for installed apps.
    case google
    /// Slack: errors with status 200, and tokens inside other objects.
    case slack
    /// RFC 8414 metadata, opaque tokens and no OpenID Connect. Each name is a server of its own on the same host.
    case plain(String)

    /// The server's name in request counts, faults and the control endpoint.
    var name: String {
        switch self {
        case .github: "github"
        case .google: "google"
        case .slack: "slack"
        case .plain(let name): "as/" + name
        }
    }

    /// The path of the issuer.
    var path: String { self == .github ? "login/oauth" : name }

    var isPlain: Bool { if case .plain = self { true } else { false } }

    init?(named name: String) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch parts {
        case ["github"]: self = .github
        case ["google"]: self = .google
        case ["slack"]: self = .slack
        case let parts where parts.count == 2 && parts[0] == "as" && OAuthServer.isName(parts[1]):
            self = .plain(parts[1])
        default: return nil
        }
    }

    private static func isName(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }

    func newAccessToken(for client: HostedClient) -> String {
        switch self {
        case .github: (client.ignoresScopes ? "ghu_" : "gho_") + RandomValue.letters(36, of: OAuthServer.alphabet)
        case .google: "ya29." + RandomValue.token(48)
        case .slack: (client.policy.expires ? "xoxe.xoxp-" : "xoxp-") + RandomValue.token()
        case .plain: RandomValue.token()
        }
    }

    func newRefreshToken() -> String {
        switch self {
        case .github: "ghr_" + RandomValue.letters(76, of: OAuthServer.alphabet)
        case .google: "1//0" + RandomValue.token(48)
        case .slack: "xoxe-" + RandomValue.token(48)
        case .plain: RandomValue.token()
        }
    }

    private static let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    /// GitHub and Slack require no grant type for a code.
    var defaultGrantType: String? { self == .github || self == .slack ? "authorization_code" : nil }

    /// Seconds; nil for the lifetime that the sandbox was started with.
    var accessTokenLifetime: Int? { self == .github ? 28800 : self == .slack ? 43200 : nil }
    /// Six months, in seconds.
    static let gitHubRefreshLifetime = 15_897_600
}
