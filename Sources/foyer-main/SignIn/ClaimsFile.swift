import CommandSupport
import Identity
import SystemPackage

/// A file that a person names for what a token says: new, and for its owner alone.
enum ClaimsFile {
    /// - Throws: `usage` when there is something of that name already, `storeError` when it cannot be written; then
    ///   nothing is left behind.
    /// - Parameter path: `~` replaced already; `name` is as the person wrote it.
    static func write(_ text: String, to name: String, path: String) throws(Failure) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw Failure(.usage, "name a file for the claims") }
        do throws(NewFile.Problem) { try NewFile.write(text, to: path) } catch {
            switch error {
            case .notMade(.fileExists):
                throw Failure(
                    .usage, "\(name) already exists", hint: "name a new file: existing files are not overwritten")
            case .notMade(let error):
                throw Failure(.storeError, "\(name): \(error)", hint: "name a file in a folder of your own")
            case .notWritten(let error): throw Failure(.storeError, "\(name): \(error)", hint: "nothing was written")
            }
        }
    }
}
