import Glibc
import SystemPackage

/// The lock that keeps all writers of a cache apart, whichever library they use.
///
/// `<path>.lockfile` is made with O_EXCL, which is the lock of MSAL for Python without portalocker and of JavaScript's;
/// and it is locked with flock(2), which is the lock of Python with portalocker, of .NET and of Go. It holds a
/// ``LockSignature``, and is unlinked before it is closed, so that nobody locks a file that is no longer there.
/// `cache.json.lock`, which azd locks and never removes, is locked as well.
///
/// A lock file is no lock, and is taken over, when nobody has it locked with flock(2) and
/// 1. this program made it since this machine was started: its maker would have it locked; or else
/// 2. it is five seconds old, and names no process that is running here and was running when it was made. The name may
///    be a number of another pid namespace or machine, where a living process has nothing but the file: none of the
///    libraries holds it for so long.
struct StoreLock {
    /// What the name of a lock file ends with.
    static let suffix = ".lockfile"

    private let held: [HeldLock]

    private struct HeldLock {
        let descriptor: Int32
        let file: String
        let isRemoved: Bool
    }

    /// Runs a body, which is to be short, while no other writer is at work.
    ///
    /// - Parameters:
    ///   - wait: how long another holder is waited for; MSAL waits five seconds.
    ///   - limit: how long it is waited while several take turns; as long as for one unless told.
    /// - Throws: `locked` with the holder's pid if it is known; `readOnly`, `noSpace`, `io`; else what the body throws.
    static func holding<Value>(
        _ place: ResolvedPath, wait: Duration, limit: Duration = .zero, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try holding([place], wait: wait, limit: limit, body)
    }

    /// The same with several places, which are locked and given back in this order; two may be the same. Whoever finds
    /// one lock left behind finds the others by it: so the first is to be of a place that is looked at before the body
    /// has run, and the last of one that is looked at afterwards.
    static func holding<Value>(
        _ places: [ResolvedPath], wait: Duration, limit: Duration = .zero, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let lock = try StoreLock(places, LockTurns(wait: wait, limit: limit))
        defer { release(lock.held) }
        return try body()
    }

    /// Takes away the locks that dead processes have left at a place and the files that they were writing there,
    /// without waiting for anybody.
    static func clear(_ place: ResolvedPath) {
        let files = place.link == place.file ? [place.file] : [place.link, place.file]
        guard files.contains(where: { access($0 + suffix, F_OK) == 0 }) else { return }
        try? holding(place, wait: .zero) { () throws(StoreError) in FileStore.sweep(place) }
    }

