import Glibc
package import Identity
import SystemPackage
import TokenCache

/// A folder of mode 0700 that goes when the work is done.
///
/// A file in it is locked as long as its maker lives: what a process that was killed has left behind is known by that,
/// and goes with the next folder that is made.
package struct TemporaryFolder: Sendable {
    /// Absolute.
    package let path: String
    /// Nil where the file system knows no locks: the folder is nobody's to clear then.
    private let mark: Mark?

    /// What is in the first place is in memory, and goes with the session.
    private static let variables = ["XDG_RUNTIME_DIR", "TMPDIR"]

    /// - Parameter purpose: in the folder's name.
    /// - Throws: `storeError` where no place takes it.
    package init(_ purpose: String, _ environment: ProcessEnvironment) throws(Failure) {
        for left in Self.leftBehind(environment) { Self(leftBehind: left)?.remove() }
        let places = Self.places(environment)
        for place in places {
            var template = Array("\(place)/foyer-\(purpose)-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { continue }
            path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            mark = Mark(in: path)
            return
        }
        throw Failure(
            .storeError, "no temporary folder in \(places.joined(separator: " or ")): \(Errno.last)",
            hint: "make room there, or set TMPDIR")
    }

    /// Nil when it is none of ours, or its maker lives.
    private init?(leftBehind path: String) {
        guard let mark = Mark(ofTheDeadIn: path) else { return nil }
        self.path = path
        self.mark = mark
    }

    /// The folders of processes that did not live to remove them, as absolute paths.
    package static func leftBehind(_ environment: ProcessEnvironment) -> [String] {
        Set(places(environment)).sorted().flatMap { place in
            Folder.names(in: place) { $0.hasPrefix("foyer-") }.map { "\(place)/\($0)" }
        }
        .filter { Mark(ofTheDeadIn: $0) != nil }
    }

    private static func places(_ environment: ProcessEnvironment) -> [String] {
        variables.compactMap { environment[$0] }.filter { $0.hasPrefix("/") } + ["/tmp"]
    }

    /// What another process of ours puts there meanwhile, such as the lock of a store that it looks at, is taken away,
    /// too.
    package func remove() {
        for _ in 0..<20 {
            if Self.remove(path, depth: 0) { return }
            usleep(20_000)
        }
    }

    /// Links are taken away and not followed. The mark goes last: who is killed before leaves what can be cleared.
    private static func remove(_ path: String, depth: Int) -> Bool {
        for name in Folder.names(in: path) where name != "." && name != ".." && (depth > 0 || name != Mark.name) {
            if unlink(path + "/" + name) != 0, depth < 3 { _ = remove(path + "/" + name, depth: depth + 1) }
        }
        if depth == 0 { unlink(path + "/" + Mark.name) }
        return rmdir(path) == 0 || Errno.last == .noSuchFileOrDirectory
    }

    /// A file that is locked with flock(2) as long as this lives, and the process.
    private final class Mark: Sendable {
        static let name = ".maker"
        private let file: Int32

        /// Locked before it has its name, by which it is found.
        init?(in folder: String) {
            let name = "\(folder)/\(Self.name)"
            file = uninterrupted { open(name + "-new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
            guard file >= 0, uninterrupted({ flock(file, LOCK_EX | LOCK_NB) }) == 0, rename(name + "-new", name) == 0
            else { return nil }
        }

        /// Nil where there is none of ours, or somebody has it locked.
        init?(ofTheDeadIn path: String) {
            let folder = uninterrupted { open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
            defer { if folder >= 0 { close(folder) } }
            var info = stat()
            file = folder < 0 ? -1 : uninterrupted { openat(folder, Self.name, O_RDWR | O_NOFOLLOW | O_CLOEXEC) }
            guard file >= 0, fstat(folder, &info) == 0, info.st_uid == geteuid(),
                fstat(file, &info) == 0, info.st_uid == geteuid(), info.st_mode & S_IFMT == S_IFREG,
                uninterrupted({ flock(file, LOCK_EX | LOCK_NB) }) == 0
            else { return nil }
        }

        deinit { if file >= 0 { close(file) } }
    }
}
