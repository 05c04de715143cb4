import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import LegacyCaches
@testable import TokenCache

@Suite struct LegacyImportTests {
    private let client = "11111111-aaaa-4bbb-8ccc-000000000001"
    private let home = "00000001-1111-4222-8333-000000000001.c0c0c0c0-0000-4000-8000-000000000001"

    private func entry(
        _ user: String? = "alice@contoso.com", refresh: String? = "R", resource: String? = nil, home: String? = nil,
        client: String? = nil,
        family: String? = nil, oid: String? = nil, tenant: String? = nil,
        authority: String = "https://login.windows.net/contoso.com"
    ) throws -> LegacyEntry {
        LegacyEntry(
            kind: refresh == nil ? .accessTokenOnly : family == nil ? .multiResource : .family,
            authority: try Authority(authority),
            resource: resource, clientID: client ?? self.client, userID: user, homeAccountID: home, objectID: oid,
            tenantID: tenant,
            refreshToken: refresh.map(Secret.init), accessToken: Secret("A"), familyID: family)
    }

    private func record(
        _ username: String = "alice@contoso.com", home: String? = nil, client: String? = nil, refresh: String? = "NEW",
        upgrades: LegacyEntry? = nil
    ) -> TokenRecord {
        TokenRecord(
            clientID: client ?? self.client, homeAccountID: home ?? self.home, environment: "login.microsoftonline.com",
            realm: "c0c0c0c0-0000-4000-8000-000000000001", localAccountID: "00000001-1111-4222-8333-000000000001",
            username: username,
            cachedAt: Date(), refreshToken: refresh.map(Secret.init), upgrades: upgrades)
    }

    @Test(arguments: [
        "accessTokens.json", "adal_net_v3.dat", "adal_objc_2.7.bplist", "adal_objc_before_2.7.bplist",
        "adal_objc_mac.bplist",
        "adal_objc_keychain.bplist",
    ])
    func `Refresh tokens of every format wait in the store as they were read, and access tokens do not`(fixture: String)
        throws
    {
        let cache = try LegacyFixture.read(fixture)
        let store = try Store()
        let outcomes = try store.cache.takeOver(cache.entries)
        let snapshot = try store.cache.read()
        #expect(outcomes.count == cache.entries.count && cache.items.count == cache.entries.count)
        for (entry, outcome) in zip(cache.entries, outcomes) {
            #expect((outcome == .noRefreshToken) == (entry.refreshToken == nil))
            guard outcome == .taken else { continue }
            var kept = entry
            kept.accessToken = nil
            kept.expiresOn = nil
            kept.extendedExpiresOn = nil
            kept.idTokenClaims = Claims()
            #expect(snapshot.legacyEntries.contains(kept), "\(entry.userID ?? "nobody")")
        }
        #expect(!snapshot.legacyEntries.isEmpty)
        #expect(snapshot.accounts().allSatisfy { $0.origin == .adal })
        // Others read every field of an entry as a text.
        let document = try JSONValue(parsing: try store.bytes())
        for member in document["LegacyRefreshToken"]?.object?.members ?? [] {
            #expect(member.value.object?.members.allSatisfy { $0.value.string != nil } == true)
        }
        #expect(try store.cache.takeOver(cache.entries).allSatisfy { $0 == .unchanged || $0 == .noRefreshToken })
    }

