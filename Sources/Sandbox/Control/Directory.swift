/// The users, organizations and applications of the sandbox, fixed so that tests and recordings can name them.
///
/// | tenant | id |
/// |---|---|
/// | contoso.example | c0000000-0000-4000-8000-00000000c001 |
/// | fabrikam.example | f0000000-0000-4000-8000-00000000f001 |
/// | personal accounts | 9188040d-6c67-4c5b-b112-36a304b66dad (the real, well-known one) |
/// | tailspin.example (B2C, with policies) | b2c00000-0000-4000-8000-00000000b2c1 |
/// | woodgrove.example (External ID) | c1a00000-0000-4000-8000-00000000c1a1 |
/// | litware.example (in the sovereign cloud) | 50e00000-0000-4000-8000-0000000050e1 |
package enum Directory {
    package static let contoso = Tenant(
        id: "c0000000-0000-4000-8000-00000000c001", domain: "contoso.example", name: "Contoso")
    package static let fabrikam = Tenant(
        id: "f0000000-0000-4000-8000-00000000f001", domain: "fabrikam.example", name: "Fabrikam")
    package static let personal = Tenant(
        id: "9188040d-6c67-4c5b-b112-36a304b66dad", domain: "live.com", name: "Personal accounts")
    static let tenants = [contoso, fabrikam, personal, b2cTenant, ciamTenant, sovereignTenant]

    package static let password = "sandbox"

    package static let tryOut = "11111111-2222-3333-4444-555555555555"
    package static let sovereignApp = "66666666-7777-8888-9999-000000000000"
    package static let azureCLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
    package static let azurePowerShell = "1950a258-227b-4e31-a9cf-717495945fc2"
    /// The client of git's helper for Azure DevOps.
    package static let visualStudio = "872cd9fa-d31f-45e0-9eab-6e460a02d1f1"
    package static let labCLI = "lab-cli"

    static let loopback = ["http://localhost", "http://127.0.0.1", "http://[::1]"]

    static let clients = [
        HostedClient(clientId: tryOut, name: "Foyer Try-out", family: false, kind: .entra, redirectUris: loopback),
        HostedClient(clientId: sovereignApp, name: "Litware app", family: false, kind: .entra, redirectUris: loopback),
        HostedClient(
            clientId: azureCLI, name: "Microsoft Azure CLI", family: true, kind: .entra, redirectUris: loopback),
        HostedClient(
            clientId: azurePowerShell, name: "Microsoft Azure PowerShell", family: true, kind: .entra,
            redirectUris: loopback),
        HostedClient(
            clientId: visualStudio, name: "Visual Studio", family: true, kind: .entra, redirectUris: loopback),
        HostedClient(clientId: labCLI, name: "Lab command line", family: false, kind: .openID, redirectUris: loopback),
        HostedClient(clientId: b2cApp, name: "Tailspin Toys app", family: false, kind: .b2c, redirectUris: loopback),
        HostedClient(
            clientId: adfsApp, name: "Corporate desktop app", family: false, kind: .adfs, redirectUris: loopback),
        HostedClient(
            clientId: ciamApp, name: "Woodgrove Groceries app", family: false, kind: .entra, redirectUris: loopback,
            onlyTenant: ciamTenant.id),
    ]

    /// Guest tenants have another object ID for the same user.
    static let users =
        [
            User(
                username: "ada@contoso.example", name: "Ada Lovelace", homeTenant: contoso.id,
                objectIds: [
                    contoso.id: "ada00000-0000-4000-8000-000000000001",
                    fabrikam.id: "ada00000-0000-4000-8000-0000000000f1",
                ]),
            User(
                username: "grace@fabrikam.example", name: "Grace Hopper", homeTenant: fabrikam.id,
                objectIds: [
                    fabrikam.id: "9face000-0000-4000-8000-000000000001",
                    contoso.id: "9face000-0000-4000-8000-0000000000c1",
                ]),
            User(
                username: "taro@contoso.example", name: "山田 太郎", homeTenant: contoso.id,
                objectIds: [contoso.id: "7a700000-0000-4000-8000-000000000001"]),
            User(
                username: "zoe@fabrikam.example", name: "Zoë Żółć", homeTenant: fabrikam.id,
                objectIds: [fabrikam.id: "20e00000-0000-4000-8000-000000000001"]),
            User(
                username: "alan@personal.example", name: "Alan Turing", homeTenant: personal.id,
                objectIds: [personal.id: "00000000-0000-0000-a1a2-000000000001"]),
            User(
                username: "katherine@contoso.example", name: "Katherine Johnson", homeTenant: contoso.id,
                objectIds: [contoso.id: "ca700000-0000-4000-8000-000000000001"], adminOnly: ["mail.send"]),
            User(username: "hedy@lab.example", name: "Hedy Lamarr", homeTenant: nil, objectIds: [:]),
            User(username: "emmy@lab.example", name: "Emmy Noether", homeTenant: nil, objectIds: [:]),
        ] + residents

    static func user(_ username: String) -> User? {
        let wanted = username.lowercased()
        return users.first { $0.username == wanted }
    }

    static func tenant(_ nameOrId: String) -> Tenant? {
        let wanted = nameOrId.lowercased()
        return tenants.first { $0.id == wanted || $0.domain == wanted }
    }
}

