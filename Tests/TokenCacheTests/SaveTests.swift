import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import TokenCache

@Suite struct SaveTests {
    @Test func `A new store is in MSAL for Python's form, for our eyes only`() throws {
        let store = try Store()
        try store.cache.save(World.record())
        #expect(store.mode == 0o600)
        #expect(store.names == ["token_cache.json"])
        let text = String(decoding: try store.bytes(), as: UTF8.self)
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
        #expect(
            text.hasPrefix(
                "{\n    \"AccessToken\": {\n        \"" + World.alice + "-login.microsoftonline.com-accesstoken-"))
        let json = try store.json()
        #expect(
            json.object?.members.map(\.name) == ["AccessToken", "Account", "IdToken", "RefreshToken", "AppMetadata"])
        let token = try #require(json["AccessToken"]?.object?.members.first)
        #expect(token.name.hasSuffix("-\(World.ownClient)-\(World.homeTenant)-user.read"))
        #expect(
            token.value["expires_on"] == "1893459599" && token.value["extended_expires_on"] == "1893459599"
                && token.value["cached_at"] == "1893456000")
        #expect(token.value["refresh_on"] == nil)
        let refresh = try #require(json["RefreshToken"]?.object?.members.first)
        #expect(refresh.name.hasSuffix("-refreshtoken-\(World.ownClient)--user.read"))
        #expect(refresh.value["last_modification_time"] == "1893456000" && refresh.value["family_id"] == nil)
        #expect(json["AppMetadata"]?.object?.members.first?.value["family_id"] == "")
        #expect(json["Account"]?.object?.members.first?.value["name"]?.string == "Alice \u{201C}É\u{201D}")
    }

    @Test func `A token without an end gets one, as MSAL for Python needs a number there`() throws {
        let store = try Store()
        var record = World.record()
        record.expiresOn = nil
        try store.cache.save(record)
        #expect(try store.json()["AccessToken"]?.object?.members.first?.value["expires_on"] == "1893459600")
    }

    @Test(arguments: [
        "msal_unknown_fields", "msal_dotnet_style", "msal_go_style", "msal_java_style", "msal_js_v3_style",
        "hostile_text",
    ])
    func `Everything that a save does not touch keeps its bytes`(_ fixture: String) throws {
        let store = try Store(fixture: fixture)
        let before = try store.bytes()
        let newcomer = AccountID(homeAccountID: "new-person.tenant", environment: World.publicCloud)
        var record = World.record(client: World.azureCLI, home: newcomer.homeAccountID)
        record.familyID = "1"
        try store.cache.save(record)
        #expect(try store.bytes().count > before.count + 1000)
        // Taking the newcomer out again gives the old text, byte for byte.
        #expect(try store.cache.wipe(newcomer) == 4)
        #expect(try store.bytes() == before)
    }

    @Test(arguments: [
        "msal_dotnet_style", "msal_go_style", "msal_java_style", "msal_js_v3_style", "msal_many",
        "msal_extensions_persisted",
    ])
    func `Saving the same account again keeps each library's keys and unknown fields`(_ fixture: String) throws {
        let store = try Store(fixture: fixture)
        let before = try store.json()
        let account = try #require(store.cache.read().accounts(clientID: World.azureCLI).first)
        let environment = account.environment == "login.windows.net" ? "login.microsoftonline.com" : "login.windows.net"
        var record = World.record(
            client: World.azureCLI, environment: environment, realm: account.tenantProfiles[0].tenantID)
        let held = try store.cache.read().credentials(clientID: World.azureCLI).first {
            $0.kind == .accessToken && $0.realm == record.realm
        }
        record.scopes = try #require(held).scopes
        record.familyID = "1"
        try store.cache.save(record)
        let after = try store.json()
        for section in ["Account", "IdToken", "AccessToken", "AppMetadata"] {
            #expect(
                after[section]?.object?.members.map(\.name) == before[section]?.object?.members.map(\.name),
                "\(section)")
            for member in before[section]?.object?.members ?? [] {
                let now = try #require(after[section]?[member.name]?.object)
                #expect(
                    member.value.object?.members.allSatisfy { now[$0.name] != nil || $0.name == "refresh_on" } == true)
                #expect(now["environment"] == member.value["environment"])
            }
        }
        let query = World.query(World.alice, account.environment, realms: [record.realm], [World.management])
        let snapshot = try store.cache.read()
        #expect(snapshot.accessToken(query, at: World.now, buffer: 300)?.secret.reveal() == "FAKE-AT-new")
        #expect(snapshot.idToken(query)?.secret.reveal() == "eyJ.FAKE.x")
        #expect(snapshot.refreshTokens(query, family: false).map { $0.secret.reveal() } == ["FAKE-RT-new"])
        #expect(snapshot.refreshTokens(query, family: false).first?.familyID == "1")
    }

    @Test func `A refresh leaves the ID token of the first endpoints and the device's refresh token as they are`()
        throws
    {
        let store = try Store()
        let record = World.record(client: World.ownClient)
        try store.cache.save(record)
        let kept = ["V1IdToken", "BoundRefreshToken"]
        for (section, type) in zip(["IdToken", "RefreshToken"], kept) {
            try store.change(section) { entries in
                let members = [
                    ("credential_type", type), ("secret", "kept \(type)"), ("client_id", record.clientID),
                    ("home_account_id", record.homeAccountID), ("environment", record.environment),
                    ("realm", record.realm),
                ]
                let entry = members.map { JSONMember(name: $0.0, value: .string($0.1)) }
                entries.insert(JSONMember(name: "k", value: .object(JSONObject(entry))), at: 0)
            }
        }
        try store.cache.save(record)
        let text = String(decoding: try store.bytes(), as: UTF8.self)
        for type in kept { #expect(text.contains("kept \(type)")) }
        #expect(try store.cache.read().credentials().count == 5)
    }

    @Test func `One question has one token: those of intersecting scopes go, bound and others' ones stay`() throws {
        let store = try Store(fixture: "msal_many")
        let count = try store.cache.read().credentials().count
        var record = World.record(
            client: World.ownClient, home: World.bob, realm: World.guestTenant, scopes: ["user.read", "Mail.Send"],
            refresh: nil)
        record.idToken = nil
        try store.cache.save(record)
        let snapshot = try store.cache.read()
        // The one with Mail.Read, User.Read and Files.Read.All, and the one under the other alias, went; one came.
        #expect(snapshot.credentials().count == count - 1)
        #expect(
            snapshot.accessToken(
                World.query(World.bob, client: World.ownClient, ["Mail.Read"]), at: World.now, buffer: 300) == nil)
        try store.cache.save(
            World.record(client: World.azureCLI, scopes: ["https://management.azure.com/.default"], refresh: nil))
        let pop = World.query(realms: [World.homeTenant], ["https://management.azure.com/.default"])
        #expect(try store.cache.read().accessToken(pop, at: World.now, buffer: 300)?.secret.reveal() == "FAKE-AT-new")
        #expect(try store.cache.read().credentials(clientID: World.azureCLI).contains { $0.tokenType == "pop" })
    }

    @Test func `A refresh changes the entry whose token was spent, and makes no account`() throws {
        let store = try Store(fixture: "msal_many")
        let before = try store.json()
        let spent = try #require(store.cache.read().refreshTokens(World.query(), family: false).last)
        var record = World.record(client: World.azureCLI, realm: "organizations", scopes: [World.management])
        record.createsAccount = false
        record.redeemed = spent.secret
        record.familyID = "1"
        try store.cache.save(record)
        let after = try store.json()
        #expect(after["Account"] == before["Account"])
        #expect(after["RefreshToken"]?.object?.members.count == before["RefreshToken"]?.object?.members.count)
        #expect(after["RefreshToken"]?[spent.id]?["secret"] == "FAKE-RT-new")
    }

    @Test func `A family token that a relative's brought becomes this client's own, and the relative keeps its`() throws
    {
        let store = try Store(fixture: "msal_many")
        let before = try store.cache.read().credentials(clientID: World.azureCLI)
        var record = World.record(client: World.powerShell, scopes: [World.management])
        record.createsAccount = false
        record.familyID = "1"
        try store.cache.save(record)
        let after = try store.cache.read()
        #expect(after.credentials(clientID: World.azureCLI) == before)
        #expect(
            after.refreshTokens(World.query(client: World.powerShell), family: false).map { $0.secret.reveal() } == [
                "FAKE-RT-new"
            ])
    }

    @Test func `A newer refresh token that another brought meanwhile is kept`() throws {
        let store = try Store(fixture: "msal_one_account")
        let spent = try #require(store.cache.read().refreshTokens(World.query(), family: false).first)
        var other = World.record(client: World.azureCLI, refresh: "FAKE-RT-other", at: World.now.addingTimeInterval(60))
        other.createsAccount = false
        other.redeemed = spent.secret
        try store.cache.save(other)
        var late = World.record(client: World.azureCLI, at: World.now.addingTimeInterval(30))
        late.createsAccount = false
        late.redeemed = spent.secret
        try store.cache.save(late)
        #expect(
            try store.cache.read().refreshTokens(World.query(), family: false).map { $0.secret.reveal() } == [
                "FAKE-RT-other"
            ])
    }

    @Test func `A refresh that comes back after the account was forgotten leaves no trace`() throws {
        let store = try Store(fixture: "msal_one_account")
        let spent = try #require(store.cache.read().refreshTokens(World.query(), family: false).first)
        #expect(
            try store.cache.forget(
                AccountID(homeAccountID: World.alice, environment: "login.windows.net"), clientID: World.azureCLI) > 0)
        let before = try store.bytes()
        var record = World.record(client: World.azureCLI)
        record.createsAccount = false
        record.redeemed = spent.secret
        try store.cache.save(record)
        #expect(try store.bytes() == before)
        #expect(try store.cache.read().accounts().isEmpty && store.cache.read().credentials().isEmpty)
        #expect(try store.json()["AccountMetadata"]?.object?.members.isEmpty ?? true)
        // Nor when a client that is no relative has signed the same person in meanwhile.
        try store.cache.save(World.record(client: World.ownClient))
        let signedIn = try store.bytes()
        try store.cache.save(record)
        #expect(try store.bytes() == signedIn)
    }
}
