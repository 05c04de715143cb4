import Glibc
package import Identity
import SystemPackage
import TokenCache

/// A folder of mode 0700, to be removed after use.
///
/// A file in it stays locked while its process runs. A folder without that lock was left by a killed process, and is
/// removed when the next folder is created.
package struct TemporaryFolder: Sendable {
    /// Absolute.
    package let path: String
    /// Nil if the file system does not support locks; then other processes do not remove the folder.
    private let mark: Mark?

    /// In order of preference: the first is in memory and removed with the session.
    private static let variables = ["XDG_RUNTIME_DIR", "TMPDIR"]

    /// - Parameter purpose: part of the folder's name.
    /// - Throws: `storeError` if it cannot be created anywhere.
    package init(_ purpose: String, _ environment: ProcessEnvironment) throws(Failure) {
        for left in Self.leftBehind(environment) { Self(leftBehind: left)?.remove() }
        let places = Self.places(environment)
        for place in places {
            var template = Array("\(place)/foyer-\(purpose)-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { continue }
            path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            mark = try? Mark(in: path)
            return
        }
        throw Failure(
            .storeError, "cannot create a temporary folder in \(places.joined(separator: " or ")): \(Errno.last)",
            hint: "free disk space there, or set TMPDIR")
    }

    /// Nil if the folder is not ours, or its process still runs.
    private init?(leftBehind path: String) {
        guard let mark = Mark(ofTheDeadIn: path) else { return nil }
        self.path = path
        self.mark = mark
    }

    /// Absolute paths of folders whose processes ended without removing them.
    package static func leftBehind(_ environment: ProcessEnvironment) -> [String] {
        Set(places(environment)).sorted().flatMap { place in
            Folder.names(in: place) { $0.hasPrefix("foyer-") }.map { "\(place)/\($0)" }
        }
        .filter { Mark(ofTheDeadIn: $0) != nil }
    }

    private static func places(_ environment: ProcessEnvironment) -> [String] {
        variables.compactMap(environment.path) + ["/tmp"]
    }

    /// Retries if another foyer process adds a file in the meantime, such as the lock of a store that it reads.
    package func remove() {
        for _ in 0..<20 {
            if Self.remove(path, depth: 0) { return }
            usleep(20_000)
        }
    }

    /// Removes links without following them. The lock file goes last, so that the rest can be removed later if this
    /// process is killed.
    private static func remove(_ path: String, depth: Int) -> Bool {
        for name in Folder.names(in: path) where name != "." && name != ".." && (depth > 0 || name != Mark.name) {
            if unlink(path + "/" + name) != 0, depth < 3 { _ = remove(path + "/" + name, depth: depth + 1) }
        }
        if depth == 0 { unlink(path + "/" + Mark.name) }
        return rmdir(path) == 0 || Errno.last == .noSuchFileOrDirectory
    }

    /// A file that stays locked for the lifetime of this object.
    private final class Mark: Sendable {
        static let name = ".maker"
        private let lock: FileLock

        /// Locked before it gets its final name, so that no process finds it unlocked.
        init(in folder: String) throws(Errno) {
            let name = "\(folder)/\(Self.name)"
            lock = try FileLock(name + "-new", flags: O_RDWR | O_CREAT | O_EXCL)
            guard rename(name + "-new", name) == 0 else { throw .last }
        }

        /// Nil if the file is missing, not ours, or still locked.
        init?(ofTheDeadIn path: String) {
            let folder = uninterrupted { open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
            defer { if folder >= 0 { close(folder) } }
            var info = stat()
            guard folder >= 0, fstat(folder, &info) == 0, info.st_uid == geteuid(),
                fstatat(folder, Self.name, &info, AT_SYMLINK_NOFOLLOW) == 0, info.st_uid == geteuid(),
                info.st_mode & S_IFMT == S_IFREG,
                let lock = try? FileLock(
                    of: uninterrupted { openat(folder, Self.name, O_RDWR | O_NOFOLLOW | O_CLOEXEC) })
            else { return nil }
            self.lock = lock
        }
    }
}
