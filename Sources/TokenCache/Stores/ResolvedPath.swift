import Glibc
import SystemPackage

/// The resolved path of a store, after checking that no other user controls anything on the way: the file is regular,
/// owned by us and not writable by others; its folder is owned by us or root, and is writable by others only if sticky,
/// like /tmp; a link is ours, and all folders above it pass the same check.
struct ResolvedPath: Sendable {
    let path: String
    /// The absolute path, links not followed.
    let link: String
    /// The file itself, links followed.
    let file: String
    private let trustsRoot: Bool

    var folder: String { Self.folder(of: file) }
    var name: String { Self.slash(in: file).map { String(file[file.utf8.index(after: $0)...]) } ?? file }

    /// - Parameter trustsRoot: whether a link can also belong to root.
    /// - Throws: `linkNotTrusted`, `folderNotTrusted`, `notRegularFile`; a missing file or folder is not an error.
    init(_ path: String, trustsRoot: Bool = false) throws(StoreError) {
        (self.path, self.trustsRoot) = (path, trustsRoot)
        guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw StoreError(.notRegularFile, path: path)
        }
        var current = path
        if !path.hasPrefix("/") {
            guard let folder = currentFolder() else { throw .system("getcwd", path: path) }
            current = folder + "/" + path
        }
        let given = current
        var isLinked = false
        for _ in 0..<8 {
            var info = stat()
            guard uninterrupted({ lstat(current, &info) }) == 0 else {
                // If this fails it could still be a link, which a write would replace with a file.
                guard Errno.last.isAbsence else { throw .system("stat", path: path) }
                break
            }
            guard FileKind(info) == .link else { break }
            isLinked = true
            guard info.st_uid == geteuid() || (trustsRoot && info.st_uid == 0) else {
                throw StoreError(.linkNotTrusted(why: "it belongs to another user"), path: path)
            }
            try Self.checkFolders(above: current, path: path)
            guard let target = linkTarget(current) else { throw .system("readlink", path: path) }
            current = target.hasPrefix("/") ? target : Self.folder(of: current) + "/" + target
        }
        var info = stat()
        if lstat(current, &info) == 0, FileKind(info) == .link {
            throw StoreError(.linkNotTrusted(why: "symbolic link loop"), path: path)
        }
        if isLinked { try Self.checkFolders(above: current, path: path) }
        link = given
        file = current
        try Self.checkFolder(folder, path: path)
    }

    /// Opens the file for reading, without blocking; the caller closes it. Nil if there is none.
    func opened() throws(StoreError) -> (descriptor: Int32, info: stat)? {
        let descriptor = uninterrupted { open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY) }
        guard descriptor >= 0 else {
            if Errno.last.isAbsence { return nil }
            throw .system("open", path: path)
        }
        do throws(StoreError) { return (descriptor, try check(descriptor)) } catch {
            close(descriptor)
            throw error
        }
    }

    /// Checks the type, owner and mode of the open file.
    func check(_ descriptor: Int32) throws(StoreError) -> stat {
        var info = stat()
        guard uninterrupted({ fstat(descriptor, &info) }) == 0 else { throw .system("stat", path: path) }
        guard FileKind(info) == .regular else { throw StoreError(.notRegularFile, path: path) }
        guard info.st_uid == geteuid() || (trustsRoot && info.st_uid == 0) else {
            throw StoreError(.wrongOwner(uid: info.st_uid), path: path)
        }
        let mode = UInt32(info.st_mode) & 0o7777
        guard mode & 0o022 == 0 else { throw StoreError(.writableByOthers(mode: mode), path: path) }
        return info
    }

    /// Checks that a write or a removal would end no device, pipe or socket: a link can lead to one, and root could.
    ///
    /// - Throws: `notRegularFile`; a missing file is not an error.
    func checkReplaceable() throws(StoreError) {
        var info = stat()
        guard uninterrupted({ lstat(file, &info) }) == 0, FileKind(info) != .regular else { return }
        throw StoreError(.notRegularFile, path: path)
    }

    static func folder(of path: String) -> String {
        guard let slash = slash(in: path), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// The last one. By bytes, as the system does: a character can be a slash with accents.
    private static func slash(in path: String) -> String.Index? { path.utf8.lastIndex(of: UInt8(ascii: "/")) }

    /// Creates the folder and missing parents, accessible only to the current user.
    func makeFolder() throws(StoreError) {
        var missing: [String] = []
        var current = folder
        while uninterrupted({ access(current, F_OK) }) != 0, Errno.last == .noSuchFileOrDirectory, current != "/" {
            missing.append(current)
            current = Self.folder(of: current)
        }
        for made in missing.reversed() {
            if uninterrupted({ mkdir(made, 0o700) }) == 0 {
                _ = uninterrupted { chmod(made, 0o700) }
                AtomicFile.syncFolder(of: made)
            } else if Errno.last != .fileExists {
                throw .system("mkdir", path: path)
            }
        }
        try Self.checkFolder(folder, path: path)
    }

    private static func checkFolders(above file: String, path: String) throws(StoreError) {
        var current = folder(of: file)
        while true {
            try checkFolder(current, path: path)
            if current == "/" { return }
            current = folder(of: current)
        }
    }

    private static func checkFolder(_ folder: String, path: String) throws(StoreError) {
        var info = stat()
        guard uninterrupted({ stat(folder, &info) }) == 0 else {
            if Errno.last == .noSuchFileOrDirectory { return }
            throw .system("stat", path: path)
        }
        guard FileKind(info) == .folder else {
            throw StoreError(.folderNotTrusted(path: folder, why: "not a folder"), path: path)
        }
        guard info.st_uid == geteuid() || info.st_uid == 0 else {
            throw StoreError(
                .folderNotTrusted(path: folder, why: "it belongs to another user (uid \(info.st_uid))"), path: path)
        }
        let mode = UInt32(info.st_mode)
        guard mode & 0o022 == 0 || mode & 0o1000 != 0 else {
            throw StoreError(
                .folderNotTrusted(
                    path: folder, why: "writable by others (mode 0\(String(mode & 0o7777, radix: 8)))"), path: path)
        }
    }
}

enum FileKind {
    case regular, folder, link, other

    init(_ info: stat) {
        switch UInt32(info.st_mode) & 0o170000 {
        case 0o100000: self = .regular
        case 0o040000: self = .folder
        case 0o120000: self = .link
        default: self = .other
        }
    }
}

extension StoreError {
    static func system(_ problem: AtomicFile.Problem, path: String) -> StoreError {
        system(problem.operation, path: path, code: problem.code)
    }

    /// The error for a failed system call, by default the last one.
    static func system(_ operation: String, path: String, code: Errno = .last) -> StoreError {
        switch code {
        case .noSpace, .diskQuotaExceeded: StoreError(.noSpace, path: path)
        case .readOnlyFileSystem: StoreError(.readOnly, path: path)
        case .permissionDenied, .notPermitted:
            StoreError(
                operation == "open" || operation == "stat" ? .io(code, operation: operation) : .readOnly,
                path: path)
        case .tooManySymbolicLinkLevels: StoreError(.linkNotTrusted(why: "symbolic link loop"), path: path)
        default: StoreError(.io(code, operation: operation), path: path)
        }
    }
}
