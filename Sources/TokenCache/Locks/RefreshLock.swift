import Glibc
import Synchronization
import SystemPackage

/// One refresh at a time per credential, between all processes of this program.
///
/// One byte of `<path>.refresh` is locked, at a place worked out from the key, so that refreshes of different accounts
/// do not wait for each other. The lock belongs to the open file (OFD), so tasks of one process keep each other out
/// too, it stays when the process becomes another program by exec, and the kernel gives it back when the process dies.
/// The store itself is not locked meanwhile. Who moves the store locks the whole file, takes its name away, and leaves
/// in it where the store is now: that is for those who wait.
package final class RefreshLock: Sendable {
    package enum Mode: Sendable {
        /// Of the one who refreshes.
        case exclusive
        /// Of those who look at what the one left behind: any number of them at once.
        case shared
    }

    /// The open file of a lock, by which a program that this process becomes knows it.
    package struct Handle: Hashable, Sendable {
        package let descriptor: Int32
        package let offset: Int64

        package init(descriptor: Int32, offset: Int64) { (self.descriptor, self.offset) = (descriptor, offset) }

        /// Lets no program that is started from now on have it; to be called before the process opens anything.
        ///
        /// - Returns: false when it cannot be a lock file.
        package func claim() -> Bool {
            var info = stat()
            guard RefreshLock.isOurs(descriptor, &info) else {
                // Nobody knows what it is: this process would wait for itself if it were the lock.
                if info.st_ino == 0 { close(descriptor) }
                return false
            }
            return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        }
    }

    private let descriptor: Mutex<Int32?>
    private let path: String
    private let offset: Int64
    /// Zero for that of all keys.
    private let length: Int64

    /// Opened; held by nobody yet.
    ///
    /// - Parameters:
    ///   - path: the store's path.
    ///   - key: names the credential; never a secret. Nil for all of them at once.
    /// - Throws: `readOnly`, `io`, and what the folder is not trusted for.
    package init(path: String, key: String?) throws(StoreError) {
        descriptor = Mutex(try Self.opened(path))
        self.path = path
        offset = key.map(Self.offset) ?? 0
        length = key == nil ? 0 : 1
    }

    private static func opened(_ path: String) throws(StoreError) -> Int32 {
        let place = try ResolvedPath(path)
        try place.makeFolder()
        let descriptor = uninterrupted { open(file(place), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw .system("lock", path: path) }
        _ = uninterrupted { fchmod(descriptor, 0o600) }
        var info = stat()
        guard isOurs(descriptor, &info) else {
            close(descriptor)
            throw StoreError(
                .folderNotTrusted(path: place.folder, why: "its refresh lock belongs to somebody else"), path: path)
        }
        return descriptor
    }

    /// The lock that the program before this one, in the same process, held exclusively.
    ///
    /// - Parameters:
    ///   - handle: claimed before. It is closed when it is of another file than the store's lock file, or others hold
    ///     the lock: this process would otherwise wait for itself.
    ///   - path: the store's path.
    package init?(inherited handle: Handle, path: String) {
        descriptor = Mutex(handle.descriptor)
        self.path = path
        offset = handle.offset
        length = 1
        guard handle.offset >= 0, Self.isNamed(handle.descriptor, path), (try? attempt(.exclusive)) == true else {
            return nil
        }
    }

    deinit { release() }

    /// - Parameters:
    ///   - path: the store's path.
    ///   - key: names the credential; never a secret.
    ///   - timeout: how long another holder is waited for, without holding a thread.
    ///   - onWait: called once when another process holds it.
    /// - Throws: `locked` when the wait is over, `cancelled` when the task is, `moved` when the store was meanwhile;
    ///   `readOnly`, `io`, and what the folder is not trusted for.
    package static func acquire(path: String, key: String, timeout: Duration, onWait: () -> Void = {})
        async throws(StoreError) -> RefreshLock
    {
        let lock = try RefreshLock(path: path, key: key)
        guard try !lock.attempt(.exclusive) else { return lock }
        onWait()
        let pauses = Pauses(timeout)
        repeat {
            guard let pause = pauses.next else { throw StoreError(.locked(pid: nil, name: ""), path: path) }
            do { try await Task.sleep(for: pause) } catch { throw StoreError(.cancelled, path: path) }
        } while try !lock.attempt(.exclusive)
        return lock
    }

    /// Waits for it where it is called, holding the thread. What was held of it before is given back first, when it is
    /// not to be had at once: two that look would otherwise wait for each other.
    ///
    /// - Throws: `locked` when the wait is over, `moved` when the store was meanwhile; `io`.
    package func wait(_ mode: Mode, timeout: Duration) throws(StoreError) {
        guard try !attempt(mode) else { return }
        descriptor.withLock { _ = $0.flatMap { OpenFileLock.set(F_UNLCK, of: $0, at: offset, length: length) } }
        let pauses = Pauses(timeout)
        repeat {
            guard let pause = pauses.next else { throw StoreError(.locked(pid: nil, name: ""), path: path) }
            usleep(useconds_t(pause / .microseconds(1)))
        } while try !attempt(mode)
    }

    /// Takes it unless others hold it.
    ///
    /// - Returns: whether it is held now.
    /// - Throws: `moved` when the store was since it was opened; `io`.
    package func attempt(_ mode: Mode) throws(StoreError) -> Bool {
        for _ in 0..<Self.mostReopenings {
            let open = descriptor.withLock { $0 }
            guard let open else { throw .system("lock", path: path, code: .badFileDescriptor) }
            switch OpenFileLock.set(mode == .exclusive ? F_WRLCK : F_RDLCK, of: open, at: offset, length: length) {
            case nil, .noLocks?, .notSupportedOnSocket?, .noFunction?:
                // A file system without locks: two refreshes at once are then possible, and are mended by reading
                // again.
                break
            case .resourceTemporarilyUnavailable?, .permissionDenied?: return false
            case let code?: throw .system("lock", path: path, code: code)
            }
            if Self.isNamed(open, path) { return true }
            // Whoever took the name away was done with it; others may hold the file that has it now.
            if let place = Self.newPlace(in: open) { throw StoreError(.moved(to: place), path: path) }
            let next = try Self.opened(path)
            descriptor.withLock { $0 = next }
            close(open)
        }
        // Others take the name away all the time, or the file system has another number for the file each time.
        throw StoreError(.locked(pid: nil, name: ""), path: path)
    }

    private static let mostReopenings = 16

    /// Takes the file's name away, for a lock of all keys that is held: everybody who waits for one finds out.
    ///
    /// - Parameter place: where the store is from now on; nil where it stays.
    func retire(to place: String?) {
        descriptor.withLock { descriptor in
            guard let descriptor, let file = try? Self.file(ResolvedPath(path)) else { return }
            let text = Array((place ?? "").utf8.prefix(Self.longestPlace))
            if !text.isEmpty { _ = uninterrupted { pwrite(descriptor, text, text.count, 0) } }
            _ = uninterrupted { unlink(file) }
        }
    }

    private static let longestPlace = 4096

    private static func newPlace(in descriptor: Int32) -> String? {
        let text = [UInt8](unsafeUninitializedCapacity: longestPlace) { buffer, used in
            used = max(0, uninterrupted { pread(descriptor, buffer.baseAddress, longestPlace, 0) })
        }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    private static func isNamed(_ descriptor: Int32, _ path: String) -> Bool {
        var (named, info) = (stat(), stat())
        guard let place = try? ResolvedPath(path), uninterrupted({ lstat(file(place), &named) }) == 0 else {
            return false
        }
        return isOurs(descriptor, &info) && info.st_dev == named.st_dev && info.st_ino == named.st_ino
    }

    /// Whether it is of this key, and was not given back.
    package func isOpen(for key: String) -> Bool { Self.offset(of: key) == offset && descriptor.withLock { $0 != nil } }

    /// Leaves the lock to the program that this process is about to become.
    ///
    /// - Returns: nil when it was given back before.
    package func passOn() -> Handle? {
        descriptor.withLock { descriptor in
            guard let open = descriptor, fcntl(open, F_SETFD, 0) == 0 else { return nil }
            descriptor = nil
            return Handle(descriptor: open, offset: offset)
        }
    }

    /// Gives the lock back; does nothing the second time.
    package func release() {
        descriptor.withLock { descriptor in
            if let open = descriptor {
                // A program that is being started still has the open file until its exec, and the lock with it.
                _ = OpenFileLock.set(F_UNLCK, of: open, at: offset, length: length)
                close(open)
            }
            descriptor = nil
        }
    }

    private static func file(_ place: ResolvedPath) -> String { place.file + ".refresh" }

    fileprivate static func isOurs(_ descriptor: Int32, _ info: inout stat) -> Bool {
        uninterrupted { fstat(descriptor, &info) } == 0 && FileKind(info) == .regular && info.st_uid == geteuid()
    }

    /// FNV-1a: the same in every process and version, which Swift's own hash is not.
    static func offset(of key: String) -> Int64 {
        let hash = key.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return Int64(hash & 0x3FFF_FFFF_FFFF_FFFF)
    }
}

/// When a lock is asked for again: nothing tells that it is free. The pauses grow with the wait, so that a short one is
/// not made much longer, and a long one costs little.
private struct Pauses {
    private let begin = ContinuousClock.now
    private let timeout: Duration

    init(_ timeout: Duration) { self.timeout = timeout }

    /// Nil when the wait is over.
    var next: Duration? {
        let waited = ContinuousClock.now - begin
        guard waited < timeout else { return nil }
        return min(max(waited / 16, .milliseconds(1)), .milliseconds(10))
    }
}
