import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import TokenCache

@Suite struct PruneTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func entry(_ kind: String, home: String = "ada", _ more: [String: String] = [:]) -> JSONValue {
        let members = [
            "credential_type": kind, "client_id": "c", "home_account_id": home, "environment": "login.windows.net",
            "secret": "s-\(kind)-\(home)",
        ].merging(more) { $1 }
        return .object(
            JSONObject(members.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: .string($0.value)) }))
    }

    private static func store(_ sections: [(String, [(String, JSONValue)])]) throws -> Store {
        let value = JSONValue.object(
            JSONObject(
                sections.map { name, entries in
                    JSONMember(
                        name: name, value: .object(JSONObject(entries.map { JSONMember(name: $0.0, value: $0.1) })))
                }))
        return try Store(Array(value.serialized().utf8))
    }

    private static func ends(_ seconds: Int) -> [String: String] {
        ["expires_on": "\(1_800_000_000 + seconds)", "cached_at": "1799990000", "target": "User.Read", "realm": "t"]
    }

    private static func account(_ home: String) -> JSONValue {
        .object(
            JSONObject([
                JSONMember(name: "home_account_id", value: .string(home)),
                JSONMember(name: "environment", value: "login.windows.net"),
                JSONMember(name: "username", value: .string(home)), JSONMember(name: "realm", value: "t"),
                JSONMember(name: "local_account_id", value: .string(home)),
            ]))
    }

    @Test func `What is over and of nobody goes; the rest of the file keeps its bytes, refresh tokens first of all`()
        throws
    {
        let store = try Self.store([
            (
                "AccessToken",
                [
                    ("over", Self.entry("AccessToken", Self.ends(-1))),
                    ("same", Self.entry("AccessToken", Self.ends(100))),
                ]
            ),
            // The key of an access token that goes, in another section.
            (
                "RefreshToken",
                [("over", Self.entry("RefreshToken")), ("lost", Self.entry("RefreshToken", home: "eve"))]
            ),
            ("IdToken", [("stray", Self.entry("IdToken", home: "bob")), ("hers", Self.entry("IdToken"))]),
            ("Account", [("a", Self.account("ada")), ("i", Self.account("idle"))]),
            ("Unknown", [("x", .string("kept"))]),
        ])
        let shown = try PrunableEntries(in: store.cache.read(), at: Self.now)
        #expect(
            Set(shown.credentials.map(\.id)) == ["over", "stray"] && shown.accounts.map(\.homeAccountID) == ["idle"])
        let gone = try store.cache.remove(shown, at: Self.now)
        #expect(gone == shown)
        let after = try store.cache.read()
        #expect(
            Set(after.credentials().map { "\($0.kind.rawValue) \($0.id)" }) == [
                "AccessToken same", "RefreshToken over", "RefreshToken lost", "IdToken hers",
            ])
        #expect(after.accounts().map(\.homeAccountID) == ["ada"])
        #expect(try store.json()["Unknown"]?["x"] == "kept")
        #expect(try PrunableEntries(in: store.cache.read(), at: Self.now).isEmpty)
    }

    @Test func `A store that has grown too large to be read can still be cleaned, and works again`() throws {
        let big = String(repeating: "x", count: 5000)
        let store = try Self.store([
            ("AccessToken", [("over", Self.entry("AccessToken", Self.ends(-1).merging(["secret": big]) { $1 }))]),
            ("RefreshToken", [("r", Self.entry("RefreshToken"))]), ("Account", [("a", Self.account("ada"))]),
        ])
        try StoreSize.$limit.withValue(2000) {
            #expect(throws: StoreError.self) { try store.cache.read() }
            #expect(StoreError(.tooLarge(bytes: 1), path: "x").hint == .store(.prune))
            let snapshot = try OversizedStore.accepted { () throws(StoreError) in try store.cache.read() }
            let shown = PrunableEntries(in: snapshot, at: Self.now)
            #expect(shown.credentials.map(\.id) == ["over"])
            _ = try OversizedStore.accepted { () throws(StoreError) in try store.cache.remove(shown, at: Self.now) }
            #expect(try store.cache.read().credentials().map(\.id) == ["r"])
        }
    }

    @Test
    func
        `Damaged entries are named with what is wrong, and go when that is asked for; a refresh token with a secret stays`()
        throws
    {
        let endless = Self.entry("AccessToken", ["cached_at": "1799990000", "target": "User.Read", "realm": "t"])
        let store = try Self.store([
            (
                "AccessToken",
                [
                    ("endless", endless), ("good", Self.entry("AccessToken", Self.ends(100))), ("list", .array([])),
                    ("empty", Self.entry("AccessToken", Self.ends(100).merging(["secret": ""]) { $1 })),
                    ("removed", Self.entry("AccessToken", Self.ends(100).merging(["secret": "<tombstone>"]) { $1 })),
                ]
            ),
            (
                "RefreshToken",
                [("nobody's", Self.entry("RefreshToken", ["client_id": ""])), ("good", Self.entry("RefreshToken"))]
            ),
            ("Account", [("a", Self.account("ada"))]),
        ])
        let snapshot = try store.cache.read()
        let damaged = snapshot.damagedEntries()
        #expect(damaged.map(\.key) == ["endless", "list", "empty", "nobody's"])
        #expect(
            damaged.map(\.stopsOthers) == [true, true, false, false]
                && damaged.map(\.canGo) == [true, true, true, false])
        #expect(damaged.first?.why.contains("expires_on") == true && damaged.allSatisfy { !$0.why.contains("s-") })
        #expect(snapshot.damagedEntries(clientID: "c").map(\.key) == ["endless", "empty"])
        let shown = PrunableEntries(in: snapshot, at: Self.now)
        #expect(shown.damaged.map(\.key) == ["endless", "list", "empty"] && shown.credentials.isEmpty)
        // One of them is mended before it goes.
        try store.change("AccessToken") { entries in
            for index in entries.indices where entries[index].name == "list" {
                entries[index].value = Self.entry("AccessToken", Self.ends(50))
            }
        }
        #expect(try store.cache.remove(shown, at: Self.now).damaged.map(\.key) == ["endless", "empty"])
        let after = try #require(try store.json().object)
        #expect(after["AccessToken"]?.object?.members.map(\.name) == ["good", "list", "removed"])
        #expect(after["RefreshToken"]?.object?.members.map(\.name) == ["nobody's", "good"])
    }

    @Test func `What was renewed between showing and removing stays`() throws {
        let store = try Self.store([
            (
                "AccessToken",
                [
                    ("one", Self.entry("AccessToken", Self.ends(-1))),
                    ("two", Self.entry("AccessToken", Self.ends(-1).merging(["target": "x"]) { $1 })),
                ]
            ),
            ("RefreshToken", [("r", Self.entry("RefreshToken"))]),
            ("Account", [("a", Self.account("ada")), ("i", Self.account("idle"))]),
        ])
        let shown = try PrunableEntries(in: store.cache.read(), at: Self.now)
        #expect(shown.credentials.count == 2 && shown.accounts.count == 1)
        // Another program renews one of them, and signs the idle account in.
        try store.write(
            Self.store([
                (
                    "AccessToken",
                    [
                        ("one", Self.entry("AccessToken", Self.ends(3600))),
                        ("two", Self.entry("AccessToken", Self.ends(-1).merging(["target": "x"]) { $1 })),
                    ]
                ),
                ("RefreshToken", [("r", Self.entry("RefreshToken")), ("n", Self.entry("RefreshToken", home: "idle"))]),
                ("Account", [("a", Self.account("ada")), ("i", Self.account("idle"))]),
            ]).bytes())
        let gone = try store.cache.remove(shown, at: Self.now)
        #expect(gone.credentials.map(\.id) == ["two"] && gone.accounts.isEmpty)
        #expect(try store.cache.read().credentials().map(\.id).sorted() == ["n", "one", "r"])
        #expect(try store.cache.read().accounts().count == 2)
    }

    @Test func `Cleaning for one client leaves what others hold, and the accounts`() throws {
        let store = try Self.store([
            (
                "AccessToken",
                [
                    ("mine", Self.entry("AccessToken", Self.ends(-1))),
                    ("other", Self.entry("AccessToken", Self.ends(-1).merging(["client_id": "d"]) { $1 })),
                ]
            ),
            ("Account", [("a", Self.account("ada")), ("i", Self.account("idle"))]),
        ])
        let shown = try PrunableEntries(in: store.cache.read(), clientID: "c", at: Self.now)
        #expect(shown.credentials.map(\.id) == ["mine"] && shown.accounts.isEmpty)
        _ = try store.cache.remove(shown, clientID: "c", at: Self.now)
        #expect(try store.cache.read().credentials().map(\.id) == ["other"] && store.cache.read().accounts().count == 2)
    }

    @Test func `Nothing to clean writes nothing, also on every real cache that is new`() throws {
        let store = try Store(fixture: "msal_many")
        let before = try store.bytes()
        let early = Date(timeIntervalSince1970: 0)
        let shown = try PrunableEntries(in: store.cache.read(), at: early)
        #expect(shown.isEmpty)
        _ = try store.cache.remove(shown, at: early)
        #expect(try store.bytes() == before)
    }
}
