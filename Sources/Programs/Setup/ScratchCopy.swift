import CommandSupport
import Identity

/// A copy of a configuration file for the program itself to change, to show the change before making it.
enum ScratchCopy {
    /// - Parameter edit: called with the copy's path, in a folder that only the user can access.
    static func changed(_ bytes: [UInt8]?, _ environment: ProcessEnvironment, edit: (String) throws(Failure) -> Void)
        throws(Failure) -> [UInt8]?
    {
        let folder = try TemporaryFolder("setup", environment)
        defer { folder.remove() }
        let path = folder.path + "/config"
        if let bytes { try ReplacedFile(path, what: "temporary file").replace(with: bytes, mode: 0o600) }
        try edit(path)
        return try TextFile.read(path, limit: SetupFile.longest, what: "configuration file")
    }
}
