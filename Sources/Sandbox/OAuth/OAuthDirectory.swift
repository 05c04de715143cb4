/// The clients of the OAuth servers, and their users' other names.
extension Directory {
    static let gitHubOAuthApp = "Ov23liFoyerOAuthApp1"
    static let gitHubApp = "Iv23liFoyerGitHubAp1"
    static let gitHubAppWithoutDevices = "Ov23liNoDeviceFlow01"
    /// GitHub's command line, which signs in with the device flow.
    static let gitHubCLI = "178c6fc778ccc68e1d6a"
    static let googleDesktop = "1234567890-desktop.apps.googleusercontent.example"
    static let googleDevice = "1234567890-tv.apps.googleusercontent.example"
    static let slackApp = "1111111111.1111111111"
    /// A public client with rotation.
    static let slackPublic = "2222222222.2222222222"
    /// At the plain servers, by how they authenticate and by their tokens.
    static let oauthPublic = "oauth-public"
    static let oauthBasic = "oauth-basic"
    static let oauthPost = "oauth-post"
    static let oauthConstant = "oauth-constant"
    static let oauthBrief = "oauth-brief"
    static let oauthEndless = "oauth-endless"

    /// Each client may use any port (RFC 8252 section 7.3).
    static let oauthClients =
        [
            gitHub(gitHubOAuthApp, "Foyer OAuth App", secret: "1", redirect: "http://127.0.0.1/"),
            gitHub(gitHubApp, "Foyer GitHub App", secret: "2", redirect: "http://127.0.0.1/callback", isApp: true),
            gitHub(
                gitHubAppWithoutDevices, "OAuth App without device flow", secret: "3", redirect: "http://127.0.0.1/",
                hasDeviceFlow: false),
            gitHub(gitHubCLI, "GitHub CLI", secret: "4", redirect: "http://127.0.0.1/callback"),
            HostedClient(
                clientId: googleDesktop, name: "Foyer Desktop", family: false, kind: .google, redirectUris: [],
                secret: "GOCSPX-foyer-sandbox-desktop", methods: [.basic, .post], hasDeviceFlow: false,
                policy: TokenPolicy(rotates: false)),
            HostedClient(
                clientId: googleDevice, name: "Foyer on a television", family: false, kind: .google, redirectUris: [],
                secret: "GOCSPX-foyer-sandbox-tv", methods: [.basic, .post], policy: TokenPolicy(rotates: false)),
            HostedClient(
                clientId: slackApp, name: "Foyer for Slack", family: false, kind: .slack, redirectUris: loopback,
                secret: "slack-secret", methods: [.basic, .post],
                policy: TokenPolicy(refreshes: false, expires: false)),
            HostedClient(
                clientId: slackPublic, name: "Foyer for Slack with PKCE", family: false, kind: .slack,
                redirectUris: loopback),
            plain(oauthPublic, "Notes"),
            // Both halves of HTTP Basic are form-encoded first (RFC 6749 section 2.3.1), which this secret needs.
            plain(oauthBasic, "Notes with Basic", secret: "basic secret:+/%1", methods: [.basic]),
            plain(oauthPost, "Notes with POST", secret: "post&secret=2", methods: [.post]),
            plain(oauthConstant, "Notes without rotation", policy: TokenPolicy(rotates: false)),
            plain(oauthBrief, "Notes without refresh tokens", policy: TokenPolicy(refreshes: false)),
            plain(oauthEndless, "Notes without an end", policy: TokenPolicy(refreshes: false, expires: false)),
        ]

    private static func gitHub(
        _ clientId: String, _ name: String, secret digit: String, redirect: String, isApp: Bool = false,
        hasDeviceFlow: Bool = true
    ) -> HostedClient {
        HostedClient(
            clientId: clientId, name: name, family: false, kind: .github, redirectUris: [redirect],
            secret: String(repeating: digit, count: 40), methods: [.basic, .post], ignoresScopes: isApp,
            hasDeviceFlow: hasDeviceFlow, policy: TokenPolicy(refreshes: isApp, expires: isApp))
    }

    private static func plain(
        _ clientId: String, _ name: String, secret: String? = nil, methods: [HostedClient.Authentication] = [],
        policy: TokenPolicy = TokenPolicy()
    ) -> HostedClient {
        HostedClient(
            clientId: clientId, name: name, family: false, kind: .oauth, redirectUris: loopback, secret: secret,
            methods: methods, policy: policy)
    }

    /// The servers with their clients, for the first line of `foyer-sandbox --json`.
    static func oauthServers(base: String) -> JSON {
        let servers: [(OAuthServer, String)] = [
            (.github, base), (.google, base + "/google"), (.slack, base + "/slack"),
            (.plain("one"), base + "/as/one"),
        ]
        return .array(
            servers.map { server, address in
                .members([
                    "name": .string(server.name), "address": .string(address),
                    "clients": .array(oauthClients.filter { $0.kind == server.clientKind }.map(\.summary)),
                ])
            })
    }
}

extension OAuthServer {
    var clientKind: HostedClient.Kind {
        switch self {
        case .github: .github
        case .google: .google
        case .slack: .slack
        case .plain: .oauth
        }
    }
}

extension User {
    /// A number that never changes: the account's identifier at GitHub.
    var number: Int { 1001 + (Directory.users.firstIndex { $0.username == username } ?? Directory.users.count) }
    /// GitHub's name of the account, which the user could change.
    var login: String { String(username.prefix { $0 != "@" }) }
    /// Google's `sub`: 21 digits.
    var googleSubject: String { "1" + String(repeating: "0", count: 16) + String(number) }
}
