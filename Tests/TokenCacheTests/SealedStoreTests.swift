import Crypto
import FoundationEssentials
import Identity
import StrictJSON
import Synchronization
import SystemPackage
import Testing
import Waiting

@testable import TokenCache

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the `encrypted:` stores of these tests ask, and how often.
final class Asked: Sendable {
    private let answers: @Sendable (PassphraseQuestion) -> String?
    private let seen = Mutex<[PassphraseQuestion]>([])

    init(_ answers: @escaping @Sendable (PassphraseQuestion) -> String?) { self.answers = answers }
    convenience init(_ passphrase: String) { self.init { _ in passphrase } }

    var questions: [PassphraseQuestion] { seen.withLock { $0 } }

    /// Keys of one process that knows nothing yet; scrypt is cheap here.
    func keys(usesKernel: Bool = false) -> StoreKeys {
        StoreKeys(usesKernel: usesKernel, cost: ScryptCost(logN: 4, r: 1, p: 1) ?? .standard) {
            [self] question throws(StoreError) in
            seen.withLock { $0.append(question) }
            guard let answer = answers(question) else {
                throw StoreError(.passphraseNeeded(why: "nobody is there"), path: question.path)
            }
            return Secret(answer)
        }
    }
}

extension Store {
    var spec: StoreSpec { .encrypted(path: path) }

    func sealed(_ keys: StoreKeys) -> TokenCache {
        TokenCache(spec, keys: keys, lockWait: .milliseconds(200), retryPause: 1000)
    }
}

@Suite struct SealedStoreTests {
    @Test func `What is saved is found again by whoever has the passphrase, and stands nowhere in the file`() throws {
        let store = try Store()
        let asked = Asked("correct horse")
        try store.sealed(asked.keys()).save(World.record())
        #expect(asked.questions == [PassphraseQuestion(purpose: .choose, path: store.path, isRepeated: false)])
        #expect(store.mode == 0o600 && store.names == ["token_cache.json"])
        let later = Asked("correct horse")
        let snapshot = try store.sealed(later.keys()).read()
        #expect(snapshot.credentials().contains { $0.secret == Secret("FAKE-RT-new") })
        #expect(later.questions.map(\.purpose) == [.open])
        let file = String(decoding: try store.bytes(), as: UTF8.self)
        for word in ["FAKE", "alice", "AccessToken", "correct horse", World.alice] { #expect(!file.contains(word)) }
    }

    @Test func `One process is asked once`() throws {
        let store = try Store()
        let asked = Asked("p")
        let cache = store.sealed(asked.keys())
        for number in 0..<3 { try cache.save(World.record(scopes: ["s\(number)"])) }
        _ = try cache.read()
        #expect(asked.questions.count == 1)
    }

    @Test func `A wrong passphrase is asked for again, said, and changes nothing`() throws {
        let store = try Store()
        try store.sealed(Asked("right").keys()).save(World.record())
        let before = try store.bytes()
        let wrong = Asked("wrong")
        #expect(situation { _ = try store.sealed(wrong.keys()).read() } == .wrongPassphrase)
        #expect(wrong.questions.map(\.isRepeated) == [false, true, true])
        #expect(situation { try store.sealed(wrong.keys()).save(World.record(access: "other")) } == .wrongPassphrase)
        #expect(try store.bytes() == before && store.names == ["token_cache.json"])
        let second = Asked { $0.isRepeated ? "right" : "typo" }
        #expect(try !store.sealed(second.keys()).read().credentials().isEmpty)
    }

    @Test func `Without anybody to ask, a sealed store is an error that says so, and one that is not there is empty`()
        throws
    {
        let store = try Store()
        #expect(try store.sealed(StoreKeys()).read().credentials().isEmpty)
        try store.sealed(Asked("p").keys()).save(World.record())
        let nobody = Asked { _ in nil }
        guard case .passphraseNeeded? = situation({ _ = try store.sealed(nobody.keys()).read() }) else { throw Wrong() }
        let fresh = try Store()
        guard case .passphraseNeeded? = situation({ try fresh.sealed(nobody.keys()).save(World.record()) }) else {
            throw Wrong()
        }
        #expect(situation { try fresh.sealed(Asked("").keys()).save(World.record()) } != nil)
        #expect(fresh.names.isEmpty)
    }

    @Test func `Each byte of the header, the nonce and the seal is guarded`() throws {
        let store = try Store()
        let keys = Asked("p").keys()
        try store.sealed(keys).save(World.record())
        let good = try store.bytes()
        let header = try SealedHeader(good, path: "x")
        #expect(header.bytes == Array(good.prefix(126)))
        // The header, the nonce, the length and the first bytes of the text; the last of the text and the tag.
        for place in Array(0..<160) + Array(good.count - 20..<good.count) {
            for flip in [0x01, 0x80] as [UInt8] {
                var bad = good
                bad[place] ^= flip
                try store.write(bad)
                #expect(
                    situation { _ = try store.sealed(Asked("p").keys()).read() } != nil,
                    "byte \(place), by the passphrase")
                #expect(situation { _ = try store.sealed(keys).read() } != nil, "byte \(place), by the held key")
                #expect(situation { try store.sealed(keys).save(World.record(access: "new")) } != nil)
                #expect(try store.bytes() == bad)
            }
        }
        try store.write(good)
        #expect(try !store.sealed(keys).read().credentials().isEmpty)
    }

