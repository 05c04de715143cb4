import CommandSupport
import Glibc
import Identity

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
        do throws(NewFile.Problem) { try NewFile.write(text, to: path) } catch {
            switch error {
            case .notMade(let error), .notWritten(let error):
                throw Failure(
                    .configuration, "the report cannot be written: \(path): \(error)",
                    hint: "name another file with --output")
            }
        }
    }
}
