/// OAuth servers whose endpoints and habits are not in any metadata, or differ from it.
///
/// One entry for each kind of server, also for hosts that a company runs itself. Nothing here is a client: client IDs
/// are the user's own. Each entry names its sources and when they were read.
package struct KnownServer: Hashable, Sendable {
    /// The value of the setting `server`.
    package let name: String
    /// The product, as users know it.
    package let title: String
    package let kind: Authority.Kind
    /// Hosts that need no setting; `*.` stands for one or more labels.
    package var hosts: [String] = []
    /// The issuer's path at those hosts, and at a host that a company runs.
    package var path = ""
    /// By the names of RFC 8414; see ``address(_:at:)``.
    package var endpoints: [Endpoint] = []
    /// Where the API is, by host; the last one is for all other hosts.
    package var apis: [API] = []
    package var account: AccountForm?
    package var habits = Habits()
    /// Requested by a new client, and saved with it.
    package var scopes: [String] = []
    /// Whether each of its scopes is a name, so that one with a URL is a typing error.
    package var scopesAreNames = false
    /// Scopes that are granted with another one, and then not listed in the response.
    package var implied: [Implication] = []
    package var secret = SecretNeed.none
    /// Accepted with any port, unless it has one; without a name, which GitHub compares with its port.
    package var redirectURI = "http://127.0.0.1/"
    package var git: GitForm?
    package var revocation = Revocation.standard
    /// The address for questions about an access token, if not by RFC 7662; relative to the token endpoint.
    package var tokenInfo: TokenInfo?
    /// The page on which users end what they granted, and see it.
    package var page: String?
    /// Where a client is registered.
    package var registration: String?
    /// Choices at the registration without which the client does not work; lower case, no full stop.
    package var registrationChoices: String?
    /// The documents, and the month in which they were read.
    package let source: String

    package struct Endpoint: Hashable, Sendable {
        package let name: String
        package let address: String
    }

    package struct API: Hashable, Sendable {
        package let host: String
        package let address: String
    }

    /// Where the server says who signed in.
    package struct AccountForm: Hashable, Sendable {
        package let address: String
        /// The member that never changes, with dots for nested objects.
        package let identifier: String
        package let username: String
    }

    package struct Implication: Hashable, Sendable {
        package let scope: String
        package let with: [String]
    }

    package enum SecretNeed: Hashable, Sendable {
        /// Public clients need none.
        case none
        /// In the browser's flow; a device code needs none.
        case browserOnly
        case always
        /// Always, but the vendor publishes it with installed apps, so it protects nothing.
        case published
    }

    /// The credentials for git at this server's repositories.
    package struct GitForm: Hashable, Sendable {
        /// Hosts of repositories other than the server's own, for the first of ``KnownServer/hosts``.
        package var hosts: [String] = []
        /// The user of `Basic`, next to the token as the password.
        package let username: String
        /// Whether the server ignores that user, so the one in the remote's URL can stay.
        package var takesAnyUsername = true
    }

    package enum TokenInfo: Hashable, Sendable {
        /// A form with the token as `access_token`.
        case form(String)
        /// With the token as a bearer token.
        case bearer(String)
        /// The account's address, with this header for the granted scopes.
        case accountHeader(String)
    }

    package enum Revocation: Hashable, Sendable {
        /// RFC 7009, if the metadata has an endpoint.
        case standard
        /// RFC 7009's parameter in the query, without a client.
        case tokenInQuery(String)
        /// GitHub's form for found tokens: a list as JSON, without a client or credentials. The owner gets a mail.
        case credentialList(String)
        /// With the token as the credential of the call; `ok` in a JSON response.
        case bearerCall(String)
        /// Only the page of the user's own settings ends it.
        case none
    }

    /// Deviations from RFC 6749 in requests and responses.
    package struct Habits: Hashable, Sendable {
        /// Whether a refresh may name fewer scopes than were granted (RFC 6749 section 6). Apps of GitHub have none.
        package var narrowsOnRefresh = true
        /// Added to each authorization request, unless the request names them.
        package var parameters: [Parameter] = []
        /// The parameter for the user's scopes in the authorization request.
        package var scopeParameter = "scope"
        package var scopeSeparator = " "
        /// How clients with a secret send it; nil leaves it to the metadata.
        package var secretMethod: ClientSecret.Method?
        /// Whether the token endpoint wants JSON.
        package var sendsJSON = false
        /// The member of the token response that contains the user's token.
        package var tokenMember: String?
        /// A token type that means a bearer token.
        package var bearerType: String?

        package init() {}

        package struct Parameter: Hashable, Sendable {
            package let name: String
            package let value: String

            package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
        }
    }
}

