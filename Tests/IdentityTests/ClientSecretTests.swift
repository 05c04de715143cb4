import Identity
import Testing

@Suite struct ClientSecretTests {
    @Test(
        arguments: [
            ("s3cret", "s3cret"), ("s3cret\n", "s3cret"), ("s3cret\r\n", "s3cret"), (" a b ", " a b "), ("ü", "ü"),
            (String(repeating: "x", count: 4096) + "\n", String(repeating: "x", count: 4096)),
            (String(repeating: "x", count: 4097), nil), ("", nil), ("\n", nil), ("a\nb", nil), ("a\n\n", nil),
            ("a\tb", nil), ("a\u{1B}[2J", nil), ("a\u{7F}", nil), ("a\0", nil),
        ] as [(String, String?)])
    func `A secret is one line without control characters`(text: String, secret: String?) {
        #expect(ClientSecret.secret(Array(text.utf8)) == secret.map { Secret($0) })
    }

    @Test func `What is no UTF-8 is no secret`() { #expect(ClientSecret.secret([0x61, 0xFF]) == nil) }

    @Test func `A published secret is shown by no description`() throws {
        var configuration = ClientConfiguration(
            clientID: "c", authority: try Authority("https://id.example.org", kind: .oidc), store: "/s")
        configuration.clientSecret = ClientSecret(.published(Secret("GOCSPX-published")))
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("GOCSPX"))
        }
    }

    @Test(arguments: [
        ("https://id.example.org/a", "https://id.example.org/a/", true),
        ("https://id.example.org/a", "https://id.example.org:443/a", true),
        ("https://id.example.org/a", "https://id.example.org/b", false),
        ("https://id.example.org/a", "https://id.example.org:8443/a", false),
        ("https://id.example.org/a", "https://evil.example/a", false),
    ])
    func `A secret is for one issuer, not for its host`(own: String, other: String, isSame: Bool) throws {
        let configuration = ClientConfiguration(
            clientID: "c", authority: try Authority(own, kind: .oidc), store: "/s")
        #expect(configuration.mayReceiveSecret(try Authority(other, kind: .oidc)) == isSame)
    }

    @Test func `At Entra ID a secret is for the cloud, whatever the tenant`() throws {
        let configuration = ClientConfiguration(
            clientID: "c", authority: try Authority("https://login.microsoftonline.com/organizations"), store: "/s")
        for (other, isSame) in [
            ("https://login.microsoftonline.com/contoso.example", true), ("https://login.windows.net/common", true),
            ("https://login.microsoftonline.us/common", false),
        ] { #expect(configuration.mayReceiveSecret(try Authority(other)) == isSame) }
    }

    @Test(
        arguments: [
            ("invalid_client", nil, true), ("incorrect_client_credentials", nil, true),
            ("invalid_request", "client_secret is missing.", true), ("invalid_request", "Missing Client_Secret", true),
            ("invalid_request", "code is missing", false), ("invalid_grant", "client_secret", false),
        ] as [(String, String?, Bool)])
    func `A missing or wrong secret is known by each provider's words for it`(
        error: String, description: String?, isOfSecret: Bool
    ) {
        #expect(OAuthError(error: error, description: description).isOfClientSecret == isOfSecret)
    }
}
