import FoundationEssentials
import Identity
import StrictJSON
import Synchronization
import Testing

@testable import TokenCache

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A store of people of Entra ID with what stores have in them, and one thing or another that few have.
private func store(people: Int = 4, more: String = "", accounts: String = "") -> String {
    func entries(_ body: (Int) -> [String]) -> String { (0..<people).flatMap(body).joined(separator: ",\n") }
    let host = "login.microsoftonline.com"
    func home(_ number: Int) -> String { "0000000\(number)-0000-4000-8000-000000000000.\(World.homeTenant)" }
    let access = entries { number in
        ["User.Read", "https://r.example/.default"].map { target in
            """
            "\(home(number))-\(target)-at":{"credential_type":"AccessToken","secret":"at-\(number)","home_account_id":\
            "\(home(number))","environment":"\(host)","client_id":"\(number % 2 == 0 ? "even" : "odd")","target":\
            "\(target)","realm":"\(World.homeTenant)","cached_at":"179523360\(number)","expires_on":"1795237200"}
            """
        }
    }
    let refresh = entries { number in
        [
            """
            "\(home(number))-rt":{"credential_type":"RefreshToken","secret":"rt-\(number)","home_account_id":\
            "\(home(number))","environment":"login.windows.net","client_id":"even","family_id":\
            \(number == 1 ? "\"1\"" : "null"),"last_modification_time":"1795233600"}
            """
        ]
    }
    let known = entries { number in
        [
            """
            "\(home(number))-account":{"home_account_id":"\(home(number))","environment":"\(host)","realm":\
            "\(World.homeTenant)","local_account_id":"0000000\(number)-0000-4000-8000-000000000000","username":\
            "person\(number)@contoso.example","name":"P\\u00e9rson \(number)","authority_type":"MSSTS"}
            """
        ]
    }
    return """
        {"AccessToken":{\(access)\(more)},"Account":{\(known)\(accounts)},"RefreshToken":{\(refresh)},
        "AppMetadata":{"m":{"client_id":"even","environment":"\(host)","family_id":"1"}},"Unknown":{"a":{"b":[1]}}}
        """
}

private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}

/// - Returns: nil where the store is left to a reading of the whole.
private func index(_ file: Store, pieceSize: Int = 1 << 16) -> (index: StoreIndex, overviews: [AccountOverview])? {
    file.cache.index(above: 0, pieceSize: pieceSize)
}

/// Both ways give the same list, with the same credentials.
private func expectSame(_ found: [AccountOverview], _ wanted: [AccountOverview], _ what: Comment? = nil) {
    #expect(isSame(found.map(\.account), wanted.map(\.account)), what)
    #expect(found.map(\.consent) == wanted.map(\.consent), what)
    #expect(found.map(\.lives) == wanted.map(\.lives), what)
    #expect(found.map(\.credentials) == wanted.map(\.credentials), what)
    #expect(found.map { $0.standing(at: World.now) } == wanted.map { $0.standing(at: World.now) }, what)
}

/// Both ways give the same accounts, credentials by owner, counts and damaged entries.
private func expectSame(_ found: (index: StoreIndex, overviews: [AccountOverview]), _ file: Store) throws {
    let snapshot = try file.cache.read()
    let (part, whole) = (StoreReading.indexed(found.index), StoreReading.whole(snapshot))
    #expect(isSame(part.accounts { found.overviews }, snapshot.accounts()))
    #expect(part.credentialCount == whole.credentialCount)
    #expect(part.suspects.damagedEntries() == snapshot.damagedEntries())
    #expect(part.suspects.undecodableCount == snapshot.undecodableCount)
    func owners(_ reading: StoreReading) -> [[CachedCredential]] {
        var owners: [[CachedCredential]] = []
        reading.visitOwners { owners.append($0) }
        return owners
    }
    #expect(owners(part) == owners(whole) && !found.index.hasChanged)
}

@Suite struct StoreIndexTests {
    @Test func `Of a store of twenty accounts only the named account's entries are read, and say the same`() throws {
        let home = "00000000-0000-4000-8000-000000000000.\(World.homeTenant)"
        let long = """
            ,"long":{"credential_type":"AccessToken","secret":"\(String(repeating: "x", count: 40_000))",\
            "home_account_id":"\(home)","environment":"login.microsoftonline.com","client_id":"odd"}
            """
        let file = try Store(Array(store(more: long).utf8))
        let whole = try file.cache.read()
        for text in ["person1@contoso.example", "person", "PERSON2", home, "nobody"] {
            let part = try file.cache.read(onlyAccountsMeantBy: text)
            let wanted = whole.accounts().meant(by: text)
            #expect(isSame(part.accounts().meant(by: text), wanted))
            #expect(part.accounts().count == wanted.count)
            for account in wanted {
                #expect(part.credentials(of: account.id) == whole.credentials(of: account.id))
            }
        }
    }

