import FoundationEssentials
import Identity
import Testing

@testable import LegacyCaches

/// The files that `Fixtures/make_legacy.py` writes.
enum LegacyFixture {
    static let names = [
        "accessTokens.json", "adal_net_v3.dat", "adal_objc_before_2.7.bplist", "adal_objc_before_2.7.plist",
        "adal_objc_2.7.bplist",
        "adal_objc_mac.bplist", "adal_objc_mac.plist", "adal_objc_keychain.bplist", "adal_objc_keychain.plist",
        "adal_objc_circle.bplist",
    ]

    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        return try Array(Data(contentsOf: URL(filePath: "/\(folder)/Fixtures/\(name)")))
    }

    /// A store of the present format, as TokenCacheTests keeps them.
    static func store(_ name: String) throws -> [UInt8] {
        let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        return try Array(Data(contentsOf: URL(filePath: "/\(tests)/TokenCacheTests/Fixtures/\(name)")))
    }

    static func read(_ name: String) throws -> LegacyCache { LegacyCache(try bytes(name), localTime: \.secondsInUTC) }

    static let end = Date(timeIntervalSince1970: 1_893_459_599)
    static let objectID = "00000001-1111-4222-8333-000000000001"
    static let azureCLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
    static let homeTenant = "c0c0c0c0-0000-4000-8000-000000000001"
    static let alice = "00000001-1111-4222-8333-000000000001.c0c0c0c0-0000-4000-8000-000000000001"
    static let bob = "00000002-1111-4222-8333-000000000002.fabfabfa-0000-4000-8000-000000000002"
    /// An hour before ``end``.
    static let now = Date(timeIntervalSince1970: 1_893_456_000)
}

