import Identity
import StrictJSON
import SystemPackage
import Testing

@testable import TokenCache

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct RemovalTests {
    private let alice = AccountID(homeAccountID: World.alice, environment: "login.windows.net")

    @Test
    func
        `Forgetting takes one client's credentials under every alias, and marks it signed out while others hold the account`()
        throws
    {
        let store = try Store(fixture: "msal_many")
        let before = try store.cache.read()
        let gone = try store.cache.forget(alice, clientID: World.powerShell)
        let after = try store.cache.read()
        #expect(gone == 2)
        #expect(after.credentials(clientID: World.powerShell).isEmpty)
        #expect(after.credentials().count == before.credentials().count - 2)
        #expect(
            after.isSignedOut(alice, clientID: World.powerShell) && !after.isSignedOut(alice, clientID: World.azureCLI))
        #expect(!after.accounts(clientID: World.powerShell).contains { $0.homeAccountID == World.alice })
        #expect(after.accounts().contains { $0.homeAccountID == World.alice })
        // A refresh under way must not bring it back; a sign-in does.
        var record = World.record(client: World.powerShell)
        record.createsAccount = false
        try store.cache.save(record)
        #expect(try store.cache.read().credentials(clientID: World.powerShell).isEmpty)
        record.createsAccount = true
        try store.cache.save(record)
        #expect(try !store.cache.read().isSignedOut(alice, clientID: World.powerShell))
        #expect(
            try store.cache.read().accounts(clientID: World.powerShell).contains { $0.homeAccountID == World.alice })
    }

    @Test func `Who is signed in again by another program is there again, whatever was noted at the sign-out`() throws {
        let store = try Store(fixture: "msal_many")
        _ = try store.cache.forget(alice, clientID: World.powerShell)
        #expect(try store.cache.read().isSignedOut(alice, clientID: World.powerShell))
        // As MSAL for Python writes it: it knows nothing of marks.
        try store.change("RefreshToken") { entries in
            entries.append(
                JSONMember(
                    name: "again",
                    value: .object(
                        JSONObject(
                            [
                                ("credential_type", "RefreshToken"), ("secret", "FAKE-RT-again"),
                                ("home_account_id", World.alice),
                                ("environment", World.publicCloud), ("client_id", World.powerShell),
                                ("target", "User.Read"),
                            ].map { JSONMember(name: $0.0, value: .string($0.1)) }))))
        }
        let snapshot = try store.cache.read()
        #expect(!snapshot.isSignedOut(alice, clientID: World.powerShell))
        #expect(snapshot.accounts(clientID: World.powerShell).contains { $0.homeAccountID == World.alice })
        #expect(snapshot.overviews(clientID: World.powerShell).contains { $0.account.homeAccountID == World.alice })
        // A refresh is stored, and takes the void mark away: when the other program signs the person out, it is not
        // obeyed again.
        var record = World.record(client: World.powerShell, refresh: "FAKE-RT-next")
        record.createsAccount = false
        record.redeemed = Secret("FAKE-RT-again")
        try store.cache.save(record)
        let after = try store.cache.read()
        #expect(
            after.refreshTokens(World.query(client: World.powerShell), family: false).map { $0.secret.reveal() } == [
                "FAKE-RT-next"
            ])
        #expect(try !String(decoding: store.bytes(), as: UTF8.self).contains("signed_out"))
    }

    @Test(arguments: [false, true])
    func `A family's token that another client holds does not void the mark, a client's own does`(isOwn: Bool) throws {
        let store = try Store(fixture: "msal_many")
        _ = try store.cache.forget(alice, clientID: World.powerShell)
        var record = World.record(client: isOwn ? World.powerShell : World.azureCLI)
        record.familyID = "1"
        try store.cache.save(record)
        #expect(try store.cache.read().isSignedOut(alice, clientID: World.powerShell) == !isOwn)
    }

    @Test func `No mark is left where nobody else holds the person, and the last to go takes the others' marks along`()
        throws
    {
        let store = try Store(fixture: "msal_many")
        let clients = try store.cache.read().accounts().first { $0.homeAccountID == World.alice }?.clients ?? []
        try #require(clients.count > 1)
        for client in clients { _ = try store.cache.forget(alice, clientID: client) }
        #expect(try !String(decoding: store.bytes(), as: UTF8.self).contains("signed_out"))
        for client in clients { #expect(try !store.cache.read().isSignedOut(alice, clientID: client)) }
    }

    @Test func `The last client to forget takes the account's entries with it`() throws {
        let store = try Store(fixture: "msal_many")
        for client in try store.cache.read().accounts().first(where: { $0.homeAccountID == World.alice })?.clients ?? []
        {
            _ = try store.cache.forget(alice, clientID: client)
        }
        let after = try store.cache.read()
        #expect(!after.accounts().contains { $0.homeAccountID == World.alice })
        #expect(after.accounts().count == 7)
    }

    @Test(arguments: [World.powerShell, nil])
    func `A removed account comes back with every entry, and without a mark`(clientID: String?) throws {
        let store = try Store(fixture: "msal_many")
        let before = try JSONValue(parsing: store.bytes()).sorted
        let (count, entries) = try store.cache.remove(alice, clientID: clientID, keepsEntries: true)
        #expect(count > 0)
        #expect(try JSONValue(parsing: store.bytes()).sorted != before)
        let removed = try #require(entries)
        #expect(try store.cache.restore(removed) == .done)
        #expect(try JSONValue(parsing: store.bytes()).sorted == before)
        // It is there, so nothing is put back twice.
        #expect(try store.cache.restore(removed) == .signedInSince)
        #expect(try JSONValue(parsing: store.bytes()).sorted == before)
    }

    @Test func `What was removed does not come back beside a newer sign-in, nor where it could be another issuer's`()
        throws
    {
        let store = try Store(fixture: "msal_many")
        let removed = try #require(
            try store.cache.remove(alice, clientID: World.powerShell, keepsEntries: true).entries)
        try store.cache.save(World.record(client: World.powerShell, refresh: "FAKE-RT-newer"))
        let newer = try store.bytes()
        #expect(try store.cache.restore(removed) == .signedInSince)
        #expect(try store.bytes() == newer)
        let other = try Store(fixture: "msal_many")
        let all = try #require(try other.cache.remove(alice, clientID: nil, keepsEntries: true).entries)
        var record = World.record(client: World.powerShell)
        record.issuer = "https://login.microsoftonline.com/another"
        try other.cache.save(record)
        let theirs = try other.bytes()
        #expect(try other.cache.restore(all) == .signedInSince)
        #expect(try other.bytes() == theirs)
    }

    @Test(arguments: [World.powerShell, nil])
    func `A removal is final once a later sign-in was ended`(clientID: String?) throws {
        let store = try Store(fixture: "msal_many")
        let removed = try #require(try store.cache.remove(alice, clientID: clientID, keepsEntries: true).entries)
        try store.cache.save(World.record(client: World.powerShell, refresh: "FAKE-RT-newer"))
        _ = try store.cache.remove(alice, clientID: World.powerShell)
        let ended = try store.bytes()
        #expect(try store.cache.restore(removed) == .endedSince)
        #expect(try store.bytes() == ended)
    }

    @Test func `A removal that can no longer be undone leaves nothing behind`() throws {
        let store = try Store(fixture: "msal_many")
        let removed = try #require(
            try store.cache.remove(alice, clientID: World.powerShell, keepsEntries: true).entries)
        #expect(try String(decoding: store.bytes(), as: UTF8.self).contains("removal"))
        try store.cache.abandon([removed])
        #expect(try !String(decoding: store.bytes(), as: UTF8.self).contains("removal"))
    }

    @Test func `An account goes with its proof key, and where the key cannot be removed nothing is`() throws {
        let store = try Store(fixture: "msal_many")
        let owner = ProofKeyOwner(
            environment: alice.environment, issuer: "", homeAccountID: alice.homeAccountID, clientID: World.powerShell)
        let keys = ProofKeyStore(store.cache)
        _ = try keys.key(of: owner) { Secret("KEY") }
        let before = try store.bytes()
        // Nothing can be written aside where a folder has the name.
        let obstacle = "\(store.path).keys.tmp.\(getpid())"
        mkdir(obstacle, 0o700)
        #expect(
            situation { _ = try store.cache.remove(alice, clientID: World.powerShell) }
                == .io(.fileExists, operation: "create"))
        #expect(try store.bytes() == before && keys.keys(of: owner).last != nil)
        rmdir(obstacle)
        #expect(try store.cache.remove(alice, clientID: World.powerShell).count == 2)
        #expect(try keys.keys(of: owner).last == nil && store.bytes() != before)
        #expect(store.names == ["token_cache.json", "token_cache.json.keys"])
    }

    @Test func `Forgetting twice, or somebody unknown, changes nothing`() throws {
        let store = try Store(fixture: "msal_many")
        let before = try store.bytes()
        #expect(try store.cache.forget(AccountID(homeAccountID: "nobody", environment: "x"), clientID: "c") == 0)
        #expect(try store.bytes() == before)
    }

    @Test func `A refresh token is removed only while it is still that one`() throws {
        let store = try Store(fixture: "msal_many")
        let tokens = try store.cache.read().refreshTokens(World.query(), family: false)
        let before = try store.bytes()
        try store.cache.forgetRefreshToken(Secret("FAKE-RT-another"), clientID: World.azureCLI)
        try store.cache.forgetRefreshToken(tokens[0].secret, clientID: World.powerShell)
        #expect(try store.bytes() == before)
        try store.cache.forgetRefreshToken(tokens[0].secret, clientID: World.azureCLI)
        #expect(try store.cache.read().refreshTokens(World.query(), family: false) == Array(tokens.dropFirst()))
    }

    @Test func `A client that is not of the family is noted, whether it has an entry or not`() throws {
        let store = try Store(fixture: "msal_many")
        try store.cache.markNotInFamily(clientID: World.powerShell, environment: "sts.windows.net")
        try store.cache.markNotInFamily(clientID: "stranger", environment: World.publicCloud)
        let after = try store.cache.read()
        #expect(after.familyMembership(clientID: World.powerShell, environment: World.publicCloud) == .notMember)
        #expect(after.familyMembership(clientID: "stranger", environment: World.publicCloud) == .notMember)
        #expect(after.familyMembership(clientID: World.azureCLI, environment: World.publicCloud) == .member("1"))
    }
}

extension JSONValue {
    /// With the members of every object in the order of their names.
    fileprivate var sorted: JSONValue {
        switch self {
        case .object(let object):
            .object(
                JSONObject(
                    object.members.filter { $0.value.object?.members.isEmpty != true }.sorted { $0.name < $1.name }.map
                    {
                        JSONMember(name: $0.name, value: $0.value.sorted)
                    }))
        case .array(let values): .array(values.map(\.sorted))
        default: self
        }
    }
}
