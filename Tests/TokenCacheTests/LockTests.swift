import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import TokenCache

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

enum Lock {
    /// The number of a process that has been and is no more.
    static func deadProcess() throws -> pid_t {
        var pid = pid_t()
        let name = strdup("true")
        defer { free(name) }
        try #require(posix_spawnp(&pid, "true", nil, nil, [name, nil], nil) == 0)
        try #require(waitpid(pid, nil, 0) == pid)
        return pid
    }
}

@Suite struct LockTests {
    private func lockFile(_ store: Store, _ content: String) throws { try store.write(Array(content.utf8), to: store.path + ".lockfile") }

    @Test(arguments: ["1 python", "\u{FEFF}1 python\n"])
    func `A lock file of a living process is waited for, then told with its pid (DEC4, atk-J17)`(_ content: String) throws {
        let store = try Store(fixture: "msal_one_account")
        try lockFile(store, content)
        let before = try store.bytes()
        #expect(situation { try store.cache.save(World.record()) } == .locked(pid: 1, name: "python"))
        #expect(try store.bytes() == before)
        #expect(access(store.path + ".lockfile", F_OK) == 0)
        #expect(try store.cache.read().accounts().count == 1, "reading takes no lock")
    }

    @Test func `A lock that is held by flock alone is waited for, even when its maker is dead (DEC4)`() throws {
        let store = try Store(fixture: "msal_one_account")
        try lockFile(store, "\(try Lock.deadProcess()) gone")
        let other = open(store.path + ".lockfile", O_RDWR)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        guard case .locked = situation({ try store.cache.save(World.record()) }) else {
            Issue.record("the lock was not honoured")
            return
        }
        close(other)
        try store.cache.save(World.record())
    }

    @Test func `A lock file that a dead process left is taken over, and removed at the end (DEC3, atk-J17)`() throws {
        let store = try Store(fixture: "msal_one_account")
        try lockFile(store, "\(try Lock.deadProcess()) /usr/bin/az")
        try store.cache.save(World.record())
        #expect(store.names == ["token_cache.json"])
    }

    /// What a file holds, looked at again and again until the task is called off.
    private static func contents(of file: String) -> Set<String> {
        var seen: Set<String> = []
        while !Task.isCancelled {
            if let content = try? Data(contentsOf: URL(filePath: file)) { seen.insert(String(decoding: content, as: UTF8.self)) }
        }
        return seen
    }

    private static func lockOnce(_ place: FilePlace) throws {
        try StoreLock.holding(place, wait: .seconds(20)) { () throws(StoreError) in _ = sched_yield() }
    }

    @Test func `A lock file has its maker's number as soon as it has its name, so that the dead leave none without (atk-J10)`() async throws
    {
        let store = try Store()
        let place = try FilePlace(store.path)
        let file = store.path + ".lockfile"
        let looks = Task { Self.contents(of: file) }
        for _ in 0..<300 { try Self.lockOnce(place) }
        looks.cancel()
        #expect(await looks.value.isSubset(of: ["\(getpid()) foyer"]))
        #expect(store.names.isEmpty)
    }

    @Test func `A lock file without a pid is respected for a minute`() throws {
        let store = try Store(fixture: "msal_one_account")
        try lockFile(store, "")
        #expect(situation { try store.cache.save(World.record()) } == .locked(pid: nil, name: ""))
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let times = [timespec(tv_sec: now.tv_sec - 90, tv_nsec: 0), timespec(tv_sec: now.tv_sec - 90, tv_nsec: 0)]
        utimensat(AT_FDCWD, store.path + ".lockfile", times, 0)
        try store.cache.save(World.record())
    }

    @Test func `azd's lock is honoured for files of its name, and stays`() throws {
        let store = try Store(fixture: "msal_go_style", name: "cache.json")
        try store.write([], to: store.path + ".lock")
        let other = open(store.path + ".lock", O_RDWR)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        #expect(situation { try store.cache.save(World.record()) } == .locked(pid: nil, name: ""))
        close(other)
        try store.cache.save(World.record())
        #expect(store.names == ["cache.json", "cache.json.lock"])
    }

    @Test func `Eight tasks that save at once lose nothing (atk-J16)`() async throws {
        let store = try Store(fixture: "msal_unknown_fields")
        let before = try store.cache.read().credentials().count
        let path = store.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for turn in 0..<6 {
                        let cache = TokenCache(path: path, lockWait: .seconds(30))
                        try cache.save(World.record(client: "client-\(task)", home: "user-\(turn).tenant", access: "FAKE-\(task)-\(turn)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        let after = try store.cache.read()
        #expect(after.credentials().count == before + 8 * 6 * 3)
        #expect(store.names == ["token_cache.json"])
        #expect(try store.json()["FutureSection"] != nil)
    }

    @Test func `What a peer wrote after we read is still there after we save (DEC4)`() throws {
        let store = try Store(fixture: "msal_one_account")
        _ = try store.cache.read()
        try store.write(Fixture.bytes("msal_many"))
        try store.cache.save(World.record())
        #expect(try store.cache.read().accounts().count == 8)
    }

    @Test func `A store that is empty for a moment is read when its writer is done (DEC3)`() async throws {
        let store = try Store([])
        let path = store.path
        async let read = Task { try TokenCache(path: path, lockWait: .seconds(5), retryPause: 200_000).read() }.value
        try store.write(Fixture.bytes("msal_one_account"))
        #expect(try await read.accounts().count == 1)
    }
}

@Suite struct RefreshLockTests {
    @Test func `One key is held once, another is free (DEC16, atk-G3)`() async throws {
        let store = try Store()
        let lock = try await RefreshLock.acquire(path: store.path, key: "a", timeout: .zero)
        await #expect(throws: StoreError(.locked(pid: nil, name: ""), path: store.path)) {
            _ = try await RefreshLock.acquire(path: store.path, key: "a", timeout: .milliseconds(20))
        }
        let other = try await RefreshLock.acquire(path: store.path, key: "b", timeout: .zero)
        lock.release()
        lock.release()
        let again = try await RefreshLock.acquire(path: store.path, key: "a", timeout: .zero)
        again.release()
        other.release()
        var info = stat()
        #expect(lstat(store.path + ".refresh", &info) == 0 && info.st_mode & 0o777 == 0o600)
    }

    @Test func `A body runs alone`() async throws {
        let store = try Store()
        let cache = store.cache
        let counter = store.folder + "/count"
        try store.write(Array("0".utf8), to: counter)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await cache.withRefreshLock(key: "k", timeout: .seconds(20)) {
                        let count = Int(String(decoding: try Data(contentsOf: URL(filePath: counter)), as: UTF8.self)) ?? 0
                        await Task.yield()
                        try Data("\(count + 1)".utf8).write(to: URL(filePath: counter))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.bytes(counter) == Array("8".utf8))
    }

    @Test func `Calling off ends the wait`() async throws {
        let store = try Store()
        let path = store.path
        let lock = try await RefreshLock.acquire(path: path, key: "a", timeout: .zero)
        let waiting = Task { try await RefreshLock.acquire(path: path, key: "a", timeout: .seconds(60)) }
        waiting.cancel()
        await #expect(throws: StoreError(.cancelled, path: path)) { _ = try await waiting.value }
        lock.release()
    }

    @Test func `The place of a key is the same in every process`() {
        // The published values of FNV-1a, without their two highest bits.
        #expect(RefreshLock.offset(of: "") == 0x0BF2_9CE4_8422_2325)
        #expect(RefreshLock.offset(of: "a") == 0x2F63_DC4C_8601_EC8C)
    }
}
