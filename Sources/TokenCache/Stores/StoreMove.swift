import Glibc
package import Identity
import SystemPackage

/// The state of a store, as far as it is known without its key.
package struct StoreStatus: Hashable, Sendable {
    package let isThere: Bool
    /// Size of the file; zero for a keyring.
    package let bytes: Int
    /// Whether it can be read without a prompt.
    package let isOpen: Bool
    /// Whether it is encrypted with a passphrase; otherwise with systemd-creds, or not encrypted.
    package let hasPassphrase: Bool
}

/// Operations on a whole store: move, encrypt again, unlock and lock.
extension TokenCache {
    /// - Throws: ``StoreError``, except for errors that involve the key.
    package func status() throws(StoreError) -> StoreStatus {
        switch backend {
        case .file(let path):
            let size = try FileStore(path: path).readableSize()
            return StoreStatus(isThere: size != nil, bytes: size ?? 0, isOpen: true, hasPassphrase: false)
        case .sealed(let store):
            guard let header = try store.header() else {
                return StoreStatus(isThere: false, bytes: 0, isOpen: true, hasPassphrase: true)
            }
            let bytes = try FileStore(path: store.path).read()?.bytes.count ?? 0
            let isSystem = header.wrapping == .systemd
            let isHeld = try store.keys.isHeld(header, path: store.path)
            return StoreStatus(isThere: true, bytes: bytes, isOpen: isSystem || isHeld, hasPassphrase: !isSystem)
        case .keyring(let store):
            return StoreStatus(isThere: try store.read(.cache) != nil, bytes: 0, isOpen: true, hasPassphrase: false)
        case .attached(let store):
            let bytes = try store.read(.cache)
            return StoreStatus(isThere: bytes != nil, bytes: bytes?.count ?? 0, isOpen: true, hasPassphrase: false)
        case .nowhere(let error): throw error
        }
    }

    /// Gets the key of an `encrypted:` store, so that later calls do not prompt. For a new store, sets its passphrase.
    ///
    /// - Throws: `passphraseNeeded`, `wrongPassphrase`, `cancelled`, and errors of reading.
    package func unlock() throws(StoreError) { try backend.prepare() }

    /// Unlocks an `encrypted:` store with a passphrase entered elsewhere, which is checked even if the key is already
    /// held.
    ///
    /// - Returns: false for a wrong passphrase.
    /// - Throws: `noStore` if it has another type or does not exist.
    package func unlock(with passphrase: Secret) throws(StoreError) -> Bool {
        let (store, header) = try sealed()
        guard let key = header.unwrap(with: passphrase) else { return false }
        try store.keys.remember(key, of: header, path: store.path)
        return true
    }

    /// Removes the key of an `encrypted:` store from the kernel keyring and from every process that has it. A response
    /// that a process had reserved space for is still stored.
    ///
    /// - Returns: whether it was held here or in the kernel.
    /// - Throws: `noStore` if it has another type or does not exist; errors of writing if processes that have opened
    ///   the store without the kernel keyring may keep its key.
    package func lockAgain() throws(StoreError) -> Bool {
        let (store, header) = try sealed()
        return try store.keys.lock(header, path: store.path)
    }

    /// Encrypts an `encrypted:` store with a new key and a new passphrase. The old ones only open older copies.
    ///
    /// - Parameter withSystemd: wraps the new key with systemd-creds, without a passphrase.
    /// - Throws: ``StoreError``; then the store is unchanged.
    package func rekey(withSystemd: Bool = false) throws(StoreError) {
        let (store, old) = try sealed()
        try store.prepare()
        let (header, key) = try store.keys.make(path: path, withSystemd: withSystemd)
        // The response of a running refresh could not be stored with the old key once the store is locked.
        let turns = try RefreshLock(path: path, key: nil)
        try turns.wait(.exclusive, timeout: patience)
        defer { turns.release() }
        try StoreLock.holding(try backend.place(.cache), wait: lockWait, limit: patience) { () throws(StoreError) in
            try store.rekey(to: header, key, at: try backend.place(.cache))
        }
        store.keys.forget(old, path: store.path)
    }