    @Test func `A store that was cut off is an error at each length, and is never written over`() throws {
        let store = try Store()
        let keys = Asked("p").keys()
        try store.sealed(keys).save(World.record())
        let good = try store.bytes()
        for length in Array(0..<140) + [good.count / 2, good.count - 1] {
            try store.write(Array(good.prefix(length)))
            #expect(situation { try store.sealed(keys).save(World.record()) } != nil, "\(length) bytes")
            #expect(try store.bytes().count == length)
        }
        try store.write(good + [0])
        #expect(situation { _ = try store.sealed(keys).read() } != nil)
    }

    @Test func `A header of a later version, of unknown ways, or that would cost too much is refused before any work`()
        throws
    {
        let store = try Store()
        let asked = Asked("p")
        try store.sealed(asked.keys()).save(World.record())
        let good = try store.bytes()
        func changed(_ place: Int, _ byte: UInt8) -> [UInt8] {
            var bytes = good
            bytes[place] = byte
            return bytes
        }
        let asking = Asked("p")
        for (place, byte) in [
            (8, 0), (8, 2), (9, 0), (9, 3), (10, 0), (10, 21), (10, 255), (11, 0), (11, 255), (12, 0), (12, 17),
            (13, 1), (64, 255),
        ] as [(Int, UInt8)] {
            try store.write(changed(place, byte))
            #expect(situation { _ = try store.sealed(asking.keys()).read() } != nil, "byte \(place) = \(byte)")
        }
        #expect(asking.questions.isEmpty)
        try store.write(changed(8, 2))
        #expect(situation { _ = try store.sealed(asking.keys()).read() } == .newer(version: 2))
    }

    @Test func `A plain store is not taken for a sealed one, nor the other way round`() throws {
        let plain = try Store(fixture: "msal_one_account")
        guard case .foreign? = situation({ _ = try plain.sealed(Asked("p").keys()).read() }) else { throw Wrong() }
        guard case .foreign? = situation({ try plain.sealed(Asked("p").keys()).save(World.record()) }) else {
            throw Wrong()
        }
        let sealed = try Store()
        try sealed.sealed(Asked("p").keys()).save(World.record())
        #expect(situation { _ = try sealed.cache.read() } != nil)
        #expect(situation { try sealed.cache.save(World.record()) } != nil)
    }

    @Test func `No two writes use the same nonce, and the key and its name stay`() throws {
        let store = try Store()
        let cache = store.sealed(Asked("p").keys())
        var nonces: Set<[UInt8]> = []
        var headers: Set<SealedHeader> = []
        for number in 0..<20 {
            try cache.save(World.record(access: "t\(number)"))
            let bytes = try store.bytes()
            headers.insert(try SealedHeader(bytes, path: "x"))
            nonces.insert(Array(bytes[126..<138]))
        }
        #expect(nonces.count == 20 && headers.count == 1)
    }