extension KnownServer {
    /// Those of ``all``, without making the entries: each start of the program reads the settings' names.
    package static let names = [
        "github", "gitlab", "bitbucket", "gitea", "google", "slack", "atlassian", "okta", "auth0",
    ]
    package static let all: [KnownServer] = [github, gitlab, bitbucket, gitea, google, slack, atlassian, okta, auth0]

    /// For servers that compare the port of a loopback redirect URI.
    private static let fixedPort = "http://127.0.0.1:8400/"

    private static let github = KnownServer(
        name: "github", title: "GitHub", kind: .oauth2, hosts: ["github.com", "*.ghe.com"], path: "/login/oauth",
        endpoints: [
            Endpoint(name: "authorization_endpoint", address: "{origin}/login/oauth/authorize"),
            Endpoint(name: "token_endpoint", address: "{origin}/login/oauth/access_token"),
            Endpoint(name: "device_authorization_endpoint", address: "{origin}/login/device/code"),
        ],
        apis: [
            API(host: "github.com", address: "https://api.github.com"),
            API(host: "*.ghe.com", address: "https://api.{host}"), API(host: "*", address: "{origin}/api/v3"),
        ],
        account: AccountForm(address: "{api}/user", identifier: "id", username: "login"),
        habits: {
            var habits = Habits()
            habits.secretMethod = .post
            habits.narrowsOnRefresh = false
            return habits
        }(),
        scopes: ["repo", "read:user"], scopesAreNames: true,
        implied: [
            Implication(
                scope: "repo",
                with: ["repo:status", "repo_deployment", "public_repo", "repo:invite", "security_events"]
            ),
            Implication(scope: "user", with: ["read:user", "user:email", "user:follow"]),
            Implication(scope: "admin:org", with: ["write:org", "read:org"]),
            Implication(scope: "write:org", with: ["read:org"]),
            Implication(scope: "admin:public_key", with: ["write:public_key", "read:public_key"]),
            Implication(scope: "write:public_key", with: ["read:public_key"]),
            Implication(scope: "admin:repo_hook", with: ["write:repo_hook", "read:repo_hook"]),
            Implication(scope: "write:repo_hook", with: ["read:repo_hook"]),
            Implication(scope: "admin:gpg_key", with: ["write:gpg_key", "read:gpg_key"]),
            Implication(scope: "write:gpg_key", with: ["read:gpg_key"]),
            Implication(scope: "write:packages", with: ["read:packages"]),
            Implication(scope: "write:discussion", with: ["read:discussion"]),
            Implication(scope: "project", with: ["read:project"]),
        ],
        secret: .browserOnly, git: GitForm(hosts: ["gist.github.com"], username: "x-access-token"),
        revocation: .credentialList("{api}/credentials/revoke"), tokenInfo: .accountHeader("x-oauth-scopes"),
        page: "{origin}/settings/connections/applications/{client}", registration: "{origin}/settings/developers",
        registrationChoices: "device flow enabled",
        source: """
            docs.github.com: authorizing OAuth apps, refreshing user access tokens, scopes for OAuth apps, revocation; \
            github.blog changelog of 2025-07-14 on PKCE; read 2026-11
            """)

    private static let gitlab = KnownServer(
        name: "gitlab", title: "GitLab", kind: .oidc, hosts: ["gitlab.com"],
        scopes: ["openid", "profile", "email", "read_repository", "write_repository"], scopesAreNames: true,
        git: GitForm(username: "oauth2"), tokenInfo: .bearer("token/info"),
        page: "{origin}/-/user_settings/applications",
        registration: "{origin}/-/user_settings/applications", registrationChoices: "not confidential",
        source: "docs.gitlab.com: OAuth 2.0 identity provider API, OpenID Connect provider; read 2026-11")

    private static let bitbucket = KnownServer(
        name: "bitbucket", title: "Bitbucket", kind: .oauth2, hosts: ["bitbucket.org"], path: "/site/oauth2",
        endpoints: [
            Endpoint(name: "authorization_endpoint", address: "{origin}/site/oauth2/authorize"),
            Endpoint(name: "token_endpoint", address: "{origin}/site/oauth2/access_token"),
        ],
        apis: [API(host: "*", address: "https://api.bitbucket.org/2.0")],
        account: AccountForm(address: "{api}/user", identifier: "uuid", username: "username"),
        scopesAreNames: true, secret: .always, redirectURI: fixedPort,
        git: GitForm(username: "x-token-auth", takesAnyUsername: false),
        revocation: .none,
        page: "{origin}/account/settings/app-authorizations/",
        registrationChoices: "OAuth consumers of the workspace",
        source: "support.atlassian.com: use OAuth on Bitbucket Cloud; read 2026-11")

