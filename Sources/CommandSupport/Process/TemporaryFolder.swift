import Glibc
package import Identity
import SystemPackage
import TokenCache

/// A folder of mode 0700 that goes when the work is done.
package struct TemporaryFolder: Sendable {
    /// Absolute.
    package let path: String

    /// What is in the first place is in memory, and goes with the session.
    private static let variables = ["XDG_RUNTIME_DIR", "TMPDIR"]

    /// - Parameter purpose: in the folder's name.
    /// - Throws: `storeError` where no place takes it.
    package init(_ purpose: String, _ environment: ProcessEnvironment) throws(Failure) {
        let places = Self.variables.compactMap { environment[$0] }.filter { $0.hasPrefix("/") } + ["/tmp"]
        for place in places {
            var template = Array("\(place)/foyer-\(purpose)-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { continue }
            path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return
        }
        throw Failure(
            .storeError, "no temporary folder in \(places.joined(separator: " or ")): \(Errno.last)",
            hint: "make room there, or set TMPDIR")
    }

    /// What another process of ours puts there meanwhile, such as the lock of a store that it looks at, is taken away,
    /// too.
    package func remove() {
        for _ in 0..<20 {
            if Self.remove(path, depth: 0) { return }
            usleep(20_000)
        }
    }

    /// Links are taken away and not followed.
    private static func remove(_ path: String, depth: Int) -> Bool {
        for name in Folder.names(in: path) where name != "." && name != ".." {
            if unlink(path + "/" + name) != 0, depth < 3 { _ = remove(path + "/" + name, depth: depth + 1) }
        }
        return rmdir(path) == 0 || Errno.last == .noSuchFileOrDirectory
    }
}
