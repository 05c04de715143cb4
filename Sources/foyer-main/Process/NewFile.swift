import CommandSupport
import Glibc
import SystemPackage
import TokenCache

/// A file that is made anew, for its owner alone, and never in the place of another one.
enum NewFile {
    enum Problem: Error {
        case notMade(Errno)
        /// Nothing is left of it.
        case notWritten(Errno)
    }

    static func write(_ text: String, to path: String) throws(Problem) {
        // O_EXCL follows no link, so nothing of anybody's is written over.
        let file = uninterrupted { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        guard file >= 0 else { throw .notMade(.last) }
        defer { close(file) }
        if let error = Output.write(text, to: file) ?? (uninterrupted { fsync(file) } == 0 ? nil : .last) {
            unlink(path)
            throw .notWritten(error)
        }
    }
}
