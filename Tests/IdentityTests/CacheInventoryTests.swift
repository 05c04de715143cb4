import FoundationEssentials
import Identity
import Testing

@Suite struct HoldingsTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let cli = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"

    private static func account(_ home: String, clients: [String] = [], environment: String = "login.windows.net")
        -> Account
    {
        Account(homeAccountID: home, environment: environment, username: home + "@example.org", clients: clients)
    }

    private static func token(
        _ id: String, _ kind: CachedCredential.Kind = .accessToken, client: String = cli, home: String? = "ada",
        realm: String = "t",
        scopes: ScopeSet = ["User.Read"], lives: TimeInterval = 3600, extended: TimeInterval? = nil,
        age: TimeInterval = 60,
        environment: String = "login.microsoftonline.com", type: String = "Bearer", family: String? = nil
    ) -> CachedCredential {
        CachedCredential(
            id: id, kind: kind, clientID: client, homeAccountID: home, environment: environment, realm: realm,
            scopes: scopes,
            secret: Secret(id), tokenType: type, cachedAt: now.addingTimeInterval(-age),
            expiresOn: kind == .accessToken ? now.addingTimeInterval(lives) : nil,
            extendedExpiresOn: extended.map { now.addingTimeInterval($0) }, familyID: family)
    }

    private static func findings(_ tokens: [CachedCredential], accounts: [Account] = [account("ada", clients: [cli])])
        -> [String: [HeldCredential.Finding]]
    {
        let held = CacheInventory(tokens, accounts: accounts, at: now).credentials
        return Dictionary(uniqueKeysWithValues: held.map { ($0.credential.id, $0.findings) })
    }

    @Test func `Tokens stand under their client, with the name by which it is known`() throws {
        let holdings = CacheInventory(
            [
                Self.token("b", client: "zz"), Self.token("a"), Self.token("r", .refreshToken),
                Self.token("i", .idToken),
            ],
            accounts: [Self.account("ada", clients: [Self.cli])], at: Self.now)
        #expect(holdings.clients.map(\.clientID) == [Self.cli, "zz"])
        let first = try #require(holdings.clients.first)
        #expect(
            first.wellKnown?.title == "Azure CLI" && first.wellKnown?.isFamily == true
                && holdings.clients[1].wellKnown == nil)
        #expect(first.count(.accessToken) == 1 && first.count(.refreshToken) == 1 && first.count(.idToken) == 1)
        #expect(first.credentials.first?.age(at: Self.now) == 60)
        #expect(
            CacheInventory([Self.token("a", age: -100)], accounts: [], at: Self.now).credentials.first?.age(
                at: Self.now) == nil)
    }

    @Test func `Of two with the same scopes the one that ends first is the double, under any alias and in any case`() {
        let found = Self.findings([
            Self.token("old", lives: 100, environment: "login.windows.net"),
            Self.token("new", scopes: ["openid", "user.read"], lives: 200),
            Self.token("otherTenant", realm: "u"), Self.token("otherClient", client: "zz"),
            Self.token("bound", type: "pop"),
            Self.token("other", scopes: ["Mail.Read"]),
        ])
        #expect(found["old"] == [.duplicate(of: "new")])
        for key in ["new", "otherTenant", "otherClient", "bound", "other"] { #expect(found[key] == [], "\(key)") }
    }

    @Test func `A token whose scopes another has, which lives as long, is covered; one that outlives it is not`() {
        let found = Self.findings([
            Self.token("small", lives: 100), Self.token("wide", scopes: ["User.Read", "Mail.Read"], lives: 100),
            Self.token("long", scopes: ["Mail.Read"], lives: 101),
        ])
        #expect(found["small"] == [.covered(by: "wide")] && found["wide"] == [] && found["long"] == [])
    }

    @Test func `Two refresh tokens of one client and person are doubles unless only one is the family's`() {
        let found = Self.findings([
            Self.token("first", .refreshToken, age: 500), Self.token("second", .refreshToken, age: 5),
            Self.token("family", .refreshToken, age: 900, family: "1"),
        ])
        #expect(found["first"] == [.duplicate(of: "second")] && found["second"] == [] && found["family"] == [])
    }

    @Test
    func
        `PrunableEntries are what is over, its extended lifetime too, and access and ID tokens of nobody; no refresh token ever`()
    {
        let tokens = [
            Self.token("over", lives: -1), Self.token("extended", lives: -1, extended: 10),
            Self.token("fresh", scopes: ["Mail.Read"]),
            Self.token("overTwice", lives: -10, extended: -5),
            Self.token("stray", home: "bob"), Self.token("strayID", .idToken, home: "bob"),
            // A refresh token of somebody without an account can bring the account back.
            Self.token("lost", .refreshToken, home: "eve"), Self.token("eves", home: "eve"),
            Self.token("own", home: nil), Self.token("hers", .idToken),
        ]
        let holdings = CacheInventory(tokens, accounts: [Self.account("ada", clients: [Self.cli])], at: Self.now)
        #expect(Set(holdings.leftovers.map(\.credential.id)) == ["over", "overTwice", "stray", "strayID"])
        let findings = Self.findings(tokens)
        #expect(
            findings["lost"] == [.accountRecoverable] && findings["eves"] == [.accountRecoverable]
                && findings["stray"] == [.accountMissing]
                && findings["own"] == [])
    }

    @Test func `Accounts without tokens are told, and not those whose tokens lie under another name of the cloud`() {
        let idle = Self.account("bob")
        let accounts = [Self.account("ada"), idle, Self.account("carol", clients: ["x"])]
        #expect(CacheInventory([Self.token("a")], accounts: accounts, at: Self.now).accountsWithoutTokens == [idle])
    }

    @Test func `A cache that somebody stuffed with tokens is gone through in no more time than it has entries`() {
        let many = (0..<20_000).map { Self.token("\($0)", scopes: ["s\($0)"]) }
        #expect(CacheInventory(many, accounts: [], at: Self.now).credentials.count == 20_000)
    }

    @Test func `Fifty-two of Microsoft's public clients are known, each once by identifier and by name`() {
        let known = Client.wellKnown
        #expect(known.count >= 40 && Set(known.map(\.id)).count == known.count)
        // A title as a name would be another client's.
        #expect(
            Set(known.flatMap { Set([$0.name, $0.title.lowercased()]) }).count == Set(known.map(\.title)).count * 2
                - known.count { $0.name == $0.title.lowercased() })
        #expect(known.allSatisfy { $0.name.shellWord == $0.name && $0.name == $0.name.lowercased() })
        #expect(
            known.allSatisfy {
                $0.id.isGUID && $0.id == $0.id.lowercased() && Client.wellKnown($0.id) == $0
                    && Client.wellKnown($0.name) == $0 && Client.wellKnown($0.title) == $0
            })
        #expect(
            Client.wellKnown("VS Code")?.isFamily == false && Client.wellKnown("azure-powershell")?.isFamily == true)
    }
}
