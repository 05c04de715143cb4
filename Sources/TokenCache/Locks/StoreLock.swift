import Glibc
import SystemPackage

/// The lock that keeps all writers of a cache apart, whichever library they use. `<path>.lockfile` is created with
/// O_EXCL, the lock of MSAL for Python without portalocker and of MSAL.js, and locked with flock(2), the lock of Python
/// with portalocker, .NET and Go. It is unlinked before it is closed, so that no process locks a deleted file.
/// `cache.json.lock`, which azd locks and never removes, is locked as well.
///
/// A lock file is abandoned, and is taken over, if no process holds flock(2) on it and
/// 1. foyer created it since the last boot: its owner would hold flock(2); or
/// 2. it is five seconds old, and names no process that runs here and ran when it was created. The pid can be from
///    another namespace or machine, whose process only has the file: no library holds it for this long.
struct StoreLock {
    static let suffix = ".lockfile"

    private let held: [HeldLock]

    private struct HeldLock {
        let descriptor: Int32
        let file: String
        let isRemoved: Bool
    }

    /// Runs a short body while no other process writes. Throws `locked` with the holder's pid if known.
    ///
    /// - Parameters:
    ///   - wait: limit for one holder; MSAL waits five seconds.
    ///   - limit: total limit while several holders take turns; same as `wait` by default.
    static func holding<Value>(
        _ place: ResolvedPath, wait: Duration, limit: Duration = .zero, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try holding([place], wait: wait, limit: limit, body)
    }

    /// Locks several places, taken and released in this order; two can be the same. A process that finds one abandoned
    /// lock finds the others through it, so the first should be of a place that is checked before the body runs, and
    /// the last of one that is checked afterwards.
    ///
    /// - Parameter reservation: has a lock file for the first place.
    static func holding<Value>(
        _ places: [ResolvedPath], wait: Duration, limit: Duration = .zero, in reservation: WriteReservation? = nil,
        _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let lock = try StoreLock(places, LockQueue(wait: wait, limit: limit), reservation)
        defer { release(lock.held) }
        return try body()
    }

    /// Removes locks and unfinished files of dead processes, without waiting.
    static func clear(_ place: ResolvedPath) {
        let files = place.link == place.file ? [place.file] : [place.link, place.file]
        guard files.contains(where: { access($0 + suffix, F_OK) == 0 }) else { return }
        try? holding(place, wait: .zero) { () throws(StoreError) in FileStore.sweep(place) }
    }

    private init(_ places: [ResolvedPath], _ turns: LockQueue, _ reservation: WriteReservation?) throws(StoreError) {
        var turns = turns
        var locks: [(file: String, path: String, isRemoved: Bool)] = []
        for place in places {
            // Writers that use the link and writers that use its target lock different files.
            for file in place.link == place.file ? [place.file] : [place.link, place.file] {
                locks.append((file + Self.suffix, place.path, true))
            }
            if place.name == "cache.json" { locks.append((place.file + ".lock", place.path, false)) }
        }
        let text = LockSignature.own(locks.filter(\.isRemoved).map(\.file))
        var held: [HeldLock] = []
        do throws(StoreError) {
            for lock in locks where !held.contains(where: { $0.file == lock.file }) {
                held.append(
                    lock.isRemoved
                        ? try Self.take(lock.file, text, path: lock.path, reservation, &turns)
                        : try Self.takePersistentLock(lock.file, path: lock.path, &turns))
            }
        } catch {
            Self.release(held)
            throw error
        }
        self.held = held
    }

    private static func release(_ held: [HeldLock]) {
        // In the order in which they were taken: see ``holding(_:wait:limit:_:)``.
        for lock in held {
            if lock.isRemoved { remove(lock) }
            close(lock.descriptor)
        }
    }

    /// Retries, as one failed call must not leave a lock that names a living process.
    private static func remove(_ lock: HeldLock) {
        for _ in 0..<3
        where FileLock.isSame(lock.descriptor, lock.file) && uninterrupted({ unlink(lock.file) }) == 0 { return }
    }

