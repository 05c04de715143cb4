import Glibc
import Identity

/// A file that a person names for what a token says: new, and for its owner alone.
enum ClaimsFile {
    /// - Throws: `usage` when there is something of that name already, `storeError` when it cannot be written; then
    ///   nothing is left behind.
    /// - Parameter path: `~` replaced already; `name` is as the person wrote it.
    static func write(_ text: String, to name: String, path: String) throws(Failure) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw Failure(.usage, "name a file for the claims") }
        // O_EXCL follows no link, so nothing of anybody's is written over.
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let reason = String(cString: strerror(errno))
            guard errno != EEXIST else {
                throw Failure(
                    .usage, "\(name) already exists", hint: "name a new file: existing files are not overwritten")
            }
            throw Failure(.storeError, "\(name): \(reason)", hint: "name a file in a folder of your own")
        }
        defer { close(file) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let reason = String(cString: strerror(errno))
                unlink(path)
                throw Failure(.storeError, "\(name): \(reason)", hint: "nothing was written")
            }
            bytes = bytes.dropFirst(count)
        }
    }
}
