#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The lock that keeps all writers of a cache apart, whichever library they use.
///
/// `<path>.lockfile` is made with O_EXCL, which is the lock of MSAL for Python without portalocker and of JavaScript's; and it is locked with
/// flock(2), which is the lock of Python with portalocker, of .NET and of Go. It holds `pid name`, and is unlinked before it is closed,
/// so that nobody locks a file that is no longer there. `cache.json.lock`, which azd locks and never removes, is locked as well.
struct StoreLock {
    private let held: [Held]

    private struct Held {
        let descriptor: Int32
        let file: String
        let isRemoved: Bool
    }

    /// Runs a body, which is to be short, while no other writer is at work.
    ///
    /// - Parameter wait: how long another holder is waited for; MSAL waits five seconds.
    /// - Throws: `locked` with the holder's pid if it is known; `readOnly`, `noSpace`, `io`; else what the body throws.
    static func holding<Value>(_ place: FilePlace, wait: Duration, _ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        let lock = try StoreLock(place, wait: wait)
        defer { release(lock.held) }
        return try body()
    }

    private init(_ place: FilePlace, wait: Duration) throws(StoreError) {
        let deadline = ContinuousClock.now + wait
        var held: [Held] = []
        do throws(StoreError) {
            // Writers that name the link and writers that name its target look at different files.
            for file in place.link == place.file ? [place.file] : [place.link, place.file] {
                held.append(try Self.take(file + ".lockfile", path: place.path, until: deadline))
            }
            if place.name == "cache.json" { held.append(try Self.takeStanding(place.file + ".lock", path: place.path, until: deadline)) }
        } catch {
            Self.release(held)
            throw error
        }
        self.held = held
    }

    private static func release(_ held: [Held]) {
        for lock in held.reversed() {
            if lock.isRemoved { remove(lock) }
            close(lock.descriptor)
        }
    }

    /// A call that fails once must not leave a lock behind that stands for a living process.
    private static func remove(_ lock: Held) {
        for _ in 0..<3 where isSame(lock.descriptor, lock.file) && unlink(lock.file) == 0 { return }
    }

