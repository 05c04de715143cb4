import CommandSupport
import Identity
import SystemPackage

/// Writes a token's claims to a new file with mode 0600.
enum ClaimsFile {
    /// - Throws: `usage` if the file exists, `storeError` if it cannot be written; nothing is left behind then.
    /// - Parameter path: `name` as the user typed it, with `~` expanded.
    static func write(_ text: String, to name: String, path: String) throws(Failure) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw Failure(.usage, "give a file name") }
        do throws(NewFile.Problem) { try NewFile.write(text, to: path) } catch {
            if !error.wasCreated, error.error == .fileExists {
                throw Failure(.usage, "\(name) already exists", hint: "choose a new file name")
            }
            throw Failure(
                .storeError, "\(name): \(error.error)",
                hint: error.wasCreated ? "nothing was written" : "choose a folder that you own")
        }
    }
}
