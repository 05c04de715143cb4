import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import TokenCache

/// One account whose entries have its identifiers in different cases.
@Suite struct AccountIdentityTests {
    struct Person: Sendable {
        var home: String
        var host: String
        var issuer: String?
        var client = World.ownClient
        var isOne: Bool
    }

    private static let people = [
        Person(
            home: World.alice.replacing("00000001-1111", with: "abcdef01-1111"), host: World.publicCloud, isOne: true),
        Person(
            home: "abcdef01-1111-4222-8333-000000000001-B2C_1_SignIn.\(World.homeTenant)",
            host: "contoso.b2clogin.com", isOne: true),
        Person(home: "FakeSubjectOfAdfs", host: "adfs.contoso.com", isOne: false),
        Person(home: "Sub", host: "id.example.org", issuer: "https://id.example.org", client: "cli", isOne: false),
        Person(
            home: "abcdef01-1111-4222-8333-000000000001.\(World.homeTenant)", host: "id.example.org",
            issuer: "https://id.example.org", isOne: false),
    ]

    private static func record(_ person: Person, home: String) -> TokenRecord {
        var record = World.record(client: person.client, home: home, environment: person.host)
        record.issuer = person.issuer
        record.localAccountID = String(home.prefix { $0 != "." })
        return record
    }

    private static func id(_ person: Person, _ home: String) -> AccountID {
        AccountID(homeAccountID: home, environment: person.host, issuer: person.issuer)
    }

    /// An account entry in upper case and tokens in lower case, as different libraries write them.
    private static func mixed(_ person: Person) throws -> Store {
        let store = try Store()
        try store.cache.save(record(person, home: person.home.lowercased()))
        try store.change("Account") { entries in
            let text = entries[0].value.serialized().replacing(person.home.lowercased(), with: person.home.uppercased())
            entries = [JSONMember(name: "ACCOUNT", value: try JSONValue(parsing: Array(text.utf8)))]
        }
        return store
    }

    @Test(arguments: people)
    func `An account in another case is the same person at Entra ID and B2C, and another one elsewhere`(
        person: Person
    ) throws {
        let store = try Self.mixed(person)
        let snapshot = try store.cache.read()
        #expect(snapshot.accounts().count == 1)
        #expect(snapshot.accounts(clientID: person.client).count == (person.isOne ? 1 : 0))
        #expect(snapshot.overviews().count == (person.isOne ? 1 : 2))
        #expect(snapshot.overviews().first?.credentials.count == (person.isOne ? 3 : 0))
        #expect(CacheInventory(snapshot, at: World.now).accountsWithoutTokens.isEmpty == person.isOne)
        var query = CredentialQuery(
            homeAccountID: person.home.uppercased(), environment: person.host, issuer: person.issuer,
            clientID: person.client)
        for home in [person.home.uppercased(), person.home.lowercased(), person.home] {
            let isFound = person.isOne || home == person.home.lowercased()
            query.homeAccountID = home
            #expect((snapshot.accessToken(query, at: World.now, buffer: 300) != nil) == isFound)
            #expect(snapshot.refreshTokens(query).own.count == (isFound ? 1 : 0))
            #expect((snapshot.idToken(query) != nil) == isFound)
            #expect(snapshot.fits(query, at: World.now).count == (isFound ? 2 : 0))
            #expect(snapshot.credentials(of: Self.id(person, home)).count == (isFound ? 3 : 0))
        }
    }

    @Test(arguments: people)
    func `A sign-out in another case removes the account, marks it and puts it back`(person: Person) throws {
        let store = try Self.mixed(person)
        var other = Self.record(person, home: person.home.lowercased())
        other.clientID = "other"
        try store.cache.save(other)
        let id = Self.id(person, person.home.uppercased())
        try store.cache.setCurrentAccount(id, clientID: person.client)
        let (count, entries) = try store.cache.remove(id, clientID: person.client, keepsEntries: true)
        #expect((count > 1) == person.isOne)
        guard person.isOne else { return }
        let snapshot = try store.cache.read()
        for home in [person.home.uppercased(), person.home.lowercased()] {
            #expect(snapshot.isSignedOut(Self.id(person, home), clientID: person.client))
            #expect(snapshot.currentAccount(clientID: person.client) == Self.id(person, home))
        }
        #expect(try store.cache.restore(try #require(entries)) == .done)
        #expect(try store.cache.read().accounts(clientID: person.client).count == 1)
        #expect(try store.cache.wipe(Self.id(person, person.home)) > 4)
        #expect(try store.cache.read().hasCredentials == false)
    }

