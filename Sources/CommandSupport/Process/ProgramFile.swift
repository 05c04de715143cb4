import Glibc
import TokenCache

/// The executable of this process and of others.
package enum ProgramFile {
    private static let mark = " (deleted)"

    /// Whether an upgrade has replaced or removed the executable.
    package static var isReplaced: Bool { link?.hasSuffix(mark) ?? false }

    /// The path of the executable, or of its replacement.
    package static var path: String? { link.map { $0.hasSuffix(mark) ? String($0.dropLast(mark.count)) : $0 } }

    /// The `foyer` executable next to this one, or where it is installed.
    package static var front: String? {
        guard let path, let slash = path.lastIndex(of: "/") else { return nil }
        let folder = path[..<slash]
        return ["\(folder)/foyer", "\(folder)/../../bin/foyer"].lazy.filter(isExecutable).compactMap { realPath($0) }
            .first
    }

    package static func isExecutable(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    private static var link: String? { linkTarget("/proc/self/exe") }
}
