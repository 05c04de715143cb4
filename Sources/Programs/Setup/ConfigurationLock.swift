import Glibc
import Identity
import SystemPackage
import TokenCache

/// The lock of a configuration file as git and kubectl use it: creating `PATH.lock` takes it. Foyer's has a mark and a
/// file lock as well, so one left by a killed process is recognized.
struct ConfigurationLock {
    private static let mark = Array("foyer\n".utf8)
    private static let suffix = ".lock"

    private let descriptor: Int32
    private let lock: String

    /// Waits two seconds for another holder, then throws `configuration`.
    init(_ path: String) throws(Failure) {
        let name = path + Self.suffix
        lock = name
        for _ in 0..<100 {
            if let whole = WholeLockFile.make(name, Self.mark) {
                descriptor = whole
                return
            }
            let file = uninterrupted { open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
            if file >= 0 {
                _ = FileLock.attempt(file)
                descriptor = file
                if let error = writeAll(Self.mark, to: file) {
                    release()
                    throw Self.problem(name, error)
                }
                return
            }
            let error = Errno.last
            guard error == .fileExists else { throw Self.problem(name, error) }
            Self.clearLeftover(path)
            usleep(20_000)
        }
        throw Failure(
            .configuration, "\(path) is locked by another program (\(name))",
            hint: "wait, or delete the lock file if none is running")
    }

    func release() {
        _ = uninterrupted { unlink(lock) }
        close(descriptor)
    }

    /// Removes the lock of a foyer process that died; never another program's.
    static func clearLeftover(_ path: String) {
        FileLock.removeAbandoned(path + suffix) { file in
            var bytes = [UInt8](repeating: 0, count: mark.count + 1)
            return uninterrupted { read(file, &bytes, bytes.count) } == mark.count && bytes.starts(with: mark)
        }
    }

    private static func problem(_ lock: String, _ error: Errno) -> Failure {
        Failure(.configuration, "\(lock): \(error)", hint: "make its folder writable, with room on the disk")
    }
}