@Suite struct LegacyFormatTests {
    @Test
    func
        `The cache that ADAL for Python wrote gives its people, and the Azure CLI's application is named but not taken`()
        throws
    {
        let cache = try LegacyFixture.read("accessTokens.json")
        #expect(cache.format == .python)
        #expect(cache.entries.count == 4)
        #expect(
            cache.problems == [
                LegacyProblem(.applicationCredential(clientID: "33333333-aaaa-4bbb-8ccc-000000000003"), item: 5)
            ])
        #expect(cache.problems.allSatisfy { !$0.isDamage })
        let alice = try #require(cache.entries.first)
        #expect(alice.kind == .multiResource)
        #expect(alice.userID == "Alice@contoso.com")
        #expect(alice.isUserIDShown)
        #expect(alice.authority.description == "https://login.microsoftonline.com/common")
        #expect(alice.clientID == LegacyFixture.azureCLI)
        #expect(alice.resource == "https://management.core.windows.net/")
        #expect(alice.refreshToken == Secret("FAKE-PY-RT-1"))
        #expect(alice.expiresOn == LegacyFixture.end)
        #expect(alice.objectID == LegacyFixture.objectID)
        #expect(alice.homeAccountID == nil)
        #expect(alice.name == "Alice Example")
        #expect(cache.entries.map(\.isGuest) == [false, false, true, false])
        #expect(cache.entries.map(\.isUserIDShown) == [true, true, true, false])
    }

    @Test func `A resource that ends in a slash gets two slashes in its scope`() throws {
        let cache = try LegacyFixture.read("accessTokens.json")
        #expect(cache.entries[0].scopes?.target == "https://management.core.windows.net//.default")
        let archived = try LegacyFixture.read("adal_objc_2.7.bplist")
        #expect(archived.entries[0].scopes?.target == "https://graph.windows.net/.default")
        #expect(try LegacyFixture.read("adal_objc_before_2.7.bplist").entries[0].scopes == nil)
    }

    @Test(arguments: [
        "UTF-8 with a mark", "UTF-16 little", "UTF-16 big", "UTF-16 little with a mark", "UTF-16 big with a mark",
    ])
    func `An encoding that an editor left changes nothing`(encoding: String) throws {
        let text = try LegacyFixture.bytes("accessTokens.json")
        let units = String(decoding: text, as: UTF8.self).utf16
        let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let bytes =
            switch encoding {
            case "UTF-8 with a mark": [0xEF, 0xBB, 0xBF] + text
            case "UTF-16 little": little
            case "UTF-16 big": big
            case "UTF-16 little with a mark": [0xFF, 0xFE] + little
            default: (encoding == "UTF-16 big with a mark" ? [0xFE, 0xFF] : []) + big
            }
        #expect(LegacyCache(bytes) == LegacyCache(text))
    }

    @Test func `A time without a zone is this machine's, and the token's own end comes before it`() throws {
        let time = try #require(LegacyTime("2029-12-31 23:59:59.963012"))
        #expect(time.secondsInUTC == 1_893_455_999)
        #expect(!time.isUTC)
        #expect(LegacyTime("2029-12-31T23:59:59.963Z")?.isUTC == true)
        for text in [
            "", "2029-13-31 23:59:59", "2029-12-31 24:59:59", "2029-12-31", "2029-12-31 23:59:59+02:00",
            "0001-01-01 00:00:00",
        ] {
            #expect(LegacyTime(text) == nil, "\(text)")
        }
        let item =
            #"[{"_clientId":"c","_authority":"https://login.microsoftonline.com/common","accessToken":"opaque","expiresOn":"2029-12-31 23:59:59"}]"#
        let cache = LegacyCache(Array(item.utf8), localTime: { $0.secondsInUTC - 7200 })
        #expect(cache.entries.first?.expiresOn == Date(timeIntervalSince1970: 1_893_448_799))
        #expect(cache.entries.first?.kind == .accessTokenOnly)
    }

    @Test
    func `ADAL.NET's version 3 gives its people with the home accounts that it says, and leaves applications out`()
        throws
    {
        let cache = try LegacyFixture.read("adal_net_v3.dat")
        #expect(cache.format == .dotNet)
        #expect(
            cache.problems == [
                LegacyProblem(.applicationCredential(clientID: "66666666-aaaa-4bbb-8ccc-000000000006"), item: 3)
            ])
        #expect(cache.entries.map(\.userID) == ["alice@contoso.com", "alice@contoso.com", "bob@contoso.com"])
        #expect(
            cache.entries.map(\.homeAccountID) == [
                LegacyFixture.alice, nil, "00000002-1111-4222-8333-000000000002.\(LegacyFixture.homeTenant)",
            ])
        #expect(cache.entries.map(\.isGuest) == [false, true, false])
        #expect(cache.entries.map(\.kind) == [.multiResource, .multiResource, .singleResource])
        #expect(cache.entries[0].authority.description == "https://login.windows.net/\(LegacyFixture.homeTenant)")
        #expect(cache.entries[0].name == "Alice Exämple")
        #expect(cache.entries[0].expiresOn == LegacyFixture.end)
        #expect(cache.entries[2].refreshToken?.count == 20_013)
    }

    @Test func `Another version of ADAL.NET's cache is refused, and a count that lies costs nothing`() throws {
        let future = try LegacyFixture.read("adal_net_v4.dat")
        #expect(future.entries.isEmpty)
        #expect(future.problems.first?.description == "unsupported ADAL.NET cache version 4, expected 3")
        let lying = try LegacyFixture.read("adal_net_v3_count.dat")
        #expect(lying.entries.count == 1)
        #expect(lying.problems == [LegacyProblem(.truncated, item: 2)])
        #expect(LegacyCache([3, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]).problems.first?.isDamage == true)
        #expect(LegacyCache([3, 0, 0, 0, 0, 0, 0, 0]) == LegacyCache(format: .dotNet))
        // A length of five full bytes and more.
        #expect(LegacyCache([3, 0, 0, 0, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]).entries.isEmpty)
    }

    @Test(arguments: ["adal_objc_before_2.7.bplist", "adal_objc_before_2.7.plist"])
    func `An item of ADAL for Objective-C before 2.7 has no home account, and its user is the one of its ID token`(
        name: String
    ) throws {
        let cache = try LegacyFixture.read(name)
        #expect(cache.format == .objectiveC)
        #expect(cache.problems.isEmpty)
        let entry = try #require(cache.entries.first)
        #expect(entry.kind == .multiResource)
        #expect(entry.homeAccountID == nil)
        #expect(entry.userID == "alice@contoso.com")
        #expect(entry.resource == nil)
        #expect(entry.refreshToken == Secret("FAKE-ADAL-OBJC-RT-old"))
        #expect(entry.name == "Alice É")
        #expect(entry.idTokenClaims.string("tid") == LegacyFixture.homeTenant)
    }

    @Test func `An item since 2.7 has its home account, and what the server said of an extended end`() throws {
        let entry = try #require(try LegacyFixture.read("adal_objc_2.7.bplist").entries.first)
        #expect(entry.kind == .singleResource)
        #expect(entry.homeAccountID == LegacyFixture.alice)
        #expect(entry.accessToken == Secret("FAKE-ADAL-OBJC-AT"))
        #expect(entry.expiresOn == LegacyFixture.end)
        #expect(entry.extendedExpiresOn == LegacyFixture.end.addingTimeInterval(3600))
        #expect(!entry.isExpired(at: LegacyFixture.now))
        #expect(entry.isExpired(at: LegacyFixture.end))
    }

    @Test(arguments: ["adal_objc_mac.bplist", "adal_objc_mac.plist"])
    func `A Mac's cache gives its tokens of every kind, and tells tombstones and brokers' tokens from damage`(
        name: String
    ) throws {
        let cache = try LegacyFixture.read(name)
        #expect(
            cache.entries.map(\.kind) == [.multiResource, .accessTokenOnly, .family, .multiResource, .singleResource])
        #expect(cache.entries.map(\.familyID) == ["1", nil, "1", nil, nil])
        #expect(cache.problems == [LegacyProblem(.tombstone, item: 5), LegacyProblem(.brokerToken, item: 6)])
        #expect(cache.problems.allSatisfy { !$0.isDamage })
        #expect(cache.entries[3].isGuest)
        // AD FS gave no ID token: there is no user.
        #expect(cache.entries[4].userID == nil)
        #expect(cache.entries[4].authority.kind == .adfs)
    }

    @Test(arguments: [
        ("adal_objc_mac_no_version.bplist", "it has no version number"),
        ("adal_objc_mac_future.bplist", "unsupported newer version"),
        ("adal_objc_mac_wrong_tokens.bplist", "its tokens are not in a mutable dictionary"),
        ("adal_objc_circle.bplist", "item 1: the user's tokens are not in a mutable dictionary"),
    ])
    func `A Mac's cache of another shape is refused as a whole`(name: String, message: String) throws {
        let cache = try LegacyFixture.read(name)
        #expect(cache.entries.isEmpty)
        #expect(cache.problems.contains { $0.description == message && $0.isDamage }, "\(cache.problems)")
    }

    @Test(arguments: [
        ("adal_objc_mac_wrong_key.bplist", 4, "item 2: its key is not a token cache key"),
        ("adal_objc_mac_wrong_item.bplist", 4, "item 2: not a token cache item"),
        ("adal_objc_mac_wrong_user.bplist", 1, "item 1: the username is not a string"),
        ("adal_objc_mac_immutable.bplist", 1, "item 1: the user's tokens are not in a mutable dictionary"),
    ])
    func `An object of another class is refused alone, and the others are read`(
        name: String, left: Int, message: String
    ) throws {
        let cache = try LegacyFixture.read(name)
        #expect(cache.entries.count == left)
        #expect(cache.problems.first?.description == message)
    }

    @Test(arguments: ["adal_objc_keychain.bplist", "adal_objc_keychain.plist"])
    func `Exported keychain items are read, with the keychain's user where the item has none`(name: String) throws {
        let cache = try LegacyFixture.read(name)
        #expect(cache.entries.map(\.userID) == ["twin@contoso.com", "twin@contoso.com", "bob@fabrikam.com"])
        #expect(cache.entries.map(\.homeAccountID?.first) == ["0", "0", nil])
        #expect(
            cache.problems == [LegacyProblem(.malformed("data"), item: 4), LegacyProblem(.missing("data"), item: 5)])
    }
}