    private static func take(
        _ file: String, _ text: [UInt8], path: String, _ reservation: WriteReservation?, _ turns: inout LockQueue
    ) throws(StoreError) -> HeldLock {
        var watch = Watch()
        while true {
            let reserved = reservation?.lock(file) { WholeLockFile.make(file, text, reserved: $0) }
            if let whole = reserved ?? WholeLockFile.make(file, text, isFlushed: namesOthers(text)) {
                return HeldLock(descriptor: whole, file: file, isRemoved: true)
            }
            let made = uninterrupted { open(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
            if made >= 0 {
                _ = uninterrupted { fchmod(made, 0o600) }
                if FileLock.attempt(made) != .busy, FileLock.isSame(made, file) {
                    return try sign(made, file, text, path: path)
                }
                // Another process locked it between the two calls, and will remove it.
                close(made)
            } else if Errno.last == .fileExists {
                if let taken = try takeOver(file, text, path: path, &watch) { return taken }
            } else {
                throw .system("lock", path: path)
            }
            guard !turns.isOver(file) else {
                throw StoreError(.locked(pid: watch.signature.pid, name: watch.signature.name), path: path)
            }
            // A constant pause: among writers without a queue, the one that checks least often waits longest.
            usleep(5_000)
        }
    }

    /// A signature that names other locks must survive a power cut. Any other can be lost: the file's age is enough.
    private static func namesOthers(_ text: [UInt8]) -> Bool { text.firstIndex(of: 0x0A) != text.lastIndex(of: 0x0A) }

    // MARK: A lock file that already exists

    /// Observations of another process's lock file.
    private struct Watch {
        private(set) var signature = LockSignature()
        private var inode: ino_t = 0
        private var modified = 0.0
        private var since = ContinuousClock.now

        /// No cache writer holds its lock for longer, and MSAL waits no longer either.
        static let patience = 5.0
        /// Without flock(2) and with a pid of another namespace, age is the only sign that the owner is gone.
        static let longPatience = 60.0

        mutating func look(_ signature: LockSignature, _ info: stat) {
            let time = info.st_mtim
            let modified = Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
            if (self.signature, inode, self.modified) != (signature, info.st_ino, modified) { since = .now }
            (self.signature, inode, self.modified) = (signature, info.st_ino, modified)
        }

        /// Measured by the monotonic clock; slightly less, as the watch begins after the wait did.
        private func isWatched(_ seconds: Double) -> Bool { ContinuousClock.now - since >= .seconds(seconds - 0.1) }

        /// A time in the future means that the clock was set back.
        private func isOlder(than seconds: Double) -> Bool {
            let age = LockSignature.seconds(CLOCK_REALTIME) - modified
            return age >= seconds || age <= -Self.longPatience || isWatched(seconds)
        }

        /// Whether it is abandoned: a foyer lock without flock(2), a dead owner, or an owner that is long overdue.
        func isLeft(_ lock: FileLock.Attempt) -> Bool {
            switch lock {
            case .busy: false
            case .taken: signature.isOfThisBoot || isOlder(than: Self.patience) && !isRunning
            case .unsupported:
                signature.isOfThisNamespace
                    ? !isRunning
                    : isOlder(than: signature.boot == nil ? Self.patience : Self.longPatience) && !isRunning
            }
        }

        /// Whether flock(2) is worth trying, as that briefly blocks other processes.
        var mayBeLeft: Bool { signature.isOfThisBoot || isOlder(than: Self.patience) && !isRunning }

        /// Whether the named process runs here. One that started after the lock was created only reuses the pid.
        private var isRunning: Bool {
            // The pid in a foyer lock only has meaning within its boot and namespace.
            guard let pid = signature.pid, signature.boot == nil || signature.isOfThisNamespace else { return false }
            guard LockSignature.isAlive(pid) else { return false }
            guard isOlder(than: Self.longPatience) || isWatched(Self.patience),
                let beginning = LockSignature.beginning(of: pid)
            else {
                return true
            }
            return beginning <= modified + 2
        }
    }

    private static func takeOver(_ file: String, _ text: [UInt8], path: String, _ watch: inout Watch) throws(StoreError)
        -> HeldLock?
    {
        let found = uninterrupted { open(file, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard found >= 0 else {
            if Errno.last == .noSuchFileOrDirectory { return nil }
            throw .system("lock", path: path)
        }
        var isTaken = false
        defer { if !isTaken { close(found) } }
        var info = stat()
        guard uninterrupted({ fstat(found, &info) }) == 0, FileKind(info) == .regular, info.st_uid == geteuid() else {
            throw StoreError(
                .folderNotTrusted(path: ResolvedPath.folder(of: file), why: "its lock file belongs to another user"),
                path: path)
        }
        let signature = LockSignature(of: found)
        watch.look(signature, info)
        guard watch.mayBeLeft, watch.isLeft(FileLock.attempt(found)) else { return nil }
        // Another process can take it over between reading and locking; then the signature has changed.
        guard FileLock.isSame(found, file), LockSignature(of: found) == signature else { return nil }
        isTaken = true
        let held = try sign(found, file, text, path: path)
        for companion in signature.companions where companion != file { clear(companion, of: signature) }
        return held
    }

    /// Removes another lock file of a dead operation, and its unfinished file: no one else may look there again.
    private static func clear(_ file: String, of signature: LockSignature) {
        guard file.hasPrefix("/"), file.hasSuffix(suffix),
            let place = try? ResolvedPath(String(file.dropLast(suffix.count)))
        else { return }
        let found = uninterrupted { open(file, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard found >= 0 else { return }
        defer { close(found) }
        var info = stat()
        guard uninterrupted({ fstat(found, &info) }) == 0, FileKind(info) == .regular, info.st_uid == geteuid(),
            LockSignature(of: found) == signature, FileLock.attempt(found) == .taken, FileLock.isSame(found, file),
            LockSignature(of: found) == signature
        else { return }
        // Through a link, the writer can be another process that holds the lock of the file itself.
        if place.file + suffix == file { FileStore.sweep(place) }
        _ = uninterrupted { unlink(file) }
    }

    private static func takePersistentLock(_ file: String, path: String, _ turns: inout LockQueue)
        throws(StoreError) -> HeldLock
    {
        let descriptor = uninterrupted { open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw .system("lock", path: path) }
        while FileLock.attempt(descriptor) == .busy {
            guard !turns.isOver(file) else {
                close(descriptor)
                throw StoreError(.locked(pid: nil, name: ""), path: path)
            }
            usleep(10_000)
        }
        return HeldLock(descriptor: descriptor, file: file, isRemoved: false)
    }

    private static func sign(_ descriptor: Int32, _ file: String, _ text: [UInt8], path: String) throws(StoreError)
        -> HeldLock
    {
        guard WholeLockFile.sign(descriptor, text) else {
            let code = Errno.last
            _ = uninterrupted { unlink(file) }
            close(descriptor)
            throw .system("lock", path: path, code: code)
        }
        if namesOthers(text) { _ = uninterrupted { fsync(descriptor) } }
        return HeldLock(descriptor: descriptor, file: file, isRemoved: true)
    }
}