    @Test func `Writers that come at once lose nothing, each with keys of its own`() async throws {
        let store = try Store()
        let path = store.path
        try store.sealed(Asked("p").keys()).save(World.record(scopes: ["first"]))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let cache = TokenCache(.encrypted(path: path), keys: Asked("p").keys(), lockWait: Waiting.end)
                    for number in 0..<10 {
                        try cache.save(World.record(realm: "tenant-\(writer)-\(number)", scopes: ["s"]))
                    }
                }
            }
            try await group.waitForAll()
        }
        let realms = Set(
            try store.sealed(Asked("p").keys()).read().credentials().filter { $0.kind == .accessToken }.map(\.realm))
        #expect(realms.count == 41)
        #expect(store.names == ["token_cache.json"])
    }

    @Test func `Keys that tokens are bound to are sealed with the tokens`() throws {
        let store = try Store()
        let cache = store.sealed(Asked("p").keys())
        let owner = ProofKeyOwner(environment: "e", issuer: "", homeAccountID: "h", clientID: "c")
        let kept = try ProofKeyStore(cache).key(of: owner) { Secret("PRIVATE-KEY") }
        try cache.save(World.record())
        let again = store.sealed(Asked("p").keys())
        #expect(try ProofKeyStore(again).keys(of: owner).last == kept && !again.read().credentials().isEmpty)
        #expect(store.names == ["token_cache.json"])
        #expect(!String(decoding: try store.bytes(), as: UTF8.self).contains("PRIVATE"))
    }

    @Test
    func
        `What providers say of themselves is sealed as the tokens are: a planted or changed file sends nothing elsewhere`()
        throws
    {
        let store = try Store()
        let cache = store.sealed(Asked("p").keys())
        try cache.save(World.record())
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let document = JSONObject([JSONMember(name: "token_endpoint", value: "https://login.example/token")])
        try ProviderStore(cache).keep(document, as: "key", at: now)
        let file = store.path + ".providers"
        let sealed = try store.bytes(file)
        #expect(!String(decoding: sealed, as: UTF8.self).contains("login.example"))
        func found(_ cache: TokenCache) -> JSONObject? { ProviderStore(cache).document("key", at: now)?.document }
        let again = store.sealed(Asked("p").keys())
        _ = try again.read()
        #expect(found(again) == document)
        // The same text in clear, as it lies beside a plain store.
        let plain = try Store()
        try ProviderStore(plain.cache).keep(document, as: "key", at: now)
        #expect(found(plain.cache) == document)
        try store.write(try plain.bytes(plain.path + ".providers"), to: file)
        #expect(found(again) == nil)
        // A changed byte, and the file of another sealed store.
        for place in [0, 12, sealed.count / 2, sealed.count - 1] {
            var changed = sealed
            changed[place] ^= 1
            try store.write(changed, to: file)
            #expect(found(again) == nil)
        }
        let other = try Store()
        let stranger = other.sealed(Asked("p").keys())
        try stranger.save(World.record())
        try ProviderStore(stranger).keep(document, as: "key", at: now)
        try store.write(try other.bytes(other.path + ".providers"), to: file)
        #expect(found(again) == nil)
        // While the store is closed nobody is asked for its passphrase.
        try store.write(sealed, to: file)
        let closed = Asked("p")
        #expect(found(store.sealed(closed.keys())) == nil && closed.questions.isEmpty)
    }

    private struct Wrong: Error {}
}

