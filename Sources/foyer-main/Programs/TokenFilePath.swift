import CommandSupport
import Identity
import SystemPackage

extension ProcessEnvironment {
    /// The path of a token file in all commands: absolute, without `.` and `..`.
    ///
    /// - Throws: `usage` if it cannot be a file.
    func tokenFile(_ path: String) throws(Failure) -> String {
        let place = FilePath(expand(path)).lexicallyNormalized().string
        guard place.hasPrefix("/"), place != "/", !path.hasSuffix("/"), !path.isEmpty else {
            throw Failure(.usage, "not a file: \"\(path)\"")
        }
        return place
    }
}
