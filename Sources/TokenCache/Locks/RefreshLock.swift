import Synchronization
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One refresh at a time per credential, between all processes of this program.
///
/// One byte of `<path>.refresh` is locked, at a place worked out from the key, so that refreshes of different accounts
/// do not wait for each other. The lock belongs to the open file (OFD), so tasks of one process keep each other out
/// too, and the kernel gives it back when the process dies. The store itself is not locked meanwhile.
package final class RefreshLock: Sendable {
    private let descriptor: Mutex<Int32?>

    private init(_ descriptor: Int32?) { self.descriptor = Mutex(descriptor) }

    deinit { release() }

    /// - Parameters:
    ///   - path: the store's path.
    ///   - key: names the credential; never a secret.
    ///   - timeout: how long another holder is waited for, without holding a thread.
    ///   - onWait: called once when another process holds it.
    /// - Throws: `locked` when the wait is over, `cancelled` when the task is; `readOnly`, `io`, and what the folder is
    ///   not trusted for.
    package static func acquire(path: String, key: String, timeout: Duration, onWait: () -> Void = {})
        async throws(StoreError) -> RefreshLock
    {
        let place = try ResolvedPath(path)
        try place.makeFolder()
        let file = place.file + ".refresh"
        let descriptor = uninterrupted { open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw .system("lock", path: path) }
        _ = uninterrupted { fchmod(descriptor, 0o600) }
        let lock = RefreshLock(descriptor)
        var info = stat()
        guard uninterrupted({ fstat(descriptor, &info) }) == 0, FileKind(info) == .regular, info.st_uid == geteuid()
        else {
            throw StoreError(
                .folderNotTrusted(path: place.folder, why: "its refresh lock belongs to somebody else"), path: path)
        }
        let deadline = ContinuousClock.now + timeout
        var isWaiting = false
        while true {
            switch attempt(descriptor, offset: offset(of: key)) {
            case nil, .noLocks?, .notSupportedOnSocket?, .noFunction?:
                // A file system without locks: two refreshes at once are then possible, and are mended by reading
                // again.
                return lock
            case .resourceTemporarilyUnavailable?, .permissionDenied?: break
            case let code?: throw .system("lock", path: path, code: code)
            }
            if !isWaiting { onWait() }
            isWaiting = true
            guard ContinuousClock.now < deadline else { throw StoreError(.locked(pid: nil, name: ""), path: path) }
            do { try await Task.sleep(for: .milliseconds(10)) } catch { throw StoreError(.cancelled, path: path) }
        }
    }

    /// Gives the lock back; does nothing the second time.
    package func release() {
        descriptor.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }

    /// FNV-1a: the same in every process and version, which Swift's own hash is not.
    static func offset(of key: String) -> Int64 {
        let hash = key.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return Int64(hash & 0x3FFF_FFFF_FFFF_FFFF)
    }

    /// - Returns: why the lock was not taken.
    private static func attempt(_ descriptor: Int32, offset: Int64) -> Errno? {
        #if canImport(Darwin)
            let setLock: Int32 = 90
        #else
            let setLock: Int32 = 37
        #endif
        var request = flock()
        request.l_type = Int16(truncatingIfNeeded: F_WRLCK)
        request.l_whence = Int16(truncatingIfNeeded: SEEK_SET)
        request.l_start = off_t(offset)
        request.l_len = 1
        return uninterrupted({ fcntl(descriptor, setLock, &request) }) == 0 ? nil : .last
    }
}
