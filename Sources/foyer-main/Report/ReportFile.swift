import CommandSupport
import Glibc
import Identity
import SystemPackage
import TokenCache

/// Where a report is written: mode 0600, and in the place of another file only where that was said.
struct ReportFile {
    static let usualName = "foyer-report"

    let path: String

    var isThere: Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }

    /// - Throws: `configuration`, when the file cannot be written; then there is none, or the old one.
    func write(_ text: String, replaces: Bool) throws(Failure) {
        guard !replaces else {
            return try ReplacedFile(path, what: "report").replace(with: Array(text.utf8), mode: 0o600)
        }
        let file = uninterrupted { open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard file >= 0 else { throw problem(.last) }
        let trouble = Output.write(text, to: file) ?? (uninterrupted { fsync(file) } == 0 ? nil : Errno.last)
        close(file)
        guard let trouble else { return }
        _ = uninterrupted { unlink(path) }
        throw problem(trouble)
    }

    private func problem(_ error: Errno) -> Failure {
        Failure(
            .configuration, "the report cannot be written: \(path): \(error)",
            hint: "name another file with --output")
    }
}
