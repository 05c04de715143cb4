import FoundationEssentials
import Identity
import Synchronization
import Testing

@testable import TokenCache

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `foyer store lock` against the processes that have the store open; each has keys of its own.
@Suite struct StoreLockingTests {
    /// Asked once; then the user is not there.
    private static func onlyOnce() -> Asked {
        let isFirst = Once()
        return Asked { _ in isFirst.take() ? "p" : nil }
    }

    private static func refuses(_ body: () throws -> Void) -> Bool {
        if case .passphraseNeeded? = situation(body) { true } else { false }
    }

    private static func opened(_ store: Store) throws -> TokenCache {
        let cache = store.sealed(onlyOnce().keys())
        #expect(try !cache.read().credentials().isEmpty)
        return cache
    }

    private static func store() throws -> Store {
        let store = try Store()
        try store.sealed(Asked("p").keys()).save(World.record())
        return store
    }

    @Test func `A lock closes the store in every process that has it open`() throws {
        let store = try Self.store()
        let open = try Self.opened(store)
        #expect(try !open.read().credentials().isEmpty && open.status().isOpen)
        let before = try store.bytes()
        _ = try store.sealed(Asked("p").keys()).lockAgain()
        let uses: [(String, () throws -> Void)] = [
            ("read", { _ = try open.read() }), ("secrets", { _ = try open.content(.clientSecrets) }),
            ("save", { try open.save(World.record(access: "later")) }), ("unlock", { try open.unlock() }),
            ("index", { _ = try open.reading() }),
        ]
        for (name, use) in uses { #expect(Self.refuses(use), "\(name)") }
        #expect(try !open.status().isOpen && open.backend.sealSideFile([1]) == nil && store.bytes() == before)
        #expect(try !store.sealed(Asked("p").keys()).read().credentials().isEmpty)
    }

    @Test func `What is not known of the last lock counts as a lock`() throws {
        let store = try Self.store()
        let file = store.path + StoreLockMark.suffix
        _ = try store.sealed(Asked("p").keys()).lockAgain()
        let changes: [(String, (String) throws -> Void)] = [
            ("removed", { unlink($0) }), ("emptied", { try store.write([], to: $0) }),
            ("too long", { try store.write([UInt8](repeating: 0x30, count: 4096), to: $0) }),
            (
                "a folder",
                {
                    unlink($0); mkdir($0, 0o700)
                }
            ),
        ]
        for (name, change) in changes {
            let open = try Self.opened(store)
            try change(file)
            #expect(situation { _ = try open.read() } != nil, "\(name)")
            rmdir(file)
            _ = try store.sealed(Asked("p").keys()).lockAgain()
        }
    }

    @Test func `A response whose space was reserved before the lock is stored, and the store stays locked`()
        async throws
    {
        let store = try Self.store()
        let open = try Self.opened(store)
        let reservation = try await open.reserve()
        _ = try store.sealed(Asked("p").keys()).lockAgain()
        #expect(Self.refuses { try open.save(World.record(refresh: "FAKE-RT-other")) })
        #expect(try await open.save(World.record(refresh: "FAKE-RT-rotated"), in: reservation) { _ in })
        #expect(Self.refuses { _ = try open.read() })
        let stored = try store.sealed(Asked("p").keys()).read().credentials()
        #expect(stored.contains { $0.secret == Secret("FAKE-RT-rotated") })
        reservation.release()
        #expect(reservation.keyLease == nil)
    }

    @Test(.enabled(if: KernelKeys.refusal() == nil, "the kernel keeps no keys here"))
    func `A key that the kernel keyring has lost is dropped, and a save does not put it back`() async throws {
        let store = try Store()
        let open = store.sealed(Self.onlyOnce().keys(usesKernel: true))
        try open.save(World.record())
        let header = try SealedHeader(try store.bytes(), path: store.path)
        defer { KernelKeys.forget(header.keyName) }
        let reservation = try await open.reserve()
        // Another process locks it, or the user logs out.
        KernelKeys.forget(header.keyName)
        #expect(try await open.save(World.record(refresh: "FAKE-RT-rotated"), in: reservation) { _ in })
        #expect(KernelKeys.find(header.keyName) == nil)
        #expect(Self.refuses { _ = try open.read() })
    }

    @Test func `A lock and an unlock are changes of a file that an open interface watches`() throws {
        let store = try Self.store()
        let open = try Self.opened(store)
        let file = store.path + StoreLockMark.suffix
        #expect(open.filesRead.contains(file))
        _ = try store.sealed(Asked("p").keys()).lockAgain()
        let old = timespec(tv_sec: 1, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, file, [old, old], 0) == 0)
        let mark = try store.bytes(file)
        try store.sealed(Asked("p").keys()).unlock()
        var info = stat()
        #expect(stat(file, &info) == 0 && info.st_mtim.tv_sec > 1)
        #expect(try store.bytes(file) == mark)
    }
}

private final class Once: Sendable {
    private let isTaken = Mutex(false)

    func take() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }
}