    @Test(
        arguments: [
            "msal_dotnet_style", "msal_extensions_persisted", "msal_go_style", "msal_java_style", "msal_js_v3_style",
            "msal_one_account", "hostile_missing_fields", "hostile_text",
        ], [1, 3, 16, 61, 65_536])
    func `The index of a store knows what a reading of the whole finds`(fixture: String, pieceSize: Int) throws {
        let file = try Store(fixture: fixture)
        let found = try #require(index(file, pieceSize: pieceSize))
        expectSame(found.overviews, try file.cache.read().overviews())
        try expectSame(found, file)
    }

    @Test(
        arguments: [
            "msal_many", "msal_unknown_fields", "hostile_array", "hostile_bom", "hostile_empty", "hostile_invalid_utf8",
            "hostile_null",
            "hostile_truncated", "azureProfile",
        ])
    func `A damaged store, one of another program and one with several issuers are left to a reading of the whole`(
        fixture: String
    ) throws {
        #expect(index(try Store(fixture: fixture), pieceSize: 64) == nil)
    }

    @Test(
        arguments: [
            // Escapes in a credential, and one that is no text.
            ",\"esc\":{\"secret\":\"a\\/b\",\"home_account_id\":\"x.y\",\"environment\":\"login.windows.net\","
                + "\"client_id\":\"odd\",\"expires_on\":\"1795237300\"}",
            ",\"half\":{\"secret\":\"a\\ud800\",\"home_account_id\":\"x.y\",\"environment\":\"login.windows.net\","
                + "\"client_id\":\"odd\"}",
            // Removed, of nobody, of no client, of a wrong type, no object.
            ",\"gone\":{\"secret\":\"<tombstone>\",\"home_account_id\":\"x.y\",\"environment\":\"login.windows.net\","
                + "\"client_id\":\"odd\"}",
            ",\"app\":{\"secret\":\"s\",\"home_account_id\":null,\"environment\":\"login.windows.net\","
                + "\"client_id\":\"odd\"}",
            ",\"none\":{\"secret\":\"s\",\"home_account_id\":\"x.y\",\"environment\":\"login.windows.net\"}",
            ",\"type\":{\"secret\":\"s\",\"home_account_id\":\"x.y\",\"environment\":\"login.windows.net\","
                + "\"client_id\":\"odd\",\"expires_on\":1795237300}",
            ",\"null\":null,\"list\":[1]",
            // Damaged in ways that a list shows.
            ",\"late\":{\"secret\":\"s\",\"home_account_id\":\"x.y\",\"environment\":\"login.windows.net\","
                + "\"client_id\":\"odd\",\"expires_on\":\"soon\"},\"bare\":{\"secret\":\"\",\"client_id\":\"odd\"}",
            "},\"IdToken\":{\"h\":{\"secret\":\"\\ud800\",\"home_account_id\":\"x.y\"},\"n\":1,\"app\":"
                + "{\"secret\":\"s\",\"client_id\":\"odd\",\"environment\":\"login.windows.net\"}",
            // Somebody without an entry in the section of accounts, at an alias in odd letters.
            ",\"new\":{\"secret\":\"s\",\"home_account_id\":\"x.y\",\"environment\":\"Login.Windows.NET\","
                + "\"client_id\":\"new\",\"expires_on\":\"+1795237300\",\"cached_at\":\"late\"}",
            // The same person in another cloud.
            ",\"us\":{\"secret\":\"s\","
                + "\"home_account_id\":\"00000001-0000-4000-8000-000000000000.\(World.homeTenant)\","
                + "\"environment\":\"login.microsoftonline.us\",\"client_id\":\"new\"}",
            // A field that comes twice.
            ",\"twice\":{\"secret\":\"s\",\"home_account_id\":\"x.y\",\"environment\":\"login.windows.net\","
                + "\"client_id\":\"odd\",\"target\":\"a\",\"target\":\"b\"}",
        ])
    func `Entries that few stores have are judged as ever`(more: String) throws {
        let file = try Store(Array(store(more: more).utf8))
        for pieceSize in [7, 65_536] {
            let found = try #require(index(file, pieceSize: pieceSize))
            expectSame(found.overviews, try file.cache.read().overviews())
            try expectSame(found, file)
        }
    }

