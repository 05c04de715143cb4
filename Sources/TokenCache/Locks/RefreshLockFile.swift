import Glibc
import SystemPackage

/// The file next to a store whose bytes are locked, one per credential: see ``RefreshLock``.
enum RefreshLockFile {
    /// The offsets of keys are below this; the byte here is locked by each ``StoreWatch``.
    static let endOfKeys: Int64 = 0x4000_0000_0000_0000

    static func opened(_ path: String) throws(StoreError) -> Int32 {
        let place = try ResolvedPath(path)
        try place.makeFolder()
        let descriptor = uninterrupted { open(file(place), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw .system("lock", path: path) }
        _ = uninterrupted { fchmod(descriptor, 0o600) }
        var info = stat()
        guard isOurs(descriptor, &info) else {
            close(descriptor)
            throw StoreError(
                .folderNotTrusted(path: place.folder, why: "its refresh lock belongs to another user"), path: path)
        }
        return descriptor
    }

    static func isNamed(_ descriptor: Int32, _ path: String) -> Bool {
        var (named, info) = (stat(), stat())
        guard let place = try? ResolvedPath(path), uninterrupted({ lstat(file(place), &named) }) == 0 else {
            return false
        }
        return isOurs(descriptor, &info) && info.st_dev == named.st_dev && info.st_ino == named.st_ino
    }

    static func file(_ place: ResolvedPath) -> String { place.file + ".refresh" }

    static func isOurs(_ descriptor: Int32, _ info: inout stat) -> Bool {
        uninterrupted { fstat(descriptor, &info) } == 0 && FileKind(info) == .regular && info.st_uid == geteuid()
    }
}