    private init(_ places: [ResolvedPath], _ turns: LockTurns) throws(StoreError) {
        var turns = turns
        var locks: [(file: String, path: String, isRemoved: Bool)] = []
        for place in places {
            // Writers that name the link and writers that name its target look at different files.
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
                        ? try Self.take(lock.file, text, path: lock.path, &turns)
                        : try Self.takeStanding(lock.file, path: lock.path, &turns))
            }
        } catch {
            Self.release(held)
            throw error
        }
        self.held = held
    }

    private static func release(_ held: [HeldLock]) {
        // In the order in which they were taken: see ``holding(_:wait:_:)`` for several places.
        for lock in held {
            if lock.isRemoved { remove(lock) }
            close(lock.descriptor)
        }
    }

    /// A call that fails once must not leave a lock behind that stands for a living process.
    private static func remove(_ lock: HeldLock) {
        for _ in 0..<3 where isSame(lock.descriptor, lock.file) && uninterrupted({ unlink(lock.file) }) == 0 { return }
    }

    private static func take(_ file: String, _ text: [UInt8], path: String, _ turns: inout LockTurns)
        throws(StoreError) -> HeldLock
    {
        var watch = Watch()
        while true {
            if let whole = WholeLockFile.make(file, text, isFlushed: namesOthers(text)) {
                return HeldLock(descriptor: whole, file: file, isRemoved: true)
            }
            let made = uninterrupted { open(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
            if made >= 0 {
                _ = uninterrupted { fchmod(made, 0o600) }
                if lock(made) != .busy, isSame(made, file) { return try sign(made, file, text, path: path) }
                // Somebody locked it between the two calls, and will remove it.
                close(made)
            } else if Errno.last == .fileExists {
                if let taken = try takeOver(file, text, path: path, &watch) { return taken }
            } else {
                throw .system("lock", path: path)
            }
            guard !turns.isOver(file) else {
                throw StoreError(.locked(pid: watch.signature.pid, name: watch.signature.name), path: path)
            }
            // Evenly: among others who take turns without a queue, who looks seldom waits longest.
            usleep(5_000)
        }
    }

    /// What names other locks is to be found by it after a power cut, too. Any other text may be lost: the file tells
    /// enough by its age.
    private static func namesOthers(_ text: [UInt8]) -> Bool { text.firstIndex(of: 0x0A) != text.lastIndex(of: 0x0A) }

    // MARK: A lock file that already exists

    /// What was seen of another's lock file, and for how long.
    private struct Watch {
        private(set) var signature = LockSignature()
        private var inode: ino_t = 0
        private var modified = 0.0
        private var since = ContinuousClock.now

        /// Nobody who writes a cache holds its lock for longer, and MSAL waits no longer either.
        static let patience = 5.0
        /// Without flock(2), and with a number of elsewhere, nothing tells whether the maker lives but that it should
        /// have been done long ago.
        static let longPatience = 60.0

        mutating func look(_ signature: LockSignature, _ info: stat) {
            let time = info.st_mtim
            let modified = Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
            if (self.signature, inode, self.modified) != (signature, info.st_ino, modified) { since = .now }
            (self.signature, inode, self.modified) = (signature, info.st_ino, modified)
        }

        /// By our own watch, whatever the clocks say; a moment less, since the watch begins after the wait did.
        private func isWatched(_ seconds: Double) -> Bool { ContinuousClock.now - since >= .seconds(seconds - 0.1) }

        /// A time that is still to come is of a clock that was set back since.
        private func isOlder(than seconds: Double) -> Bool {
            let age = LockSignature.seconds(CLOCK_REALTIME) - modified
            return age >= seconds || age <= -Self.longPatience || isWatched(seconds)
        }

        /// Whether the maker would have it locked with flock(2), is no more, or never had anything but the file and
        /// should have been done long ago.
        func isLeft(_ lock: Locking) -> Bool {
            switch lock {
            case .busy: false
            case .done: signature.isOfThisBoot || isOlder(than: Self.patience) && !isRunning
            case .unknown:
                signature.isOfThisNamespace
                    ? !isRunning
                    : isOlder(than: signature.boot == nil ? Self.patience : Self.longPatience) && !isRunning
            }
        }

        /// Whether it is worth while to try flock(2) on it, which keeps another from it for that moment.
        var mayBeLeft: Bool { signature.isOfThisBoot || isOlder(than: Self.patience) && !isRunning }

        /// Whether the process that it names is running here. One that began after the lock was made has the number of
        /// the maker, as after a restart.
        private var isRunning: Bool {
            // Beyond this boot and namespace the number of this program's lock is anybody's.
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
                .folderNotTrusted(path: ResolvedPath.folder(of: file), why: "its lock file belongs to somebody else"),
                path: path)
        }
        let signature = LockSignature(of: found)
        watch.look(signature, info)
        guard watch.mayBeLeft, watch.isLeft(lock(found)) else { return nil }
        // Between reading and locking, another may have taken it over: only then does it stand for somebody else.
        guard isSame(found, file), LockSignature(of: found) == signature else { return nil }
        isTaken = true
        let held = try sign(found, file, text, path: path)
        for companion in signature.companions where companion != file { clear(companion, of: signature) }
        return held
    }

    /// Takes away another lock file of an operation that died, and what it was writing there: the place may be one that
    /// nobody looks at any more.
    private static func clear(_ file: String, of signature: LockSignature) {
        guard file.hasPrefix("/"), file.hasSuffix(suffix),
            let place = try? ResolvedPath(String(file.dropLast(suffix.count)))
        else { return }
        let found = uninterrupted { open(file, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard found >= 0 else { return }
        defer { close(found) }
        var info = stat()
        guard uninterrupted({ fstat(found, &info) }) == 0, FileKind(info) == .regular, info.st_uid == geteuid(),
            LockSignature(of: found) == signature, lock(found) == .done, isSame(found, file),
            LockSignature(of: found) == signature
        else { return }
        // Through a link the writer may be another, who has the lock of the file itself.
        if place.file + suffix == file { FileStore.sweep(place) }
        _ = uninterrupted { unlink(file) }
    }

    private static func takeStanding(_ file: String, path: String, _ turns: inout LockTurns)
        throws(StoreError) -> HeldLock
    {
        let descriptor = uninterrupted { open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw .system("lock", path: path) }
        while lock(descriptor) == .busy {
            guard !turns.isOver(file) else {
                close(descriptor)
                throw StoreError(.locked(pid: nil, name: ""), path: path)
            }
            usleep(10_000)
        }
        return HeldLock(descriptor: descriptor, file: file, isRemoved: false)
    }

    // MARK: flock(2)

    private enum Locking {
        case done
        /// Somebody else has it.
        case busy
        /// The file system does not tell: the file's existence is the lock.
        case unknown
    }

    private static func lock(_ descriptor: Int32) -> Locking {
        if uninterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return .done }
        return Errno.last == .wouldBlock ? .busy : .unknown
    }

    private static func isSame(_ descriptor: Int32, _ file: String) -> Bool {
        var open = stat()
        var named = stat()
        return uninterrupted({ fstat(descriptor, &open) }) == 0 && uninterrupted({ lstat(file, &named) }) == 0
            && open.st_ino == named.st_ino && open.st_dev == named.st_dev
    }

    private static func sign(_ descriptor: Int32, _ file: String, _ text: [UInt8], path: String) throws(StoreError)
        -> HeldLock
    {
        // In this order: whoever is killed between the two leaves a number, which tells that its maker is dead.
        guard uninterrupted({ pwrite(descriptor, text, text.count, 0) }) == text.count,
            uninterrupted({ ftruncate(descriptor, off_t(text.count)) }) == 0
        else {
            let code = Errno.last
            _ = uninterrupted { unlink(file) }
            close(descriptor)
            throw .system("lock", path: path, code: code)
        }
        if namesOthers(text) { _ = uninterrupted { fsync(descriptor) } }
        return HeldLock(descriptor: descriptor, file: file, isRemoved: true)
    }
}
