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
        try replace(mode: mode) { () throws(Failure) in bytes }
    }

    /// Like ``replace(with:mode:)`` with content that a body derives from the present one. No other foyer process
    /// changes the file meanwhile; if a program without that lock does, the body is called again.
    ///
    /// - Parameter body: reads the file, and returns the new content. An error leaves the file unchanged.
    package func replace(mode: UInt32? = nil, _ body: () throws(Failure) -> [UInt8]) throws(Failure) {
        do { try TrustedFile.checkPlace(path) } catch { throw Failure(distrust: error, what: what) }
        for _ in 0..<Self.mostAttempts where try attempt(mode, body) { return }
        throw Failure(.configuration, "\(path) is being changed by another program", hint: "run this again")
    }

    /// Checks that the file could be replaced by one of this size, before a step that cannot be undone. Changes
    /// nothing.
    package func prove(bytes size: Int) throws(Failure) {
        do { try TrustedFile.checkPlace(path) } catch { throw Failure(distrust: error, what: what) }
        do { try TrustedFile.checkReplaceable(path) } catch {
            throw Failure(.configuration, error.message, hint: .text("make the \(what) and its folder writable"))
        }
        let place = realPath(path) ?? path
        Folder.make(String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)]))
        let aside = aside(place)
        let file: Int32
        do throws(Errno) { file = try Self.make(aside) } catch { throw problem(error) }
        defer {
            _ = uninterrupted { unlink(aside) }
            close(file)
        }
        do throws(AtomicFile.Problem) { try AtomicFile.fill(file, blanks: size) } catch { throw problem(error.code) }
    }

    private static let mostAttempts = 8

    /// - Returns: false if the file was changed meanwhile.
    private func attempt(_ mode: UInt32?, _ body: () throws(Failure) -> [UInt8]) throws(Failure) -> Bool {
        let place = realPath(path) ?? path
        let folder = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        Folder.make(folder)
        let aside = aside(place)
        let file: Int32
        // The permissions are set once they are known.
        do throws(Errno) { file = try Self.make(aside) } catch { throw problem(error) }
        defer { close(file) }
        let version = Version(place)
        let bytes: [UInt8]
        do throws(Failure) { bytes = try body() } catch {
            _ = uninterrupted { unlink(aside) }
            throw error
        }
        var old = stat()
        let isThere = stat(place, &old) == 0
        // An existing file keeps its group and mode, whatever this process's group and umask.
        if let mode {
            _ = uninterrupted { fchmod(file, mode & 0o777) }
        } else if isThere {
            if old.st_gid != getegid() { _ = uninterrupted { fchown(file, uid_t.max, old.st_gid) } }
            _ = uninterrupted { fchmod(file, old.st_mode & 0o7777) }
        }
        do throws(AtomicFile.Problem) {
            try AtomicFile.replace(
                place, with: bytes, in: file, aside, isExpected: { Version(place) == version })
        } catch {
            if error.code == .staleNFSFileHandle, Version(place) != version { return false }
            throw problem(error.code)
        }
        return true
    }

    /// The attributes of a file that change with its content.
    private struct Version: Equatable {
        private var inode: ino_t = 0
        private var size: off_t = 0
        private var seconds = 0
        private var nanoseconds = 0

        /// - Parameter place: a missing file has no inode.
        init(_ place: String) {
            var info = stat()
            guard uninterrupted({ stat(place, &info) }) == 0 else { return }
            (inode, size) = (info.st_ino, info.st_size)
            (seconds, nanoseconds) = (Int(info.st_mtim.tv_sec), Int(info.st_mtim.tv_nsec))
        }
    }

    /// Removes the temporary file of a process that was killed during a change.
    package func clearLeftovers() { Self.clear(aside(realPath(path) ?? path)) }

    private func aside(_ place: String) -> String { place + Self.asideSuffix }

    /// Creates the temporary file, locked for the lifetime of its writer. Waits up to five seconds for other writers.
    private static func make(_ aside: String) throws(Errno) -> Int32 {
        for _ in 0..<500 {
            clear(aside)
            let file = uninterrupted { open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
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