    private func sealed() throws(StoreError) -> (SealedStore, SealedHeader) {
        switch backend {
        case .sealed(let store):
            if let header = try store.header() { return (store, header) }
            throw StoreError(.noStore(why: "there is nothing at its path"), path: path)
        case .file, .keyring, .attached:
            throw StoreError(.noStore(why: "only an encrypted store has a key of its own"), path: path)
        case .nowhere(let error): throw error
        }
    }

    /// Copies everything to another store and verifies the copy; only then does the move count as done, and the old
    /// store is removed if requested. Both stores are locked until the end, so that nothing is written to the old one.
    /// Refreshes are blocked too, as their new refresh tokens would miss the copy.
    ///
    /// - Parameters:
    ///   - other: the destination; it must be empty or already equal to this store.
    ///   - patience: how long to wait for running refreshes.
    ///   - removesOld: removes the old store with its side files.
    ///   - settle: runs after the copy is verified and before anything is removed.
    /// - Returns: why the old store could not be removed, at least in part.
    /// - Throws: ``MoveFailure``; the old store is then unchanged, and so is the destination unless the error says
    ///   otherwise.
    package func move<Trouble: Error>(
        to other: TokenCache, removesOld: Bool, patience: Duration = .seconds(60), settle: () throws(Trouble) -> Void
    ) throws(MoveFailure<Trouble>) -> StoreError? {
        let outcome: Result<StoreError?, MoveFailure<Trouble>>
        do throws(StoreError) {
            guard let cache = try backend.read(.cache) else {
                throw StoreError(.noStore(why: "nothing to move"), path: path)
            }
            _ = try CacheSnapshot(cache.bytes, strictly: true, screen: cache.screen, path: path)
            try backend.prepare()
            try other.backend.prepare()
            let (old, new) = (try backend.place(.cache), try other.backend.place(.cache))
            guard old.file != new.file else { throw StoreError(.occupied, path: other.path) }
            var places = [old]
            for part in TokenStorePart.allCases.dropFirst() {
                places += [try backend.place(part), try other.backend.place(part)]
            }
            places.append(new)
            for place in places { try place.makeFolder() }
            let turns = try RefreshLock(path: path, key: nil)
            try turns.wait(.exclusive, timeout: patience)
            var isMoved = false
            defer {
                if !isMoved { turns.retire(to: nil) }
                turns.release()
            }
            outcome = try StoreLock.holding(places, wait: lockWait, limit: self.patience) { () throws(StoreError) in
                let former = try other.backend.former()
                // If the process is killed from here on, the record shows where the copy is.
                try noteMove(to: other)
                func givingUp(_ cause: MoveFailure<Trouble>.Cause) -> MoveFailure<Trouble> {
                    do throws(StoreError) { try other.backend.putBack(former) } catch {
                        return MoveFailure(cause: cause, isCopyLeft: true)
                    }
                    forgetMove()
                    return MoveFailure(cause: cause, isCopyLeft: false)
                }
                do throws(StoreError) {
                    for part in TokenStorePart.allCases { try copy(part, to: other) }
                } catch { return .failure(givingUp(.store(error))) }
                do throws(Trouble) { try settle() } catch { return .failure(givingUp(.settling(error))) }
                isMoved = true
                // While no one can write: a writer that began before finds the new location in this file.
                turns.retire(to: other.spec.map { StorePlace($0).text } ?? other.path, at: other.path)
                forgetMove()
                guard removesOld else { return .success(nil) }
                do throws(StoreError) { try remove() } catch { return .success(error) }
                return .success(nil)
            }
        } catch { throw MoveFailure(cause: .store(error), isCopyLeft: false) }
        return try outcome.get()
    }

