import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import TokenCache

/// Access tokens of an AI agent's session, as MSAL for Python keeps them under an `ext_cache_key`.
@Suite struct AgentSessionTests {
    private static let first = ExtCacheKey.of(agentSession: "s1") ?? ""
    private let alice = AccountID(homeAccountID: World.alice, environment: World.publicCloud)

    private func query(_ extCacheKey: String?) -> CredentialQuery {
        var query = World.query(realms: [World.homeTenant], client: World.ownClient, ["User.Read"])
        query.extCacheKey = extCacheKey
        return query
    }

    private func record(_ session: String?, _ secret: String, refresh: String? = nil) -> TokenRecord {
        var record = World.record(access: secret, refresh: refresh)
        record.extCacheKey = ExtCacheKey.of(agentSession: session)
        return record
    }

    private func served(_ store: Store, _ session: String?) throws -> String? {
        try store.cache.read().accessToken(
            query(ExtCacheKey.of(agentSession: session)), at: World.now, buffer: 300)?.secret.reveal()
    }

    /// The person's token and one of each of two sessions.
    private func filled() throws -> Store {
        let store = try Store()
        try store.cache.save(record(nil, "person", refresh: "FAKE-RT-1"))
        try store.cache.save(record("s1", "first"))
        try store.cache.save(record("s2", "second"))
        return store
    }

    @Test(arguments: [
        ("s1", "9tdfcinhod8tdhpg4t5eoqxviixhjsuwejifiqknwgc"),
        // As MSAL for Python 1.39 computes it.
        ("0b5f2f6e-3b1c-4a53-9d1e-7f8a6c2d9e10", "meh6bai4qaidw0uvliypnafmrf-uvyaokjfudhqkyy4"),
    ]) func `The key of a session is MSAL's`(session: String, key: String) {
        #expect(ExtCacheKey.of(agentSession: session) == key)
    }

    @Test func `The key of a resource is MSAL's, alone and with a session`() {
        let resource = "https://api.example.org"
        #expect(ExtCacheKey.of(agentSession: nil, resource: resource) == "sexconsbbvgspjrzoteyjqgk2cfd_dghqpfm9qeenre")
        #expect(ExtCacheKey.of(agentSession: "s1", resource: resource) == "8_fejcqvkulefnzdizyv4se0mnigrly7dvwvovdjdyk")
        #expect(ExtCacheKey.of(agentSession: nil) == nil)
    }

    @Test func `A session's token serves that session alone, whoever stored last`() throws {
        let store = try filled()
        func expectAll(_ person: String, _ first: String) throws {
            #expect(try served(store, nil) == person)
            #expect(try served(store, "s1") == first)
            #expect(try served(store, "s2") == "second")
            #expect(try served(store, "s3") == nil)
        }
        try expectAll("person", "first")
        try store.cache.save(record("s1", "first again"))
        try expectAll("person", "first again")
        try store.cache.save(record(nil, "person again"))
        try expectAll("person again", "first again")
        #expect(try store.cache.read().credentials().count { $0.kind == .accessToken } == 3)
    }

    @Test func `Expired tokens of sessions go with the next one, and the person's stay`() throws {
        let store = try filled()
        func kept() throws -> Set<String> {
            Set(
                try store.cache.read().credentials().filter { $0.kind == .accessToken }.map { $0.secret.reveal() })
        }
        var later = record("s3", "third")
        later.cachedAt = World.now.addingTimeInterval(10 * 86_400)
        later.expiresOn = later.cachedAt.addingTimeInterval(3600)
        try store.cache.save(later)
        #expect(try kept() == ["person", "third"])
        var soon = record("s4", "fourth")
        soon.cachedAt = later.cachedAt.addingTimeInterval(60)
        soon.expiresOn = soon.cachedAt.addingTimeInterval(3600)
        try store.cache.save(soon)
        #expect(try kept() == ["person", "third", "fourth"])
    }