    @Test func `A response in another case changes the entries in place, under their keys and in their spelling`()
        throws
    {
        let person = Self.people[0]
        let store = try Self.mixed(person)
        let spelled = World.ownClient.uppercased()
        for section in ["AccessToken", "RefreshToken", "IdToken"] {
            try store.change(section) { entries in
                entries = try entries.map { entry in
                    let text = entry.value.serialized().replacing(World.ownClient, with: spelled)
                        .replacing(person.home.lowercased(), with: person.home.uppercased())
                    return JSONMember(name: entry.name.uppercased(), value: try JSONValue(parsing: Array(text.utf8)))
                }
            }
        }
        let before = try store.json()
        for (createsAccount, number) in [(true, 1), (false, 2)] {
            var record = Self.record(person, home: person.home.lowercased())
            record.accessToken = Secret("at-\(number)")
            record.refreshToken = Secret("rt-\(number)")
            record.createsAccount = createsAccount
            record.describesTenant = true
            try store.cache.save(record)
            let after = try store.json()
            for section in ["Account", "AccessToken", "RefreshToken", "IdToken"] {
                let (old, new) = (before[section]?.object?.members ?? [], after[section]?.object?.members ?? [])
                #expect(old.map(\.name) == new.map(\.name), "\(section)")
                for name in ["home_account_id", "client_id", "local_account_id", "realm", "environment"] {
                    #expect(old.map { $0.value[name] } == new.map { $0.value[name] }, "\(section) \(name)")
                }
            }
            #expect(
                try store.cache.read().refreshTokens(World.query(person.home, client: World.ownClient)).own
                    .map(\.secret) == [Secret("rt-\(number)")])
        }
        // New entries have the spelling of the others.
        var more = Self.record(person, home: person.home.lowercased())
        more.scopes = ["Mail.Read"]
        try store.cache.save(more)
        let homes = try store.json()["AccessToken"]?.object?.members.map { $0.value["home_account_id"]?.string }
        #expect(homes == [person.home.uppercased(), person.home.uppercased()])
    }

    @Test func `A client ID in another case is the client at Entra ID, and another one at an issuer`() throws {
        let client = "abcdef01-aaaa-4bbb-8ccc-000000000001"
        for issuer in [nil, "https://id.example.org"] {
            let store = try Store()
            var record = World.record(
                client: client.uppercased(), environment: issuer == nil ? World.publicCloud : "id.example.org")
            record.issuer = issuer
            try store.cache.save(record)
            let snapshot = try store.cache.read()
            let isFound = issuer == nil
            #expect(snapshot.accounts(clientID: client).count == (isFound ? 1 : 0))
            #expect(snapshot.accounts().first?.clients == [isFound ? client : client.uppercased()])
            #expect(snapshot.credentials(clientID: client).count == (isFound ? 3 : 0))
            #expect(snapshot.credentials().allSatisfy { $0.clientID == (isFound ? client : client.uppercased()) })
            let account = try #require(snapshot.accounts().first?.id)
            #expect(try store.cache.forget(account, clientID: client) == (isFound ? 4 : 0))
        }
    }

    @Test func `A large store tells accounts apart as a small one does`() throws {
        let person = Self.people[0]
        let store = try Self.mixed(person)
        try store.cache.save(World.record(client: World.ownClient.uppercased(), home: World.bob))
        let whole = try store.cache.read()
        let found = try #require(store.cache.index(above: 0, pieceSize: 100))
        #expect(isSame(found.overviews.map(\.account), whole.overviews().map(\.account)))
        #expect(found.overviews.map(\.credentials) == whole.overviews().map(\.credentials))
        #expect(found.overviews.map(\.lives.count) == whole.overviews().map(\.lives.count))
        #expect(found.index.holdsRefreshToken(clientID: World.ownClient.uppercased()))
        for home in [person.home.uppercased(), person.home.lowercased()] {
            #expect(found.index.snapshot(of: Self.id(person, home)).credentials().count == 3)
        }
        var (owners, wanted): ([Int], [Int]) = ([], [])
        StoreReading.indexed(found.index).visitOwners { owners.append($0.count) }
        StoreReading.whole(whole).visitOwners { wanted.append($0.count) }
        #expect(owners == wanted && owners.count == 2)
    }

    @Test func `Of a large store the entries of an account are read in any case`() throws {
        let person = Self.people[0]
        let store = try Self.mixed(person)
        for number in 2...9 {
            var record = World.record(home: World.alice.replacing("00000001-1111", with: "0000000\(number)-1111"))
            record.accessToken = Secret(String(repeating: "x", count: 8000))
            record.username = "person\(number)@contoso.com"
            try store.cache.save(record)
        }
        for text in [person.home.uppercased(), person.home.lowercased(), "alice@contoso.com", "ABCDEF01"] {
            let part = try store.cache.read(onlyAccountsMeantBy: text)
            let account = try #require(part.accounts().meant(by: text).first)
            #expect(part.accounts().count == 1 && part.credentials(of: account.id).count == 3)
        }
    }

    @Test(arguments: [
        ("aad", "u-ABC.\(World.homeTenant)", "c", true),
        ("https://id.example.org", "u-ABC.\(World.homeTenant)", "c", false),
        ("/adfs", "Abc", "c", false),
    ])
    func `A proof key is found in any case where its account is`(
        issuer: String, home: String, client: String, isFound: Bool
    ) throws {
        let store = try Store()
        let keys = ProofKeyStore(path: store.path)
        func owner(_ home: String) -> ProofKeyOwner {
            ProofKeyOwner(environment: "h.example", issuer: issuer, homeAccountID: home, clientID: client)
        }
        try keys.add(Secret("key"), of: owner(home))
        #expect(try keys.keys(of: owner(home.uppercased())).isEmpty == !isFound)
        let account = AccountID(
            homeAccountID: home.uppercased(), environment: "h.example",
            issuer: issuer.contains("://") ? issuer : nil)
        try keys.forget(account, clientID: client)
        #expect(try keys.keys(of: owner(home)).isEmpty == isFound)
    }

    @Test(arguments: ["target", "realm", "token_type", "credential_type", "family_id", "home_account_id", "expires_on"])
    func `A null in an entry means that the member is missing`(field: String) throws {
        let texts = ["null", nil].map { value in
            let member = value.map { ",\"\(field)\":\($0)" } ?? ""
            return """
                {"RefreshToken":{"k":{"secret":"s","client_id":"c","environment":"h"\(member)}},\
                "AccessToken":{"k":{"secret":"s","client_id":"c","environment":"h"\(member)}}}
                """
        }
        let found = try texts.map { try CacheSnapshot(Array($0.utf8), path: "").credentials() }
        #expect(found[0] == found[1] && found[0].count == 2)
    }
}
