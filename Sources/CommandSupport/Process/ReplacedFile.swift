import Glibc
package import Identity
import SystemPackage
import TokenCache

/// A small file that is replaced atomically.
package struct ReplacedFile {
    /// The suffix of the temporary file. An existing one was left by a killed foyer process and is removed.
    package static let asideSuffix = ".foyer-new"

    private let path: String
    private let what: String

    /// - Parameter what: the name of the file in error messages.
    package init(_ path: String, what: String) { (self.path, self.what) = (path, what) }

    /// Writes a temporary file and renames it, so that a full disk leaves the old file. Follows a link, as dotfile
    /// managers use them.
    ///
    /// - Parameter mode: the permission bits; nil keeps the current ones.
    package func replace(with bytes: [UInt8], mode: UInt32? = nil) throws(Failure) {
        do { try TrustedFile.checkPlace(path) } catch { throw Failure(distrust: error, what: what) }
        let place = realPath(path) ?? path
        let folder = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        Folder.make(folder)
        var old = stat()
        let isThere = stat(place, &old) == 0
        let keptMode = mode == nil && isThere ? old.st_mode & 0o7777 : nil
        let mode = mode ?? keptMode ?? 0o600
        let aside = aside(place)
        let file: Int32
        do throws(Errno) { file = try Self.make(aside, mode: mode & 0o777) } catch { throw problem(error) }
        // An existing file keeps its group and mode, whatever this process's group and umask.
        if keptMode != nil, old.st_gid != getegid() { _ = uninterrupted { fchown(file, uid_t.max, old.st_gid) } }
        if let keptMode { _ = uninterrupted { fchmod(file, keptMode) } }
        defer { close(file) }
        do throws(AtomicFile.Problem) { try AtomicFile.replace(place, with: bytes, in: file, aside) } catch {
            throw problem(error.code)
        }
    }

    /// Removes the temporary file of a process that was killed during a change.
    package func clearLeftovers() { Self.clear(aside(realPath(path) ?? path)) }

    private func aside(_ place: String) -> String { place + Self.asideSuffix }

    /// Creates the temporary file, locked for the lifetime of its writer. Waits up to a second for another writer.
    private static func make(_ aside: String, mode: mode_t) throws(Errno) -> Int32 {
        for _ in 0..<100 {
            clear(aside)
            let file = uninterrupted { open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode) }
            if file >= 0 {
                // Between open and flock another process can take it for a leftover and remove it.
                if FileLock.attempt(file) != .busy, FileLock.isSame(file, aside) { return file }
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
        FileLock.removeAbandoned(aside) { file in
            var info = stat()
            return fstat(file, &info) == 0 && info.st_uid == geteuid()
        }
    }

    private func problem(_ error: Errno) -> Failure {
        Failure(
            .configuration, "\(path): \(error)",
            hint: .text("make the \(what) and its folder writable and free disk space"))
    }
}
