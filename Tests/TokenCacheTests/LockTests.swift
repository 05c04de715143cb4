import Dispatch
import Foundation
import Identity
import StrictJSON
import Synchronization
import Testing
import Waiting

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

/// Holds a store's lock under a new lock file every 100 ms, without a moment in which it is free.
private final class TurnTakers: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let state = Mutex((isOver: false, longest: Duration.zero))

    init(_ store: Store) throws {
        let file = store.path + ".lockfile"
        @Sendable func take() -> Int32 {
            let made = open(file + ".next", O_RDWR | O_CREAT | O_EXCL, 0o600)
            _ = flock(made, LOCK_EX)
            _ = rename(file + ".next", file)
            return made
        }
        let first = take()
        try #require(first >= 0)
        // A thread of its own: those of tasks may all be blocked by writers that wait.
        Thread.detachNewThread { [self] in
            var held = first
            while !state.withLock({ $0.isOver }) {
                let turn = ContinuousClock().measure {
                    usleep(100_000)
                    let next = take()
                    close(held)
                    held = next
                }
                state.withLock { $0.longest = max($0.longest, turn) }
            }
            unlink(file)
            close(held)
            done.signal()
        }
    }

    /// Ends the last turn.
    ///
    /// - Returns: how long the longest turn was: on a busy machine one can be longer than the wait for a single holder.
    func end() -> Duration {
        state.withLock { $0.isOver = true }
        done.wait()
        return state.withLock { $0.longest }
    }
}

@Suite struct LockTests {
    /// Seconds: younger than five, however long a busy machine takes until the file is looked at.
    private static let young = -20

    private func lockFile(_ store: Store, _ content: String, age: Int = 0, of name: String = "") throws {
        let file = store.path + name + ".lockfile"
        try store.write(Array(content.utf8), to: file)
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let time = timespec(tv_sec: now.tv_sec - age, tv_nsec: 0)
        if age != 0 { utimensat(AT_FDCWD, file, [time, time], 0) }
    }

    /// What this program writes into a lock file, as another process would.
    private func signature(pid: pid_t, boot: String? = nil, with files: [String] = []) -> String {
        var text = String(decoding: LockSignature.own(files), as: UTF8.self)
        text = "\(pid)" + text.drop { $0.isNumber }
        guard let boot else { return text }
        return text.split(separator: " ").map { $0.hasPrefix("boot=") ? "boot=\(boot)" : $0 }.joined(separator: " ")
    }

    @Test(arguments: ["1 python", "\u{FEFF}1 python\n"])
    func `A lock file of a living process is waited for, then told with its pid`(_ content: String) throws {
        let store = try Store(fixture: "msal_one_account")
        try lockFile(store, content)
        let before = try store.bytes()
        #expect(situation { try store.cache.save(World.record()) } == .locked(pid: 1, name: "python"))
        #expect(try store.bytes() == before)
        #expect(access(store.path + ".lockfile", F_OK) == 0)
        #expect(try store.cache.read().accounts().count == 1, "reading takes no lock")
    }

    @Test func `A lock that is held by flock alone is waited for, even when its maker is dead`() throws {
        let store = try Store(fixture: "msal_one_account")
        try lockFile(store, "\(try Lock.deadProcess()) gone", age: 6)
        let other = open(store.path + ".lockfile", O_RDWR)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        guard case .locked = situation({ try store.cache.save(World.record()) }) else {
            Issue.record("the lock was not honoured")
            return
        }
        close(other)
        try store.cache.save(World.record())
    }

    @Test func `A lock file that a dead process left is taken over after five seconds, and removed at the end`() throws
    {
        let store = try Store(fixture: "msal_one_account")
        let before = try store.bytes()
        let pid = try Lock.deadProcess()
        try lockFile(store, "\(pid) /usr/bin/az", age: Self.young)
        // The number may be one of another pid namespace, where its process lives and has nothing but this file.
        #expect(situation { try store.cache.save(World.record()) } == .locked(pid: pid, name: "az"))
        #expect(try store.bytes() == before && store.names == ["token_cache.json", "token_cache.json.lockfile"])
        try lockFile(store, "\(pid) /usr/bin/az", age: 6)
        try store.cache.save(World.record())
        #expect(store.names == ["token_cache.json"])
    }

