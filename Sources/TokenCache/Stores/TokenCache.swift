import Glibc
package import Identity

/// A handle for a store; holds no content.
package struct TokenCache: Sendable {
    /// The location; nil for an invalid name, which every call reports.
    package let spec: StoreSpec?
    /// The store's file, or the file that locks and side files are named after.
    package let path: String
    let backend: StoreBackend
    /// Identifies the store in this process.
    let key: String
    /// How long to wait for another writer.
    let lockWait: Duration
    /// How long to retry saving tokens that cannot be obtained again.
    let patience: Duration
    /// Microseconds between reads of an empty or incomplete file.
    let retryPause: UInt32
    let keys: StoreKeys
    /// Notices moves; nil for a caller that writes immediately.
    var watch: StoreWatch?

    /// - Parameters:
    ///   - spec: the location, with absolute paths.
    ///   - keys: the keys of `encrypted:` stores; without it, such a store only opens while the kernel has its key.
    ///   - lockWait: how long to wait for one other writer; MSAL waits five seconds.
    ///   - retryPause: microseconds.
    ///   - patience: how long to wait while other writers take turns, and to retry saving tokens that cannot be
    ///     obtained again.
    package init(
        _ spec: StoreSpec, keys: StoreKeys = StoreKeys(), lockWait: Duration = .seconds(5), retryPause: UInt32 = 50_000,
        patience: Duration = .seconds(60)
    ) {
        self.init(
            spec: spec, path: spec.path, backend: StoreBackend(spec, keys), lockWait: lockWait, retryPause: retryPause,
            patience: patience, keys: keys)
    }

    /// The files that answers about accounts are read from: the store's, with its keys, held-off requests and locking.
    package var filesRead: [String] {
        let path = ((try? current) ?? self).path
        let file = (try? ResolvedPath(path).file) ?? path
        return [path, file + ".keys", file + ".throttle", file + StoreLockMark.suffix]
    }

    /// A store in a plain file.
    ///
    /// - Parameter path: absolute, `~` already expanded.
    package init(
        path: String, lockWait: Duration = .seconds(5), retryPause: UInt32 = 50_000, patience: Duration = .seconds(60)
    ) {
        self.init(.file(path: path), lockWait: lockWait, retryPause: retryPause, patience: patience)
    }

    /// A store by its name. For an invalid name every call throws `noStore`, so that creating the handle cannot fail.
    ///
    /// - Parameters:
    ///   - text, folder, label: see ``StoreSpec``.
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
                spec: nil, path: text, backend: nowhere, lockWait: lockWait, retryPause: retryPause, patience: .zero,
                keys: keys)
        }
    }

    /// A store that is in no file of ours.
    ///
    /// - Parameter patience: how long to retry saving tokens that cannot be obtained again.
    package init(attaching store: any TokenStore, patience: Duration = .seconds(60)) {
        let store = AttachedStore.of(store)
        self.init(
            spec: nil, path: store.name, backend: .attached(store), lockWait: .seconds(5), retryPause: 50_000,
            patience: patience, keys: StoreKeys())
    }

    init(
        spec: StoreSpec?, path: String, backend: StoreBackend, lockWait: Duration, retryPause: UInt32,
        patience: Duration, keys: StoreKeys, watch: StoreWatch? = nil
    ) {
        self.patience = patience
        self.keys = keys
        self.watch = watch
        self.spec = spec
        self.path = path
        self.backend = backend
        key = if case .attached(let store) = backend { store.key } else { path }
        self.lockWait = lockWait
        self.retryPause = retryPause
    }

    /// The store for a caller that cannot wait: another active writer is an error.
    package var withoutWaiting: TokenCache {
        TokenCache(
            spec: spec, path: path, backend: backend, lockWait: .zero, retryPause: 0, patience: patience, keys: keys,
            watch: watch)
    }

    /// The current content, read without the lock. A missing file is an empty store.
    ///
    /// Other programs truncate in place, so an empty or incomplete file is read again three times, and then under the
    /// lock.
    ///
    /// - Throws: ``StoreError``; the file is never touched.
    package func read() throws(StoreError) -> CacheSnapshot {
        guard watch != nil else { return try readHere() }
        let here = try current
        let read = Result { () throws(StoreError) in try here.readHere() }
        // A move can have removed it meanwhile.
        let now = try current
        return try now.spec == here.spec ? read.get() : now.readHere()
    }

    private func readHere() throws(StoreError) -> CacheSnapshot {
        var last: StoreError
        do throws(StoreError) { return try load(strictly: false) } catch { last = error }
        for _ in 0..<3 {
            guard last.mayBeUnfinished else { throw last }
            usleep(retryPause)
            do throws(StoreError) { return try load(strictly: false) } catch { last = error }
        }
        guard last.mayBeUnfinished else { throw last }
        do throws(StoreError) {
            return try backend.holding([.cache], wait: lockWait, limit: patience) { () throws(StoreError) in
                try loadPatiently()
            }
        } catch {
            // The lock is not available: report the error of the read without it.
            throw error.mayBeUnfinished ? error : last
        }
    }

    /// The entries of accounts that match a text, and of clients, for a cached token lookup only. In a file above
    /// ``StoreSize/selected`` only these entries are read and checked; any other store is read as a whole.
    ///
    /// Only for Entra ID: at other providers the owner of an entry depends on all entries of the host.
    package func read(onlyAccountsMeantBy text: String) throws(StoreError) -> CacheSnapshot {
        guard case .file(let file) = backend, watch == nil, UnsavedGrants.shared.records(for: key).isEmpty,
            let selection = AccountSelection(text), let bytes = try? FileStore(path: file).read(only: selection),
            let snapshot = try? CacheSnapshot(bytes, path: path)
        else { return try read() }
        return snapshot
    }

    /// Some writers take no lock: even under it, incomplete content is read eight more times.
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
        var snapshot = CacheSnapshot.empty
        if let content = try backend.read(.cache) {
            guard !content.bytes.isEmpty else { throw StoreError(.empty, path: path) }
            snapshot = try CacheSnapshot(content.bytes, strictly: strictly, screen: content.screen, path: path)
        }
        return try adding(unsaved ?? UnsavedGrants.shared.records(for: key), to: snapshot)
    }

    /// The content once all pending tokens are written.
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

    /// The bytes of a part; nil if there are none.
    package func content(_ part: TokenStorePart) throws(StoreError) -> [UInt8]? {
        try current.backend.read(part)?.bytes
    }

    /// Replaces a part as a whole, within ``alone(with:_:)``.
    package func replace(_ content: [UInt8], _ part: TokenStorePart) throws(StoreError) {
        try backend.write(content, part)
    }

    /// Warnings about a usable store, for standard error.
    package func warnings() -> [String] { backend.warnings() }

    /// Saves the tokens of a response in one step: lock, read again, merge, write a temporary file, rename.
    package func save(_ record: TokenRecord) throws(StoreError) { try change { _ = $0.save(record) } }

    /// Removes a client's credentials of an account, under all aliases of its cloud. If no other client has any, the
    /// account's own entries are removed too; otherwise it is marked as signed out of this client until the client gets
    /// a refresh token again.
    ///
    /// - Returns: the number of removed entries.
    package func forget(_ account: AccountID, clientID: String) throws(StoreError) -> Int {
        try change { $0.forget(account, clientID: clientID) }
    }

    /// Removes an account with the credentials of all clients.
    ///
    /// - Returns: the number of removed entries.
    package func wipe(_ account: AccountID) throws(StoreError) -> Int { try change { $0.wipe(account) } }

    /// Sets a client's default account for requests that name none; nil removes it.
    package func setCurrentAccount(_ account: AccountID?, clientID: String) throws(StoreError) {
        try change { $0.setCurrentAccount(account, clientID: clientID) }
    }

    /// Removes a refresh token that the provider rejected, unless it has been replaced in the meantime.
    package func forgetRefreshToken(_ secret: Secret, clientID: String) throws(StoreError) {
        try change { $0.forgetRefreshToken(secret, clientID: clientID) }
    }

    /// Records that a client is not in the family, so that family tokens are not tried again.
    package func markNotInFamily(clientID: String, environment: String) throws(StoreError) {
        try change { $0.setFamily("", clientID: clientID, environment: environment) }
    }

    /// Lock, read again, change, write a temporary file, rename. Pending tokens are written too.
    func change<Value>(in reservation: WriteReservation? = nil, _ body: (inout CacheEdit) -> Value) throws(StoreError)
        -> Value
    {
        try following { cache throws(StoreError) in
            // The space is reserved at the former location.
            let reservation = cache.spec == spec ? reservation : nil
            let cache = cache.leasing(reservation?.keyLease)
            return try cache.alone(with: [], in: reservation) { written throws(StoreError) in
                try cache.apply(&written, in: reservation, body)
            }
        }
    }

    private func leasing(_ lease: StoreKeyLease?) -> TokenCache {
        guard let lease, case .sealed(var store) = backend else { return self }
        store.lease = lease
        return TokenCache(
            spec: spec, path: path, backend: .sealed(store), lockWait: lockWait, retryPause: retryPause,
            patience: patience, keys: keys, watch: watch)
    }

    /// Runs a body while no other process writes to the tokens or to other parts.
    package func alone<Value>(with others: [TokenStorePart] = [], _ body: () throws(StoreError) -> Value)
        throws(StoreError) -> Value
    {
        try alone(with: others, and: []) { _ throws(StoreError) in try body() }
    }

    /// - Parameters:
    ///   - files: further files that the body changes.
    ///   - body: passes its argument to ``apply(_:in:_:)``.
    func alone<Value>(
        with others: [TokenStorePart], and files: [ResolvedPath] = [], in reservation: WriteReservation? = nil,
        _ body: (inout [Int]) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try backend.prepare()
        var written: [Int] = []
        let value = try holding([.cache] + others, and: files, wait: lockWait, limit: patience, in: reservation) {
            () throws(StoreError) in
            let value = try body(&written)
            // While no other writer can add them again over newer ones.
            if !backend.isAttached { UnsavedGrants.shared.forget(written, for: key) }
            return value
        }
        // An attached store can still fail at the end of its access.
        if backend.isAttached { UnsavedGrants.shared.forget(written, for: key) }
        return value
    }

    /// Read again, change, write a temporary file, rename; the caller holds the lock.
    ///
    /// - Parameter written: the numbers of the unsaved grants that this writes are added.
    func apply<Value>(
        _ written: inout [Int], in reservation: WriteReservation? = nil, _ body: (inout CacheEdit) -> Value
    ) throws(StoreError)
        -> Value
    {
        // Check every byte: content that is not fully understood is not written back.
        let unsaved = UnsavedGrants.shared.records(for: key)
        var edit = CacheEdit(try load(strictly: true, with: unsaved))
        let value = body(&edit)
        guard let bytes = edit.text ?? (unsaved.isEmpty ? nil : edit.snapshot.text) else { return value }
        guard bytes.count <= StoreSize.limit else { throw StoreError(.tooLarge(bytes: bytes.count), path: path) }
        // Never write content that could not be read back.
        _ = try CacheSnapshot(bytes, path: path)
        try backend.write(bytes, .cache, in: reservation)
        written += unsaved.map(\.number)
        return value
    }

    /// Removes locks and temporary files of dead processes next to the store, without waiting.
    package func clearLeftovers() {
        guard let place = try? backend.place(.cache) else { return }
        StoreLock.clear(place)
        for suffix in FileStore.sideFiles {
            if let side = try? ResolvedPath(place.file + suffix) { StoreLock.clear(side) }
        }
    }
}

extension StoreError {
    /// Whether an active writer could be the cause.
    var mayBeUnfinished: Bool {
        switch situation {
        case .empty, .notJSON: true
        case .notRegularFile, .wrongOwner, .writableByOthers, .folderNotTrusted, .linkNotTrusted, .tooLarge, .foreign,
            .locked, .noSpace,
            .readOnly, .noStore, .cancelled, .damaged, .newer, .wrongPassphrase, .passphraseNeeded, .credentials,
            .keyring, .attached, .occupied,
            .notVerified, .moved, .notReplaceable, .io:
            false
        }
    }
}
