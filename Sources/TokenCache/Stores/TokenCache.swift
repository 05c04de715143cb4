import Glibc
package import Identity

/// A store: a handle that holds no content.
package struct TokenCache: Sendable {
    /// Where it is; nil when what was named is no store, and then every call says so.
    package let spec: StoreSpec?
    /// The file that it is in, or that locks and side files are named after.
    package let path: String
    let backend: StoreBackend
    /// How long another writer is waited for.
    let lockWait: Duration
    /// How long it is tried to save what cannot be had again.
    let patience: Duration
    /// How long, between two looks, an interrupted or unfinished write is waited for.
    private let retryPause: UInt32

    /// - Parameters:
    ///   - spec: where it is; paths absolute, `~` replaced already.
    ///   - keys: where the keys of `encrypted:` stores are; without, such a store opens only while the kernel holds its
    ///     key.
    ///   - lockWait: how long one other writer is waited for: MSAL's five seconds.
    ///   - retryPause: microseconds.
    ///   - patience: how long it is waited while other writers take turns, and how long it is tried to save what
    ///     cannot be had again.
    package init(
        _ spec: StoreSpec, keys: StoreKeys = StoreKeys(), lockWait: Duration = .seconds(5), retryPause: UInt32 = 50_000,
        patience: Duration = .seconds(60)
    ) {
        self.init(
            spec: spec, path: spec.path, backend: StoreBackend(spec, keys), lockWait: lockWait, retryPause: retryPause,
            patience: patience)
    }

    /// A store in a plain file.
    ///
    /// - Parameter path: absolute, `~` replaced already.
    package init(
        path: String, lockWait: Duration = .seconds(5), retryPause: UInt32 = 50_000, patience: Duration = .seconds(60)
    ) {
        self.init(.file(path: path), lockWait: lockWait, retryPause: retryPause, patience: patience)
    }

    /// A store by the text that names it. A text that names none gives a handle whose every call throws `noStore`, so
    /// that whoever hands the text on need not be able to fail.
    ///
    /// - Parameters:
    ///   - text, folder, label: as ``StoreSpec`` reads them.
    package init(
        naming text: String, folder: String? = nil, label: String? = nil, keys: StoreKeys = StoreKeys(),
        lockWait: Duration = .seconds(5),
        retryPause: UInt32 = 50_000
    ) {
        do throws(StoreSpec.Problem) {
            self.init(
                try StoreSpec(text, folder: folder, label: label), keys: keys, lockWait: lockWait,
                retryPause: retryPause)
        } catch {
            let nowhere = StoreBackend.nowhere(StoreError(.noStore(why: "\(error.message); \(error.hint)"), path: text))
            self.init(
                spec: nil, path: text, backend: nowhere, lockWait: lockWait, retryPause: retryPause, patience: .zero)
        }
    }

    private init(
        spec: StoreSpec?, path: String, backend: StoreBackend, lockWait: Duration, retryPause: UInt32,
        patience: Duration
    ) {
        self.patience = patience
        self.spec = spec
        self.path = path
        self.backend = backend
        self.lockWait = lockWait
        self.retryPause = retryPause
    }

    /// The same store for who cannot wait: a writer at work is an error.
    package var withoutWaiting: TokenCache {
        TokenCache(spec: spec, path: path, backend: backend, lockWait: .zero, retryPause: 0, patience: patience)
    }

    /// What the store holds now, without taking the lock. A missing file is an empty store.
    ///
    /// Other writers truncate in place, so an empty or half text is looked at again three times, and then under their
    /// lock.
    ///
    /// - Throws: ``StoreError``; the file is never touched.
    package func read() throws(StoreError) -> CacheSnapshot {
        var last: StoreError
        do throws(StoreError) { return try load(strictly: false) } catch { last = error }
        for _ in 0..<3 {
            guard last.mayBeUnfinished else { throw last }
            usleep(retryPause)
            do throws(StoreError) { return try load(strictly: false) } catch { last = error }
        }
        guard last.mayBeUnfinished else { throw last }
        do throws(StoreError) {
            let place = try backend.place(.cache)
            return try StoreLock.holding(place, wait: lockWait, limit: patience) { () throws(StoreError) in
                try loadPatiently()
            }
        } catch {
            // Without a lock, what was read without it is returned.
            throw error.mayBeUnfinished ? error : last
        }
    }

    /// What the store holds of the accounts that a text may mean, and of clients, for who looks for a cached token and
    /// for nothing else: in a large file only their entries are read, and only these are checked. Any other store is
    /// read as a whole.
    ///
    /// Only for Entra ID: whose an entry is at other providers depends on all entries of the host.
    ///
    /// - Throws: as ``read()``.
    package func read(onlyAccountsMeantBy text: String) throws(StoreError) -> CacheSnapshot {
        guard case .file(let file) = backend, UnsavedGrants.shared.records(for: path).isEmpty,
            let selection = AccountSelection(text), let bytes = try? FileStore(path: file).read(only: selection),
            let snapshot = try? CacheSnapshot(bytes, path: path)
        else { return try read() }
        return snapshot
    }

    /// There are writers without a lock, too: under it, what looks unfinished is looked at eight times more.
    private func loadPatiently() throws(StoreError) -> CacheSnapshot {
        for attempt in 0..<8 as Range<UInt32> {
            do throws(StoreError) { return try load(strictly: false) } catch {
                guard error.mayBeUnfinished else { throw error }
            }
            usleep(retryPause / 2 + retryPause / 20 * attempt)
        }
        return try load(strictly: false)
    }

    func load(strictly: Bool, with unsaved: [(number: Int, record: TokenRecord)]? = nil) throws(StoreError)
        -> CacheSnapshot
    {
        guard let content = try backend.read(.cache) else { return .empty }
        guard !content.bytes.isEmpty else { throw StoreError(.empty, path: path) }
        let snapshot = try CacheSnapshot(content.bytes, strictly: strictly, screen: content.screen, path: path)
        return try adding(unsaved ?? UnsavedGrants.shared.records(for: path), to: snapshot)
    }

    /// The store as it is once everything is written.
    private func adding(_ unsaved: [(number: Int, record: TokenRecord)], to snapshot: CacheSnapshot) throws(StoreError)
        -> CacheSnapshot
    {
        var snapshot = snapshot
        for (_, record) in unsaved {
            var edit = CacheEdit(snapshot)
            edit.save(record)
            if let bytes = edit.text { snapshot = try CacheSnapshot(bytes, path: path) }
        }
        return snapshot
    }

    /// What a person should know about the store, though it works; for standard error.
    package func warnings() -> [String] { backend.warnings() }

    /// Puts what a token endpoint gave into the store: lock, read again, merge, write aside, rename; all in one.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func save(_ record: TokenRecord) throws(StoreError) { try change { _ = $0.save(record) } }

    /// Removes a client's credentials of an account, under all names of its cloud; the account's own entries go when
    /// nobody else has a credential of it, else it is marked as signed out of this client until the client has a
    /// refresh token of its own again.
    ///
    /// - Returns: how many entries went.
    /// - Throws: ``StoreError``; then nothing was changed.
    package func forget(_ account: AccountID, clientID: String) throws(StoreError) -> Int {
        try change { $0.forget(account, clientID: clientID) }
    }

    /// Removes everything that the store holds of an account, whichever client it belongs to.
    ///
    /// - Returns: how many entries went.
    /// - Throws: ``StoreError``; then nothing was changed.
    package func wipe(_ account: AccountID) throws(StoreError) -> Int { try change { $0.wipe(account) } }

    /// Notes which account a client takes when a request names none; nil forgets it.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func setCurrentAccount(_ account: AccountID?, clientID: String) throws(StoreError) {
        try change { $0.setCurrentAccount(account, clientID: clientID) }
    }

    /// Removes a refresh token that the provider rejected, unless another has replaced it meanwhile.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func forgetRefreshToken(_ secret: Secret, clientID: String) throws(StoreError) {
        try change { $0.forgetRefreshToken(secret, clientID: clientID) }
    }

    /// Notes that a client is not of the family, so that its tokens are not tried again.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func markNotInFamily(clientID: String, environment: String) throws(StoreError) {
        try change { $0.setFamily("", clientID: clientID, environment: environment) }
    }

    /// Lock, read again, change, write aside, rename. What could not be written before is written with it.
    func change<Value>(in reservation: WriteReservation? = nil, _ body: (inout CacheEdit) -> Value) throws(StoreError)
        -> Value
    {
        try alone { () throws(StoreError) in try apply(in: reservation, body) }
    }

    /// Runs a body while no other writes to the store, nor to the files of the other places.
    func alone<Value>(with others: [ResolvedPath] = [], _ body: () throws(StoreError) -> Value) throws(StoreError)
        -> Value
    {
        try backend.prepare()
        let places = [try backend.place(.cache)] + others
        for place in places { try place.makeFolder() }
        return try StoreLock.holding(places, wait: lockWait, limit: patience, body)
    }

    /// Read again, change, write aside, rename; the caller holds the lock.
    func apply<Value>(in reservation: WriteReservation? = nil, _ body: (inout CacheEdit) -> Value) throws(StoreError)
        -> Value
    {
        // Every byte is checked here: what is not understood as a whole is not written back.
        let unsaved = UnsavedGrants.shared.records(for: path)
        var edit = CacheEdit(try load(strictly: true, with: unsaved))
        let value = body(&edit)
        guard let bytes = edit.text ?? (unsaved.isEmpty ? nil : edit.snapshot.text) else { return value }
        guard bytes.count <= StoreSize.limit else { throw StoreError(.tooLarge(bytes: bytes.count), path: path) }
        // What we could not read ourselves must never reach the disk.
        _ = try CacheSnapshot(bytes, path: path)
        try backend.write(bytes, .cache, at: try backend.place(.cache), in: reservation)
        UnsavedGrants.shared.forget(unsaved.map(\.number), for: path)
        return value
    }

    /// Takes away what processes that died have left beside the store: their locks, and the files that they were
    /// writing. Waits for nobody.
    package func clearLeftovers() {
        guard let place = try? backend.place(.cache) else { return }
        StoreLock.clear(place)
        for suffix in FileStore.sideFiles {
            if let side = try? ResolvedPath(place.file + suffix) { StoreLock.clear(side) }
        }
    }
}

extension StoreError {
    /// Whether a writer that is at work would explain it.
    var mayBeUnfinished: Bool {
        switch situation {
        case .empty, .notJSON: true
        case .notRegularFile, .wrongOwner, .writableByOthers, .folderNotTrusted, .linkNotTrusted, .tooLarge, .foreign,
            .locked, .noSpace,
            .readOnly, .noStore, .cancelled, .damaged, .newer, .wrongPassphrase, .passphraseNeeded, .credentials,
            .keyring, .occupied,
            .notVerified, .moved, .notReplaceable, .io:
            false
        }
    }
}