    /// What a file holds, looked at again and again until the task is called off.
    private static func contents(of file: String) -> Set<String> {
        var seen: Set<String> = []
        while !Task.isCancelled {
            if let content = try? Data(contentsOf: URL(filePath: file)) {
                seen.insert(String(decoding: content, as: UTF8.self))
            }
        }
        return seen
    }

    private static func lockOnce(_ place: ResolvedPath) throws {
        try StoreLock.holding(place, wait: Waiting.end) { () throws(StoreError) in _ = sched_yield() }
    }

    @Test func `A lock file has its maker's number as soon as it has its name, so that the dead leave none without`()
        async throws
    {
        let store = try Store()
        let place = try ResolvedPath(store.path)
        let file = store.path + ".lockfile"
        let looks = Task { Self.contents(of: file) }
        for _ in 0..<300 { try Self.lockOnce(place) }
        looks.cancel()
        #expect(await looks.value.isSubset(of: [signature(pid: getpid())]))
        #expect(store.names.isEmpty)
    }

    @Test(arguments: ["", "\0\0\0\0\0\0\0\0\0\0"])
    func `A lock file without a pid, as a power cut leaves it, is respected for five seconds`(_ content: String) throws
    {
        let store = try Store(fixture: "msal_one_account")
        try lockFile(store, content, age: Self.young)
        #expect(situation { try store.cache.save(World.record()) } == .locked(pid: nil, name: ""))
        try lockFile(store, content, age: 6)
        try store.cache.save(World.record())
        // The clock was set back since: whoever waits for its time to come waits for ever.
        try lockFile(store, content, age: -86_400)
        try store.cache.save(World.record(client: "other"))
        #expect(store.names == ["token_cache.json"])
    }

    @Test func `A young lock file is taken over by who has seen it unchanged for five seconds`() throws {
        let store = try Store(fixture: "msal_one_account")
        try lockFile(store, "", age: -30)
        try TokenCache(path: store.path, lockWait: Waiting.end).save(World.record())
        #expect(store.names == ["token_cache.json"])
    }

    @Test func `This program's own lock is left when nobody has it locked, whoever has its number now`() throws {
        let store = try Store(fixture: "msal_one_account")
        for pid in [try Lock.deadProcess(), 1, getpid()] {
            try lockFile(store, signature(pid: pid))
            try store.cache.save(World.record(client: "client-\(pid)"))
        }
        #expect(store.names == ["token_cache.json"])
    }

    @Test func `A lock of before the machine was started is left, though its number lives again`() throws {
        let store = try Store(fixture: "msal_one_account")
        try lockFile(store, signature(pid: 1, boot: "00000000-0000-0000-0000-000000000000"), age: 6)
        try store.cache.save(World.record())
        try lockFile(store, "1 python", age: 20 * 365 * 86_400)
        try store.cache.save(World.record(client: "other"))
        #expect(store.names == ["token_cache.json"])
    }

    @Test func `A lock of a process that runs since before it was made is honoured, however old it is`() throws {
        let store = try Store(fixture: "msal_one_account")
        let beginning = try #require(LockSignature.beginning(of: getpid()))
        #expect(abs(LockSignature.seconds(CLOCK_REALTIME) - beginning) < 3600)
        try lockFile(store, "1 python", age: 6)
        #expect(situation { try store.cache.save(World.record()) } == .locked(pid: 1, name: "python"))
    }