    private static func take(_ file: String, path: String, until deadline: ContinuousClock.Instant) throws(StoreError) -> Held {
        var holder: (pid: Int32?, name: String) = (nil, "")
        while true {
            if let whole = makeWhole(file) { return whole }
            let made = open(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if made >= 0 {
                _ = fchmod(made, 0o600)
                if lock(made), isSame(made, file) { return try sign(made, file, path: path) }
                // Somebody locked it between the two calls, and will remove it.
                close(made)
            } else if errno == EEXIST {
                if let taken = try takeOver(file, path: path, holder: &holder) { return taken }
            } else {
                throw .system("lock", path: path)
            }
            guard ContinuousClock.now < deadline else { throw StoreError(.locked(pid: holder.pid, name: holder.name), path: path) }
            // Evenly: among others who take turns without a queue, who looks seldom waits longest.
            usleep(5_000)
        }
    }

    /// A lock file that is locked and signed before it has its name: whoever is killed on the way leaves none, or one with the number of the dead.
    ///
    /// - Returns: nil when there is one already, or where the file system cannot do this.
    private static func makeWhole(_ file: String) -> Held? {
        #if canImport(Glibc) || canImport(Musl)
            // O_TMPFILE, which the C library's module leaves out.
            let nameless = O_DIRECTORY | 0o20000000
            let made = open(FilePlace.folder(of: file), O_RDWR | nameless | O_CLOEXEC, 0o600)
            guard made >= 0 else { return nil }
            let text = Array("\(getpid()) foyer".utf8)
            guard fchmod(made, 0o600) == 0, lock(made), pwrite(made, text, text.count, 0) == text.count,
                linkat(AT_FDCWD, "/proc/self/fd/\(made)", AT_FDCWD, file, Int32(AT_SYMLINK_FOLLOW)) == 0
            else {
                close(made)
                return nil
            }
            return Held(descriptor: made, file: file, isRemoved: true)
        #else
            return nil
        #endif
    }

    /// A lock file that is there already is taken over when nobody has it locked and who made it is dead.
    private static func takeOver(_ file: String, path: String, holder: inout (pid: Int32?, name: String)) throws(StoreError) -> Held? {
        let found = open(file, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard found >= 0 else {
            if errno == ENOENT { return nil }
            throw .system("lock", path: path)
        }
        var info = stat()
        guard fstat(found, &info) == 0, FileKind(info) == .regular, info.st_uid == geteuid() else {
            close(found)
            throw StoreError(.folderNotTrusted(path: FilePlace.folder(of: file), why: "its lock file belongs to somebody else"), path: path)
        }
        holder = signature(of: found)
        // A pid of another machine looks dead here; its holder is then known by its flock, which network file systems pass on (atk-J19).
        let isStale = holder.pid.map { !isAlive($0) } ?? isForgotten(info)
        guard isStale, lock(found) else {
            close(found)
            return nil
        }
        // Between reading and locking, another may have taken it over: only then does it stand for somebody else.
        guard isSame(found, file), signature(of: found).pid == holder.pid else {
            close(found)
            return nil
        }
        return try sign(found, file, path: path)
    }

    /// A lock file without a number is of a writer that is just about to write it, or died before it did: a minute tells.
    private static func isForgotten(_ info: stat) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        #if canImport(Darwin)
            return now.tv_sec - info.st_mtimespec.tv_sec > 60
        #else
            return now.tv_sec - info.st_mtim.tv_sec > 60
        #endif
    }

    private static func takeStanding(_ file: String, path: String, until deadline: ContinuousClock.Instant) throws(StoreError) -> Held {
        let descriptor = open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("lock", path: path) }
        while !lock(descriptor) {
            guard ContinuousClock.now < deadline else {
                close(descriptor)
                throw StoreError(.locked(pid: nil, name: ""), path: path)
            }
            usleep(10_000)
        }
        return Held(descriptor: descriptor, file: file, isRemoved: false)
    }

    /// Where the file system knows no flock(2), the file's existence is the lock.
    private static func lock(_ descriptor: Int32) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            return errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL
        }
        return true
    }

    private static func isSame(_ descriptor: Int32, _ file: String) -> Bool {
        var open = stat()
        var named = stat()
        return fstat(descriptor, &open) == 0 && lstat(file, &named) == 0 && open.st_ino == named.st_ino && open.st_dev == named.st_dev
    }

    private static func sign(_ descriptor: Int32, _ file: String, path: String) throws(StoreError) -> Held {
        let text = Array("\(getpid()) foyer".utf8)
        // In this order: whoever is killed between the two leaves a number, which tells that its maker is dead.
        guard pwrite(descriptor, text, text.count, 0) == text.count, ftruncate(descriptor, off_t(text.count)) == 0 else {
            let code = errno
            unlink(file)
            close(descriptor)
            throw .system("lock", path: path, code: code)
        }
        return Held(descriptor: descriptor, file: file, isRemoved: true)
    }

    /// `pid name`; .NET puts a byte order mark before it.
    private static func signature(of descriptor: Int32) -> (pid: Int32?, name: String) {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return (nil, "") }
        var text = bytes[..<count]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        let digits = text.prefix { $0 >= 0x30 && $0 <= 0x39 }
        let rest = text[digits.endIndex...].drop { $0 == 0x20 }.prefix { $0 > 0x20 && $0 < 0x7F }
        let name = String(decoding: rest, as: UTF8.self)
        let last = name.lastIndex(of: "/").map { name[name.index(after: $0)...] } ?? name[...]
        return (Int32(String(decoding: digits, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }, String(last.prefix(64)))
    }

    static func isAlive(_ pid: Int32) -> Bool { kill(pid, 0) == 0 || errno == EPERM }
}