    @Test func `What stood in the store keeps its bytes beside what waits`() throws {
        let store = try Store(fixture: "msal_unknown_fields")
        let before = try JSONValue(parsing: try store.bytes())
        _ = try store.cache.takeOver([try entry()])
        let after = try JSONValue(parsing: try store.bytes())
        for member in before.object?.members ?? [] { #expect(after[member.name] == member.value, "\(member.name)") }
        #expect(try store.cache.read().legacyEntries.count == 1)
    }

    @Test func `A refused token takes all entries that share it, and the other of two remains`() throws {
        let entries = [
            try entry(refresh: "own"), try entry(refresh: "own", authority: "https://login.windows.net/common"),
            try entry(refresh: "family", client: "foci-1", family: "1"),
        ]
        let store = try Store()
        _ = try store.cache.takeOver(entries)
        let query = LegacyQuery(
            userID: "alice@contoso.com", clientID: client,
            authority: try Authority("https://login.microsoftonline.com/contoso.com"))
        func tokens(_ store: Store) throws -> [String?] {
            guard case .candidates(let found) = try store.cache.read().legacyEntries.find(query) else { return [] }
            return found.map { $0.refreshToken?.reveal() }
        }
        #expect(try tokens(store) == ["own", "family"])
        try store.cache.forgetLegacy(refreshToken: Secret("own"))
        #expect(try tokens(store) == ["family"])
        try store.cache.forgetLegacy(refreshToken: Secret("family"))
        #expect(try tokens(store).isEmpty)
        let other = try Store()
        _ = try other.cache.takeOver(entries)
        try other.cache.forgetLegacy(refreshToken: Secret("family"))
        #expect(try tokens(other) == ["own"])
    }

    @Test func `Entries that share a refresh token wait one by one and go together when it is dead`() throws {
        let store = try Store()
        let entries = [
            try entry(refresh: "R", resource: "https://graph.windows.net"),
            try entry(refresh: "R", resource: "https://vault.azure.net"),
            try entry(refresh: "OTHER", resource: "https://management.core.windows.net/"),
        ]
        #expect(try store.cache.takeOver(entries) == [.taken, .taken, .taken])
        try store.cache.forgetLegacy(refreshToken: Secret("R"))
        #expect(try store.cache.read().legacyEntries.map { $0.refreshToken?.reveal() } == ["OTHER"])
    }

    @Test func `A newer file's token takes the place of the older one; of two in one file the last counts`() throws {
        let store = try Store()
        #expect(try store.cache.takeOver([try entry(refresh: "OLD")]) == [.taken])
        #expect(try store.cache.takeOver([try entry(refresh: "A"), try entry(refresh: "B")]) == [.renewed, .renewed])
        #expect(try store.cache.read().legacyEntries.map { $0.refreshToken?.reveal() } == ["B"])
        let other = try Store()
        #expect(try other.cache.takeOver([try entry(refresh: "A"), try entry(refresh: "B")]) == [.taken, .taken])
        #expect(try other.cache.read().legacyEntries.map { $0.refreshToken?.reveal() } == ["B"])
    }

    @Test func `Whoever is signed in for the client already is not taken over, for another client they are`() throws {
        let store = try Store()
        try store.cache.save(record())
        let other = "22222222-aaaa-4bbb-8ccc-000000000002"
        #expect(
            try store.cache.takeOver([try entry("ALICE@contoso.com"), try entry(client: other)]) == [.signedIn, .taken])
        let snapshot = try store.cache.read()
        // One person: the unified account stands for both.
        #expect(snapshot.accounts().map(\.origin) == [.msal])
        #expect(snapshot.accounts(clientID: other).map(\.origin) == [.adal])
        #expect(snapshot.accounts(clientID: client).map(\.origin) == [.msal])
    }

