import Glibc
package import Identity

/// What a look at a place found.
package struct StoreProbe: Sendable {
    package enum Availability: Hashable, Sendable {
        case usable
        /// It is there, and nobody is signed in.
        case empty
        case absent
        /// It is there, and what is in it is not for us to see.
        case protected(by: String)
        /// It is there, and it is not used; with what to do, where something can be done.
        case refused(why: String, hint: Failure.Hint?)
    }

    package let source: StoreSource
    package let availability: Availability
    /// What it is kept in; nil unless it is usable.
    package let spec: StoreSpec?
    /// What it held when it was looked at; empty unless it is usable.
    package let snapshot: CacheSnapshot
    /// What a person should know besides, each a line in lower case.
    package let notes: [String]

    init(
        _ source: StoreSource, _ availability: Availability, spec: StoreSpec? = nil, snapshot: CacheSnapshot = .empty,
        notes: [String] = []
    ) {
        self.source = source
        self.availability = availability
        self.spec = spec
        self.snapshot = snapshot
        self.notes = notes
    }

    package var isUsable: Bool { availability == .usable }
}

extension StoreSource {
    /// Looks at the place without changing anything there: no lock is taken and no file is made, as it belongs to
    /// another program.
    ///
    /// - Parameters:
    ///   - keys: where the keys of `encrypted:` stores are.
    ///   - hasSession: whether there is a session bus; without one no keyring is asked, and libsecret is not even
    ///     loaded.
    package func look(keys: StoreKeys = StoreKeys(), hasSession: Bool) -> StoreProbe {
        switch storage {
        case .sealed(let protection):
            return StoreProbe(self, Self.isThere(place) ? .protected(by: protection) : .absent)
        case .readable(let specs):
            var best = StoreProbe(self, .absent, notes: notes)
            for spec in specs {
                let finding = look(at: spec, keys, hasSession)
                if finding.isUsable { return finding }
                if case .absent = finding.availability { continue }
                // A file that is there for its date only says nothing when its keyring item could not be asked for.
                if best.availability == .absent || best.availability == .empty { best = finding }
            }
            return best
        }
    }

    private func look(at spec: StoreSpec, _ keys: StoreKeys, _ hasSession: Bool) -> StoreProbe {
        guard Self.isThere(spec.path) else { return StoreProbe(self, .absent, notes: notes) }
        if spec.kind == .keyring, !hasSession {
            return StoreProbe(self, .protected(by: "the session's keyring, and there is no session here"), notes: notes)
        }
        do throws(StoreError) {
            guard let snapshot = try Self.read(spec, keys) else { return StoreProbe(self, .empty, notes: notes) }
            guard snapshot.hasCredentials else { return StoreProbe(self, .empty, notes: notes) }
            return StoreProbe(
                self, .usable, spec: spec, snapshot: snapshot, notes: notes + TokenCache(spec, keys: keys).warnings())
        } catch { return StoreProbe(self, Self.availability(error), notes: notes) }
    }

    /// As ``TokenCache/read()``, but never under the lock: a reader of another program's store leaves no file in its
    /// folder.
    private static func read(_ spec: StoreSpec, _ keys: StoreKeys) throws(StoreError) -> CacheSnapshot? {
        let backend = StoreBackend(spec, keys)
        var last: StoreError?
        for attempt in 0..<4 {
            if attempt > 0 { usleep(50_000) }
            do throws(StoreError) {
                guard let content = try backend.read(.cache), !content.bytes.isEmpty else { return nil }
                return try CacheSnapshot(content.bytes, screen: content.screen, path: spec.path)
            } catch {
                // Writers truncate in place: half a text may be whole a moment later.
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
        case .keyring(.locked): .protected(by: "a keyring that is locked")
        case .keyring(.missing(let why)): .protected(by: "the session's keyring, which is not available: \(why)")
        case .keyring(.silent): .protected(by: "the session's keyring, which does not answer")
        case .keyring(.refused), .keyring(.tooLarge), .notRegularFile, .wrongOwner, .writableByOthers,
            .folderNotTrusted, .linkNotTrusted,
            .tooLarge, .notJSON, .foreign, .empty, .locked, .noSpace, .readOnly, .cancelled, .damaged, .newer,
            .credentials, .occupied,
            .notVerified, .moved, .notReplaceable, .noStore, .io:
            .refused(why: error.message, hint: error.hint)
        }
    }

    /// What lies beside the store and is no token cache.
    private var notes: [String] {
        guard let principals, let count = try? AzureProfile.principalCount(principals), count > 0 else { return [] }
        return ["\(principals) holds the secrets of \(count) service principal\(count == 1 ? "" : "s") in plain text"]
    }

    private static func isThere(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }
}
