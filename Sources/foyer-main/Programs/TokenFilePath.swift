import CommandSupport
import Identity
import SystemPackage

/// The path of a token file, as every command takes it: absolute, without `.` and `..`.
struct TokenFilePath {
    let text: String

    /// - Throws: `usage` for what can be no file.
    init(_ path: String, _ environment: ProcessEnvironment) throws(Failure) {
        let place = FilePath(environment.expand(path)).lexicallyNormalized().string
        guard place.hasPrefix("/"), place != "/", !path.hasSuffix("/"), !path.isEmpty else {
            throw Failure(.usage, "\"\(path)\" is no file")
        }
        text = place
    }
}
