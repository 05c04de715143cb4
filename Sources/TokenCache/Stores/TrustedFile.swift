import Glibc
import Identity
import SystemPackage

/// A file that says what this program is to do: settings, themes, lists of its own. Whoever can write it decides where
/// people are sent to sign in and where tokens rest, so that it is looked at as a store is: ``ResolvedPath`` for the
/// way to it, owner and mode for itself.
///
/// Root's files and links count as our own, as those of /etc or of a system that makes home folders: root can do
/// anything here anyway.
package enum TrustedFile {
    /// Opens the file for reading, without waiting for anybody.
    ///
    /// - Returns: a descriptor that the caller closes; nil when there is no such file.
    /// - Throws: ``StoreError``, whose words are about a store: ``reason(_:what:)`` has others.
    package static func open(_ path: String) throws(StoreError) -> Int32? {
        let place: ResolvedPath
        do { place = try ResolvedPath(path, trustsRoot: true) } catch {
            if case .io(.notDirectory, _) = error.situation { return nil }
            throw error
        }
        let descriptor = uninterrupted {
            Glibc.open(place.file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        }
        guard descriptor >= 0 else {
            if Errno.last.isAbsence { return nil }
            throw .system("open", path: path)
        }
        do throws(StoreError) {
            var info = stat()
            guard uninterrupted({ fstat(descriptor, &info) }) == 0 else { throw .system("stat", path: path) }
            guard FileKind(info) == .regular else { throw StoreError(.notRegularFile, path: path) }
            guard info.st_uid == geteuid() || info.st_uid == 0 else {
                throw StoreError(.wrongOwner(uid: info.st_uid), path: path)
            }
            let mode = UInt32(info.st_mode) & 0o7777
            guard mode & 0o022 == 0 else { throw StoreError(.writableByOthers(mode: mode), path: path) }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Whether a file may be written at a place: the folder and the links on the way are in nobody else's hands.
    ///
    /// - Throws: ``StoreError``.
    package static func checkPlace(_ path: String) throws(StoreError) { _ = try ResolvedPath(path, trustsRoot: true) }

    /// What is so and what to do, for a file that is no store.
    package static func reason(_ error: StoreError, what: String) -> (message: String, hint: String) {
        let path = error.path
        return switch error.situation {
        case .notRegularFile: ("\(path) is no regular file", "the \(what) must be a plain file")
        case .wrongOwner(let uid):
            ("\(path) belongs to another user (uid \(uid))", "the \(what) must be your own: copy it if you trust it")
        case .writableByOthers(let mode):
            (
                "\(path) can be written by others (mode 0\(String(mode, radix: 8)))",
                "if you trust what is in it: chmod go-w \(path.shellWord)"
            )
        case .folderNotTrusted(let folder, let why):
            (
                "the folder \(folder) is not safe for a \(what): \(why)",
                "make it yours alone: chmod go-w \(folder.shellWord)"
            )
        case .linkNotTrusted(let why): ("the link \(path) is not followed: \(why)", "name the file itself")
        default: (error.message, "make the \(what) readable, or name another")
        }
    }
}
