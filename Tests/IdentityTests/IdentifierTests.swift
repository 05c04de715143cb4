import Identity
import Testing

/// Identifiers as their providers compare them.
@Suite struct IdentifierTests {
    private static let tenant = "c0c0c0c0-aaaa-4000-8000-000000000001"
    private static let object = "ada00000-bbbb-4000-8000-000000000001"

    @Test(
        arguments: [
            ("\(object).\(tenant)", nil, true),
            // B2C: the name of the policy is part of it.
            ("\(object)-B2C_1_SignIn.\(tenant)", nil, true),
            // MSAL also writes such IDs for accounts without an object ID.
            ("00000000-0000-0000-a1a2-000000000001.\(tenant)", nil, true),
            // AD FS: a subject in base64, even where no issuer is recorded.
            ("kQ7+FakeSubjectOfAdfs=", nil, false),
            ("user.name", nil, false),
            ("\(object)", nil, false),
            // OpenID Connect: a subject may look like anything.
            ("\(object).\(tenant)", "https://id.example.org", false),
            ("Ada", "https://id.example.org", false),
        ] as [(String, String?, Bool)])
    func `Only home account IDs of Entra ID and B2C are compared without case`(
        id: String, issuer: String?, ignoresCase: Bool
    ) {
        func account(_ id: String) -> AccountID {
            AccountID(homeAccountID: id, environment: "id.example.org", issuer: issuer)
        }
        let (one, other) = (account(id), account(id.uppercased()))
        #expect(one != account(id + "0"))
        #expect((one == other) == ignoresCase && one.isSamePerson(as: other) == ignoresCase)
        #expect(Set([one, other]).count == (ignoresCase ? 1 : 2))
        #expect((one.canonicalHomeAccountID == other.canonicalHomeAccountID) == ignoresCase)
        let known = Account(homeAccountID: id, environment: "id.example.org", username: "zoe", issuer: issuer)
        #expect(known.isIdentified(by: id.uppercased()) == ignoresCase && known.isIdentified(by: id))
        #expect([known].meant(by: id.uppercased()).count == (ignoresCase ? 1 : 0))
        let beginning = String(id.uppercased().prefix(12))
        #expect(known.matches(by: beginning) == (ignoresCase || id.hasPrefix(beginning)))
    }

    @Test func `Canonically equivalent subjects are two accounts`() {
        let ids = ["Zo\u{EB}", "Zoe\u{308}"].map {
            AccountID(homeAccountID: $0, environment: "id.example.org", issuer: "https://id.example.org")
        }
        #expect(ids[0] != ids[1] && !ids[0].isSamePerson(as: ids[1]))
    }

    @Test func `The hosts of a cloud are one place, and two issuers are two`() {
        func account(_ host: String, _ issuer: String? = nil) -> AccountID {
            AccountID(homeAccountID: "\(Self.object).\(Self.tenant)", environment: host, issuer: issuer)
        }
        #expect(Set([account("login.windows.net"), account("login.microsoftonline.com")]).count == 1)
        #expect(account("login.windows.net") != account("login.microsoftonline.us"))
        #expect(account("id.example", "https://id.example/a") != account("id.example", "https://id.example/b"))
        #expect(account("id.example", "https://id.example/a") != account("id.example"))
        #expect(account("id.example", "https://id.example/a").isSamePerson(as: account("id.example")))
    }

    @Test(
        arguments: [
            ("11111111-AAAA-4bbb-8ccc-000000000001", nil, true), ("lab-CLI", nil, false),
            ("11111111-AAAA-4bbb-8ccc-000000000001", "https://id.example.org", false),
        ] as [(String, String?, Bool)])
    func `Only a client ID of Entra ID is compared without case`(id: String, issuer: String?, ignoresCase: Bool) {
        #expect(ClientID.isSame(id, id.uppercased(), issuer: issuer) == ignoresCase)
        #expect((ClientID.canonical(id, issuer: issuer) == id.lowercased()) == ignoresCase)
    }

    @Test func `A configured client ID has one spelling at Entra ID alone`() throws {
        let id = "11111111-AAAA-4BBB-8CCC-000000000001"
        let entra = ClientConfiguration(clientID: id, authority: try Authority("https://login.windows.net/common"))
        #expect(entra.clientID == id.lowercased())
        let other = ClientConfiguration(
            clientID: id, authority: try Authority("https://id.example.org", kind: .oidc))
        #expect(other.clientID == id)
    }

    @Test(arguments: [
        ("oid", "oid.tid", true), ("OID", "oid.tid", false), ("oi", "oid.tid", false),
        (object.uppercased(), "\(object).\(tenant)", true), (object, "\(object)-b2c_1_signin.\(tenant)", true),
        ("g", "\(object).\(tenant)", false), ("sub", "sub", true), ("Sub", "sub", false),
    ])
    func `A local account ID tells whether its tenant is the home tenant`(local: String, home: String, isHome: Bool) {
        #expect(HomeAccountID.isHome(local, of: home) == isHome)
    }
}
