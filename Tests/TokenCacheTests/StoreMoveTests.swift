import FoundationEssentials
import Identity
import LegacyCaches
import SystemPackage
import Testing

@testable import TokenCache

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct StoreMoveTests {
    private struct Refusal: Error, Equatable {}
    private let owner = ProofKeyOwner(environment: "e", issuer: "", homeAccountID: "h", clientID: "c")

    private func move(
        _ from: TokenCache, _ to: TokenCache, removesOld: Bool = false, settle: () throws(Refusal) -> Void = {}
    ) throws
        -> StoreError?
    {
        do throws(MoveFailure<Refusal>) { return try from.move(to: to, removesOld: removesOld, settle: settle) } catch {
            #expect(!error.isCopyLeft)
            switch error.cause {
            case .store(let error): throw error
            case .settling(let error): throw error
            }
        }
    }

    @Test
    func `Moved to a sealed file and back, every byte of both texts is the same, and the old ones go only when told`()
        throws
    {
        let store = try Store(fixture: "msal_unknown_fields")
        let text = try store.bytes()
        let key = try ProofKeyStore(store.cache).key(of: owner) { Secret("KEY") }
        let sealed = TokenCache(.encrypted(path: store.folder + "/sealed"), keys: Asked("p").keys())
        #expect(try move(store.cache, sealed) == nil)
        #expect(try store.bytes() == text && store.names == ["sealed", "token_cache.json", "token_cache.json.keys"])
        #expect(try ProofKeyStore(sealed).keys(of: owner).last == key)
        let back = TokenCache(path: store.folder + "/back.json")
        #expect(try move(sealed, back, removesOld: true) == nil)
        #expect(try store.bytes(back.path) == text && ProofKeyStore(back).keys(of: owner).last == key)
        #expect(store.names == ["back.json", "back.json.keys", "token_cache.json", "token_cache.json.keys"])
    }

    @Test func `A place that holds somebody else's entries is refused, and both stay as they were`() throws {
        let from = try Store(fixture: "msal_one_account")
        let to = try Store(fixture: "msal_many")
        let before = try (from.bytes(), to.bytes())
        #expect(situation { _ = try move(from.cache, to.cache, removesOld: true) } == .occupied)
        #expect(try from.bytes() == before.0 && to.bytes() == before.1)
        #expect(situation { _ = try move(from.cache, from.cache) } == .occupied)
    }

    @Test func `A place without entries, or with the same ones, is written over`() throws {
        let from = try Store(fixture: "msal_one_account")
        let to = try Store(Array(#"{"AccessToken":{},"Account":{}}"#.utf8))
        #expect(try move(from.cache, to.cache) == nil)
        #expect(try move(from.cache, to.cache) == nil)
        #expect(try to.bytes() == from.bytes())
    }

    @Test func `Nothing to move is an error, and a store that cannot be read is not moved`() throws {
        let to = try Store()
        guard case .noStore? = situation({ _ = try move(Store().cache, to.cache) }) else { throw Refusal() }
        let bad = try Store(fixture: "hostile_truncated")
        #expect(situation { _ = try move(bad.cache, to.cache, removesOld: true) } != nil)
        #expect(bad.names == ["token_cache.json"] && to.names.isEmpty)
    }

    @Test func `When the settings cannot be changed nothing is removed, and the copy is taken away again`() throws {
        let from = try Store(fixture: "msal_one_account")
        let before = try from.bytes()
        let empty = Array(#"{"AccessToken":{}}"#.utf8)
        for to in [try Store(), try Store(empty)] {
            let names = to.names
            #expect(throws: Refusal()) {
                _ = try move(from.cache, to.cache, removesOld: true) { () throws(Refusal) in throw Refusal() }
            }
            #expect(to.names == names)
            if !names.isEmpty { #expect(try to.bytes() == empty) }
        }
        let sealed = TokenCache(.encrypted(path: from.folder + "/sealed"), keys: Asked("p").keys())
        #expect(throws: Refusal()) { _ = try move(from.cache, sealed) { () throws(Refusal) in throw Refusal() } }
        #expect(try from.bytes() == before && from.names == ["token_cache.json"])
    }

    @Test func `A copy that cannot be made whole is taken away again`() throws {
        let from = try Store(fixture: "msal_one_account")
        _ = try ProofKeyStore(from.cache).key(of: owner) { Secret("KEY") }
        let to = try Store()
        // Nothing can be written aside where a folder has the name.
        mkdir("\(to.path).keys.tmp.\(getpid())", 0o700)
        #expect(
            situation { _ = try move(from.cache, to.cache, removesOld: true) }
                == .io(.fileExists, operation: "create"))
        #expect(to.names == ["token_cache.json.keys.tmp.\(getpid())"])
        #expect(from.names == ["token_cache.json", "token_cache.json.keys"])
    }

    @Test func `An old store that cannot be removed is told, and the new one is whole`() throws {
        let from = try Store(fixture: "msal_one_account")
        mkdir(from.path + ".keys", 0o700)
        let to = try Store()
        #expect(throws: StoreError(.notRegularFile, path: from.path + ".keys")) {
            _ = try move(from.cache, to.cache, removesOld: true)
        }
        rmdir(from.path + ".keys")
        let left = try move(from.cache, to.cache, removesOld: true) { () throws(Refusal) in
            mkdir(from.path + ".keys", 0o700)
        }
        guard case .io(_, "unlink")? = left?.situation else { throw Refusal() }
        #expect(to.names == ["token_cache.json"])
    }

    @Test func `A move that is broken off is known by where it was going, until the copy is gone`() throws {
        let store = try Store(fixture: "msal_one_account")
        let other = TokenCache(path: store.folder + "/copy.json")
        func found() -> String? { store.cache.brokenMove { TokenCache(naming: $0) }?.path }
        #expect(found() == nil)
        var within: String?
        _ = try store.cache.move(to: other, removesOld: false) { within = found() }
        #expect(within == other.path && found() == nil)
        #expect(!store.names.contains("token_cache.json.moving"))
        // As a kill leaves it.
        try store.cache.noteMove(to: other)
        #expect(found() == other.path)
        unlink(other.path)
        #expect(found() == nil)
    }

    // MARK: Writers that began before the move

    enum Writer: CaseIterable {
        case tokens, reservedTokens, removal, undo, currentAccount, forgottenToken, secret, proofKey, unsaved, legacy
    }

    enum Course: CaseIterable { case kept, removed, sealed, twice, thereAndBack, failed, failedThenMoved }

    /// Begins something that takes long, and returns its write and whether a store has the result.
    private func begin(_ writer: Writer, _ cache: TokenCache) async throws
        -> (write: () async throws -> Void, isThere: (TokenCache) throws -> Bool)
    {
        let record = World.record(client: "of this test", access: "AT-late", refresh: "RT-late")
        func hasTokens(_ cache: TokenCache) throws -> Bool {
            try cache.read().credentials().contains { $0.secret == Secret("AT-late") }
        }
        let other = try #require(try cache.read().accounts(clientID: nil).first)
        func has(_ account: Account) -> (TokenCache) throws -> Bool {
            { try !$0.read().credentials(of: account.id, clientID: nil).isEmpty }
        }
        let secrets = ClientSecretOwner(issuer: "https://id.example.org", clientID: "c")
        switch writer {
        case .tokens: return ({ try cache.save(record) }, hasTokens)
        case .reservedTokens:
            let reservation = try await cache.reserve()
            return ({ _ = try await cache.save(record, in: reservation) { _ in } }, hasTokens)
        case .removal:
            return ({ _ = try cache.remove(other.id, clientID: nil) }, { try !has(other)($0) })
        case .undo:
            let removed = try #require(try cache.remove(other.id, clientID: nil, keepsEntries: true).entries)
            let again = TokenCache(.file(path: cache.path), keys: cache.keys)
            return ({ _ = try again.restore(removed) }, has(other))
        case .currentAccount:
            return (
                { try cache.setCurrentAccount(other.id, clientID: "of this test") },
                { try String(decoding: #require(try $0.content(.cache)), as: UTF8.self).contains("of this test") }
            )
        case .forgottenToken:
            let token = try #require(try cache.read().credentials().first { $0.kind == .refreshToken })
            return (
                { try cache.forgetRefreshToken(token.secret, clientID: token.clientID) },
                { try !$0.read().credentials().contains { $0.secret == token.secret } }
            )
        case .secret:
            return (
                { try ClientSecretStore(cache).set(Secret("typed"), of: secrets) },
                { try ClientSecretStore($0).secret(of: secrets) == Secret("typed") }
            )
        case .proofKey:
            return (
                { try ProofKeyStore(cache).add(Secret("KEY"), of: owner) },
                { try ProofKeyStore($0).keys(of: owner) == [Secret("KEY")] }
            )
        case .unsaved:
            cache.keepUnsaved(record)
            // A reading has what is not written yet, too.
            func isWritten(_ cache: TokenCache) throws -> Bool {
                try String(decoding: cache.content(.cache) ?? [], as: UTF8.self).contains("RT-late")
            }
            return ({ while try !isWritten(cache) { await Task.yield() } }, isWritten)
        case .legacy:
            var entry = LegacyEntry(
                kind: .multiResource, authority: try Authority("https://\(World.publicCloud)/common"),
                clientID: World.ownClient)
            entry.refreshToken = Secret("RT-legacy")
            return (
                { [entry] in _ = try cache.takeOver([entry]) },
                { try String(decoding: #require(try $0.content(.cache)), as: UTF8.self).contains("RT-legacy") }
            )
        }
    }

    @Test(arguments: Writer.allCases, Course.allCases)
    func `Who began before a move writes to where the store is now, and leaves nothing at the old place`(
        writer: Writer, course: Course
    ) async throws {
        let store = try Store(fixture: "msal_one_account")
        let keys = Asked("p").keys()
        let first = TokenCache(.file(path: store.path), keys: keys, lockWait: .milliseconds(200))
        let second = TokenCache(path: store.folder + "/second.json")
        let third = TokenCache(path: store.folder + "/third.json")
        let sealed = TokenCache(.encrypted(path: store.folder + "/sealed"), keys: keys)
        let (write, isThere) = try await begin(writer, first.watched)
        func fail(_ from: TokenCache) {
            #expect(throws: Refusal()) { _ = try move(from, third) { () throws(Refusal) in throw Refusal() } }
        }
        var place = second
        switch course {
        case .kept: _ = try move(first, second)
        case .removed: _ = try move(first, second, removesOld: true)
        case .sealed:
            _ = try move(first, sealed, removesOld: true)
            place = sealed
        case .twice:
            _ = try move(first, second, removesOld: true)
            _ = try move(second, third, removesOld: true)
            place = third
        case .thereAndBack:
            _ = try move(first, second, removesOld: true)
            _ = try move(second, first, removesOld: true)
            place = first
        case .failed:
            fail(first)
            place = first
        case .failedThenMoved:
            fail(first)
            _ = try move(first, second, removesOld: true)
        }
        let before = place.path == store.path ? nil : try? store.bytes()
        try await write()
        #expect(try isThere(place))
        guard place.path != store.path else { return }
        #expect((try? store.bytes()) == before)
        if course != .kept { #expect(!store.names.contains { $0.hasPrefix("token_cache.json") }, "\(store.names)") }
    }

    @Test func `Who looks for a move leaves no file, and a handle that was made after the move stays at its place`()
        throws
    {
        let store = try Store(fixture: "msal_one_account")
        let names = store.names
        do {
            let (one, two) = (store.cache.watched, store.cache.watched)
            #expect(try one.current.path == store.path && two.current.path == store.path)
        }
        #expect(store.names == names)
        _ = try move(store.cache, TokenCache(path: store.folder + "/second.json"))
        try store.cache.watched.save(World.record(access: "AT-of-the-old-one"))
        #expect(try String(decoding: store.bytes(), as: UTF8.self).contains("AT-of-the-old-one"))
    }

    @Test func `A move waits for a writer, and gives up while it is at work`() throws {
        let from = try Store(fixture: "msal_one_account")
        let to = try Store()
        try from.write(Array("1 python".utf8), to: from.path + ".lockfile")
        #expect(situation { _ = try move(from.cache, to.cache) } == .locked(pid: 1, name: "python"))
        #expect(to.names.isEmpty)
    }

    @Test func `Sealed anew, a store opens with the new passphrase only, under another key`() throws {
        let store = try Store()
        let asked = Asked { $0.purpose == .open ? "old" : "new" }
        try store.sealed(Asked("old").keys()).save(World.record())
        let before = try store.bytes()
        try store.sealed(asked.keys()).rekey()
        #expect(try SealedHeader(store.bytes(), path: "x").keyName != SealedHeader(before, path: "x").keyName)
        #expect(try !store.sealed(Asked("new").keys()).read().credentials().isEmpty)
        #expect(situation { _ = try store.sealed(Asked("old").keys()).read() } == .wrongPassphrase)
        #expect(situation { try store.sealed(Asked("old").keys()).rekey() } == .wrongPassphrase)
        guard case .noStore? = situation({ try Store(fixture: "msal_one_account").cache.rekey() }) else {
            throw Refusal()
        }
    }

    @Test func `A full disk leaves a sealed store as it was`() throws {
        guard geteuid() == 0 else { return }
        let store = try Store()
        let disk = store.folder + "/disk"
        mkdir(disk, 0o700)
        guard mount("none", disk, "tmpfs", 0, "size=16k,mode=700") == 0 else { return }
        defer { umount(disk) }
        let cache = TokenCache(.encrypted(path: disk + "/c"), keys: Asked("p").keys(), lockWait: .milliseconds(200))
        try cache.save(World.record())
        let before = try store.bytes(disk + "/c")
        var record = World.record(client: "other")
        record.accessToken = Secret(String(repeating: "A", count: 32_768))
        #expect(situation { try cache.save(record) } == .noSpace)
        #expect(try store.bytes(disk + "/c") == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk) == ["c"])
    }
}