    @Test
    func
        `Accounts that wait are listed once each, by home account or by name, and for their clients and the family only`()
        throws
    {
        let store = try Store()
        let azure = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
        _ = try store.cache.takeOver([
            try entry(resource: "https://graph.windows.net", oid: "o1", tenant: "c0c0c0c0-0000-4000-8000-000000000001"),
            try entry(resource: "https://vault.azure.net", oid: "o2", tenant: "fabfabfa-0000-4000-8000-000000000002"),
            try entry("bob@contoso.com", home: home), try entry("carol@contoso.com", client: azure, family: "1"),
            try entry("dave@contoso.com", refresh: nil),
        ])
        let snapshot = try store.cache.read()
        let accounts = snapshot.accounts()
        #expect(
            Set(accounts.map(\.username)) == ["alice@contoso.com", "bob@contoso.com", "carol@contoso.com"]
                && accounts.count == 3)
        #expect(accounts.first { $0.username == "bob@contoso.com" }?.identifier == home)
        let alice = try #require(accounts.first { $0.username == "alice@contoso.com" })
        #expect(alice.identifier == nil && alice.tenantProfiles.map(\.localAccountID) == ["o1", "o2"])
        #expect(Set(snapshot.accounts(clientID: client).map(\.username)) == ["alice@contoso.com", "bob@contoso.com"])
        #expect(
            snapshot.accounts(clientID: "1950a258-227b-4e31-a9cf-717495945fc2").map(\.username) == ["carol@contoso.com"]
        )
        #expect(snapshot.overviews().allSatisfy { $0.standing(at: Date()) == .refreshable })
    }

    @Test func `Two people of one name stay two, with names of their own`() throws {
        let store = try Store()
        let tenant = "c0c0c0c0-0000-4000-8000-000000000001"
        _ = try store.cache.takeOver([
            try entry(refresh: "1", oid: "o1", tenant: tenant), try entry(refresh: "2", oid: "o2", tenant: tenant),
        ])
        let accounts = try store.cache.read().accounts()
        #expect(accounts.count == 2 && Set(accounts.map(\.id)).count == 2)
        for account in accounts {
            let mine = try store.cache.read().legacyEntries.filter { $0.belongs(to: account) }
            #expect(mine.map(\.objectID) == [account.localAccountID])
        }
    }

    @Test
    func
        `The first use of an entry takes the person's others of the client with it, and leaves other clients and other people theirs`()
        throws
    {
        let store = try Store()
        let other = "22222222-aaaa-4bbb-8ccc-000000000002"
        let used = try entry("alice-before-her-marriage@contoso.com", resource: "https://graph.windows.net")
        _ = try store.cache.takeOver([
            used, try entry("alice-before-her-marriage@contoso.com", resource: "https://vault.azure.net"),
            try entry("alice-before-her-marriage@contoso.com", client: other), try entry("bob@contoso.com"),
        ])
        try store.cache.save(record(upgrades: used))
        let left = try store.cache.read().legacyEntries
        #expect(
            Set(left.map { "\($0.userID ?? "") \($0.clientID)" }) == [
                "alice-before-her-marriage@contoso.com \(other)", "bob@contoso.com \(client)",
            ])
    }

    @Test
    func
        `A sign-in makes what waited for the same person and client needless; a personal account of that name is somebody else`()
        throws
    {
        let store = try Store()
        _ = try store.cache.takeOver([try entry()])
        try store.cache.save(record(home: "00000000-0000-0000-1111-222222222222.9188040d-6c67-4c5b-b112-36a304b66dad"))
        #expect(try store.cache.read().legacyEntries.count == 1)
        #expect(try store.cache.read().accounts().count == 2)
        try store.cache.save(record())
        #expect(try store.cache.read().legacyEntries.isEmpty)
    }

    @Test func `Removing an account removes what waits for it, of this client or of all, and leaves no mark of a name`()
        throws
    {
        let store = try Store()
        let other = "22222222-aaaa-4bbb-8ccc-000000000002"
        _ = try store.cache.takeOver([try entry(), try entry(client: other), try entry("bob@contoso.com")])
        let alice = try #require(try store.cache.read().accounts().first { $0.username == "alice@contoso.com" })
        #expect(try store.cache.forget(alice.id, clientID: client) == 1)
        #expect(try store.cache.read().accounts(clientID: client).map(\.username) == ["bob@contoso.com"])
        #expect(try store.cache.wipe(alice.id) == 1)
        #expect(try store.cache.read().legacyEntries.map(\.userID) == ["bob@contoso.com"])
        #expect(!String(decoding: try store.bytes(), as: UTF8.self).contains("signed_out"))
    }

    @Test
    func `A mark stays where an entry that names nobody, or another client's of the person, could bring them back`()
        throws
    {
        for waiting in [
            try entry(nil), try entry(client: "22222222-aaaa-4bbb-8ccc-000000000002"), try entry("bob@contoso.com"),
        ] {
            let store = try Store()
            try store.cache.save(record())
            _ = try store.cache.takeOver([waiting])
            let alice = try #require(try store.cache.read().accounts().first { $0.username == "alice@contoso.com" })
            #expect(try store.cache.forget(alice.id, clientID: client) > 0)
            #expect(
                try store.cache.read().isSignedOut(alice.id, clientID: client) == (waiting.userID != "bob@contoso.com"))
        }
    }

    @Test(arguments: [false, true])
    func `Who was signed out at one issuer stays so, and their homonym at another issuer of the host is taken over`(
        isKnownAtBoth: Bool
    )
        throws
    {
        let store = try Store()
        let issuers = ["https://id.example.org/realms/one", "https://id.example.org/realms/two"]
        let other = "22222222-aaaa-4bbb-8ccc-000000000002"
        func save(_ issuer: String, client: String) throws {
            var saved = record(client: client)
            saved.environment = "id.example.org"
            saved.issuer = issuer
            try store.cache.save(saved)
        }
        try save(issuers[0], client: client)
        try save(issuers[0], client: other)
        if isKnownAtBoth { try save(issuers[1], client: other) }
        let person = AccountID(homeAccountID: home, environment: "id.example.org", issuer: issuers[0])
        _ = try store.cache.forget(person, clientID: client)
        let entries = try issuers.map { try entry(home: home, authority: $0) }
        let snapshot = try store.cache.read()
        #expect(entries.map { snapshot.isSignedOut($0) } == [true, false])
        #expect(try store.cache.takeOver(entries) == [.signedOut, .taken])
    }

    @Test(arguments: [
        #"{"secret":7}"#, #"{"kind":"family"}"#, #"[]"#,
        #"{"kind":"other","secret":"R","client_id":"c","authority":"https://a.example/t"}"#,
        #"{"kind":"multiResource","secret":"R","client_id":"c","authority":"http://evil.example/t","environment":"evil.example"}"#,
        #"{"kind":"multiResource","secret":"R","client_id":"c","authority":"https://a.example/common","environment":"login.windows.net"}"#,
        #"{"kind":"multiResource","secret":"R\u0000","client_id":"c","authority":"https://a.example/common","environment":"a.example"}"#,
    ])
    func `A waiting entry that is not fit to be used is passed over and hides no other`(value: String) throws {
        let store = try Store()
        _ = try store.cache.takeOver([try entry()])
        let text = String(decoding: try store.bytes(), as: UTF8.self)
        let place = try #require(text.firstRange(of: "\"LegacyRefreshToken\": {"))
        let spoilt = text[..<place.upperBound] + "\"x\": \(value)," + text[place.upperBound...]
        try store.write(Array(spoilt.utf8))
        #expect(try store.cache.read().legacyEntries.map(\.userID) == ["alice@contoso.com"])
    }

    @Test func `A resource becomes its default scope, with two slashes where it ends in one`() throws {
        let store = try Store()
        _ = try store.cache.takeOver([try entry(resource: "https://management.core.windows.net/")])
        let snapshot = try store.cache.read()
        let account = try #require(snapshot.accounts().first)
        #expect(
            snapshot.legacyScopes(of: account, clientID: client)?.target
                == "https://management.core.windows.net//.default")
    }
}

/// A file of a legacy cache, as LegacyCachesTests keeps them.
private enum LegacyFixture {
    static func read(_ name: String) throws -> LegacyCache {
        let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let file = URL(filePath: "/\(tests)/LegacyCachesTests/Fixtures/\(name)")
        return LegacyCache(try Array(Data(contentsOf: file)), localTime: \.secondsInUTC)
    }
}
