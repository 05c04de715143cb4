import Identity
import StrictJSON
import Testing

@testable import Wire

@Suite struct MetadataTests {
    private static let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"

    /// A document for `https://id.example.org`, with members said otherwise or, for nil, left out.
    private static func document(_ changes: [String: JSONValue?] = [:]) -> JSONObject {
        var members: [String: JSONValue] = [
            "issuer": "https://id.example.org", "authorization_endpoint": "https://id.example.org/authorize",
            "token_endpoint": "https://id.example.org/token", "jwks_uri": "https://keys.example.org/keys",
        ]
        for (name, value) in changes { members[name] = value }
        return JSONObject(members.map { JSONMember(name: $0.key, value: $0.value) })
    }

    private static func read(
        _ changes: [String: JSONValue?] = [:], _ authority: String = "https://id.example.org",
        _ kind: Authority.Kind = .oidc
    )
        throws -> ProviderMetadata
    {
        try ProviderMetadata(document(changes), of: try Authority(authority, kind: kind))
    }

    private static func refusal(
        _ changes: [String: JSONValue?], _ authority: String = "https://id.example.org", _ kind: Authority.Kind = .oidc
    )
        -> WireError?
    {
        do {
            _ = try read(changes, authority, kind)
            return nil
        } catch { return error as? WireError }
    }

    @Test func `A small document is enough`() throws {
        let metadata = try Self.read()
        #expect(metadata.issuer == "https://id.example.org")
        #expect(metadata.keys?.host == "keys.example.org")
        #expect(metadata.device == nil)
        #expect(!metadata.announcesIssuer)
    }

    @Test(arguments: [
        "https://evil.example", "http://id.example.org", "https://ID.example.org", "https://id.example.org:443",
        "https://id.example.org/x",
        "https://id.example.org?x", "https://id.example.org#x", "https://\u{212A}id.example.org",
        "https://id.example.org//", "",
    ])
    func `Another issuer than the one that was asked is refused`(issuer: String) {
        #expect(Self.refusal(["issuer": .string(issuer)])?.check == "issuer")
    }

