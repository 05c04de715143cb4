import Glibc
package import Identity
package import SystemPackage

/// Why a store was not read or written. Whenever one is thrown, the store is unchanged before.
///
/// Nothing of a store's content is ever in it: offsets and paths only.
package struct StoreError: Error, Hashable, Sendable {
    /// The situations.
    package enum Situation: Hashable, Sendable {
        case notRegularFile
        /// The file or its folder belongs to this other user.
        case wrongOwner(uid: UInt32)
        /// Others may write to the file; the mode as in `chmod`.
        case writableByOthers(mode: UInt32)
        case folderNotTrusted(path: String, why: String)
        case linkNotTrusted(why: String)
        case tooLarge(bytes: Int)
        case notJSON(offset: Int, what: String)
        /// Well-formed JSON, but no cache.
        case foreign(String)
        /// Zero bytes: a writer that truncates first is at work, or died there.
        case empty
        /// Another process holds the lock.
        case locked(pid: Int32?, name: String)
        case noSpace
        case readOnly
        /// The file can be read, and nothing may take its place.
        case notReplaceable(why: String)
        /// The wait was called off.
        case cancelled
        /// The bytes of an encrypted store are not as they were written.
        case damaged(String)
        /// A later version of this program made it.
        case newer(version: Int)
        /// The passphrase opens it not; nobody can tell that from a header that was changed.
        case wrongPassphrase
        /// Its key is not held, and nobody gave the passphrase.
        case passphraseNeeded(why: String)
        /// systemd-creds did not give or take a key.
        case credentials(why: String)
        case keyring(KeyringTrouble)
        /// What is to be moved somewhere would take the place of what is there.
        case occupied
        /// What was written reads differently.
        case notVerified
        /// Another call has moved it while this one waited for its turn.
        case moved(to: String)
        /// What was named is no store.
        case noStore(why: String)
        case io(Errno, operation: String)
    }

    package let path: String
    package let situation: Situation

    package init(_ situation: Situation, path: String) { (self.situation, self.path) = (situation, path) }

    /// Whether the same call may succeed later without anybody doing anything.
    package var mayPass: Bool {
        switch situation {
        case .empty, .locked, .cancelled, .keyring(.silent): true
        case .notRegularFile, .wrongOwner, .writableByOthers, .folderNotTrusted, .linkNotTrusted, .tooLarge, .notJSON,
            .foreign, .noSpace,
            .readOnly, .noStore, .damaged, .newer, .wrongPassphrase, .passphraseNeeded, .credentials, .keyring,
            .occupied, .notVerified, .moved, .notReplaceable,
            .io:
            false
        }
    }

    /// Whether it stays so until somebody changes the file system: nobody is to wait for that.
    var isLasting: Bool {
        switch situation {
        case .readOnly, .notReplaceable, .io(.resourceBusy, _), .io(.staleNFSFileHandle, _): true
        default: false
        }
    }

    /// What is so: lower case, no full stop.
    package var message: String {
        switch situation {
        case .notRegularFile: "\(path) is not a regular file"
        case .wrongOwner(let uid): "\(path) belongs to another user (uid \(uid))"
        case .writableByOthers(let mode): "\(path) can be written by others (mode 0\(String(mode, radix: 8)))"
        case .folderNotTrusted(let folder, let why): "the folder \(folder) is not safe for a store: \(why)"
        case .linkNotTrusted(let why): "the link \(path) is not followed: \(why)"
        case .tooLarge(let bytes): "\(path) is too large for a store: \(bytes) bytes, at most \(StoreSize.maximum)"
        case .notJSON(let offset, let what): "\(path) cannot be read as JSON: \(what) (byte \(offset))"
        case .foreign(let what): "\(path) is no token cache: \(what)"
        case .empty: "\(path) is empty, as after an interrupted write"
        case .locked(let pid, let name):
            "\(path) is locked by "
                + (pid.map { "process \($0)" + (name.isEmpty ? "" : " (\(name))") } ?? "another process")
        case .noSpace: "there is no space left to write \(path); the store is unchanged"
        case .readOnly: "\(path) cannot be written: the folder or the file system is read-only for you"
        case .notReplaceable(let why): "\(path) cannot be written: \(why)"
        case .cancelled: "the wait for \(path) was cancelled"
        case .damaged(let what): "\(path) is damaged: \(what)"
        case .newer(let version):
            "\(path) was made by a later version of the program (version \(version) of the format)"
        case .wrongPassphrase: "the passphrase does not open \(path)"
        case .passphraseNeeded(let why): "\(path) is encrypted and locked: \(why)"
        case .credentials(let why): "the key of \(path) is not available: \(why)"
        case .keyring(let trouble): trouble.message(path)
        case .occupied: "\(path) already holds something"
        case .notVerified: "what was written to \(path) cannot be read back"
        case .moved(let place): "\(path) was moved to \(place) meanwhile"
        case .noStore(let why): "\(path) is no store: \(why)"
        case .io(let code, let operation):
            "\(operation) \(path): \(code.description.asciiLowercasedStart)"
        }
    }

    /// What to do about it, where something can be done.
    package var hint: Failure.Hint? {
        switch situation {
        case .notRegularFile: .store(.nameFile)
        case .wrongOwner: .store(.nameOwn)
        case .writableByOthers: "if you trust what is in it: chmod 600 \(path.shellWord)"
        case .folderNotTrusted(let folder, _): "make it yours alone: chmod go-w \(folder.shellWord)"
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
                : "if that process is another program by now: rm \((path + StoreLock.suffix).shellWord)"
        case .noSpace: "free some space on its file system and try again"
        case .readOnly: .store(.checkPermissions)
        case .notReplaceable: "see lsattr(1), or name another store"
        case .damaged:
            "put back a copy, or move it aside and sign in again: mv \(path.shellWord) \((path + ".damaged").shellWord)"
        case .newer: .store(.useLaterVersion)
        case .wrongPassphrase:
            """
            nothing was changed; without the passphrase move it aside and sign in again: mv \(path.shellWord) \
            \((path + ".old").shellWord)
            """
        case .passphraseNeeded: .store(.unlock)
        case .credentials: "see systemd-creds(1); it is for root, and for other people from version 256 on"
        case .keyring(let trouble): trouble.hint
        case .occupied: .store(.nameAnotherDestination)
        case .notVerified: "nothing was removed; look at what is there before trying again"
        case .moved: "run it again"
        case .noStore: .store(.nameStore)
        case .cancelled, .io: nil
        }
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String { message }
}

extension String {
    /// Messages of the C library begin with a capital.
    fileprivate var asciiLowercasedStart: String { prefix(1).lowercased() + dropFirst() }
}