    @Test func `Guests, names that only an ID token tells, and useless accounts are told as ever`() throws {
        let payload = "eyJwcmVmZXJyZWRfdXNlcm5hbWUiOiJ0b2xkQGlkLmV4YW1wbGUiLCJpc3MiOiJodHRwczovL2kifQ"
        let text = store(
            more:
                "},\"IdToken\":{\"i\":{\"credential_type\":\"IdToken\","
                + "\"secret\":\"eyJhbGciOiJub25lIn0.\(payload).eA\","
                + "\"home_account_id\":\"q.z\",\"environment\":\"login.windows.net\",\"client_id\":\"odd\"}",
            accounts: ",\"guest\":{\"home_account_id\":\"00000001-0000-4000-8000-000000000000.\(World.homeTenant)\","
                + "\"environment\":\"login.windows.net\",\"realm\":\"\(World.guestTenant)\",\"local_account_id\":\"g\","
                + "\"username\":\"guest\"},"
                + "\"told\":{\"home_account_id\":\"q.z\",\"environment\":\"login.windows.net\",\"realm\":\"z\"},"
                + "\"bad\":{\"home_account_id\":\"b.b\",\"environment\":\"login.windows.net\",\"username\":5}")
        let file = try Store(Array(text.utf8))
        let found = try #require(index(file, pieceSize: 100))
        let wanted = try file.cache.read().overviews()
        expectSame(found.overviews, wanted)
        try expectSame(found, file)
        #expect(wanted.contains { $0.account.username == "told@id.example" })
        #expect(wanted.contains { $0.account.tenantProfiles.count == 2 })
    }

