import Glibc
import SystemPackage

/// A lock file that is locked and written before it gets its name: if the process is killed before that, there is no
/// file; if after, the content shows that its owner is dead.
package enum WholeLockFile {
    /// On a full disk the file is empty: its age is then the only sign that its owner is dead.
    ///
    /// - Parameters:
    ///   - isFlushed: whether the content must survive a power cut.
    ///   - reserved: an open file of ``makeNameless(in:_:)`` in the same folder, to which the name is given. It stays
    ///     the caller's if this returns nil.
    /// - Returns: the open file, locked if flock(2) is supported; nil if the file exists, or cannot be made like this.
    ///   Never blocks.
    package static func make(_ file: String, _ text: [UInt8], isFlushed: Bool = false, reserved: Int32? = nil) -> Int32?
    {
        guard let made = reserved ?? makeNameless(in: ResolvedPath.folder(of: file), text) else { return nil }
        guard FileLock.attempt(made) != .busy,
            !isFlushed || uninterrupted({ fsync(made) }) == 0,
            uninterrupted({ linkat(AT_FDCWD, "/proc/self/fd/\(made)", AT_FDCWD, file, Int32(AT_SYMLINK_FOLLOW)) })
                == 0
        else {
            if reserved == nil { close(made) }
            return nil
        }
        return made
    }

    /// The file without its name; the caller closes it. Nil if the file system cannot do that.
    static func makeNameless(in folder: String, _ text: [UInt8]) -> Int32? {
        // O_TMPFILE, which the Glibc module does not export.
        let nameless = O_DIRECTORY | 0o20000000
        let made = uninterrupted { open(folder, O_RDWR | nameless | O_CLOEXEC, 0o600) }
        guard made >= 0 else { return nil }
        guard uninterrupted({ fchmod(made, 0o600) }) == 0, sign(made, text) else {
            close(made)
            return nil
        }
        return made
    }

    /// Makes the text the content of an open lock file, or empties the file if the disk is full.
    static func sign(_ file: Int32, _ text: [UInt8]) -> Bool {
        let count = uninterrupted { pwrite(file, text, text.count, 0) }
        // In this order: if killed between the two calls, the file has a pid, which shows that its owner is dead.
        if count == text.count { return uninterrupted { ftruncate(file, off_t(text.count)) } == 0 }
        guard count >= 0 || [.noSpace, .diskQuotaExceeded].contains(Errno.last) else { return false }
        return uninterrupted { ftruncate(file, 0) } == 0
    }
}
