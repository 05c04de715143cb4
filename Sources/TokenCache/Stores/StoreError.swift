import Glibc
package import Identity
package import SystemPackage

/// Why a store could not be read or written. The store is unchanged whenever this is thrown.
///
/// Contains offsets and paths only, never the content of a store.
package struct StoreError: Error, Hashable, Sendable {
    package enum Situation: Hashable, Sendable {
        case notRegularFile
        /// The file or its folder belongs to this other user.
        case wrongOwner(uid: UInt32)
        /// Others can write to the file; the mode as in `chmod`.
        case writableByOthers(mode: UInt32)
        case folderNotTrusted(path: String, why: String)
        case linkNotTrusted(why: String)
        case tooLarge(bytes: Int)
        case notJSON(offset: Int, what: String)
        /// Valid JSON, but not a token cache.
        case foreign(String)
        /// Zero bytes: another writer has truncated it, and is still writing or has died.
        case empty
        case locked(pid: Int32?, name: String)
        case noSpace
        case readOnly
        /// The file is readable, but cannot be replaced.
        case notReplaceable(why: String)
        case cancelled
        /// The content of an encrypted store is not as written.
        case damaged(String)
        /// Created by a newer version of foyer.
        case newer(version: Int)
        /// Wrong passphrase, or a modified header: the two cannot be distinguished.
        case wrongPassphrase
        /// The key is not available, and no passphrase was entered.
        case passphraseNeeded(why: String)
        /// systemd-creds failed to wrap or unwrap a key.
        case credentials(why: String)
        case keyring(KeyringTrouble)
        /// The store of a library's user failed.
        case attached(why: String, mayPass: Bool)
        /// The destination of a move already exists.
        case occupied
        /// The content differs when read back.
        case notVerified
        /// Another call moved the store while this one waited.
        case moved(to: String)
        /// The name does not refer to a store.
        case noStore(why: String)
        case io(Errno, operation: String)
    }

    package let path: String
    package let situation: Situation

    package init(_ situation: Situation, path: String) { (self.situation, self.path) = (situation, path) }

    /// Whether the same call can succeed later by itself.
    package var mayPass: Bool {
        switch situation {
        case .empty, .locked, .cancelled, .keyring(.silent): true
        case .attached(_, let mayPass): mayPass
        case .notRegularFile, .wrongOwner, .writableByOthers, .folderNotTrusted, .linkNotTrusted, .tooLarge, .notJSON,
            .foreign, .noSpace,
            .readOnly, .noStore, .damaged, .newer, .wrongPassphrase, .passphraseNeeded, .credentials, .keyring,
            .occupied, .notVerified, .moved, .notReplaceable,
            .io:
            false
        }
    }

    /// Whether the problem persists until the file system is changed, so that waiting is useless.
    var isLasting: Bool {
        switch situation {
        case .readOnly, .notReplaceable, .io(.resourceBusy, _), .io(.staleNFSFileHandle, _): true
        default: false
        }
    }

    /// The fact: lowercase, no full stop.
    package var message: String {
        switch situation {
        case .notRegularFile: "\(path) is not a regular file"
        case .wrongOwner(let uid): "\(path) belongs to another user (uid \(uid))"
        case .writableByOthers(let mode): "\(path) can be written by others (mode 0\(String(mode, radix: 8)))"
        case .folderNotTrusted(let folder, let why): "the folder \(folder) is not a safe place for a store: \(why)"
        case .linkNotTrusted(let why): "the link \(path) is not followed: \(why)"
        case .tooLarge(let bytes): "\(path) is too large for a store: \(bytes) bytes, at most \(StoreSize.maximum)"
        case .notJSON(let offset, let what): "\(path) cannot be read as JSON: \(what) (byte \(offset))"
        case .foreign(let what): "\(path) is not a token cache: \(what)"
        case .empty: "\(path) is empty, as after an interrupted write"
        case .locked(let pid, let name):
            "\(path) is locked by "
                + (pid.map { "process \($0)" + (name.isEmpty ? "" : " (\(name))") } ?? "another process")
        case .noSpace: "no space left to write \(path); the store is unchanged"
        case .readOnly: "\(path) cannot be written: the folder or file system is read-only"
        case .notReplaceable(let why): "\(path) cannot be written: \(why)"
        case .cancelled: "the wait for \(path) was cancelled"
        case .damaged(let what): "\(path) is damaged: \(what)"
        case .newer(let version):
            "\(path) was created by a newer version (format version \(version))"
        case .wrongPassphrase: "wrong passphrase for \(path)"
        case .passphraseNeeded(let why): "\(path) is encrypted and locked: \(why)"
        case .credentials(let why): "the key of \(path) is not available: \(why)"
        case .keyring(let trouble): trouble.message(path)
        case .attached(let why, _): "\(path): \(why)"
        case .occupied: "\(path) already exists"
        case .notVerified: "\(path) cannot be read back after writing"
        case .moved(let place): "\(path) was moved to \(place)"
        case .noStore(let why): "\(path) is not a store: \(why)"
        case .io(let code, let operation):
            "\(operation) \(path): \(code.description.asciiLowercasedStart)"
        }
    }

    /// The next step, if there is one.
    package var hint: Failure.Hint? {
        switch situation {
        case .notRegularFile: .store(.nameFile)
        case .wrongOwner: .store(.nameOwn)
        case .writableByOthers: "if you trust what is in it: chmod 600 \(path.shellWord)"
        case .folderNotTrusted(let folder, _): "remove write access for others: chmod go-w \(folder.shellWord)"
        case .linkNotTrusted: .store(.nameTarget)
        case .tooLarge: .store(.prune)
        case .notJSON:
            "if this persists, move it aside and sign in again: mv \(path.shellWord) \((path + ".corrupt").shellWord)"
        case .foreign: .store(.importOrNameAnother(path: path))
        case .empty:
            "if this persists, move it aside and sign in again: mv \(path.shellWord) \((path + ".empty").shellWord)"
        case .locked(let pid, _):
            pid == nil
                ? "if no program is using it: rm \((path + StoreLock.suffix).shellWord)"
                : "if that process ID now belongs to another program: rm \((path + StoreLock.suffix).shellWord)"
        case .noSpace: "free some space on its file system and try again"
        case .readOnly: .store(.checkPermissions)
        case .notReplaceable: "see lsattr(1), or name another store"
        case .damaged:
            "restore a copy, or move it aside and sign in again: mv \(path.shellWord) \((path + ".damaged").shellWord)"
        case .newer: .store(.useLaterVersion)
        case .wrongPassphrase:
            """
            nothing was changed; without the passphrase move it aside and sign in again: mv \(path.shellWord) \
            \((path + ".old").shellWord)
            """
        case .passphraseNeeded: .store(.unlock)
        case .credentials: "see systemd-creds(1); users other than root need version 256 or later"
        case .keyring(let trouble): trouble.hint
        case .occupied: .store(.nameAnotherDestination)
        case .notVerified: "nothing was removed; check the store before trying again"
        case .moved: "run it again"
        case .noStore: .store(.nameStore)
        case .cancelled, .attached, .io: nil
        }
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String { message }
}

extension String {
    /// Messages of the C library start with a capital letter.
    fileprivate var asciiLowercasedStart: String { prefix(1).lowercased() + dropFirst() }
}

extension Failure {
    package init(_ error: StoreError) {
        self.init(error.situation == .cancelled ? .cancelled : .storeError, error.message, hint: error.hint)
    }
}
