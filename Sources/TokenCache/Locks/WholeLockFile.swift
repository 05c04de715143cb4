import Glibc
import SystemPackage

/// A lock file that is locked and written before it gets its name: if the process is killed before that, there is no
/// file; if after, the content shows that its owner is dead.
package enum WholeLockFile {
    /// - Parameter isFlushed: whether the content must survive a power cut.
    /// - Returns: the open file, locked if flock(2) is supported; nil if the file exists, or cannot be made like this.
    ///   Never blocks.
    package static func make(_ file: String, _ text: [UInt8], isFlushed: Bool = false) -> Int32? {
        // O_TMPFILE, which the Glibc module does not export.
        let nameless = O_DIRECTORY | 0o20000000
        let made = uninterrupted { open(ResolvedPath.folder(of: file), O_RDWR | nameless | O_CLOEXEC, 0o600) }
        guard made >= 0 else { return nil }
        guard uninterrupted({ fchmod(made, 0o600) }) == 0,
            FileLock.attempt(made) != .busy,
            uninterrupted({ pwrite(made, text, text.count, 0) }) == text.count,
            !isFlushed || uninterrupted({ fsync(made) }) == 0,
            uninterrupted({ linkat(AT_FDCWD, "/proc/self/fd/\(made)", AT_FDCWD, file, Int32(AT_SYMLINK_FOLLOW)) })
                == 0
        else {
            close(made)
            return nil
        }
        return made
    }
}
