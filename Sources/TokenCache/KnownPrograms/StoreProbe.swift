import Glibc
package import Identity

package struct StoreProbe: Sendable {
    package enum Availability: Hashable, Sendable {
        case usable
        /// It exists, but has no accounts.
        case empty
        case absent
        /// It exists, but foyer cannot read it.
        case protected(by: String)
        /// It exists, but is not used; the hint is nil if nothing can be done.
        case refused(why: String, hint: Failure.Hint?)
    }

    package let source: StoreSource
    package let availability: Availability
    /// The store that was found; nil unless usable.
    package let spec: StoreSpec?
    /// Its content at the time of the check; empty unless usable, or if it was only counted.
    package let snapshot: CacheSnapshot
    private let counts: (accounts: Int, credentials: Int)?
    /// Further facts for the user, each a lowercase line.
    package let notes: [String]

    init(
        _ source: StoreSource, _ availability: Availability, spec: StoreSpec? = nil, snapshot: CacheSnapshot = .empty,
        counts: (accounts: Int, credentials: Int)? = nil, notes: [String] = []
    ) {
        self.source = source
        self.availability = availability
        self.spec = spec
        self.snapshot = snapshot
        self.counts = counts
        self.notes = notes
    }

    package var isUsable: Bool { availability == .usable }
    package var accountCount: Int { counts?.accounts ?? snapshot.accounts().count }
    package var tokenCount: Int { counts?.credentials ?? snapshot.credentials().count }
}

extension StoreSource {
    /// Checks the store without changing anything, not even by a lock, as it belongs to another program.
    ///
    /// - Parameters:
    ///   - hasSession: without a session bus, no keyring is queried and libsecret is not loaded.
    ///   - isCounting: whether only the numbers of accounts and tokens are needed.
    package func look(keys: StoreKeys = StoreKeys(), hasSession: Bool, isCounting: Bool = false) -> StoreProbe {
        switch storage {
        case .sealed(let protection):
            return StoreProbe(self, Self.isThere(place) ? .protected(by: protection) : .absent)
        case .readable(let specs):
            var best = StoreProbe(self, .absent, notes: notes)
            for spec in specs {
                let finding = look(at: spec, keys, hasSession, isCounting)
                if finding.isUsable { return finding }
                if case .absent = finding.availability { continue }
                // A signal file alone means nothing if its keyring item could not be queried.
                if best.availability == .absent || best.availability == .empty { best = finding }
            }
            return best
        }
    }

    private func look(at spec: StoreSpec, _ keys: StoreKeys, _ hasSession: Bool, _ isCounting: Bool) -> StoreProbe {
        guard Self.isThere(spec.path) else { return StoreProbe(self, .absent, notes: notes) }
        if spec.kind == .keyring, !hasSession {
            return StoreProbe(self, .protected(by: "the session keyring, but there is no session here"), notes: notes)
        }
        let cache = TokenCache(spec, keys: keys)
        if isCounting, let counts = cache.counts() {
            return StoreProbe(self, .usable, spec: spec, counts: counts, notes: notes + cache.warnings())
        }
        do throws(StoreError) {
            guard let snapshot = try Self.read(spec, keys) else { return StoreProbe(self, .empty, notes: notes) }
            guard snapshot.hasCredentials else { return StoreProbe(self, .empty, notes: notes) }
            return StoreProbe(
                self, .usable, spec: spec, snapshot: snapshot, notes: notes + cache.warnings())
        } catch { return StoreProbe(self, Self.availability(error), notes: notes) }
    }

    /// Like ``TokenCache/read()``, but without the lock: readers leave no files in another program's folder.
    private static func read(_ spec: StoreSpec, _ keys: StoreKeys) throws(StoreError) -> CacheSnapshot? {
        let backend = StoreBackend(spec, keys)
        var last: StoreError?
        for attempt in 0..<4 {
            if attempt > 0 { usleep(50_000) }
            do throws(StoreError) {
                guard let content = try backend.read(.cache), !content.bytes.isEmpty else { return nil }
                return try CacheSnapshot(content.bytes, screen: content.screen, path: spec.path)
            } catch {
                // Other programs truncate in place: incomplete JSON can be complete a moment later.
                guard case .notJSON = error.situation else { throw error }
                last = error
            }
        }
        if let last { throw last }
        return nil
    }

    private static func availability(_ error: StoreError) -> StoreProbe.Availability {
        switch error.situation {
        case .passphraseNeeded, .wrongPassphrase: .protected(by: "a passphrase")
        case .keyring(.locked): .protected(by: "a locked keyring")
        case .keyring(.missing(let why)): .protected(by: "the session keyring, which is not available: \(why)")
        case .keyring(.silent): .protected(by: "the session keyring, which does not respond")
        case .keyring(.refused), .keyring(.tooLarge), .notRegularFile, .wrongOwner, .writableByOthers,
            .folderNotTrusted, .linkNotTrusted,
            .tooLarge, .notJSON, .foreign, .empty, .locked, .noSpace, .readOnly, .cancelled, .damaged, .newer,
            .credentials, .occupied,
            .notVerified, .moved, .notReplaceable, .noStore, .attached, .io:
            .refused(why: error.message, hint: error.hint)
        }
    }

    /// Notes on files next to the store that contain secrets.
    private var notes: [String] {
        guard let principals, let count = try? AzureProfile.principalCount(principals), count > 0 else { return [] }
        return ["\(principals) holds the secrets of \(count) service principal\(count == 1 ? "" : "s") in plain text"]
    }

    private static func isThere(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }
}
