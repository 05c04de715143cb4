import FoundationEssentials
import Identity
import Testing

@testable import TokenCache

@Suite struct LookupTests {
    func token(_ snapshot: CacheSnapshot, _ query: CredentialQuery, at now: Date = World.now) -> CachedCredential? {
        snapshot.accessToken(query, at: now, buffer: 300)
    }

    @Test func `A token of Azure CLI is found under organizations`() throws {
        let many = try Fixture.snapshot("msal_many")
        let found = try #require(
            token(many, World.query(realms: ["organizations", World.homeTenant], [World.management])))
        #expect(found.realm == "organizations")
        #expect(found.expiresOn == Date(timeIntervalSince1970: 1_893_460_799))
        #expect(found.refreshOn == Date(timeIntervalSince1970: 1_893_458_399))
        #expect(found.secret.reveal().hasPrefix("eyJ"))
        #expect(found.id.contains("-accesstoken-"))
    }

    @Test func `A guest tenant has tokens of its own`() throws {
        let many = try Fixture.snapshot("msal_many")
        #expect(
            token(many, World.query(realms: [World.guestTenant.uppercased()], [World.management]))?.realm
                == World.guestTenant)
        #expect(token(many, World.query(realms: ["someothertenant"], [World.management])) == nil)
        #expect(token(many, World.query(realms: [], [World.management])) != nil)
    }

    @Test func `One slash less is another resource`() throws {
        let many = try Fixture.snapshot("msal_many")
        #expect(
            token(many, World.query(realms: ["organizations"], ["https://management.core.windows.net/.default"])) == nil
        )
    }

    @Test(arguments: [
        "login.windows.net", "login.microsoft.com", "sts.windows.net", "login.microsoftonline.com", "LOGIN.Windows.NET",
    ])
    func `Every alias of a cloud answers`(_ environment: String) throws {
        let many = try Fixture.snapshot("msal_many")
        #expect(token(many, World.query(World.alice, environment, [World.management])) != nil)
        #expect(
            token(many, World.query(World.bob, environment, client: World.ownClient, ["user.read"]))?.environment
                .isEmpty == false)
    }

    @Test func `Another cloud does not answer`() throws {
        let many = try Fixture.snapshot("msal_many")
        #expect(token(many, World.query(World.alice, "login.microsoftonline.us", [World.management])) == nil)
    }

    @Test func `A subset of scopes is enough, whatever their case, the reserved ones not counted`() throws {
        let many = try Fixture.snapshot("msal_many")
        let query = World.query(World.bob, client: World.ownClient, ["mail.READ", "openid", "offline_access"])
        #expect(token(many, query) != nil)
        #expect(token(many, World.query(World.bob, client: World.ownClient, ["Mail.Read", "Calendars.Read"])) == nil)
    }

    @Test func `Bound tokens are never given for a bearer token`() throws {
        let many = try Fixture.snapshot("msal_many")
        // pop and ssh-cert of the same scopes, and a token under an extended cache key
        #expect(token(many, World.query(realms: [World.homeTenant], ["https://management.azure.com/.default"])) == nil)
        #expect(
            token(
                many, World.query(realms: [World.homeTenant], ["https://pas.windows.net/CheckMyAccess/Linux/.default"]))
                == nil)
        #expect(token(many, World.query(realms: [World.homeTenant], ["https://graph.microsoft.com/.default"])) == nil)
        #expect(
            token(
                many,
                World.query(realms: [World.homeTenant], ["https://management.azure.com/.default"], tokenType: "pop"))
                == nil)
    }

    @Test func `An application's token belongs to no person`() throws {
        let many = try Fixture.snapshot("msal_many")
        let app = "33333333-aaaa-4bbb-8ccc-000000000003"
        #expect(token(many, World.query("", client: app, [World.management])) == nil)
        #expect(many.credentials(clientID: app).map(\.homeAccountID) == [nil])
        #expect(many.accounts(clientID: app).isEmpty)
    }

    @Test func `Freshness counts the buffer, and the token that expired last is still told`() throws {
        let many = try Fixture.snapshot("msal_many")
        let query = World.query(realms: ["organizations"], [World.management])
        let end = Date(timeIntervalSince1970: 1_893_460_799)
        #expect(
            try #require(token(many, query, at: end.addingTimeInterval(-301))).isFresh(at: end.addingTimeInterval(-301))
        )
        let late = try #require(token(many, query, at: end.addingTimeInterval(10)))
        #expect(!late.isFresh(at: end.addingTimeInterval(10)))
    }

    @Test func `Of two tokens that expire in the same second the one that was written last is served`() throws {
        func entry(_ realm: String, _ secret: String) -> String {
            """
            "\(realm)":{"credential_type":"AccessToken","secret":"\(secret)","home_account_id":"u.t","environment":\
            "login.microsoftonline.com","client_id":"c","realm":"\(realm)","target":"User.Read","expires_on":"2000000000"}
            """
        }
        let text = "{\"AccessToken\":{\(entry("organizations", "older")),\(entry("t", "newer"))}}"
        let snapshot = try CacheSnapshot(Array(text.utf8), path: "")
        let query = CredentialQuery(
            homeAccountID: "u.t", environment: "login.microsoftonline.com", issuer: nil,
            realms: ["organizations", "t"], clientID: "c", scopes: ["User.Read"])
        for now in [1_999_990_000.0, 2_000_000_100] {
            let found = snapshot.accessToken(query, at: Date(timeIntervalSince1970: now), buffer: 300)
            #expect(found?.secret == Secret("newer"))
        }
    }

    @Test(
        arguments: [
            (nil, false), ("https://adfs.example/adfs", false), ("https://id.example", true),
            ("https://github.com/login/oauth", true),
        ] as [(String?, Bool)])
    func `No announced end is an end only at servers that follow the standards alone, and damage elsewhere`(
        issuer: String?, isServed: Bool
    ) throws {
        let store = try Store()
        try store.cache.save(
            TokenRecord(
                clientID: "client", homeAccountID: "ada", environment: "id.example", issuer: issuer, realm: "",
                localAccountID: "ada", username: "ada", accessToken: Secret("endless"), scopes: ["a"],
                cachedAt: World.now, expiresOn: .noAnnouncedEnd))
        var query = CredentialQuery(homeAccountID: "ada", environment: "id.example", clientID: "client")
        (query.issuer, query.scopes) = (issuer, ["a"])
        let snapshot = try store.cache.read()
        #expect((token(snapshot, query) != nil) == isServed)
        let mismatches = snapshot.fits(query, at: World.now).map(\.mismatch)
        #expect(mismatches == [isServed ? nil : .tooLongLived(until: .noAnnouncedEnd)])
    }

    @Test func `A token that is said to live more than ten years is passed over`() throws {
        let many = try Fixture.snapshot("msal_many")
        let query = World.query(realms: ["organizations"], [World.management])
        #expect(token(many, query, at: World.now.addingTimeInterval(-11 * 365.25 * 86400)) == nil)
    }

    @Test(arguments: ["msal_dotnet_style", "msal_js_v3_style", "msal_go_style", "msal_java_style"])
    func `Entries of every library are found by their fields`(_ fixture: String) throws {
        let snapshot = try Fixture.snapshot(fixture)
        let account = try #require(snapshot.accounts(clientID: World.azureCLI).first)
        #expect(account.username == "alice@contoso.com" && account.name == "Alice Example")
        #expect(account.homeAccountID == World.alice)
        let query = World.query(
            account.homeAccountID, "login.microsoft.com", realms: [World.homeTenant], [World.management])
        #expect(token(snapshot, query)?.secret.reveal().hasPrefix("FAKE-AT-") == true)
        #expect(
            !snapshot.refreshTokens(query, family: false).isEmpty
                || !snapshot.refreshTokens(query, family: true).isEmpty)
        #expect(snapshot.idToken(query) != nil)
        #expect(
            snapshot.familyMembership(clientID: World.azureCLI, environment: "login.microsoftonline.com")
                == .member("1"))
    }

    @Test func `Own refresh tokens come first by age, the family's are those of other clients`() throws {
        let many = try Fixture.snapshot("msal_many")
        #expect(many.refreshTokens(World.query(), family: false).count == 3)
        #expect(many.refreshTokens(World.query(), family: true).isEmpty)
        let relatives = many.refreshTokens(World.query(client: World.powerShell), family: true)
        #expect(relatives.count == 3 && relatives.allSatisfy { $0.clientID == World.azureCLI && $0.familyID == "1" })
        #expect(many.refreshTokens(World.query(client: World.powerShell), family: false).isEmpty)
        #expect(many.refreshTokens(World.query(World.bob, client: World.powerShell), family: true).isEmpty)
    }

    @Test func `A refresh token is as old as its last change, and an access token as its own date says`() throws {
        let held = try Fixture.snapshot("msal_many").credentials()
        #expect(held.contains { $0.kind == .refreshToken })
        for token in held where token.kind != .idToken {
            #expect(token.cachedAt.map { $0.timeIntervalSince1970 > 1_500_000_000 } == true)
        }
    }

    @Test func `Membership has three states`() throws {
        let many = try Fixture.snapshot("msal_many")
        #expect(many.familyMembership(clientID: World.powerShell, environment: "login.windows.net") == .member("1"))
        #expect(many.familyMembership(clientID: World.ownClient, environment: World.publicCloud) == .notMember)
        #expect(many.familyMembership(clientID: "none", environment: World.publicCloud) == .unknown)
        let net = try Fixture.snapshot("msal_dotnet_style")
        #expect(net.familyMembership(clientID: World.ownClient, environment: World.publicCloud) == .notMember)
    }

    @Test func `The ID token comes from the first realm that has one`() throws {
        let many = try Fixture.snapshot("msal_many")
        #expect(many.idToken(World.query(realms: [World.guestTenant, World.homeTenant]))?.realm == World.guestTenant)
        #expect(many.idToken(World.query(realms: [World.homeTenant]))?.realm == World.homeTenant)
        #expect(many.idToken(World.query(realms: ["nowhere"])) == nil)
    }

    @Test func `Fields of a wrong type make an entry unusable, and only that entry`() throws {
        let good = "\"good\":\(entry(["secret": "\"S\""]))"
        for bad in [
            ["secret": "null"], ["secret": "7"], ["target": "null"], ["expires_on": "1893460799"],
            ["expires_on": "\"1732.5\""],
            ["expires_on": "\"\""],
            ["secret": "\"<tombstone>\""], ["secret": "\"\""], ["home_account_id": "null"], ["environment": "[]"],
            ["secret": "\"a\\ud800\""],
            ["secret": "\"S\", \"secret\": \"T\""], ["expires_on": "\"99999999999999999999\""], ["cached_at": "{}"],
        ] {
            let only = try CacheSnapshot(
                Array("{\"AccessToken\":{\"bad\":\(entry(bad)),\"null\":null,\"list\":[]}}".utf8), path: "x")
            let query = World.query("u.t", "idp", client: "c", ["s"])
            #expect(only.accessToken(query, at: World.now, buffer: 300) == nil, "\(bad)")
            let both = try CacheSnapshot(Array("{\"AccessToken\":{\"bad\":\(entry(bad)),\(good)}}".utf8), path: "x")
            #expect(both.accessToken(query, at: World.now, buffer: 300)?.id == "good", "\(bad)")
        }
    }

    private func entry(_ changes: [String: String]) -> String {
        var fields = [
            "credential_type": "\"AccessToken\"", "secret": "\"S\"", "home_account_id": "\"u.t\"",
            "environment": "\"idp\"",
            "client_id": "\"c\"",
            "target": "\"s\"", "realm": "\"t\"", "cached_at": "\"1893456000\"", "expires_on": "\"1893460799\"",
        ]
        fields.merge(changes) { $1 }
        return "{" + fields.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    @Test func `A token of another part of an application does not answer, nor one that wants the device's key`() throws
    {
        let query = World.query("u.t", "idp", client: "c", ["s"])
        let other = try CacheSnapshot(
            Array("{\"AccessToken\":{\"k\":\(entry(["application_cache_identifier": "\"part\""]))}}".utf8), path: "x")
        #expect(other.accessToken(query, at: World.now, buffer: 300) == nil)
        for (type, count) in [("RefreshToken", 1), ("BoundRefreshToken", 0), ("PrimaryRefreshToken", 0)] {
            let text = "{\"RefreshToken\":{\"k\":\(entry(["credential_type": "\"\(type)\""]))}}"
            #expect(try CacheSnapshot(Array(text.utf8), path: "x").refreshTokens(query, family: false).count == count)
        }
    }

    @Test func `The ID token of the first endpoints stands behind the other one`() throws {
        let text =
            "{\"IdToken\":{\"a\":\(entry(["credential_type": "\"V1IdToken\"", "secret": "\"1\""])),"
            + "\"b\":\(entry(["credential_type": "\"IdToken\"", "secret": "\"2\""]))}}"
        let found = try CacheSnapshot(Array(text.utf8), path: "x").idToken(World.query("u.t", "idp", client: "c"))
        #expect(found?.secret.reveal() == "2")
    }

    @Test func `Escaped names and values are the same names and values`() throws {
        let text = #"""
            {"Access\u0054oken":{"k":{"credential_type":"AccessToken","\u0073ecret":"S\/1","home_account_id":"\u0075.t","environment":"idp","client_id":"c",
            "target":"https:\/\/api\/.default","realm":"t","cached_at":"1893456000","expires_on":"18934607\u0039\u0039"}}}
            """#
        let snapshot = try CacheSnapshot(Array(text.utf8), path: "x")
        let found = snapshot.accessToken(
            World.query("u.t", "idp", client: "c", ["https://api/.default"]), at: World.now, buffer: 300)
        #expect(found?.secret.reveal() == "S/1")
    }

    @Test func `Where only reserved scopes are wanted, a provider's one audience answers, and Microsoft's many do not`()
    {
        let plain = WantedTarget(World.query("u", "idp.example.com", ["openid", "profile"]))
        #expect(plain.isServed(by: "read:things openid") && plain.isServed(by: "") && !plain.isServed(by: nil))
        let entra = WantedTarget(World.query(World.alice, World.publicCloud, ["openid"]))
        #expect(!entra.isServed(by: World.management) && entra.isServed(by: "openid profile email"))
    }
}