    @Test func `What dead processes left beside a store goes when it is opened, and what the living have stays`() throws
    {
        let store = try Store(fixture: "msal_one_account")
        let dead = try Lock.deadProcess()
        for name in ["", ".keys", ".providers", ".throttle"] {
            try lockFile(store, name == ".providers" ? "" : signature(pid: dead), age: 6, of: name)
            try store.write([], to: "\(store.path)\(name).tmp.\(dead)")
        }
        try lockFile(store, "1 python", of: ".throttle")
        store.cache.clearLeftovers()
        #expect(
            store.names == [
                "token_cache.json", "token_cache.json.throttle.lockfile", "token_cache.json.throttle.tmp.\(dead)",
            ])
    }

    @Test func `Who finds one lock of a dead process takes away the others that it had, wherever they are`() throws {
        let store = try Store(fixture: "msal_one_account")
        let elsewhere = try Store(fixture: "msal_many")
        let files = [store.path, elsewhere.path].map { $0 + ".lockfile" }
        let dead = try Lock.deadProcess()
        let text = signature(pid: dead, with: files)
        for one in [store, elsewhere] {
            try lockFile(one, text)
            try one.write([], to: "\(one.path).tmp.\(dead)")
        }
        // Of another process, and of one that is locked.
        let stranger = try Store()
        try lockFile(stranger, signature(pid: 1, with: [stranger.path + ".lockfile", "/x"]))
        store.cache.clearLeftovers()
        #expect(store.names == ["token_cache.json"] && elsewhere.names == ["token_cache.json"])
        #expect(stranger.names == ["token_cache.json.lockfile"])
    }

    @Test func `A small file that several change at once loses nothing`() async throws {
        let store = try Store()
        let file = StateFile(path: store.folder + "/state/count", maximumBytes: 100, lockWait: Waiting.end)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10 {
                        try file.change { Array("\((Int(String(decoding: $0 ?? [], as: UTF8.self)) ?? 0) + 1)".utf8) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try file.read() == Array("80".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder + "/state") == ["count"])
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

    @Test func `Eight tasks that save at once lose nothing`() async throws {
        let store = try Store(fixture: "msal_unknown_fields")
        let before = try store.cache.read().credentials().count
        let path = store.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for turn in 0..<6 {
                        let cache = TokenCache(path: path, lockWait: Waiting.end)
                        try cache.save(
                            World.record(
                                client: "client-\(task)", home: "user-\(turn).tenant", access: "FAKE-\(task)-\(turn)"))
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

    @Test func `What a peer wrote after we read is still there after we save`() throws {
        let store = try Store(fixture: "msal_one_account")
        _ = try store.cache.read()
        try store.write(Fixture.bytes("msal_many"))
        try store.cache.save(World.record())
        #expect(try store.cache.read().accounts().count == 8)
    }

    @Test func `While other writers take turns the lock is waited for longer than for one of them`() async throws {
        let store = try Store(fixture: "msal_one_account")
        let before = try store.bytes()
        let wait = Duration.seconds(3)
        let cache = TokenCache(path: store.path, lockWait: wait, patience: Waiting.end)
        let isWritten = await eventually {
            guard let others = try? TurnTakers(store) else { return false }
            let end = Task { () async -> Duration in
                try? await Task.sleep(for: wait + .seconds(1))
                return others.end()
            }
            async let reservation = cache.reserve()
            let found = await BlockingExecutor.run { situation { try cache.save(World.record()) } }
            let isReserved = (try? await reservation) != nil
            // A turn that the machine kept from its end is taken for a holder that is stuck: once more.
            if await end.value >= wait { return false }
            #expect(found == nil && isReserved)
            return true
        }
        #expect(try isWritten && store.bytes() != before)
    }

    @Test func `The lock file of a reserved write is made with the reservation, and is used once`() async throws {
        let store = try Store(fixture: "msal_one_account")
        let reservation = try await store.cache.reserve()
        let file = store.path + ".lockfile"
        #expect(
            reservation.lock("/elsewhere/x.lockfile") { _ in
                Issue.record("another folder"); return nil
            } == nil)
        var reserved: Int32?
        // The name is taken: the file stays for the next attempt.
        _ = reservation.lock(file) {
            reserved = $0
            return nil
        }
        let held = try #require(reserved)
        #expect(LockSignature(of: held).pid == getpid())
        #expect(try await store.cache.save(World.record(), in: reservation) { _ in })
        #expect(reservation.lock(file) { $0 } == nil)
        #expect(!store.names.contains("token_cache.json.lockfile"))
    }

    @Test func `Each holder of a lock has its own time, which starts when it is found`() throws {
        let store = try Store()
        let file = store.path + ".lockfile"
        let begin = ContinuousClock.now
        var queue = LockQueue(wait: .seconds(1), limit: .seconds(10), begin: begin)
        func isOver(_ seconds: Double) -> Bool { queue.isOver(file, now: begin + .seconds(seconds)) }
        // Released during an attempt, of a process that was then stopped for longer than the wait.
        #expect(!isOver(2))
        #expect(!isOver(2.9))
        try store.write([], to: file)
        #expect(!isOver(4))
        #expect(!isOver(4.9))
        #expect(isOver(5))
        try store.write([], to: file + ".next")
        #expect(rename(file + ".next", file) == 0)
        #expect(!isOver(6))
        #expect(isOver(10))
        var none = LockQueue(wait: .zero, limit: .seconds(10), begin: begin)
        let isOverAtOnce = none.isOver(file, now: begin)
        #expect(isOverAtOnce)
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `A store that nobody writes and that stays unfinished is not waited for as for other writers`() async throws {
        let store = try Store(Array(Fixture.bytes("msal_one_account").prefix(200)))
        let cache = TokenCache(path: store.path, lockWait: .milliseconds(300), patience: .seconds(86_400))
        await #expect(throws: StoreError.self) { try await cache.reserve() }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `Writers that take turns for ever are given up on in the end`() throws {
        let store = try Store(fixture: "msal_one_account")
        let others = try TurnTakers(store)
        let wait = Duration.milliseconds(300)
        let cache = TokenCache(path: store.path, lockWait: wait, patience: .seconds(1))
        let begin = ContinuousClock.now
        let found = situation { try cache.save(World.record()) }
        let waited = ContinuousClock.now - begin
        let longest = others.end()
        guard case .locked = found else {
            Issue.record("the lock was not honoured")
            return
        }
        #expect(waited >= .seconds(1) || longest >= wait)
    }

    @Test func `A store that is empty for a moment is read when its writer is done`() async throws {
        let store = try Store([])
        let path = store.path
        async let read = Task { try TokenCache(path: path, lockWait: Waiting.end, retryPause: 200_000).read() }.value
        try store.write(Fixture.bytes("msal_one_account"))
        #expect(try await read.accounts().count == 1)
    }
}

@Suite struct RefreshLockTests {
    @Test func `One key is held once, another is free`() async throws {
        let store = try Store()
        let lock = try await RefreshLock.acquire(TokenCache(path: store.path), key: "a", timeout: .zero)
        await #expect(throws: StoreError(.locked(pid: nil, name: ""), path: store.path)) {
            _ = try await RefreshLock.acquire(TokenCache(path: store.path), key: "a", timeout: .milliseconds(20))
        }
        let other = try await RefreshLock.acquire(TokenCache(path: store.path), key: "b", timeout: .zero)
        lock.release()
        lock.release()
        let again = try await RefreshLock.acquire(TokenCache(path: store.path), key: "a", timeout: .zero)
        again.release()
        other.release()
        var info = stat()
        #expect(lstat(store.path + ".refresh", &info) == 0 && info.st_mode & 0o777 == 0o600)
    }

    @Test func `Who holds the lock is alone`() async throws {
        let store = try Store()
        let path = store.path
        let counter = store.folder + "/count"
        try store.write(Array("0".utf8), to: counter)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let lock = try await RefreshLock.acquire(TokenCache(path: path), key: "k", timeout: Waiting.end)
                    defer { lock.release() }
                    let count = Int(String(decoding: try Data(contentsOf: URL(filePath: counter)), as: UTF8.self)) ?? 0
                    await Task.yield()
                    try Data("\(count + 1)".utf8).write(to: URL(filePath: counter))
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.bytes(counter) == Array("8".utf8))
    }

    @Test func `Calling off ends the wait`() async throws {
        let store = try Store()
        let path = store.path
        let lock = try await RefreshLock.acquire(TokenCache(path: path), key: "a", timeout: .zero)
        let waiting = Task { try await RefreshLock.acquire(TokenCache(path: path), key: "a", timeout: Waiting.end) }
        waiting.cancel()
        await #expect(throws: StoreError(.cancelled, path: path)) { _ = try await waiting.value }
        lock.release()
    }

    @Test func `It is free once it is given back, also while a program that is being started has the file`() throws {
        let store = try Store()
        let held = try RefreshLock(path: store.path, key: "a")
        #expect(try held.attempt(.exclusive))
        let handle = try #require(held.passOn())
        // As a fork has it, until it becomes another program.
        let copy = dup(handle.descriptor)
        defer { close(copy) }
        let again = try #require(RefreshLock(inherited: handle, path: store.path))
        again.release()
        #expect(try RefreshLock(path: store.path, key: "a").attempt(.exclusive))
    }

    @Test func `The lock of all keys waits for each, and keeps everybody from a store that is moved`() throws {
        let store = try Store()
        let (one, all, late) = (
            try RefreshLock(path: store.path, key: "a"), try RefreshLock(path: store.path, key: nil),
            try RefreshLock(path: store.path, key: "b")
        )
        #expect(try one.attempt(.exclusive) && !all.attempt(.exclusive))
        one.release()
        #expect(try all.attempt(.exclusive) && !late.attempt(.shared))
        all.retire(to: "file:/elsewhere")
        all.release()
        #expect(throws: StoreError(.moved(to: "file:/elsewhere"), path: store.path)) { try late.attempt(.exclusive) }
        #expect(store.names.isEmpty)
    }

    @Test func `A lock file that was taken away is no lock for who had it open`() throws {
        let store = try Store()
        let (one, two) = (try RefreshLock(path: store.path, key: "a"), try RefreshLock(path: store.path, key: "a"))
        unlink(store.path + ".refresh")
        #expect(try one.attempt(.exclusive) && !two.attempt(.exclusive))
    }

    @Test func `Any number looks at once when the one has ended, and the next one is alone`() throws {
        let store = try Store()
        let (one, two, three) = (
            try RefreshLock(path: store.path, key: "a"), try RefreshLock(path: store.path, key: "a"),
            try RefreshLock(path: store.path, key: "a")
        )
        #expect(try one.attempt(.exclusive))
        #expect(try !two.attempt(.shared))
        #expect(throws: StoreError(.locked(pid: nil, name: ""), path: store.path)) {
            try two.wait(.shared, timeout: .milliseconds(20))
        }
        one.release()
        try two.wait(.shared, timeout: .zero)
        try three.wait(.shared, timeout: .zero)
        #expect(throws: StoreError(.locked(pid: nil, name: ""), path: store.path)) {
            try two.wait(.exclusive, timeout: .milliseconds(20))
        }
        // Who waits to be alone does not hinder who waits for the same.
        try three.wait(.exclusive, timeout: .zero)
        #expect(try !two.attempt(.shared))
        three.release()
        try two.wait(.exclusive, timeout: .zero)
    }

    @Test func `A lock that was passed on is not given back, and is known by its open file`() async throws {
        let store = try Store()
        let path = store.path
        let handle: RefreshLock.Handle
        do {
            let lock = try RefreshLock(path: path, key: "a")
            #expect(try lock.attempt(.exclusive))
            handle = try #require(lock.passOn())
            #expect(lock.passOn() == nil && !lock.isOpen(for: "a"))
            lock.release()
        }
        #expect(fcntl(handle.descriptor, F_GETFD) == 0)
        let other = try RefreshLock(path: path, key: "a")
        #expect(try !other.attempt(.shared))
        #expect(handle.claim())
        let lock = try #require(RefreshLock(inherited: handle, path: path))
        #expect(fcntl(handle.descriptor, F_GETFD) == FD_CLOEXEC)
        #expect(lock.isOpen(for: "a") && !lock.isOpen(for: "b"))
        #expect(try !other.attempt(.shared))
        lock.release()
        #expect(!lock.isOpen(for: "a"))
        #expect(try other.attempt(.exclusive))
    }

    @Test func `Only the lock file itself is taken over, and only where nobody else holds the lock`() throws {
        let store = try Store()
        let held = try RefreshLock(path: store.path, key: "a")
        #expect(try held.attempt(.exclusive))
        let place = RefreshLock.offset(of: "a")
        func inherits(_ suffix: String, _ mode: Int32 = O_RDWR, at offset: Int64, of path: String = store.path) -> Bool
        {
            let file = open(store.path + suffix, mode | O_CREAT, 0o600)
            let handle = RefreshLock.Handle(descriptor: file, offset: offset)
            let isClaimed = handle.claim() && fcntl(file, F_GETFD) == FD_CLOEXEC
            let isInherited = RefreshLock(inherited: handle, path: path) != nil
            return isClaimed && fcntl(file, F_GETFD) == -1 && isInherited
        }
        #expect(!inherits(".refresh", at: place), "another has it")
        held.release()
        #expect(inherits(".refresh", at: place))
        #expect(!inherits(".copy", at: place), "another file")
        #expect(!inherits(".refresh", O_RDONLY, at: place), "cannot be locked")
        #expect(!inherits(".refresh", at: -1) && !inherits(".refresh", at: place, of: store.path + "2"))
        #expect(!RefreshLock.Handle(descriptor: 9999, offset: place).claim())
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        #expect(!RefreshLock.Handle(descriptor: ends[0], offset: place).claim(), "no file")
        for end in ends { close(end) }
    }

    @Test func `The place of a key is the same in every process`() {
        // The published values of FNV-1a, without their two highest bits.
        #expect(RefreshLock.offset(of: "") == 0x0BF2_9CE4_8422_2325)
        #expect(RefreshLock.offset(of: "a") == 0x2F63_DC4C_8601_EC8C)
    }
}
