import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import TokenCache

/// Tokens that a sign-out could not revoke: kept to be revoked, and for nothing else.
@Suite struct PendingRevocationTests {
    private let alice = AccountID(homeAccountID: World.alice, environment: World.publicCloud)

    private func pending(_ client: String, _ secret: String = "FAKE-RT-pending") -> PendingRevocation {
        PendingRevocation(
            account: alice,
            use: ClientUse(
                clientID: client, name: "ours", authority: "https://lab.example/x", kind: .oidc, directory: "d",
                at: World.now),
            secret: Secret(secret), kind: .refreshToken, asLeaked: false, since: World.now)
    }

    /// A store in which alice is signed in by two clients, and out of one of them but for its revocation.
    private func store() throws -> Store {
        let store = try Store(fixture: "msal_many")
        _ = try store.cache.remove(alice, clientID: World.powerShell, pending: [pending(World.powerShell)])
        return store
    }

    private func has(_ store: Store) throws -> Bool {
        try String(decoding: store.bytes(), as: UTF8.self).contains("FAKE-RT-pending")
    }

    @Test func `What is kept reads back, and is of no section that serves a token`() throws {
        let store = try store()
        let snapshot = try store.cache.read()
        #expect(snapshot.pendingRevocations() == [pending(World.powerShell)])
        #expect(snapshot.pendingRevocations(of: alice, clientID: World.powerShell.uppercased()).count == 1)
        #expect(snapshot.pendingRevocations(of: alice, clientID: World.azureCLI).isEmpty)
        #expect(snapshot.credentials(of: alice, clientID: World.powerShell).isEmpty)
        #expect(snapshot.isSignedOut(alice, clientID: World.powerShell))
        #expect(snapshot.isSigningOut(alice, clientID: World.powerShell))
        #expect(!snapshot.isSigningOut(alice, clientID: World.azureCLI))
        #expect(!snapshot.accounts(clientID: World.powerShell).contains { $0.id == alice })
        let row = try #require(snapshot.overviews().first { $0.account.id == alice })
        #expect(row.account.clients.contains(World.powerShell), "a list shows it")
        #expect(row.uses.contains { $0.clientID == World.powerShell && $0.name == "ours" })
    }

    @Test func `A list by index has the same rows as one by reading`() throws {
        let store = try store()
        let (_, indexed) = try store.cache.reading()
        let whole = try store.cache.read().overviews()
        #expect(indexed.map(\.account.clients) == whole.map(\.account.clients))
    }

    @Test func `The account stays listed when the last client waits, and goes when that has ended`() throws {
        let store = try store()
        let clients = try store.cache.read().credentials(of: alice).map(\.clientID)
        for client in Set(clients) { _ = try store.cache.forget(alice, clientID: client) }
        #expect(try store.cache.read().accounts().contains { $0.id == alice }, "other clients' ends leave it")
        #expect(try store.cache.read().pendingRevocations().count == 1)
        _ = try store.cache.remove(alice, clientID: World.powerShell)
        #expect(try store.cache.read().pendingRevocations().isEmpty)
        #expect(try !store.cache.read().accounts().contains { $0.id == alice })
        #expect(try !has(store))
    }

    @Test func `A wipe and a removal forget it, and an undone removal has it again`() throws {
        let wiped = try store()
        _ = try wiped.cache.wipe(alice)
        #expect(try !has(wiped))
        let removed = try store()
        let entries = try removed.cache.remove(alice, clientID: World.powerShell, keepsEntries: true).entries
        #expect(try !has(removed))
        _ = try removed.cache.restore(#require(entries))
        #expect(try removed.cache.read().pendingRevocations() == [pending(World.powerShell)])
    }

    @Test func `A new sign-in is used as ever, and what waits is kept beside it`() throws {
        let store = try store()
        var record = World.record(client: World.powerShell)
        record.createsAccount = true
        try store.cache.save(record)
        let snapshot = try store.cache.read()
        #expect(!snapshot.isSignedOut(alice, clientID: World.powerShell))
        #expect(!snapshot.isSigningOut(alice, clientID: World.powerShell))
        #expect(snapshot.pendingRevocations().count == 1)
    }

    @Test func `Its end leaves a sign-in that was made since`() throws {
        let store = try store()
        var record = World.record(client: World.powerShell)
        record.createsAccount = true
        try store.cache.save(record)
        let before = try store.cache.read().credentials(of: alice, clientID: World.powerShell).count
        try store.cache.finishSignOut(alice, clientID: World.powerShell)
        let snapshot = try store.cache.read()
        #expect(snapshot.credentials(of: alice, clientID: World.powerShell).count == before && before > 0)
        #expect(snapshot.pendingRevocations().isEmpty && !snapshot.isSignedOut(alice, clientID: World.powerShell))
    }

    @Test func `A damaged entry still has its token revoked`() throws {
        let store = try store()
        try store.change("AccountMetadata") { entries in
            for index in entries.indices {
                let members = entries[index].value.object?.members ?? []
                entries[index].value = .object(
                    JSONObject(members.filter { !["revocation_authority", "revocation_kind"].contains($0.name) }))
            }
        }
        let pending = try store.cache.read().pendingRevocations()
        #expect(pending.map { $0.secret.reveal() } == ["FAKE-RT-pending"] && pending.first?.kind == .refreshToken)
    }

    @Test func `Cleaning up and a token's entry show nothing of it`() throws {
        let store = try store()
        let snapshot = try store.cache.read()
        let clean = PrunableEntries(in: snapshot, at: World.now)
        #expect(!clean.accounts.contains { $0.id == alice })
        for credential in snapshot.credentials() {
            #expect(MaskedEntry.text(of: credential, in: snapshot)?.contains("FAKE-RT-pending") != true)
        }
    }
}
