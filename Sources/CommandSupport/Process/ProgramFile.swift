import Glibc

/// The file of the program that runs, and those of others.
package enum ProgramFile {
    private static let mark = " (deleted)"

    /// Whether an upgrade has put another file in its place, or none.
    package static var isReplaced: Bool { link?.hasSuffix(mark) ?? false }

    /// Where it was, and where its successor is.
    package static var path: String? { link.map { $0.hasSuffix(mark) ? String($0.dropLast(mark.count)) : $0 } }

    /// Whether it can be run: a folder of the name is none.
    package static func isExecutable(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    private static var link: String? { target(ofLink: "/proc/self/exe") }

    /// What a symbolic link says; nil when it is none, or may not be read.
    static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
