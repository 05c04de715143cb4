import CommandSupport
import Glibc
import Identity
import SystemPackage
import TokenCache

/// A file that a person names for what a token says: new, and for its owner alone.
enum ClaimsFile {
    /// - Throws: `usage` when there is something of that name already, `storeError` when it cannot be written; then
    ///   nothing is left behind.
    /// - Parameter path: `~` replaced already; `name` is as the person wrote it.
    static func write(_ text: String, to name: String, path: String) throws(Failure) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw Failure(.usage, "name a file for the claims") }
        // O_EXCL follows no link, so nothing of anybody's is written over.
        let file = uninterrupted { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        guard file >= 0 else {
            let error = Errno.last
            guard error != .fileExists else {
                throw Failure(
                    .usage, "\(name) already exists", hint: "name a new file: existing files are not overwritten")
            }
            throw Failure(.storeError, "\(name): \(error)", hint: "name a file in a folder of your own")
        }
        defer { close(file) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { part in
                uninterrupted { Glibc.write(file, part.baseAddress, part.count) }
            }
            guard count > 0 else {
                let error = Errno.last
                unlink(path)
                throw Failure(.storeError, "\(name): \(error)", hint: "nothing was written")
            }
            bytes = bytes.dropFirst(count)
        }
    }
}
