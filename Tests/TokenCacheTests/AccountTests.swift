import FoundationEssentials
import Identity
import Testing

@testable import TokenCache

@Suite struct AccountTests {
    @Test func `A person is one account, with the tenants of a guest and the aliases of a cloud merged`() throws {
        let many = try Fixture.snapshot("msal_many")
        let accounts = many.accounts()
        #expect(accounts.count == 8)
        let alice = try #require(accounts.first { $0.homeAccountID == World.alice })
        #expect(alice.tenantProfiles.map(\.tenantID) == ["organizations", World.homeTenant, World.guestTenant])
        #expect(alice.tenantProfiles.map(\.isHome) == [true, true, false])
        #expect(alice.clients.count == 4 && alice.clients.contains(World.azureCLI))
        let bob = try #require(accounts.first { $0.homeAccountID == World.bob })
        #expect(bob.username == "Bob.O'Neil+dev@fabrikam.com" && bob.tenantProfiles.count == 1)
        #expect(accounts.allSatisfy { $0.origin == .msal })
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
    func `The tenants of a guest are in one order, home first, whatever the order of the file`(order: [Int]) throws {
        let entries = ["b-guest", "home", "a-guest"].map { realm in
            """
            "\(realm)":{"home_account_id":"u.home","environment":"idp","realm":"\(realm)","username":"u@idp.example",
            "local_account_id":"\(realm == "home" ? "u" : "u-\(realm)")","authority_type":"MSSTS"}
            """
        }
        let text = "{\"Account\":{\(order.map { entries[$0] }.joined(separator: ","))}}"
        let account = try #require(CacheSnapshot(Array(text.utf8), path: "").accounts().first)
        #expect(account.tenantProfiles.map(\.tenantID) == ["home", "a-guest", "b-guest"])
    }

    @Test func `A client sees its own accounts, and the family's when it is of it`() throws {
        let many = try Fixture.snapshot("msal_many")
        #expect(
            many.accounts(clientID: World.ownClient).map(\.homeAccountID).sorted()
                == [World.bob, "FAKE-ADFS-SUB-dave="].sorted())
        #expect(many.accounts(clientID: "unheard-of").isEmpty)
        // PowerShell holds a token of Alice; the family's refresh tokens serve it for Carol and Heidi too.
        let family = many.accounts(clientID: World.powerShell).map(\.username)
        #expect(Set(family) == ["alice@contoso.com", "carol@outlook.com", "heidi@contoso.us"])
        // Not in this cache's metadata, but known to be of the family.
        let visualStudio = "872cd9fa-d31f-45e0-9eab-6e460a02d1f1"
        #expect(many.accounts(clientID: visualStudio).contains { $0.homeAccountID == World.alice })
    }

    @Test func `Tenants inside one entry of JavaScript's library are read`() throws {
        let account = try #require(Fixture.snapshot("msal_js_v3_style").accounts().first)
        #expect(account.tenantProfiles.first?.tenantID == World.homeTenant)
        #expect(account.tenantProfiles.first?.isHome == true)
    }

    @Test func `Overviews hold the credentials of each account`() throws {
        let many = try Fixture.snapshot("msal_many")
        let all = many.overviews()
        #expect(all.count == 8)
        #expect(
            all.map(\.credentials.count).reduce(0, +) == many.credentials().filter { $0.homeAccountID != nil }.count)
        let mine = try #require(
            many.overviews(clientID: World.powerShell).first { $0.account.homeAccountID == World.alice })
        #expect(
            mine.credentials.allSatisfy {
                $0.clientID == World.powerShell || ($0.kind == .refreshToken && $0.familyID == "1")
            })
        #expect(mine.standing(at: World.now, clientID: World.powerShell) != .signInNeeded)
    }

    @Test func `Credentials without an account entry still show whose they are`() throws {
        let text = """
            {"RefreshToken":{"k":{"credential_type":"RefreshToken","secret":"FAKE","home_account_id":"u.t","environment":"idp","client_id":"c"},
            "n":{"credential_type":"RefreshToken","secret":"FAKE","home_account_id":null,"environment":"idp","client_id":"c"}}}
            """
        let snapshot = try CacheSnapshot(Array(text.utf8), path: "x")
        #expect(snapshot.accounts().isEmpty)
        let overview = try #require(snapshot.overviews().first)
        #expect(snapshot.overviews().count == 1)
        #expect(
            overview.account.homeAccountID == "u.t" && overview.account.username.isEmpty
                && overview.account.clients == ["c"])
        #expect(snapshot.overviews(clientID: "c").count == 1 && snapshot.overviews(clientID: "d").isEmpty)
    }

    @Test func `Hostile text is handed on as it is, for whoever shows it to clean`() throws {
        let account = try #require(Fixture.snapshot("hostile_text").accounts().first)
        #expect(account.username.contains("\u{1B}") && account.name?.contains("\u{0}") == true)
    }

    @Test func `An empty store has nobody`() {
        #expect(
            CacheSnapshot.empty.accounts().isEmpty && CacheSnapshot.empty.overviews().isEmpty
                && CacheSnapshot.empty.credentials().isEmpty)
    }

    @Test func `An account that MSAL gave no name has the one of its ID token`() throws {
        func part(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
        let token = part(#"{"alg":"none"}"#) + "." + part(#"{"sub":"r","emails":["rosalind@mail.example"]}"#) + "."
        let store = try Store()
        var record = World.record()
        record.username = ""
        record.idToken = Secret(token)
        try store.cache.save(record)
        #expect(try store.cache.read().accounts().map(\.username) == ["rosalind@mail.example"])
        #expect(
            try store.cache.read().overviews(clientID: World.ownClient).map(\.account.username) == [
                "rosalind@mail.example"
            ])
    }

    @Test func `An extended end that only repeats the end is none`() throws {
        let store = try Store()
        var record = World.record(scopes: ["User.Read"])
        try store.cache.save(record)
        record = World.record(scopes: ["Mail.Read"], access: "FAKE-AT-longer")
        record.extendedExpiresOn = record.expiresOn?.addingTimeInterval(60)
        try store.cache.save(record)
        let held = try store.cache.read().credentials().filter { $0.kind == .accessToken }
        #expect(held.map { $0.extendedExpiresOn == nil } == [true, false])
    }
}