    private func copy(_ part: TokenStorePart, to other: TokenCache) throws(StoreError) {
        guard let text = try backend.read(part)?.bytes, !text.isEmpty else { return }
        if let there = try other.backend.read(part)?.bytes, !there.isEmpty, there != text {
            guard part == .cache, let snapshot = try? CacheSnapshot(there, path: other.path),
                Section.allCases.allSatisfy({ !snapshot.entries($0).contains { _ in true } })
            else { throw StoreError(.occupied, path: other.path) }
        }
        try other.backend.write(text, part)
        guard try other.backend.read(part)?.bytes == text else { throw StoreError(.notVerified, path: other.path) }
    }

    /// Removes the content and the side files; a side file that remains contains no credentials.
    private func remove() throws(StoreError) {
        let place = try backend.place(.cache)
        switch backend {
        case .file:
            for part in TokenStorePart.allCases { try StoreBackend.unlinkFile(place.file + part.suffix) }
        case .sealed(let store):
            if let header = try store.header() { store.keys.forget(header, path: store.path) }
            try StoreBackend.unlinkFile(place.file)
            try StoreBackend.unlinkFile(place.file + StoreLockMark.suffix)
        case .keyring(let store):
            for part in TokenStorePart.allCases { try store.remove(part) }
            for part in TokenStorePart.allCases { try StoreBackend.unlinkFile(place.file + part.suffix) }
        case .attached: break
        case .nowhere(let error): throw error
        }
        for suffix in [".throttle", ".providers"] { _ = uninterrupted { unlink(place.file + suffix) } }
    }
}

/// Why a move failed.
package struct MoveFailure<Trouble: Error>: Error {
    package enum Cause {
        case store(StoreError)
        /// The error of `settle`.
        case settling(Trouble)
    }

    package let cause: Cause
    /// Whether the copy could not be removed, and is still at the destination.
    package let isCopyLeft: Bool
}

extension StoreBackend {
    /// A part of a store before the move.
    fileprivate struct PreviousPart {
        let part: TokenStorePart
        /// Nil if there was none.
        var bytes: [UInt8]?
        /// Whether the signal file of a keyring store existed.
        var hasSignal = false
    }

    /// The parts that are stored on their own; an encrypted file is restored as a whole.
    fileprivate func former() throws(StoreError) -> [PreviousPart] {
        if case .sealed(let store) = self {
            return [PreviousPart(part: .cache, bytes: try FileStore(path: store.path).read()?.bytes)]
        }
        var parts: [PreviousPart] = []
        for part in TokenStorePart.allCases {
            let hasSignal = access(try place(part).file, F_OK) == 0
            parts.append(PreviousPart(part: part, bytes: try read(part)?.bytes, hasSignal: hasSignal))
        }
        return parts
    }

    /// Restores a store; the caller holds its locks.
    fileprivate func putBack(_ former: [PreviousPart]) throws(StoreError) {
        for previous in former {
            let place = try place(previous.part)
            switch self {
            case .file, .sealed: try Self.putBack(previous.bytes, at: place)
            case .keyring(let store):
                if let bytes = previous.bytes {
                    try store.write(bytes, previous.part, at: place)
                } else {
                    try store.remove(previous.part)
                }
                if !previous.hasSignal { try Self.unlinkFile(place.file) }
            case .attached: break
            case .nowhere(let error): throw error
            }
        }
    }

    private static func putBack(_ bytes: [UInt8]?, at place: ResolvedPath) throws(StoreError) {
        let store = FileStore(path: place.path)
        guard let bytes else { return try unlinkFile(place.file) }
        guard try store.read()?.bytes != bytes else { return }
        try store.write(bytes, at: place)
    }

    fileprivate static func unlinkFile(_ file: String) throws(StoreError) {
        guard uninterrupted({ unlink(file) }) != 0 else { return AtomicFile.syncFolder(of: file) }
        guard Errno.last != .noSuchFileOrDirectory else { return }
        throw .system("unlink", path: file)
    }
}
