/// A sample sign-in for demonstrations.
///
/// A program such as `foyer demo` reads the sample clients and sign-ins from the summary, so only the sandbox defines
/// them.
struct SampleSignIn: Sendable {
    enum Lifetime: Sendable {
        case whole
        /// An access token that is about to expire, and a refresh token.
        case short
        /// An access token that is about to expire, and no refresh token.
        case shortWithoutRefreshToken
    }

    let username: String
    let clientId: String
    /// A name of ``Origins/authorities``.
    let authority: String
    let scopes: [String]
    var lifetime = Lifetime.whole
    /// Whether it belongs in Azure CLI's store instead of the program's own.
    var isAzureCLI = false

    private static let management = ["https://management.azure.com//.default"]

    static let all = [
        SampleSignIn(
            username: "ada@contoso.example", clientId: Directory.tryOut, authority: "organizations",
            scopes: ["User.Read", "Mail.Read"]),
        SampleSignIn(
            username: "ada@contoso.example", clientId: Directory.tryOut, authority: "guest", scopes: ["User.Read"]),
        SampleSignIn(
            username: "grace@fabrikam.example", clientId: Directory.azureCLI, authority: "organizations",
            scopes: management),
        SampleSignIn(
            username: "taro@contoso.example", clientId: Directory.tryOut, authority: "organizations",
            scopes: ["User.Read", "Files.Read"], lifetime: .short),
        SampleSignIn(
            username: "zoe@fabrikam.example", clientId: Directory.azureCLI, authority: "organizations",
            scopes: ["User.Read"], lifetime: .shortWithoutRefreshToken),
        SampleSignIn(
            username: "alan@personal.example", clientId: Directory.tryOut, authority: "common", scopes: ["User.Read"]),
        SampleSignIn(
            username: "hedy@lab.example", clientId: Directory.labCLI, authority: "oidc",
            scopes: ["openid", "profile", "email"]),
        SampleSignIn(
            username: "emmy@lab.example", clientId: Directory.labCLI, authority: "oidc",
            scopes: ["openid", "profile"], lifetime: .short),
        SampleSignIn(
            username: "barbara@corp.example", clientId: Directory.adfsApp, authority: "adfs", scopes: ["openid"]),
        SampleSignIn(
            username: "chien@shop.example", clientId: Directory.ciamApp, authority: "ciam", scopes: ["User.Read"]),
        SampleSignIn(
            username: "mary@litware.example", clientId: Directory.sovereignApp, authority: "sovereign",
            scopes: ["User.Read"]),
        SampleSignIn(
            username: "ada@contoso.example", clientId: Directory.azureCLI, authority: "organizations",
            scopes: management, isAzureCLI: true),
    ]

    func summary(_ authorities: JSON) -> JSON {
        let fields: JSON? =
            switch lifetime {
            case .whole: nil
            case .short: .members(["expires_in": 90])
            case .shortWithoutRefreshToken: .members(["expires_in": 90, "refresh_token": .null])
            }
        return .members([
            "username": .string(username), "clientId": .string(clientId), "authority": authorities[authority],
            "kind": .string(SampleClient.kind(of: authority)), "scopes": .strings(scopes), "tokenFields": fields,
            "store": isAzureCLI ? "Azure CLI" : nil,
        ])
    }
}

struct SampleClient: Sendable {
    let name: String
    let clientId: String
    /// A name of ``Origins/authorities``; at B2C the first policy.
    let authority: String
    let scopes: [String]

    /// The first is the default.
    static let all = [
        SampleClient(name: "try-out", clientId: Directory.tryOut, authority: "common", scopes: ["User.Read"]),
        SampleClient(
            name: "Azure CLI", clientId: Directory.azureCLI, authority: "organizations",
            scopes: ["https://management.azure.com//.default"]),
        SampleClient(
            name: "lab", clientId: Directory.labCLI, authority: "oidc",
            scopes: ["openid", "profile", "email", "offline_access"]),
        SampleClient(
            name: "customers", clientId: Directory.b2cApp, authority: "b2c",
            scopes: ["https://tailspin.example/notes/read"]),
        SampleClient(name: "litware", clientId: Directory.sovereignApp, authority: "sovereign", scopes: ["User.Read"]),
        SampleClient(name: "corporate", clientId: Directory.adfsApp, authority: "adfs", scopes: ["openid"]),
        SampleClient(name: "shop", clientId: Directory.ciamApp, authority: "ciam", scopes: ["User.Read"]),
    ]

    static func kind(of authority: String) -> String {
        switch authority {
        case "oidc", "adfs", "ciam": authority
        case "b2c", "b2cLegacy", "b2clogin": "b2c"
        default: "aad"
        }
    }

    func summary(_ authorities: JSON) -> JSON {
        let address = authorities[authority]
        return .members([
            "name": .string(name), "clientId": .string(clientId),
            "authority": address?[Directory.signInPolicy] ?? address,
            "kind": .string(SampleClient.kind(of: authority)), "scopes": .strings(scopes),
        ])
    }
}
