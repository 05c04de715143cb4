import CommandSupport
import Identity
import SystemPackage

/// The path of a token file in all commands: absolute, without `.` and `..`.
struct TokenFilePath {
    let text: String

    /// - Throws: `usage` if it cannot be a file.
    init(_ path: String, _ environment: ProcessEnvironment) throws(Failure) {
        let place = FilePath(environment.expand(path)).lexicallyNormalized().string
        guard place.hasPrefix("/"), place != "/", !path.hasSuffix("/"), !path.isEmpty else {
            throw Failure(.usage, "not a file: \"\(path)\"")
        }
        text = place
    }
}
