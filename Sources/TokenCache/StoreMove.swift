#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What is done to a store as a whole: moved, sealed anew, opened and closed.
extension TokenCache {
    /// How a store stands, without its key.
    package struct Standing: Hashable, Sendable {
        package let isThere: Bool
        /// Of the file; zero where it is in no file.
        package let bytes: Int
        /// Whether it can be read without asking anybody.
        package let isOpen: Bool
        /// Whether a passphrase opens it; else systemd-creds does, or it is not sealed.
        package let hasPassphrase: Bool
    }

    /// - Throws: ``StoreError`` as reading does, but for what needs a key.
    package func standing() throws(StoreError) -> Standing {
        switch vault {
        case .file(let path):
            let content = try FileStore(path: path).read()
            return Standing(isThere: content != nil, bytes: content?.bytes.count ?? 0, isOpen: true, hasPassphrase: false)
        case .sealed(let store):
            guard let header = try store.header() else { return Standing(isThere: false, bytes: 0, isOpen: true, hasPassphrase: true) }
            let bytes = try FileStore(path: store.path).read()?.bytes.count ?? 0
            let isSystem = header.wrapping == .systemd
            return Standing(isThere: true, bytes: bytes, isOpen: isSystem || store.keys.isHeld(header), hasPassphrase: !isSystem)
        case .keyring(let store):
            return Standing(isThere: try store.read(.cache) != nil, bytes: 0, isOpen: true, hasPassphrase: false)
        case .nowhere(let error): throw error
        }
    }

    /// Gets hold of the key of an `encrypted:` store, so that what follows asks nobody; of one that is not there yet, chooses its passphrase.
    ///
    /// - Throws: `passphraseNeeded`, `wrongPassphrase`, `cancelled`, and what reading throws.
    package func unlock() throws(StoreError) { try vault.prepare() }

    /// Forgets the key of an `encrypted:` store, also in the kernel's keyring.
    ///
    /// - Returns: whether it was held.
    /// - Throws: `noStore` when it is of another kind, or not there.
    package func lockAgain() throws(StoreError) -> Bool {
        let store = try sealed()
        guard let header = try store.header() else { throw StoreError(.noStore(why: "there is nothing at its place"), path: path) }
        return store.keys.forget(header)
    }

    /// Seals an `encrypted:` store under a new key and a new passphrase; whoever holds the old ones opens older copies only.
    ///
    /// - Parameter withSystemd: the new key is kept by systemd-creds, and no passphrase is needed.
    /// - Throws: ``StoreError``; then it is sealed as it was.
    package func rekey(withSystemd: Bool = false) throws(StoreError) {
        let store = try sealed()
        guard let old = try store.header() else { throw StoreError(.noStore(why: "there is nothing at its place"), path: path) }
        try store.prepare()
        let (header, key) = try store.keys.make(path: path, withSystemd: withSystemd)
        try holding([try vault.place(.cache)]) { () throws(StoreError) in
            try store.rekey(to: header, key, at: try vault.place(.cache))
        }
        _ = store.keys.forget(old)
    }

    private func sealed() throws(StoreError) -> SealedStore {
        switch vault {
        case .sealed(let store): return store
        case .file, .keyring: throw StoreError(.noStore(why: "only an encrypted store has a key of its own"), path: path)
        case .nowhere(let error): throw error
        }
    }

    /// Copies everything to another store and reads it back there; only then is anything said to be moved, and the old one removed if that is wished.
    /// Both are locked until the end, so nobody writes to the old one meanwhile.
    ///
    /// - Parameters:
    ///   - other: where to; it must not hold any entry, or exactly what is moved.
    ///   - removesOld: takes the old texts away, with what lies beside them.
    ///   - settle: runs when the copy is found to be right, and before anything is removed; what it throws leaves both stores in place.
    /// - Throws: ``StoreError``: `occupied`, `notVerified`, `noStore` when there is nothing to move; the old store is then as it was.
    package func move<Trouble: Error>(to other: TokenCache, removesOld: Bool, settle: () throws(Trouble) -> Void) throws(StoreError)
        -> Trouble?
    {
        guard let cache = try vault.read(.cache) else { throw StoreError(.noStore(why: "there is nothing to move"), path: path) }
        _ = try CacheSnapshot(cache.bytes, strictly: true, screen: cache.screen, path: path)
        try vault.prepare()
        try other.vault.prepare()
        let places = [try vault.place(.cache), try other.vault.place(.cache)]
        guard places[0].file != places[1].file else { throw StoreError(.occupied, path: other.path) }
        let all = places + [try vault.place(.proofKeys), try other.vault.place(.proofKeys)]
        for place in all { try place.makeFolder() }
        return try holding(all) { () throws(StoreError) in
            try copy(.cache, to: other)
            try copy(.proofKeys, to: other)
            do throws(Trouble) { try settle() } catch { return error }
            if removesOld { try remove() }
            return nil
        }
    }

    private func copy(_ part: Vault.Part, to other: TokenCache) throws(StoreError) {
        guard let text = try vault.read(part)?.bytes, !text.isEmpty else { return }
        if let there = try other.vault.read(part)?.bytes, !there.isEmpty, there != text {
            guard part == .cache, let snapshot = try? CacheSnapshot(there, path: other.path),
                Section.allCases.allSatisfy({ !snapshot.entries($0).contains { _ in true } })
            else { throw StoreError(.occupied, path: other.path) }
        }
        try other.vault.write(text, part, at: try other.vault.place(part))
        guard try other.vault.read(part)?.bytes == text else { throw StoreError(.notVerified, path: other.path) }
    }

    /// The texts, and what lies beside them; a side file that stays holds no credential.
    private func remove() throws(StoreError) {
        let place = try vault.place(.cache)
        switch vault {
        case .file:
            try unlinkFile(place.file)
            try unlinkFile(place.file + ".keys")
        case .sealed(let store):
            if let header = try store.header() { _ = store.keys.forget(header) }
            try unlinkFile(place.file)
        case .keyring(let store):
            try store.remove(.cache)
            try store.remove(.proofKeys)
            try unlinkFile(place.file)
            try unlinkFile(place.file + ".keys")
        case .nowhere(let error): throw error
        }
        for suffix in [".throttle", ".refresh"] { unlink(place.file + suffix) }
    }

    private func unlinkFile(_ file: String) throws(StoreError) {
        guard unlink(file) != 0, errno != ENOENT else { return }
        throw .system("unlink", path: file)
    }

    /// Runs a body with several locks held; two parts of a store may have the same.
    private func holding<Value>(_ places: [FilePlace], _ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        guard let place = places.first else { return try body() }
        let rest = places.dropFirst().filter { $0.file != place.file }
        return try StoreLock.holding(place, wait: lockWait) { () throws(StoreError) in try holding(rest, body) }
    }
}
