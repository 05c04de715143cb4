import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import TokenCache

/// Responses with another name for the same account.
@Suite struct FormerUsernameTests {
    private static let old = "alice@contoso.com"
    private static let new = "alice.married@contoso.com"

    /// A response without a person, for an account that is signed in.
    private static func silent(
        _ username: String?, home: String = World.alice, realm: String = World.homeTenant, local: String? = nil,
        at seconds: Double = 0, client: String = World.ownClient
    ) -> TokenRecord {
        var record = World.record(
            client: client, home: home, realm: realm, refresh: nil, at: World.now.addingTimeInterval(seconds))
        record.createsAccount = false
        record.isSilent = true
        record.describesTenant = true
        record.localAccountID = local ?? record.localAccountID
        record.username = username ?? "unused"
        record.hasUsername = username != nil
        record.name = nil
        record.hasName = false
        return record
    }

    private static func meant(_ name: String, _ store: Store, client: String? = nil) throws -> [String] {
        try store.cache.read().accounts(clientID: client).meant(by: name).map(\.homeAccountID)
    }

    private static func usernames(_ store: Store) throws -> [String: String] {
        (try store.json()["Account"]?.object?.members ?? []).reduce(into: [:]) {
            $0[$1.value["realm"]?.string ?? ""] = $1.value["username"]?.string
        }
    }

    @Test func `The new name is the account's at once, other fields stay, and the old one still finds it`() throws {
        let store = try Store()
        try store.cache.save(World.record())
        try store.change("Account") { entries in
            var members = entries[0].value.object?.members ?? []
            members.append(JSONMember(name: "alternative_account_id", value: "kept"))
            entries[0] = JSONMember(name: "Key-Of-Another", value: .object(JSONObject(members)))
        }
        let before = try #require(try store.json()["Account"]?["Key-Of-Another"]?.object)
        try store.cache.save(Self.silent(Self.new))
        let after = try #require(try store.json()["Account"]?["Key-Of-Another"]?.object)
        for member in before.members where member.name != "username" {
            #expect(after[member.name] == member.value, "\(member.name)")
        }
        #expect(after["username"]?.string == Self.new && after.members.count == before.members.count)
        let account = try #require(try store.cache.read().accounts().first)
        #expect(account.username == Self.new && account.formerUsernames == [Self.old])
        for name in [Self.old, Self.new, "ALICE@contoso.com"] { #expect(try Self.meant(name, store) == [World.alice]) }
        // Others read every field of an entry as a text.
        for member in try store.json()["AccountMetadata"]?.object?.members ?? [] {
            #expect(member.value.object?.members.allSatisfy { $0.value.string != nil } == true)
        }
    }

    /// The realm and local account ID of a response, and the realms whose entries have the new name afterwards.
    @Test(
        arguments: [
            (World.homeTenant, nil, ["organizations", World.homeTenant]),
            (World.homeTenant.uppercased(), nil, ["organizations", World.homeTenant]),
            (World.guestTenant, "guest", [World.guestTenant]),
        ] as [(String, String?, [String])])
    func `A response names the entries of its own tenant, and those of the home tenant together`(
        realm: String, local: String?, renamed: [String]
    ) throws {
        let store = try Store()
        for (tenant, object) in [
            ("organizations", nil), (World.homeTenant, nil), (World.guestTenant, "guest"), ("third", "third"),
        ] as [(String, String?)] {
            var record = World.record(realm: tenant)
            record.localAccountID = object ?? record.localAccountID
            try store.cache.save(record)
        }
        try store.cache.save(Self.silent(Self.new, realm: realm, local: local))
        let names = try Self.usernames(store)
        #expect(names.count == 4 && Set(names.filter { $0.value == Self.new }.keys) == Set(renamed))
        #expect(try Self.meant(Self.old, store) == [World.alice] && Self.meant(Self.new, store) == [World.alice])
    }

    @Test func `A response without a name changes none`() throws {
        let store = try Store()
        try store.cache.save(World.record())
        let before = try store.json()["Account"]
        for username in [nil, "", Self.old] { try store.cache.save(Self.silent(username)) }
        var unnamed = World.record(realm: World.guestTenant)
        unnamed.createsAccount = false
        try store.cache.save(unnamed)
        #expect(try store.json()["Account"] == before && store.json()["AccountMetadata"] == nil)
        // A legacy cache knows the name of long ago: only for an account that is new here.
        var imported = World.record()
        (imported.username, imported.hasUsername, imported.name, imported.hasName) = ("older", false, "Older", false)
        imported.isSilent = true
        try store.cache.save(imported)
        #expect(try Self.usernames(store) == [World.homeTenant: Self.old])
        imported.homeAccountID = World.bob
        try store.cache.save(imported)
        #expect(try store.cache.read().accounts().map(\.username) == [Self.old, "older"])
    }

    @Test func `The last four names are kept until the next sign-in or removal`() throws {
        let store = try Store()
        try store.cache.save(World.record())
        func former() throws -> [String] { try store.cache.read().accounts().first?.formerUsernames ?? [] }
        for number in 1...6 {
            try store.cache.save(Self.silent("alice\(number)@contoso.com", at: Double(number)))
        }
        #expect(try former() == (2...5).map { "alice\($0)@contoso.com" })
        #expect(try store.json()["AccountMetadata"]?.object?.members.count == 4)
        // Renamed back.
        try store.cache.save(Self.silent("ALICE4@contoso.com", at: 7))
        #expect(try former() == [2, 3, 5, 6].map { "alice\($0)@contoso.com" })
        let (_, entries) = try store.cache.remove(
            AccountID(homeAccountID: World.alice, environment: World.publicCloud), clientID: World.ownClient,
            keepsEntries: true)
        #expect(
            try store.json()["AccountMetadata"]?.object?.members.map(\.name).contains { $0.contains("alice") } == false)
        #expect(try store.cache.restore(try #require(entries)) == .done)
        #expect(try former().count == 4)
        // Another client's sign-in is one of the person, too.
        var signIn = World.record(client: World.powerShell)
        signIn.username = "alice7@contoso.com"
        try store.cache.save(signIn)
        #expect(try former().isEmpty && Self.meant("alice6@contoso.com", store).isEmpty)
        try store.cache.save(Self.silent("alice8@contoso.com", at: 8))
        #expect(try former() == ["alice7@contoso.com"])
        _ = try store.cache.wipe(AccountID(homeAccountID: World.alice, environment: World.publicCloud))
        #expect(try store.json()["AccountMetadata"]?.object?.members.isEmpty == true)
    }

