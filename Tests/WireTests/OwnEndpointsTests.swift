import Identity
import StrictJSON
import Testing

@testable import Wire

/// Which metadata name endpoints at their provider's own place alone, so that they may be kept in a plain store.
@Suite struct OwnEndpointsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let authority: String
        var kind: Authority.Kind?
        let issuer: String
        let token: String
        var keys: String?
        var userInfo: String?
        let isOwn: Bool
        var testDescription: String { "\(authority): \(token)" }
    }

    private static let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
    private static let entra = "https://login.microsoftonline.com/" + tenant
    private static let realm = "https://sso.example.org/realms/staff"

    private static func entra(_ token: String, _ isOwn: Bool, userInfo: String? = nil) -> Row {
        Row(authority: entra, issuer: entra + "/v2.0", token: token, userInfo: userInfo, isOwn: isOwn)
    }

    private static func realm(
        _ token: String, _ isOwn: Bool, keys: String? = nil, userInfo: String? = nil, kind: Authority.Kind = .oidc
    ) -> Row {
        Row(
            authority: realm, kind: kind, issuer: realm, token: token, keys: keys, userInfo: userInfo, isOwn: isOwn)
    }

    static let rows: [Row] = [
        entra(entra + "/oauth2/v2.0/token", true, userInfo: "https://graph.microsoft.com/oidc/userinfo"),
        entra("https://login.windows.net/\(tenant)/oauth2/v2.0/token", true),
        entra("https://login.microsoftonline.com:443/\(tenant)/oauth2/v2.0/token", true),
        entra("https://login.microsoftonline.com:8443/\(tenant)/oauth2/v2.0/token", false),
        realm(realm + "/protocol/openid-connect/token", true),
        realm(realm + "/protocol/openid-connect/token", true, kind: .oauth2),
        realm("https://sso.example.org:443/realms/staff/token", true),
        realm("https://sso.example.org:8443/realms/staff/token", false),
        realm("https://sso.example.org:8443/realms/staff/token", false, kind: .oauth2),
        realm("https://sso.example.org/realms/guests/token", false),
        realm("https://sso.example.org/realms/staffing/token", false),
        realm("https://sso.example.org/token", false),
        realm(realm + "/../guests/token", false), realm(realm + "/./token", false),
        realm(realm + "/%2e%2e/guests/token", false), realm(realm + "/..%2Fguests/token", false),
        realm("https://evil.example/realms/staff/token", false),
        realm(realm + "/token", false, keys: "https://keys.example.org/keys"),
        realm(realm + "/token", false, userInfo: "https://evil.example/me"),
        Row(
            authority: "https://accounts.google.com", kind: .oidc, issuer: "https://accounts.google.com",
            token: "https://oauth2.googleapis.com/token", isOwn: false),
    ]

    private static func metadata(_ row: Row, _ authority: Authority, _ manual: EndpointOverrides = EndpointOverrides())
        throws -> ProviderMetadata
    {
        let members: [(String, String?)] = [
            ("issuer", row.issuer), ("authorization_endpoint", row.authority + "/authorize"),
            ("token_endpoint", row.token), ("jwks_uri", row.keys ?? row.authority + "/keys"),
            ("userinfo_endpoint", row.userInfo),
        ]
        let document = JSONObject(
            members.compactMap { name, value in value.map { JSONMember(name: name, value: .string($0)) } })
        return try ProviderMetadata(document, of: authority, manual: manual)
    }

    @Test(arguments: rows)
    func `Endpoints are the provider's own at its origin below its path, or in its cloud`(row: Row) throws {
        let authority = try Authority(row.authority, kind: row.kind)
        #expect(try Self.metadata(row, authority).isAtOwnPlace(of: authority) == row.isOwn)
    }

    @Test func `An endpoint that the settings name may be anywhere`() throws {
        let row = Self.realm("https://ignored.example/token", true)
        let authority = try Authority(row.authority, kind: row.kind)
        let manual = EndpointOverrides(token: try WebAddress("https://tokens.example.org/token"))
        let metadata = try Self.metadata(row, authority, manual)
        #expect(metadata.token.host == "tokens.example.org")
        #expect(metadata.isAtOwnPlace(of: authority, manual: manual) && !metadata.isAtOwnPlace(of: authority))
    }

    @Test func `On loopback another port is another place`() throws {
        let base = "http://127.0.0.1:4000/" + Self.tenant
        let authority = try Authority(base, kind: .aad)
        for (token, isOwn) in [
            (base + "/oauth2/v2.0/token", true), ("http://127.0.0.1:4001/\(Self.tenant)/oauth2/v2.0/token", false),
            ("http://localhost:4000/\(Self.tenant)/oauth2/v2.0/token", false),
        ] {
            let row = Row(authority: base, kind: .aad, issuer: base + "/v2.0", token: token, isOwn: isOwn)
            #expect(try Self.metadata(row, authority).isAtOwnPlace(of: authority) == isOwn, "\(token)")
        }
    }
}