    @Test func `What sign-ins did not get is told as ever, and who is signed out is still found`() throws {
        let file = try Store(Array(store().utf8))
        let first = try #require(file.cache.read().overviews().first)
        var record = TokenRecord(
            clientID: "even", homeAccountID: first.account.homeAccountID, environment: first.account.environment,
            realm: World.homeTenant, localAccountID: "l", username: "p", accessToken: Secret("new"),
            scopes: ["User.Read"], cachedAt: World.now)
        record.asked = ["User.Read", "Mail.Read"]
        record.declined = ["Mail.Read"]
        try file.cache.save(record)
        _ = try file.cache.forget(try #require(file.cache.read().overviews().last).account.id, clientID: "odd")
        try file.cache.setCurrentAccount(first.account.id, clientID: "even")
        let found = try #require(index(file, pieceSize: 64))
        let whole = try file.cache.read()
        expectSame(found.overviews, whole.overviews())
        #expect(found.overviews.contains { !$0.consent.isEmpty })
        for overview in found.overviews {
            let part = found.index.snapshot(of: overview.account.id)
            for client in ["even", "odd"] {
                #expect(
                    part.isSignedOut(overview.account.id, clientID: client)
                        == whole.isSignedOut(overview.account.id, clientID: client))
                #expect(part.currentAccount(clientID: client) == whole.currentAccount(clientID: client))
                #expect(
                    part.familyMembership(clientID: client, environment: overview.account.environment)
                        == whole.familyMembership(clientID: client, environment: overview.account.environment))
                #expect(
                    part.credentials(of: overview.account.id, clientID: client)
                        == whole.credentials(of: overview.account.id, clientID: client))
            }
        }
        #expect(found.index.holdsRefreshToken(clientID: "even") && !found.index.holdsRefreshToken(clientID: "nobody"))
    }

    @Test func `A store with issuers, legacy entries or too many clients is left to a reading of the whole`() throws {
        let issuer = ",\"i\":{\"secret\":\"s\",\"home_account_id\":\"x.y\",\"environment\":\"login.windows.net\","
        let refused = [
            store(more: issuer + "\"issuer\":\"https://i\"}"),
            store(more: ",\"h\":{\"secret\":\"s\",\"home_account_id\":\"x\",\"environment\":\"id.example.org\"}"),
            store(more: "},\"LegacyRefreshToken\":{\"l\":{\"kind\":\"x\"}"),
            store(
                more: (0..<70).map { issuer.replacing("\"i\"", with: "\"i\($0)\"") + "\"client_id\":\"\($0)\"}" }
                    .joined()),
            store(
                more: ",\"e\":{\"secret\":\"s\",\"home_account_id\":\"\\u0061\","
                    + "\"environment\":\"login.windows.net\"}"),
            "{\"dependencies\":{}}", "{\"Account\":[]}",
        ]
        for text in refused {
            let file = try Store(Array(text.utf8))
            #expect(index(file) == nil, "\(text.suffix(300))")
        }
        #expect(index(try Store(Array("{}".utf8)))?.overviews == [])
    }

    @Test(
        arguments: [
            "msal_go_style", "msal_many", "hostile_text", "hostile_array", "hostile_truncated", "hostile_invalid_utf8",
            "azureProfile",
        ], [7, 65_536])
    func `A store is checked in pieces before a sign-in only where a reading of every byte passes`(
        fixture: String, pieceSize: Int
    ) throws {
        let file = try Store(fixture: fixture)
        let size = (try? file.cache.load(strictly: true))?.text?.count
        let found = file.cache.checkedSize(above: 0, pieceSize: pieceSize)
        #expect(found == nil || found == size)
        #expect(!fixture.hasPrefix("msal") || found == size)
        #expect(file.cache.checkedSize() == nil)
    }

    @Test func `A small store is read whole, and a file that nobody should trust is not read`() throws {
        let file = try Store(Array(store().utf8))
        #expect(file.cache.index() == nil)
        guard case .whole = try file.cache.reading().reading else {
            Issue.record("it was indexed")
            return
        }
        #expect(try Store().cache.index() == nil)
        try file.write(Array((store() + String(repeating: " ", count: 1 << 20)).utf8))
        #expect(file.cache.index()?.overviews.count == 4)
        chmod(file.path, 0o622)
        #expect(file.cache.index() == nil)
        #expect(throws: StoreError.self) { try file.cache.reading() }
    }

    @Test func `Accounts are read from the store that was indexed, and from no other`() throws {
        let file = try Store(Array(store().utf8))
        let wanted = try file.cache.read().overviews()
        let found = try #require(index(file))
        let told = Mutex(0)
        found.index.onChange { told.withLock { $0 += 1 } }
        // Another file in its place: the old one is still there for who has it open.
        let aside = file.path + ".new"
        try file.write(Array(store(people: 2).utf8), to: aside)
        #expect(rename(aside, file.path) == 0)
        #expect(!found.index.isCurrent)
        expectSame(found.overviews, wanted)
        #expect(told.withLock { $0 } == 0)
        // Changed in place: nothing is read from what may be something else.
        let second = try #require(index(file))
        let count = Mutex(0)
        second.index.onChange { count.withLock { $0 += 1 } }
        #expect(second.overviews.map(\.credentials.count) == [3, 3])
        try file.write(Array("{}".utf8))
        #expect(second.overviews.first?.credentials == [])
        // Of this one the credentials were read before.
        #expect(second.overviews.last?.credentials.count == 3)
        #expect(second.overviews.map(\.lives.count) == [3, 3])
        #expect(count.withLock { $0 } == 1)
        #expect(!second.index.isCurrent)
    }

    @Test func `A store that did not change for a while is known to be the same`() throws {
        let file = try Store(Array(store().utf8))
        #expect(try #require(index(file)).index.isCurrent == false)
        var times = [timespec(tv_sec: time(nil) - 60, tv_nsec: 0), timespec(tv_sec: time(nil) - 60, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, file.path, &times, 0) == 0)
        let found = try #require(index(file))
        #expect(found.index.isCurrent && file.cache.isCurrent(found.index))
        unlink(file.path)
        #expect(!found.index.isCurrent)
    }

    @Test func `A store that is replaced meanwhile is one or the other`() async throws {
        let file = try Store(Array(store(people: 2).utf8))
        let path = file.path
        let texts = [2, 4].map { Array(store(people: $0).utf8) }
        let isOver = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var number = 0
                while !isOver.isSet {
                    number += 1
                    guard
                        FileManager.default.createFile(
                            atPath: path + ".new", contents: Data(texts[number % 2]),
                            attributes: [.posixPermissions: 0o600])
                    else { return }
                    rename(path + ".new", path)
                    await Task.yield()
                }
            }
            defer { isOver.set() }
            for _ in 0..<200 {
                let found = try #require(TokenCache(path: path).index(above: 0, pieceSize: 64))
                #expect([2, 4].contains(found.overviews.count))
                #expect(found.overviews.allSatisfy { $0.credentials.count == 3 })
            }
        }
    }
}