@Suite struct StoreKeyTests {
    /// RFC 7914 section 12; the fourth, which takes a gigabyte, is left out. Keys are 32 bytes: the first half of each.
    @Test(
        arguments: [
            ("", "", 4, 1, 1, "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"),
            ("password", "NaCl", 10, 8, 16, "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"),
            (
                "pleaseletmein", "SodiumChloride", 14, 8, 1,
                "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
            ),
        ] as [(String, String, UInt8, UInt8, UInt8, String)])
    func `A passphrase gives the key that RFC 7914 says`(
        passphrase: String, salt: String, logN: UInt8, r: UInt8, p: UInt8, key: String
    )
        throws
    {
        let cost = try #require(ScryptCost(logN: logN, r: r, p: p))
        let made = try cost.key(from: Secret(passphrase), salt: Array(salt.utf8))
        let text = made.withUnsafeBytes { $0.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
        #expect(text == key)
    }

    @Test func `What a passphrase may cost is bounded`() {
        for (logN, r, p) in [
            (0, 8, 1), (21, 8, 1), (255, 8, 1), (17, 0, 1), (17, 17, 1), (17, 8, 0), (17, 8, 17), (20, 16, 1),
            (20, 8, 2),
        ]
            as [(UInt8, UInt8, UInt8)]
        {
            #expect(ScryptCost(logN: logN, r: r, p: p) == nil)
        }
        #expect(ScryptCost(logN: 20, r: 8, p: 1) != nil)
        #expect(ScryptCost.standard.logN == 17 && ScryptCost.standard.r == 8 && ScryptCost.standard.p == 1)
    }

    @Test(.enabled(if: KernelKeys.refusal() == nil, "the kernel keeps no keys here"))
    func `The kernel holds the key for other processes of the person, until it is forgotten`() throws {
        let store = try Store()
        let asked = Asked("p")
        try store.sealed(asked.keys(usesKernel: true)).save(World.record())
        let header = try SealedHeader(try store.bytes(), path: store.path)
        defer { KernelKeys.forget(header.keyName) }
        let nobody = Asked { _ in nil }
        #expect(try !store.sealed(nobody.keys(usesKernel: true)).read().credentials().isEmpty)
        #expect(try !store.sealed(.held).read().credentials().isEmpty)
        #expect(nobody.questions.isEmpty)
        let name = header.keyName.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        // Foundation ends with the first piece of what the kernel writes.
        let file = try #require(fopen("/proc/keys", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        let listed = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        #expect(listed.first { $0.contains("foyer:" + name) }?.contains(" perm ") == false)
        #expect(nobody.keys(usesKernel: true).forget(header, path: store.path))
        #expect(situation { _ = try store.sealed(nobody.keys(usesKernel: true)).read() } != nil)
        #expect(nobody.questions.count == 1)
        #expect(situation { _ = try store.sealed(.held).read() } != nil)
    }

    @Test func `A key that is only in the kernel is not unwrapped by another program`() throws {
        let store = try Store()
        var header = SealedHeader.magic + [1, 2, 0, 0, 0, 0, 0, 0] + SealedHeader.random(48) + [0, 1, 0x78]
        header += [UInt8](repeating: 0, count: 32)
        try store.write(header)
        guard case .passphraseNeeded = situation({ _ = try store.sealed(.held).read() }) else {
            Issue.record("systemd-creds was asked")
            return
        }
    }

    @Test(.enabled(if: SystemCredential.isThere && geteuid() == 0, "systemd-creds needs root here"))
    func `systemd-creds keeps a key that no passphrase is needed for`() throws {
        let key = SymmetricKey(size: .bits256)
        let wrapped: [UInt8]
        do { wrapped = try SystemCredential.encrypt(key, path: "x") } catch {
            // A machine without a place for the host's key refuses; it must say so.
            guard case .credentials = error.situation else { throw error }
            return
        }
        #expect(try SystemCredential.decrypt(wrapped, path: "x") == key)
        var bad = wrapped
        bad[bad.count / 2] ^= 1
        #expect(situation { _ = try SystemCredential.decrypt(bad, path: "x") } != nil)
    }

    @Test func `A program that is asked for something is bounded in time, size and what it can see`() {
        #expect(
            ChildProcess.run("/bin/cat", [], input: Array("abc".utf8), mostOutput: 100, limit: Waiting.end)
                == .exited(status: 0, output: Array("abc".utf8)))
        #expect(
            ChildProcess.run(
                "/bin/cat", [], input: [UInt8](repeating: 1, count: 200_000), mostOutput: 300_000, limit: Waiting.end)
                == .exited(status: 0, output: [UInt8](repeating: 1, count: 200_000)))
        #expect(
            ChildProcess.run("/bin/sh", ["-c", "exit 3"], input: [], mostOutput: 10, limit: Waiting.end)
                == .exited(status: 3, output: []))
        #expect(
            ChildProcess.run("/bin/cat", ["/dev/zero"], input: [], mostOutput: 10_000, limit: Waiting.end) == .timedOut
        )
        #expect(
            ChildProcess.run("/bin/sleep", ["60"], input: [], mostOutput: 10, limit: .milliseconds(100)) == .timedOut)
        #expect(
            ChildProcess.run("/nonexistent/x", [], input: [], mostOutput: 10, limit: Waiting.end)
                == .notStarted(.noSuchFileOrDirectory))
    }
}
