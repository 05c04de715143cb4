import Identity
import Testing

/// What two values of one account have in common, and what a silent response changes in one.
@Suite struct AccountValueTests {
    private static let tenant = "c0c0c0c0-aaaa-4000-8000-000000000001"
    private static let other = "fabfabfa-0000-4000-8000-000000000002"
    private static let object = "ada00000-bbbb-4000-8000-000000000001"

    private static let ada = Account(
        homeAccountID: "\(object).\(tenant)", environment: "login.windows.net", username: "ada@contoso.example",
        name: "Ada",
        tenantProfiles: [
            TenantProfile(
                tenantID: tenant, localAccountID: object, username: "ada@contoso.example", name: "Ada", isHome: true),
            TenantProfile(
                tenantID: other, localAccountID: "guest", username: "ada@contoso.example", name: "Ada (guest)",
                isHome: false),
        ], clients: ["c"])

    @Test(
        arguments: [
            { $0.username = "ada.king@contoso.example" }, { $0.name = nil }, { $0.clients = [] },
            { $0.origin = .adal }, { $0.formerUsernames = ["a"] }, { $0.tenantProfiles[1].username = "x" },
            { $0.tenantProfiles[0].claims = .noIDToken }, { $0.tenantProfiles = [] },
            { $0.homeAccountID = $0.homeAccountID.uppercased() }, { $0.environment = "login.microsoftonline.com" },
        ] as [@Sendable (inout Account) -> Void])
    func `Two values of one account are equal, and a list still sees that they show something else`(
        change: @Sendable (inout Account) -> Void
    ) {
        var changed = Self.ada
        change(&changed)
        #expect(changed == Self.ada && Set([changed, Self.ada]).count == 1)
        #expect(!changed.hasSameContent(as: Self.ada) && Self.ada.hasSameContent(as: Self.ada))
        #expect(
            AccountOverview(account: changed, credentials: []) != AccountOverview(account: Self.ada, credentials: []))
    }

    @Test(
        arguments: [
            { $0.homeAccountID = "1" + $0.homeAccountID }, { $0.environment = "login.microsoftonline.us" },
            { $0.issuer = "https://id.example.org" },
        ] as [@Sendable (inout Account) -> Void])
    func `Two accounts are never equal, whatever they share`(change: @Sendable (inout Account) -> Void) {
        var changed = Self.ada
        change(&changed)
        #expect(changed != Self.ada && Set([changed, Self.ada]).count == 2)
    }

    /// What a response says about a tenant, and the usernames that the account has afterwards: its own, then those of
    /// its tenants, then former ones.
    @Test(
        arguments: [
            (tenant, object, "king@c", ["king@c", "king@c", "ada@contoso.example"], []),
            (tenant.uppercased(), object.uppercased(), "king@c", ["king@c", "king@c", "ada@contoso.example"], []),
            // The home tenant by its domain, as some libraries write it.
            ("contoso.example", object, "king@c", ["king@c", "king@c", "ada@contoso.example"], []),
            (other, "guest", "king@c", ["ada@contoso.example", "ada@contoso.example", "king@c"], []),
            // A tenant that the account was not known in.
            ("t", "g", "king@c", ["ada@contoso.example", "ada@contoso.example", "ada@contoso.example"], []),
            (tenant, object, nil, ["ada@contoso.example", "ada@contoso.example", "ada@contoso.example"], []),
            (tenant, object, "", ["ada@contoso.example", "ada@contoso.example", "ada@contoso.example"], []),
            (
                tenant, object, "ADA@contoso.example",
                [
                    "ADA@contoso.example", "ADA@contoso.example",
                    "ada@contoso.example",
                ], []
            ),
        ] as [(String, String, String?, [String], [String])])
    func `A silent response names the account in the tenant that it is of`(
        tenantID: String, localAccountID: String, username: String?, usernames: [String], former: [String]
    ) {
        var account = Self.ada
        account.takeNames(username: username, name: nil, localAccountID: localAccountID, tenantID: tenantID)
        #expect([account.username] + account.tenantProfiles.map(\.username) == usernames)
        // As long as one tenant still has the name, it is none of before.
        #expect(account.formerUsernames == former && account.name == "Ada")
        #expect(account == Self.ada)
    }

    @Test func `A former username finds the account while nobody has it now`() {
        var account = Self.ada
        account.tenantProfiles.removeLast()
        let names = (1...6).map { "ada\($0)@contoso.example" }
        for name in names {
            account.takeNames(username: name, name: "Ada \(name)", localAccountID: Self.object, tenantID: Self.tenant)
        }
        #expect(account.username == names[5] && account.name == "Ada \(names[5])")
        #expect(account.formerUsernames == Array(names[1..<5]))
        var grace = Account(homeAccountID: "g.t", environment: "login.windows.net", username: "grace@contoso.example")
        #expect([account, grace].meant(by: "ADA3@contoso.example") == [account])
        #expect([account, grace].meant(by: names[0]) == [])
        // A former name is no beginning of a name.
        #expect([account, grace].meant(by: "ada3@") == [])
        grace.username = names[2]
        #expect([account, grace].meant(by: names[2]) == [grace])
        // Renamed back: a name of now.
        account.takeNames(username: names[3], name: nil, localAccountID: Self.object, tenantID: Self.tenant)
        #expect(account.formerUsernames == [names[1], names[2], names[4], names[5]])
    }

    @Test(arguments: [
        (#"{"preferred_username":"b"}"#, "b"), (#"{"preferred_username":"b","email":"e"}"#, "b"),
        // Left out of the refreshed token: the address is no new username.
        (#"{"email":"e"}"#, nil), (#"{"preferred_username":"","email":"e"}"#, nil), ("{}", nil),
    ])
    func `A claim that a refreshed ID token leaves out makes no new username`(text: String, username: String?) throws {
        func claims(_ text: String) throws -> Claims {
            try DecodedJWT(Secret("e30.\(Base64URL.encode(Array(text.utf8))).e30")).payload
        }
        let before = try claims(#"{"preferred_username":"a","email":"e"}"#)
        #expect(try claims(text).username(after: before) == username)
        #expect(try claims(#"{"email":"e"}"#).username(after: claims(#"{"emails":["x"]}"#)) == "e")
        #expect(try claims(#"{"email":"e"}"#).username(after: Claims()) == "e")
    }
}
