import Glibc
package import SystemPackage

/// A file locked with flock(2), until this is destroyed or the process ends for any reason.
package struct FileLock: ~Copyable {
    package enum Attempt { case taken, busy, unsupported }

    private let file: Int32

    /// Opens the file and locks it. Waits for another holder up to the limit, and blocks the thread meanwhile.
    ///
    /// - Throws: the reason; `wouldBlock` if another process still holds it.
    package init(_ path: String, flags: Int32 = O_RDWR | O_CREAT, limit: Duration = .zero) throws(Errno) {
        try self.init(of: uninterrupted { open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0o600) }, limit: limit)
    }

    /// Like ``init(_:flags:limit:)`` with an open file, which this closes; negative if it could not be opened.
    package init(of opened: Int32, limit: Duration = .zero) throws(Errno) {
        guard opened >= 0 else { throw .last }
        let deadline = ContinuousClock.now + limit
        while uninterrupted({ flock(opened, LOCK_EX | LOCK_NB) }) != 0 {
            let error = Errno.last
            guard error == .wouldBlock, ContinuousClock.now < deadline else {
                close(opened)
                throw error
            }
            usleep(50_000)
        }
        file = opened
    }

    deinit { close(file) }

    /// Leaves the lock to the caller, who closes the file to release it.
    package consuming func takeFile() -> Int32 {
        let file = file
        discard self
        return file
    }

    /// Tries to lock an open file, without waiting.
    package static func attempt(_ file: Int32) -> Attempt {
        if uninterrupted({ flock(file, LOCK_EX | LOCK_NB) }) == 0 { return .taken }
        return Errno.last == .wouldBlock ? .busy : .unsupported
    }

    /// Whether the open file still has this name: before it was locked, another process can have removed it.
    package static func isSame(_ file: Int32, _ path: String) -> Bool {
        var open = stat()
        var named = stat()
        return uninterrupted({ fstat(file, &open) }) == 0 && uninterrupted({ lstat(path, &named) }) == 0
            && open.st_ino == named.st_ino && open.st_dev == named.st_dev
    }

    /// Removes a file whose holder was killed: it is not locked.
    ///
    /// - Parameter isOurs: decides about the open file, before it is locked.
    package static func removeAbandoned(_ path: String, where isOurs: (Int32) -> Bool) {
        let file = uninterrupted { open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard file >= 0 else { return }
        defer { close(file) }
        guard isOurs(file), attempt(file) == .taken, isSame(file, path) else { return }
        _ = uninterrupted { unlink(path) }
    }
}