    private static let gitea = KnownServer(
        name: "gitea", title: "Gitea or Forgejo", kind: .oidc, hosts: ["gitea.com", "codeberg.org"],
        scopes: ["openid", "profile", "email"], scopesAreNames: true, git: GitForm(username: "oauth2"),
        revocation: .none,
        page: "{origin}/user/settings/applications", registration: "{origin}/user/settings/applications",
        registrationChoices: "not confidential",
        source: "docs.gitea.com: OAuth2 provider; routers/web/auth/oauth2_provider.go of Gitea; read 2026-11")

    private static let google = KnownServer(
        name: "google", title: "Google", kind: .oidc, hosts: ["accounts.google.com"],
        habits: {
            var habits = Habits()
            // Without both, only the first consent gives a refresh token.
            habits.parameters = [
                Habits.Parameter("access_type", "offline"),
                Habits.Parameter("prompt", "consent"),
            ]
            return habits
        }(),
        scopes: ["openid", "profile", "email"], secret: .published,
        git: GitForm(
            hosts: ["source.developers.google.com", "*.googlesource.com"], username: "oauth2accesstoken",
            takesAnyUsername: false),
        revocation: .tokenInQuery("https://oauth2.googleapis.com/revoke"), tokenInfo: .form("tokeninfo"),
        page: "https://myaccount.google.com/connections",
        registration: "https://console.cloud.google.com/auth/clients", registrationChoices: "as a desktop app",
        source: "developers.google.com: OAuth 2.0 for desktop apps, for limited-input devices; read 2026-11")

    private static let slack = KnownServer(
        name: "slack", title: "Slack", kind: .oauth2, hosts: ["slack.com"],
        endpoints: [
            Endpoint(name: "authorization_endpoint", address: "{origin}/oauth/v2/authorize"),
            Endpoint(name: "token_endpoint", address: "{origin}/api/oauth.v2.access"),
        ],
        account: AccountForm(address: "{origin}/api/auth.test", identifier: "user_id", username: "user"),
        habits: {
            var habits = Habits()
            habits.scopeParameter = "user_scope"
            habits.scopeSeparator = ","
            habits.tokenMember = "authed_user"
            habits.bearerType = "user"
            return habits
        }(),
        scopesAreNames: true, secret: .always, redirectURI: fixedPort,
        revocation: .bearerCall("{origin}/api/auth.revoke"),
        registration: "https://api.slack.com/apps",
        source: "docs.slack.dev: installing with OAuth, token rotation, auth.revoke; read 2026-11")

    private static let atlassian = KnownServer(
        name: "atlassian", title: "Atlassian", kind: .oauth2, hosts: ["auth.atlassian.com"],
        endpoints: [
            Endpoint(name: "authorization_endpoint", address: "{origin}/authorize"),
            Endpoint(name: "token_endpoint", address: "{origin}/oauth/token"),
        ],
        account: AccountForm(address: "https://api.atlassian.com/me", identifier: "account_id", username: "email"),
        habits: {
            var habits = Habits()
            habits.parameters = [
                Habits.Parameter("audience", "api.atlassian.com"),
                Habits.Parameter("prompt", "consent"),
            ]
            habits.sendsJSON = true
            return habits
        }(),
        scopes: ["read:me", "offline_access"], scopesAreNames: true, secret: .always, redirectURI: fixedPort,
        revocation: .none,
        page: "https://id.atlassian.com/manage-profile/apps",
        registration: "https://developer.atlassian.com/console/myapps/",
        source: "developer.atlassian.com: OAuth 2.0 (3LO) apps; read 2026-11")

    private static let okta = KnownServer(
        name: "okta", title: "Okta", kind: .oidc, hosts: ["*.okta.com", "*.oktapreview.com"],
        redirectURI: fixedPort, registrationChoices: "as a native app",
        source: "developer.okta.com: OpenID Connect and OAuth 2.0 API; read 2026-11")