    @Test func `Letters are compared as bytes, so that the Kelvin sign is no K`() {
        #expect(
            Self.refusal(["issuer": "https://id.example.org/\u{212A}"], "https://id.example.org/K")?.check == "issuer")
    }

    @Test func `The refusal shows both issuers`() {
        let words = Self.refusal(["issuer": "https://evil.example"])?.message ?? ""
        #expect(words.contains("https://id.example.org") && words.contains("https://evil.example"))
    }

    @Test
    func
        `The slash at the end is forgiven, since the document's address does not tell, but the issuer stays as it is written`()
        throws
    {
        #expect(try Self.read(["issuer": "https://id.example.org/"]).issuer == "https://id.example.org/")
    }

    @Test(arguments: [nil, .null, 5, ["https://id.example.org"], [:]] as [JSONValue?])
    func `A missing issuer, or one that is no text, is refused`(issuer: JSONValue?) {
        #expect(Self.refusal(["issuer": issuer])?.check == "issuer")
    }

    @Test(
        arguments: [
            "http://id.example.org/x", "https://id.example.org@evil.example/x", "https://user:pw@id.example.org/x",
            "/x", "x", "",
            "https://id.example.org/x#y", "https://id.example.org/x\r\nX: y", "https://id.example.org/ x",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x", "ftp://id.example.org", "https://", "https:///x", "https://id.example.org:99999/x",
            "-x",
            "https://id.exämple.org/x",
            .string("https://id.example.org/" + String(repeating: "a", count: 2048)), 5, true, [], [:],
        ] as [JSONValue])
    func `An endpoint that may not be used refuses the document`(address: JSONValue) {
        for name in [
            "token_endpoint", "authorization_endpoint", "jwks_uri", "device_authorization_endpoint",
            "userinfo_endpoint",
            "revocation_endpoint",
            "end_session_endpoint", "registration_endpoint",
        ] {
            guard case .badEndpoint(let found, _) = Self.refusal([name: address]) else {
                Issue.record("\(name) was taken: \(address.serialized())")
                continue
            }
            #expect(found == name)
        }
    }

    @Test(arguments: ["http://127.0.0.1:8080/token", "http://localhost/token", "http://[::1]/token"])
    func `A provider elsewhere may not send anybody to this machine without TLS; one on this machine may`(
        address: JSONValue
    ) throws {
        #expect(Self.refusal(["token_endpoint": address]) == .badEndpoint(name: "token_endpoint", .insecure))
        _ = try Self.read(["issuer": "http://127.0.0.1:8080", "token_endpoint": address], "http://127.0.0.1:8080")
    }

    @Test(arguments: ["authorization_endpoint", "token_endpoint", "jwks_uri"])
    func `What every sign-in needs must be there`(name: String) {
        guard case .unsupported = Self.refusal([name: JSONValue?.none]), case .unsupported = Self.refusal([name: .null])
        else {
            Issue.record("\(name) was not missed")
            return
        }
    }

    @Test func `A provider that has PKCE without S256 is refused; one that does not say is not`() throws {
        for methods in [["plain"], [], ["s256"], [5]] as [JSONValue] {
            guard case .unsupported = Self.refusal(["code_challenge_methods_supported": methods]) else {
                Issue.record("taken: \(methods.serialized())")
                continue
            }
        }
        _ = try Self.read(["code_challenge_methods_supported": ["plain", "S256"]])
    }

    @Test func `A thousand members that nobody knows do no harm`() throws {
        let changes = Dictionary(
            uniqueKeysWithValues: (0..<1000).map { ("unknown_\($0)", JSONValue?.some([1, "x", [:]])) })
        _ = try Self.read(changes)
    }

    @Test func `RFC 9207: announced means true, and nothing else does`() throws {
        let name = "authorization_response_iss_parameter_supported"
        #expect(try Self.read([name: true]).announcesIssuer)
        for value in [false, "true", 1, .null] as [JSONValue] { #expect(try !Self.read([name: value]).announcesIssuer) }
    }

    private static func entra(_ issuer: String, _ tenant: String, host: String = "login.microsoftonline.com")
        -> WireError?
    {
        let root = "https://\(host)/\(tenant)"
        return refusal(
            [
                "issuer": .string(issuer), "authorization_endpoint": .string(root + "/oauth2/v2.0/authorize"),
                "token_endpoint": .string(root + "/oauth2/v2.0/token"),
                "jwks_uri": .string(root + "/discovery/v2.0/keys"),
            ], "https://\(host)/\(tenant)", .aad)
    }

    @Test func `Entra ID answers with a template for many tenants and with the tenant's own issuer for one`() {
        #expect(Self.entra("https://login.microsoftonline.com/{tenantid}/v2.0", "organizations") == nil)
        #expect(Self.entra("https://login.microsoftonline.com/\(Self.tenant)/v2.0", Self.tenant) == nil)
        #expect(Self.entra("https://sts.windows.net/\(Self.tenant)/", Self.tenant) == nil)
        #expect(Self.entra("https://login.microsoftonline.com/\(Self.tenant)/v2.0", "contoso.onmicrosoft.com") == nil)
        #expect(
            Self.entra(
                "https://login.partner.microsoftonline.cn/\(Self.tenant)/v2.0", Self.tenant,
                host: "login.chinacloudapi.cn") == nil)
    }

    @Test(arguments: [
        "https://evil.example/{tenantid}/v2.0",
        "https://login.microsoftonline.us/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
        "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0",
        "https://login.microsoftonline.com/{tenantid}/v2.0",
        "http://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
        "https://login.microsoftonline.com:8443/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
        "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0?x",
        "https://login.microsoftonline.com.evil.example/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
    ])
    func `Another host, cloud or tenant than the one that was asked is refused`(issuer: String) {
        #expect(Self.entra(issuer, Self.tenant)?.check == "issuer")
    }

    @Test func `The template means nothing outside Entra ID`() {
        #expect(Self.refusal(["issuer": "https://id.example.org/{tenantid}/v2.0"])?.check == "issuer")
    }

    @Test func `A token endpoint in another cloud is refused`() {
        let refusal = Self.refusal(
            [
                "issuer": "https://login.microsoftonline.com/\(Self.tenant)/v2.0",
                "token_endpoint": "https://login.microsoftonline.us/x/token",
            ].mapValues {
                JSONValue?.some(.string($0))
            }, "https://login.microsoftonline.com/\(Self.tenant)", .aad)
        #expect(refusal?.check == "token endpoint")
    }
}
