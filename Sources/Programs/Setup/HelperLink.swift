import CommandSupport
import Glibc
import Identity
import SystemPackage
import TokenCache

/// A symbolic link in the user's program folder through which another program calls foyer.
package struct HelperLink: Hashable, Sendable {
    let path: String
    let target: String

    var name: String { String(path.split(separator: "/").last ?? "") }

    enum Place: Hashable {
        case free
        case ours
        /// A link to another foyer or to a missing file, with its target.
        case stale(String)
        case foreign
    }

    var place: Place {
        var info = stat()
        guard lstat(path, &info) == 0 else { return .free }
        guard info.st_mode & S_IFMT == S_IFLNK, let text = linkTarget(path) else { return .foreign }
        if let real = realPath(path) {
            if real == realPath(target) { return .ours }
            return Self.leadsToFoyer(path) ? .stale(text) : .foreign
        }
        return text.split(separator: "/").last == "foyer" ? .stale(text) : .foreign
    }

    /// Whether a path resolves to foyer, under any name: a search for the real program skips these.
    package static func leadsToFoyer(_ path: String) -> Bool { realPath(path)?.split(separator: "/").last == "foyer" }

    // MARK: Changing it

    /// - Parameters:
    ///   - before: the expected current target, so nothing of another program is replaced; nil for no link.
    ///   - text: the new target; nil removes the link.
    /// - Throws: `configuration`; nothing has changed then.
    static func change(_ path: String, from before: String?, to text: String?) throws(Failure) {
        var info = stat()
        let isThere = lstat(path, &info) == 0
        guard isThere ? before != nil && linkTarget(path) == before : before == nil else {
            throw Failure(.configuration, "\(path) has changed", hint: "check it, then run this again")
        }
        let status: Int32
        switch (before, text) {
        case (_, nil): status = isThere ? uninterrupted { unlink(path) } : 0
        case (nil, let text?): status = uninterrupted { symlink(text, path) }
        case (_, let text?):
            let aside = path + ReplacedFile.asideSuffix
            _ = uninterrupted { unlink(aside) }
            status = uninterrupted { symlink(text, aside) } == 0 ? uninterrupted { rename(aside, path) } : -1
        }
        guard status == 0 else {
            let error = Errno.last
            throw Failure(.configuration, "\(path): \(error)", hint: "make its folder writable, with room on the disk")
        }
        AtomicFile.syncFolder(of: path)
    }
}