    @Test(arguments: [World.ownClient, World.powerShell])
    func `An old name that another signed-in account has now means that account`(client: String) throws {
        let store = try Store()
        try store.cache.save(World.record())
        try store.cache.save(Self.silent(Self.new))
        let grace = World.alice.replacing("00000001-1111", with: "00000009-1111")
        var signIn = World.record(client: client, home: grace)
        signIn.username = Self.old
        try store.cache.save(signIn)
        #expect(try Self.meant(Self.old, store) == [grace])
        // Of another client: hers is not asked for, and Alice's is not what the name means.
        #expect(try Self.meant(Self.old, store, client: World.ownClient) == (client == World.ownClient ? [grace] : []))
        #expect(try Self.meant(Self.new, store, client: World.ownClient) == [World.alice])
        let index = try #require(store.cache.index(above: 0, pieceSize: 1 << 16))
        #expect(isSame(index.overviews.map(\.account), try store.cache.read().overviews().map(\.account)))
        // Signed out everywhere, though her entry is left by another program; and at another cloud.
        _ = try store.cache.wipe(AccountID(homeAccountID: grace, environment: World.publicCloud))
        #expect(try Self.meant(Self.old, store) == [World.alice])
        var elsewhere = World.record(home: grace, environment: "login.microsoftonline.us")
        elsewhere.username = Self.old
        try store.cache.save(elsewhere)
        let accounts = try store.cache.read().accounts()
        #expect(accounts.first { $0.homeAccountID == World.alice }?.formerUsernames == [Self.old])
        #expect(accounts.meant(by: Self.old).map(\.homeAccountID) == [grace])
    }

    @Test func `A large store finds an account by a former name`() throws {
        let store = try Store()
        for number in 1...9 {
            var record = World.record(home: World.alice.replacing("00000001-1111", with: "0000000\(number)-1111"))
            record.accessToken = Secret(String(repeating: "x", count: 8000))
            record.username = "person\(number)@contoso.com"
            try store.cache.save(record)
        }
        try store.cache.save(Self.silent(Self.new))
        let part = try store.cache.read(onlyAccountsMeantBy: "PERSON1@contoso.com")
        #expect(part.accounts().map(\.homeAccountID) == [World.alice] && part.credentials().count == 3)
        #expect(part.accounts().meant(by: "person1@contoso.com").first?.username == Self.new)
        #expect(try store.cache.read(onlyAccountsMeantBy: "person2@contoso.com").accounts().count == 1)
        let whole = try store.cache.read()
        let index = try #require(store.cache.index(above: 0, pieceSize: 1 << 10))
        #expect(isSame(index.overviews.map(\.account), whole.overviews().map(\.account)))
        #expect(index.overviews.contains { $0.account.formerUsernames == ["person1@contoso.com"] })
    }

    @Test func `A tenant's own entry has the name that counts, not the one inside of a JavaScript entry`() throws {
        let store = try Store(fixture: "msal_js_v3_style")
        let account = try #require(try store.cache.read().accounts().first)
        var record = Self.silent(Self.new, home: account.homeAccountID, client: World.azureCLI)
        record.environment = account.environment
        try store.cache.save(record)
        let renamed = try #require(try store.cache.read().accounts().first)
        #expect(renamed.username == Self.new && renamed.formerUsernames == [account.username])
        #expect(renamed.tenantProfiles.first?.username == Self.new)
    }
}
