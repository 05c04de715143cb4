import Glibc
import SystemPackage

/// A lock file that is locked with flock(2) and has its text before it has its name: whoever is killed on the way
/// leaves none, or one that tells that its maker is dead.
package enum WholeLockFile {
    /// - Parameters:
    ///   - file: its path; nothing is waited for.
    ///   - isFlushed: whether the text is to be there after a power cut, too.
    /// - Returns: the open file, which has the lock where the file system knows flock(2); nil when there is a file of
    ///   that name already, or where the file system cannot do this.
    package static func make(_ file: String, _ text: [UInt8], isFlushed: Bool = false) -> Int32? {
        // O_TMPFILE, which the C library's module leaves out.
        let nameless = O_DIRECTORY | 0o20000000
        let made = uninterrupted { open(ResolvedPath.folder(of: file), O_RDWR | nameless | O_CLOEXEC, 0o600) }
        guard made >= 0 else { return nil }
        guard uninterrupted({ fchmod(made, 0o600) }) == 0,
            uninterrupted({ flock(made, LOCK_EX | LOCK_NB) }) == 0 || Errno.last != .wouldBlock,
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
