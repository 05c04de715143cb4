import CommandSupport
import Glibc
import SystemPackage
import TokenCache

/// Creates a file with mode 0600; never replaces another file.
enum NewFile {
    struct Problem: Error {
        let error: Errno
        /// Whether the file was created; the partial file is then removed.
        let wasCreated: Bool
    }

    static func write(_ text: String, to path: String) throws(Problem) {
        // O_EXCL follows no link, so no existing file is overwritten.
        let file = uninterrupted { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        guard file >= 0 else { throw Problem(error: .last, wasCreated: false) }
        defer { close(file) }
        if let error = Output.write(text, to: file) ?? (uninterrupted { fsync(file) } == 0 ? nil : .last) {
            unlink(path)
            throw Problem(error: error, wasCreated: true)
        }
        AtomicFile.syncFolder(of: path)
    }
}
