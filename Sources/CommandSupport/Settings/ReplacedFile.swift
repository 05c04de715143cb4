import Glibc
package import Identity
import SystemPackage
import TokenCache

/// A small file that is replaced as a whole, or not at all.
package struct ReplacedFile {
    /// Of the file beside it that is written first. One of that name is taken for what a process of this program has
    /// left, and removed: it is a name that nobody else chooses.
    package static let asideSuffix = ".foyer-new"

    private let path: String
    private let what: String

    /// - Parameter what: the file in a person's words, for what is said when it cannot be written.
    package init(_ path: String, what: String) { (self.path, self.what) = (path, what) }

    /// Written aside and renamed, so that a full disk leaves the old file; through a link to where it leads, as
    /// dot-file managers link.
    ///
    /// - Parameter mode: the permission bits; nil keeps those that the file has.
    package func replace(with bytes: [UInt8], mode: UInt32? = nil) throws(Failure) {
        do { try TrustedFile.checkPlace(path) } catch { throw Failure(distrust: error, what: what) }
        let place = Self.resolved(path)
        let folder = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        Folder.make(folder)
        var old = stat()
        let isThere = stat(place, &old) == 0
        let keptMode = mode == nil && isThere ? old.st_mode & 0o7777 : nil
        let mode = mode ?? keptMode ?? 0o600
        let aside = aside(place)
        let file: Int32
        do throws(Errno) { file = try Self.make(aside, mode: mode & 0o777) } catch { throw problem(error) }
        // The mask of this process is nothing to a file that was there, nor is its group.
        if keptMode != nil, old.st_gid != getegid() { _ = uninterrupted { fchown(file, uid_t.max, old.st_gid) } }
        if let keptMode { _ = uninterrupted { fchmod(file, keptMode) } }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { part in uninterrupted { write(file, part.baseAddress, part.count) } }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        let isWritten =
            rest.isEmpty && uninterrupted { fsync(file) } == 0 && uninterrupted { rename(aside, place) } == 0
        let failed = isWritten ? nil : problem(.last)
        if failed != nil { _ = uninterrupted { unlink(aside) } }
        close(file)
        if let failed { throw failed }
    }

    /// Takes away what a process that died in the middle of a change has left beside the file.
    package func clearLeftovers() { Self.clear(aside(Self.resolved(path))) }

    private func aside(_ place: String) -> String { place + Self.asideSuffix }

    /// A new file that is locked as long as its writer lives; another writer is waited for, for a second.
    private static func make(_ aside: String, mode: mode_t) throws(Errno) -> Int32 {
        for _ in 0..<100 {
            clear(aside)
            let file = uninterrupted { open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode) }
            if file >= 0 {
                let isLocked = uninterrupted { flock(file, LOCK_EX | LOCK_NB) } == 0 || Errno.last != .wouldBlock
                // Between the two calls it may have been taken for a dead process's.
                if isLocked, isSame(file, aside) { return file }
                close(file)
            } else {
                let error = Errno.last
                guard error == .fileExists else { throw error }
            }
            usleep(10_000)
        }
        throw .fileExists
    }

    private static func clear(_ aside: String) {
        let file = uninterrupted { open(aside, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard file >= 0 else { return }
        if uninterrupted({ flock(file, LOCK_EX | LOCK_NB) }) == 0, isSame(file, aside) {
            _ = uninterrupted { unlink(aside) }
        }
        close(file)
    }

    private static func isSame(_ file: Int32, _ name: String) -> Bool {
        var open = stat()
        var named = stat()
        return uninterrupted({ fstat(file, &open) }) == 0 && uninterrupted({ lstat(name, &named) }) == 0
            && open.st_ino == named.st_ino && open.st_dev == named.st_dev && open.st_uid == geteuid()
    }

    private func problem(_ error: Errno) -> Failure {
        Failure(
            .configuration, "\(path): \(error)",
            hint: .text("make the \(what) and its folder writable, with room on the disk"))
    }

    private static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }
}
