import Glibc
import Identity
import Synchronization
import SystemPackage

/// One refresh at a time per credential, across all foyer processes: locks one byte of `<path>.refresh`, at an offset
/// derived from the key. An OFD lock also works between tasks of one process, survives exec, and is released by the
/// kernel when the process dies. The store itself is not locked. A move of the store locks all keys, unlinks the file,
/// and writes the new location into it for waiting processes; see also ``StoreWatch``.
package final class RefreshLock: Sendable {
    package enum Mode: Sendable {
        /// Held by the one process that refreshes.
        case exclusive
        /// Held by any number of processes that read the result.
        case shared
    }

    /// The open file of a lock, passed on to another program through exec.
    package struct Handle: Hashable, Sendable {
        package let descriptor: Int32
        package let offset: Int64

        package init(descriptor: Int32, offset: Int64) { (self.descriptor, self.offset) = (descriptor, offset) }

        /// Sets close-on-exec; call it before the process opens any other file. False if this cannot be a lock file.
        package func claim() -> Bool {
            var info = stat()
            guard RefreshLockFile.isOurs(descriptor, &info) else {
                // Its origin is unknown: if it were the lock, this process would wait for itself.
                if info.st_ino == 0 { close(descriptor) }
                return false
            }
            return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        }
    }

    private let descriptor: Mutex<Int32?>
    /// Instead of a file: the state of a store that is in no file, and the key.
    private let inMemory: (store: AttachedStore, key: String)?
    /// Whether this has the key of ``inMemory``, which has no shared holders.
    private let isTaken = Mutex(false)
    private struct Keeping {
        var isKept = false
        var isReleased = false
    }

    private let keeping = Mutex(Keeping())
    private let path: String
    private let offset: Int64
    private let length: Int64

    /// Opens the lock file of a store without taking the lock.
    ///
    /// - Parameter key: identifies the credential; never a secret. Nil for all of them.
    package init(path: String, key: String?) throws(StoreError) {
        descriptor = Mutex(try RefreshLockFile.opened(path))
        inMemory = nil
        self.path = path
        offset = key.map(Self.offset) ?? 0
        length = key == nil ? RefreshLockFile.endOfKeys : 1
    }

    /// The lock of a store, not yet taken.
    package convenience init(_ cache: TokenCache, key: String) throws(StoreError) {
        if case .attached(let store) = cache.backend {
            self.init(store, key: key)
        } else {
            try self.init(path: try cache.current.path, key: key)
        }
    }

    private init(_ store: AttachedStore, key: String) {
        descriptor = Mutex(nil)
        inMemory = (store, key)
        path = store.name
        offset = Self.offset(of: key)
        length = 1
    }

    /// The lock that was held exclusively before this process called exec.
    ///
    /// - Parameter handle: already claimed. Closed if it is not the store's lock file, or if others hold the lock: this
    ///   process would otherwise wait for itself.
    package init?(inherited handle: Handle, path: String) {
        descriptor = Mutex(handle.descriptor)
        inMemory = nil
        self.path = path
        offset = handle.offset
        length = 1
        guard handle.offset >= 0, RefreshLockFile.isNamed(handle.descriptor, path), (try? attempt(.exclusive)) == true
        else {
            return nil
        }
    }

    deinit { end() }

    /// - Parameters:
    ///   - timeout: how long to wait for another holder, without blocking a thread.
    ///   - onWait: called once if another process holds the lock.
    /// - Throws: `locked` on timeout, `cancelled`, `moved` if the store was moved in the meantime; `readOnly`, `io`.
    package static func acquire(_ cache: TokenCache, key: String, timeout: Duration, onWait: () -> Void = {})
        async throws(StoreError) -> RefreshLock
    {
        let lock = try RefreshLock(cache, key: key)
        let path = lock.path
        guard try !lock.attempt(.exclusive) else { return lock }
        onWait()
        let pauses = RetryBackoff(timeout)
        repeat {
            guard let pause = pauses.next else { throw StoreError(.locked(pid: nil, name: ""), path: path) }
            do { try await Task.sleep(for: pause) } catch { throw StoreError(.cancelled, path: path) }
        } while try !lock.attempt(.exclusive)
        return lock
    }

    /// Waits for the lock, blocking the thread. If it is not available immediately, this process first releases its own
    /// lock: two shared holders would otherwise wait for each other. Throws `locked` on timeout, `moved` after a move.
    package func wait(_ mode: Mode, timeout: Duration) throws(StoreError) {
        guard try !attempt(mode) else { return }
        descriptor.withLock { _ = $0.flatMap { OpenFileLock.set(F_UNLCK, of: $0, at: offset, length: length) } }
        let pauses = RetryBackoff(timeout)
        repeat {
            guard let pause = pauses.next else { throw StoreError(.locked(pid: nil, name: ""), path: path) }
            usleep(useconds_t(pause / .microseconds(1)))
        } while try !attempt(mode)
    }

    /// Takes the lock unless others hold it; throws `moved` if the store was moved since the file was opened.
    package func attempt(_ mode: Mode) throws(StoreError) -> Bool {
        if let (store, key) = inMemory {
            return isTaken.withLock { isTaken in
                isTaken = isTaken || store.beginRefresh(key)
                return isTaken
            }
        }
        for _ in 0..<Self.mostReopenings {
            let open = descriptor.withLock { $0 }
            guard let open else { throw .system("lock", path: path, code: .badFileDescriptor) }
            switch OpenFileLock.set(mode == .exclusive ? F_WRLCK : F_RDLCK, of: open, at: offset, length: length) {
            case nil, .noLocks?, .notSupportedOnSocket?, .noFunction?:
                // A file system without locks: refreshes can then overlap, which a second read of the store resolves.
                break
            case .resourceTemporarilyUnavailable?, .permissionDenied?: return false
            case let code?: throw .system("lock", path: path, code: code)
            }
            if RefreshLockFile.isNamed(open, path) { return true }
            // The process that unlinked the file was done with it; others can hold the file that replaced it.
            if let place = StorePlace(in: open), !place.isAt(path) {
                throw StoreError(.moved(to: place.name), path: path)
            }
            let next = try RefreshLockFile.opened(path)
            descriptor.withLock { $0 = next }
            close(open)
        }
        // The file is unlinked continually, or the file system reports a new inode each time.
        throw StoreError(.locked(pid: nil, name: ""), path: path)
    }

    private static let mostReopenings = 16

    /// Unlinks the file while all keys are locked, so that every waiting process notices.
    ///
    /// While a ``StoreWatch`` has the file, it becomes that of the new location, so that the next move is noticed too.
    ///
    /// - Parameters:
    ///   - place: the text of the ``StorePlace`` of the store's new location; nil if it stays.
    ///   - path: the path of the new location.
    func retire(to place: String?, at path: String? = nil) {
        descriptor.withLock { descriptor in
            guard let descriptor, let file = try? RefreshLockFile.file(ResolvedPath(self.path)) else { return }
            let isWatched = OpenFileLock.isHeldElsewhere(descriptor, at: RefreshLockFile.endOfKeys)
            if let place {
                StorePlace.write(place, to: descriptor)
                if isWatched, let path, let next = try? RefreshLockFile.file(ResolvedPath(path)) {
                    _ = uninterrupted { link(file, next) }
                }
            } else if isWatched {
                return
            }
            _ = uninterrupted { unlink(file) }
        }
    }

    /// Whether the lock is for this key and still held.
    package func isOpen(for key: String) -> Bool { Self.offset(of: key) == offset && descriptor.withLock { $0 != nil } }

    /// Leaves the lock to the program that this process is about to exec; nil if it was already released.
    package func passOn() -> Handle? {
        descriptor.withLock { descriptor in
            guard let open = descriptor, fcntl(open, F_SETFD, 0) == 0 else { return nil }
            descriptor = nil
            return Handle(descriptor: open, offset: offset)
        }
    }

    /// Puts off a release until ``stopKeeping()``: a request that was sent outlives the call that sent it.
    package func keep() { keeping.withLock { $0.isKept = true } }

    package func stopKeeping() {
        let isReleased = keeping.withLock { keeping in
            keeping.isKept = false
            return keeping.isReleased
        }
        if isReleased { end() }
    }

    /// Releases the lock; does nothing the second time.
    package func release() {
        let isKept = keeping.withLock { keeping in
            keeping.isReleased = true
            return keeping.isKept
        }
        if !isKept { end() }
    }

    private func end() {
        if let (store, key) = inMemory {
            isTaken.withLock { isTaken in
                if isTaken { store.endRefresh(key) }
                isTaken = false
            }
        }
        descriptor.withLock { descriptor in
            if let open = descriptor {
                // A child process that is being spawned keeps the open file, and with it the lock, until its exec.
                _ = OpenFileLock.set(F_UNLCK, of: open, at: offset, length: length)
                close(open)
            }
            descriptor = nil
        }
    }

    static func offset(of key: String) -> Int64 { Int64(StableHash.adding(key) & 0x3FFF_FFFF_FFFF_FFFF) }

}

/// Pauses between attempts, as no event signals a release. They grow with the wait: short ones end soon, long ones cost
/// little.
private struct RetryBackoff {
    private let begin = ContinuousClock.now
    private let timeout: Duration

    init(_ timeout: Duration) { self.timeout = timeout }

    /// Nil when the timeout is reached.
    var next: Duration? {
        let waited = ContinuousClock.now - begin
        guard waited < timeout else { return nil }
        return min(max(waited / 16, .milliseconds(1)), .milliseconds(10))
    }
}
