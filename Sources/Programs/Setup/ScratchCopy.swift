import CommandSupport
import FoundationEssentials
import Glibc
import Identity
import SystemPackage
import TokenCache

/// A copy of a configuration file that its own program changes, so that the change can be shown before it is made.
enum ScratchCopy {
    /// - Parameters:
    ///   - bytes: nil for a file that is not there.
    ///   - edit: called with the copy's path, in a folder that nobody else can look into.
    /// - Returns: what it says afterwards.
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
