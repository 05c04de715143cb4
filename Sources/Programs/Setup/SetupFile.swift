import CommandSupport
import FoundationEssentials
import Glibc
import Identity
import TokenCache
import Wire

/// A configuration file of another program.
struct SetupFile {
    /// Behind all links.
    let path: String
    /// Nil when it is not there yet.
    let bytes: [UInt8]?

    /// Bytes.
    static let longest = 524_288
    private static let what = "configuration file"

    /// - Throws: `configuration` for a file that is not the person's own, is too long, or a link that leads nowhere.
    init(at named: String) throws(Failure) {
        guard named.hasPrefix("/") else {
            throw Failure(.configuration, "\(named) is no absolute path", hint: "name it from / on")
        }
        let named = Self.real(folderOf: named)
        var info = stat()
        if lstat(named, &info) != 0 {
            path = named
            bytes = nil
            return
        }
        guard let found = realpath(named, nil) else {
            throw Failure(
                .configuration, "the link \(named) leads nowhere",
                hint: "make the file that it leads to, or remove the link")
        }
        defer { free(found) }
        path = String(cString: found)
        guard stat(path, &info) == 0, info.st_uid == geteuid() else {
            throw Failure(
                .configuration, "\(path) belongs to another user (uid \(info.st_uid))", hint: "change it as that user")
        }
        bytes = try TextFile.read(path, limit: Self.longest, what: Self.what)
    }

    /// The path without links above it, `.` and `..`, also where folders of it are not there yet.
    private static func real(folderOf path: String) -> String {
        let parts = path.split(separator: "/").filter { $0 != "." }
        var place: [Substring] = []
        for (index, part) in parts.enumerated() {
            if part == ".." {
                _ = place.popLast()
                continue
            }
            place.append(part)
            guard index < parts.count - 1, let found = realpath("/" + place.joined(separator: "/"), nil) else {
                continue
            }
            defer { free(found) }
            place = String(cString: found).split(separator: "/")
        }
        return "/" + place.joined(separator: "/")
    }

    /// By which a text is known again; nil for a file that is not there.
    static func fingerprint(_ bytes: [UInt8]?) -> String? {
        bytes.map { Fingerprint.of([Data($0).base64EncodedString()]) }
    }

    /// Puts a text in its place at once, or removes the file.
    ///
    /// - Parameters:
    ///   - before: what has to be there.
    ///   - isLocked: whether the program that the file belongs to makes `PATH.lock` before it changes it.
    /// - Throws: `configuration`; nothing was changed then.
    static func change(_ path: String, from before: [UInt8]?, to bytes: [UInt8]?, isLocked: Bool) throws(Failure) {
        let lock = isLocked ? try ConfigurationLock(path) : nil
        defer { lock?.release() }
        guard try SetupFile(at: path).bytes == before else {
            throw Failure(.configuration, "\(path) was changed in the meantime", hint: "run this again")
        }
        if let bytes { return try ReplacedFile(path, what: what).replace(with: bytes) }
        guard uninterrupted({ unlink(path) }) == 0 || before == nil else {
            throw Failure(
                .configuration, "\(path): \(String(cString: strerror(errno)))", hint: "make its folder writable")
        }
    }

    /// Takes away what a setup that was killed has left beside the file.
    static func clearLeftovers(_ path: String) {
        ConfigurationLock.clearLeftover(path)
        ReplacedFile(path, what: what).clearLeftovers()
    }
}
