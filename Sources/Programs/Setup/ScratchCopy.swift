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
        // The first one is in memory, and goes with the session.
        var made: String?
        for place in [environment["XDG_RUNTIME_DIR"], environment["TMPDIR"], "/tmp"] where made == nil {
            made = place.flatMap(folder)
        }
        guard let folder = made else {
            throw Failure(.configuration, "no folder for temporary files: \(Errno.last)", hint: "set TMPDIR")
        }
        defer {
            for name in Folder.names(in: folder) { unlink(folder + "/" + name) }
            rmdir(folder)
        }
        let path = folder + "/config"
        if let bytes { try ReplacedFile(path, what: "temporary file").replace(with: bytes, mode: 0o600) }
        try edit(path)
        return try TextFile.read(path, limit: SetupFile.longest, what: "configuration file")
    }

    private static func folder(in place: String) -> String? {
        var template = Array((place + "/foyer-setup-XXXXXX").utf8CString)
        return template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
    }
}