    private static let auth0 = KnownServer(
        name: "auth0", title: "Auth0", kind: .oidc, hosts: ["*.auth0.com"], redirectURI: fixedPort,
        registrationChoices: "as a native app",
        source: "auth0.com/docs: authentication API; read 2026-11")
}

// MARK: Finding one

extension KnownServer {
    package static func named(_ name: String) -> KnownServer? { all.first { $0.name == name } }

    /// The server at a host that needs no setting.
    package static func at(_ address: WebAddress) -> KnownServer? {
        guard address.isSecure, address.port == nil || address.port == 443 else { return nil }
        return all.first { $0.hosts.contains { Self.matches(address.host, $0) } }
    }

    /// The server at an authority.
    ///
    /// - Parameters:
    ///   - name: of the server at `own`; nil if its host tells.
    ///   - own: the authority of the settings that name the server.
    package static func at(_ authority: Authority, named name: String?, for own: @autoclosure () -> Authority?)
        -> KnownServer?
    {
        guard authority.kind.isStandard else { return nil }
        return if let name, authority == own() { named(name) } else { at(authority.address) }
    }

    /// Whether a token of this server may go to the git repositories of a host.
    ///
    /// - Parameters:
    ///   - host: with the port, if given.
    ///   - authority: of the token. Only the first of ``hosts`` has further hosts for its repositories: other tenants
    ///     and a company's own server have not.
    package func servesGit(at host: String, authority: WebAddress) -> Bool {
        if authority.hostAndPort == host { return true }
        guard let git, KnownServer.at(authority)?.name == name, authority.host == hosts.first else { return false }
        return git.hosts.contains { Self.matches(host, $0) }
    }

    /// The authority at a host: the issuer's URL, also if only the host was given.
    package func authority(_ address: WebAddress) -> String {
        address.pathSegments.isEmpty && !path.isEmpty ? address.origin + path : address.text
    }

    /// An address of this entry at a server.
    ///
    /// - Parameter template: `{origin}` stands for the server's scheme, host and port, `{host}` for its host, `{api}`
    ///   for its API and `{client}` for the client ID.
    package func address(_ template: String, at server: WebAddress, clientID: String = "") -> WebAddress? {
        let text = whole(template, at: server).replacing("{origin}", with: server.originWithoutUsualPort)
            .replacing("{host}", with: server.host).replacing("{client}", with: clientID)
        return try? WebAddress(text)
    }

    /// Like ``address(_:at:clientID:)``, for an address that a token is sent to.
    ///
    /// - Returns: nil for the vendor's own host at a server that is not the vendor's: it must not see the token.
    package func tokenAddress(_ template: String, at server: WebAddress) -> WebAddress? {
        guard whole(template, at: server).contains("{") || Self.at(server) == self else { return nil }
        return address(template, at: server)
    }

    private func whole(_ template: String, at server: WebAddress) -> String {
        let api = apis.first { $0.host == "*" || Self.matches(server.host, $0.host) }
        return template.replacing("{api}", with: api?.address ?? "")
    }

    /// Where and how to register a client, after "register a client".
    package func howToRegister(at server: WebAddress) -> String {
        let page = registration.flatMap { address($0, at: server) }
        let place = page.map { "at \($0)" } ?? "in the administration of \(server.host)"
        let choices = registrationChoices.map { " (\($0))" } ?? ""
        // Google's desktop apps, the only ones with a published secret, have no redirect URI to register.
        return place + choices + (secret == .published ? "" : " with the redirect URI \(redirectURI)")
    }

    /// The endpoints of the settings, and this server's own for the rest.
    package func filling(_ given: EndpointOverrides, at server: WebAddress) -> EndpointOverrides {
        var filled = given
        for endpoint in endpoints {
            guard let member = EndpointOverrides.member(named: endpoint.name), filled[keyPath: member] == nil else {
                continue
            }
            filled[keyPath: member] = address(endpoint.address, at: server)
        }
        if !endpoints.isEmpty, given.issuer == nil { filled.issuer = server.text }
        return filled
    }

    /// The scopes that were granted with others, without being listed.
    package func completed(_ granted: ScopeSet) -> ScopeSet {
        ScopeSet(granted.names + implied.filter { granted.contains($0.scope) }.flatMap(\.with))
    }

    /// - Parameter pattern: a host, or `*.` and a domain.
    private static func matches(_ host: String, _ pattern: String) -> Bool {
        pattern.hasPrefix("*.") ? host.hasSuffix(pattern.dropFirst()) : host == pattern
    }
}
