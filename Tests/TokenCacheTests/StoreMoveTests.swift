import FoundationEssentials
import Identity
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
