import Identity
import SystemPackage

/// A file that controls foyer: settings, themes, its own lists. Anyone who can write it decides where users sign in and
/// where tokens are stored, so it gets the same checks as a store: ``ResolvedPath`` for the path, owner and mode for
/// the file.
///
/// Files and links of root are accepted, such as those in /etc or on systems that manage home folders: root can do
/// anything here anyway.
package enum TrustedFile {
    /// Opens the file for reading, without blocking.
    ///
    /// - Returns: a descriptor that the caller closes; nil if there is no such file.
    /// - Throws: ``StoreError``, whose message is about a store: use ``reason(_:what:)`` for other files.
    package static func open(_ path: String) throws(StoreError) -> Int32? {
        let place: ResolvedPath
        do { place = try ResolvedPath(path, trustsRoot: true) } catch {
            if case .io(.notDirectory, _) = error.situation { return nil }
            throw error
        }
        return try place.opened()?.descriptor
    }

    /// Checks that a file can safely be written to a path: no other user controls its folder or the links on the way.
    package static func checkPlace(_ path: String) throws(StoreError) { _ = try ResolvedPath(path, trustsRoot: true) }

    /// Checks that a file can be replaced by a rename, as far as that is known without one.
    ///
    /// - Throws: `notReplaceable` for a mount point, or an immutable file or folder.
    package static func checkReplaceable(_ path: String) throws(StoreError) {
        guard try FileStore(path: path).isMounted(ResolvedPath(path, trustsRoot: true)) else { return }
        throw StoreError(.notReplaceable(why: "it is a mount point"), path: path)
    }

    /// The message and hint for a file other than a store.
    package static func reason(_ error: StoreError, what: String) -> (message: String, hint: String) {
        let path = error.path
        return switch error.situation {
        case .notRegularFile: ("\(path) is not a regular file", "the \(what) must be a plain file")
        case .wrongOwner(let uid):
            ("\(path) belongs to another user (uid \(uid))", "the \(what) must be yours: copy it if you trust it")
        case .writableByOthers(let mode):
            (
                "\(path) can be written by others (mode 0\(String(mode, radix: 8)))",
                "if you trust what is in it: chmod go-w \(path.shellWord)"
            )
        case .folderNotTrusted(let folder, let why):
            (
                "the folder \(folder) is not a safe place for a \(what): \(why)",
                "remove write access for others: chmod go-w \(folder.shellWord)"
            )
        case .linkNotTrusted(let why): ("the link \(path) is not followed: \(why)", "name the file itself")
        default: (error.message, "make the \(what) readable, or name another")
        }
    }
}
