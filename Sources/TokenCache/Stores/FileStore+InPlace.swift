import CLinux
import Glibc
import SystemPackage

// Stores that cannot be replaced by a rename: a mount point, which is written in place, and immutable files.

extension FileStore {
    /// Whether the store is a mount point; throws `notReplaceable` for an immutable or append-only file or folder.
    func isMounted(_ place: ResolvedPath) throws(StoreError) -> Bool {
        let attributes = foyer_file_attributes(place.file)
        for (found, what) in [(attributes, "it"), (foyer_file_attributes(place.folder), "its folder")] {
            if found & UInt64(STATX_ATTR_IMMUTABLE) != 0 {
                throw StoreError(.notReplaceable(why: "\(what) is immutable (chattr +i)"), path: path)
            }
            if found & UInt64(STATX_ATTR_APPEND) != 0 {
                throw StoreError(.notReplaceable(why: "\(what) can only be appended to (chattr +a)"), path: path)
            }
        }
        return attributes & UInt64(STATX_ATTR_MOUNT_ROOT) != 0
    }

    /// Overwrites the content, and restores it on failure. Readers of incomplete content read again under the lock.
    func writeInPlace(_ bytes: [UInt8], at place: ResolvedPath) throws(StoreError) {
        let former = try read()?.bytes ?? []
        let descriptor = try openedInPlace(place, size: bytes.count)
        defer { close(descriptor) }
        do throws(StoreError) { try fill(descriptor, with: bytes) } catch {
            try? fill(descriptor, with: former)
            throw error
        }
        Self.date(descriptor)
    }

    /// - Returns: the file, open for writing, with space reserved for the size; the caller closes it.
    func openedInPlace(_ place: ResolvedPath, size: Int) throws(StoreError) -> Int32 {
        let descriptor = uninterrupted { open(place.file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else {
            throw .system(Errno.last == .noSuchFileOrDirectory ? "open" : "write", path: path)
        }
        do throws(StoreError) {
            try checkSize(place.check(descriptor))
            switch Errno(rawValue: foyer_keep_room(descriptor, Int64(size))) {
            // A file system that cannot reserve space only reports a lack of it on write.
            case Errno(rawValue: 0), .notSupportedOnSocket, .noFunction: break
            case let code: throw .system("fallocate", path: path, code: code)
            }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }
}