package struct Tenant: Sendable, Equatable {
    package var id: String
    package var domain: String
    package var name: String
}

struct User: Sendable, Equatable {
    var username: String
    var name: String
    /// Nil for users of the plain OpenID Connect issuer, or of AD FS.
    var homeTenant: String?
    /// Object IDs by tenant ID. The one of the home tenant is also the `uid` of the home account ID.
    var objectIds: [String: String]
    /// Scopes, in lower case, that only an administrator may consent to for this user.
    var adminOnly: Set<String> = []
    /// The provider with the account: only ordinary Entra ID accounts are `global`.
    var home = Home.global

    enum Home: String, Sendable { case global, sovereign, b2c, ciam, adfs }

    var homeObjectId: String? { homeTenant.flatMap { objectIds[$0] } }
    var isPersonal: Bool { homeTenant == Directory.personal.id }
    var kind: String {
        switch home {
        case .global: homeTenant == nil ? "oidc" : isPersonal ? "personal" : "work"
        case .sovereign, .b2c, .ciam, .adfs: home.rawValue
        }
    }

    var summary: JSON {
        .members([
            "username": .string(username), "password": .string(Directory.password), "name": .string(name),
            "kind": .string(kind),
            "homeTenant": homeTenant.map { .string($0) } ?? .null, "tenants": .strings(objectIds.keys.sorted()),
        ])
    }
}

struct HostedClient: Sendable, Equatable {
    enum Kind: String, Sendable {
        case entra = "aad"
        case openID = "oidc"
        case b2c, adfs
        case github, google, slack
        case oauth = "oauth2"
    }

    enum Authentication: String, Sendable {
        case none
        case basic = "client_secret_basic"
        case post = "client_secret_post"
    }

    var clientId: String
    var name: String
    var family: Bool
    var kind: Kind
    var redirectUris: [String]
    var postLogoutRedirectUris: [String] = []
    /// The only tenant or plain OAuth server with the application; nil for all of its kind.
    var onlyTenant: String?
    /// Nil for a public client.
    var secret: String?
    /// How a client with a secret may authenticate.
    var methods: [Authentication] = []
    /// Whether the server decides on the permissions, as for a GitHub App.
    var ignoresScopes = false
    var hasDeviceFlow = true
    /// Only for OAuth servers.
    var policy = TokenPolicy()

    var summary: JSON {
        .members([
            "clientId": .string(clientId), "name": .string(name), "family": .bool(family),
            "redirectUris": .strings(redirectUris),
            "kind": .string(kind.rawValue), "clientSecret": secret.map { .string($0) },
        ])
    }

    func allows(redirect uri: String) -> Bool {
        switch kind {
        case .github: redirectUris.contains { Redirect.isBelow(uri, registered: $0) }
        case .google: hasDeviceFlow ? false : Redirect.loopback(uri) != nil
        case .entra, .openID, .b2c, .adfs, .oauth, .slack:
            redirectUris.contains { Redirect.matches(uri, registered: $0) }
        }
    }

    /// The post-logout URIs, or the redirect URIs if none are registered.
    func allows(postLogout uri: String) -> Bool {
        (postLogoutRedirectUris.isEmpty ? redirectUris : postLogoutRedirectUris).contains {
            Redirect.matches(uri, registered: $0)
        }
    }
}

/// The kind of tokens that an OAuth server issues to a client.
struct TokenPolicy: Sendable, Equatable {
    /// Whether there are refresh tokens.
    var refreshes = true
    /// Whether each refresh replaces the refresh token.
    var rotates = true
    /// Whether access tokens expire.
    var expires = true
}

/// RFC 8252 section 7.3: a loopback redirect may use any port; everything else must match exactly.
enum Redirect {
    static func matches(_ uri: String, registered: String) -> Bool {
        if uri == registered { return true }
        guard let asked = loopback(uri), let known = loopback(registered) else { return false }
        return asked.host == known.host && asked.path == known.path
    }

    /// GitHub also accepts paths below the registered one.
    static func isBelow(_ uri: String, registered: String) -> Bool {
        guard let asked = loopback(uri), let known = loopback(registered), asked.host == known.host else {
            return false
        }
        return asked.path == known.path
            || asked.path.hasPrefix(known.path.hasSuffix("/") ? known.path : known.path + "/")
    }

    static func loopback(_ uri: String) -> (host: String, path: String)? {
        guard uri.utf8.count <= 2048, uri.hasPrefix("http://"), !uri.contains("#") else { return nil }
        let rest = uri.dropFirst("http://".count)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        var path = String(rest[end...])
        if path.isEmpty || path.hasPrefix("?") { path = "/" + path }
        for host in ["localhost", "127.0.0.1", "[::1]"] where rest[..<end].hasPrefix(host) {
            let port = rest[..<end].dropFirst(host.count)
            if port.isEmpty { return (host, path) }
            guard port.hasPrefix(":"), let number = Int(port.dropFirst()), (1...65535).contains(number) else {
                continue
            }
            return (host, path)
        }
        return nil
    }
}
