import CommandSupport
import Glibc
import Identity

/// The file of a report: mode 0600, and replaces another file only on request.
struct ReportFile {
    static let usualName = "foyer-report"

    let path: String

    var isThere: Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }

    /// - Throws: `configuration` if the file cannot be written; an old file is unchanged then.
    func write(_ text: String, replaces: Bool) throws(Failure) {
        if replaces { return try ReplacedFile(path, what: "report").replace(with: Array(text.utf8), mode: 0o600) }
        do throws(NewFile.Problem) { try NewFile.write(text, to: path) } catch {
            throw Failure(
                .configuration, "cannot write the report: \(path): \(error.error)",
                hint: "choose another file with --output")
        }
    }
}