    @Test func `A session's entry is what MSAL for Python would write`() throws {
        let store = try filled()
        let key =
            "\(World.alice)-\(World.publicCloud)-atext-\(World.ownClient)-\(World.homeTenant)-user.read-\(Self.first)"
        let entry = try #require(try store.json()["AccessToken"]?[key])
        #expect(entry["ext_cache_key"]?.string == Self.first && entry["credential_type"]?.string == "AccessToken")
        let persons = try store.json()["AccessToken"]?[
            "\(World.alice)-\(World.publicCloud)-accesstoken-\(World.ownClient)-\(World.homeTenant)-user.read"]
        #expect(persons != nil && persons?["ext_cache_key"] == nil)
    }

    @Test func `What another program kept under an ext_cache_key serves its session and outlives a person's refresh`()
        throws
    {
        let store = try Store(fixture: "msal_many")
        let theirs = "5cugo3mxopijr8ljwsp3o7wwzpmqldb0widh_8gcrji"
        var query = World.query(realms: [World.homeTenant], ["https://graph.microsoft.com/.default"])
        func found() throws -> String? {
            try store.cache.read().accessToken(query, at: World.now, buffer: 300)?.extCacheKey
        }
        query.extCacheKey = theirs
        #expect(try found() == theirs)
        try store.cache.save(
            World.record(client: World.azureCLI, scopes: ["https://graph.microsoft.com/.default"], refresh: nil))
        #expect(try found() == theirs)
        query.extCacheKey = Self.first
        #expect(try found() == nil)
    }

    @Test func `A refresh in a session rotates the person's refresh token, and leaves its scopes as they are`() throws {
        let store = try Store()
        try store.cache.save(record(nil, "person", refresh: "FAKE-RT-1"))
        var refreshed = record("s1", "first", refresh: "FAKE-RT-2")
        refreshed.scopes = ["Mail.Read"]
        refreshed.createsAccount = false
        refreshed.redeemed = Secret("FAKE-RT-1")
        try store.cache.save(refreshed)
        let held = try store.cache.read().credentials().filter { $0.kind == .refreshToken }
        #expect(held.map { $0.secret.reveal() } == ["FAKE-RT-2"] && held.map(\.scopes) == [["User.Read"]])
        #expect(try served(store, nil) == "person")
    }

    @Test func `Each token says why it is not for the other`() throws {
        let store = try filled()
        let snapshot = try store.cache.read()
        func mismatches(_ key: String?) -> [CredentialMismatch?] {
            snapshot.fits(query(key), at: World.now).filter { $0.kind == .accessToken }.map(\.mismatch)
        }
        let second = try #require(ExtCacheKey.of(agentSession: "s2"))
        #expect(mismatches(nil) == [nil, .ofAgentSession(Self.first), .ofAgentSession(second)])
        #expect(mismatches(Self.first) == [.otherAgentSession(nil), nil, .otherAgentSession(second)])
    }

    @Test func `A session's tokens go with the account, and when they have expired`() throws {
        let store = try filled()
        let later = World.now.addingTimeInterval(7200)
        let inventory = CacheInventory(try store.cache.read(), at: World.now)
        let findings = inventory.credentials.flatMap(\.findings)
        #expect(findings.isEmpty, "none is a duplicate of another's")
        let leftovers = try PrunableEntries(in: store.cache.read(), at: later)
        #expect(leftovers.credentials.map { $0.secret.reveal() }.sorted() == ["first", "person", "second"])
        _ = try store.cache.remove(leftovers, at: later)
        #expect(try served(store, "s1") == nil && !store.cache.read().accounts().isEmpty)
        for forget in [
            { (store: Store) in try store.cache.forget(alice, clientID: World.ownClient) },
            { (store: Store) in try store.cache.wipe(alice) },
        ] {
            let store = try filled()
            _ = try forget(store)
            #expect(try store.cache.read().credentials().isEmpty)
        }
    }
}
