import CommandSupport
import FoundationEssentials
import Glibc
import Identity
import Proofs
import TokenCache
import Wire

struct SetupFile {
    let path: String
    let bytes: [UInt8]?

    /// Bytes.
    static let longest = 524_288
    private static let what = "configuration file"

    /// - Throws: `configuration` if the file is not the user's own or too long, or the path is a broken link.
    init(at named: String) throws(Failure) {
        guard named.hasPrefix("/") else {
            throw Failure(.configuration, "\(named) is not an absolute path", hint: "use a path that begins with /")
        }
        let named = Self.real(folderOf: named)
        var info = stat()
        if lstat(named, &info) != 0 {
            path = named
            bytes = nil
            return
        }
        guard let found = realPath(named) else {
            throw Failure(
                .configuration, "broken link \(named)",
                hint: "create its target, or remove the link")
        }
        path = found
        guard stat(path, &info) == 0, info.st_uid == geteuid() else {
            throw Failure(
                .configuration, "\(path) belongs to another user (uid \(info.st_uid))", hint: "change it as that user")
        }
        bytes = try TextFile.read(path, limit: Self.longest, what: Self.what)
    }

    /// Resolves links, `.` and `..` in the parent folders, even if some do not exist.
    private static func real(folderOf path: String) -> String {
        let parts = path.split(separator: "/").filter { $0 != "." }
        var place: [Substring] = []
        for (index, part) in parts.enumerated() {
            if part == ".." {
                _ = place.popLast()
                continue
            }
            place.append(part)
            if index < parts.count - 1, let found = realPath("/" + place.joined(separator: "/")) {
                place = found.split(separator: "/")
            }
        }
        return "/" + place.joined(separator: "/")
    }

    static func fingerprint(_ bytes: [UInt8]?) -> String? {
        bytes.map { Fingerprint.of([Data($0).base64EncodedString()]) }
    }

    /// Replaces the file atomically, or removes it.
    ///
    /// - Parameters:
    ///   - before: the expected current contents.
    ///   - isLocked: whether the file's program creates `PATH.lock` before changes.
    /// - Throws: `configuration`; nothing has changed then.
    static func change(_ path: String, from before: [UInt8]?, to bytes: [UInt8]?, isLocked: Bool) throws(Failure) {
        let lock = isLocked ? try ConfigurationLock(path) : nil
        defer { lock?.release() }
        func check() throws(Failure) {
            guard try SetupFile(at: path).bytes == before else {
                throw Failure(.configuration, "\(path) was changed in the meantime", hint: "run this again")
            }
        }
        try check()
        if let bytes {
            return try ReplacedFile(path, what: what).replace { () throws(Failure) in
                try check()
                return bytes
            }
        }
        guard uninterrupted({ unlink(path) }) == 0 || before == nil else {
            throw Failure(
                .configuration, "\(path): \(String(cString: strerror(errno)))", hint: "make its folder writable")
        }
        AtomicFile.syncFolder(of: path)
    }

    /// Removes what a killed setup left next to the file.
    static func clearLeftovers(_ path: String) {
        ConfigurationLock.clearLeftover(path)
        ReplacedFile(path, what: what).clearLeftovers()
    }
}
