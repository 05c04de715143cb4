import Glibc
package import Identity
import StrictJSON
import Synchronization
import SystemPackage

// Index/ locates the entries of each account in a large store without keeping them, or any secret, in memory. Entries
// are read again on demand. Only Entra ID stores in plain files are supported; all others get a full read, which also
// reports errors.

/// An index of the entries in a large store, as of the time it was read.
package final class StoreIndex: Sendable {
    struct Entry {
        /// Position of the opening quote of its name in the file, and length up to the end of its value.
        var offset: UInt32
        var length: UInt32
        /// The owner's home account ID, by number.
        var home: Int32
        /// The home account ID in a cloud; -1 if the entry has no environment.
        var person: Int32 = -1
        /// Epoch seconds; -1 if missing.
        var expiresOn: Int64 = -1
        var cachedAt: Int64 = -1
        var client: UInt16 = 0
        var environment: UInt16 = 0
        var section: UInt8
        var isUsable = false
        var isOfFamily = false
    }

    /// Detects that a file was changed or replaced.
    struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        init(_ info: stat) {
            device = UInt64(truncatingIfNeeded: info.st_dev)
            number = UInt64(truncatingIfNeeded: info.st_ino)
            size = Int(info.st_size)
            (seconds, nanoseconds) = (info.st_mtim.tv_sec, info.st_mtim.tv_nsec)
        }

        init?(_ descriptor: Int32) {
            var info = stat()
            guard uninterrupted({ fstat(descriptor, &info) }) == 0 else { return nil }
            self.init(info)
        }
    }

    /// The last result: one frame asks for the selected account several times.
    private struct Last {
        let home: Int
        let snapshot: CacheSnapshot
        var credentials: [Int: [CachedCredential]] = [:]
    }

    private let path: String
    private let descriptor: Int32
    private let identity: Identity
    private let began: Int
    private let people: AccountTable
    /// Sorted by home account ID, then by section, then by position in the file.
    private let entries: [Entry]
    /// Index of the first entry of each home account ID, and the end.
    private let starts: [Int32]
    /// Entries without an owner: metadata of clients.
    private let shared: [Entry]
    private let suspectEntries: [Entry]
    private let clients: [String]
    private let last = Mutex<Last?>(nil)
    private let everything = Mutex<CacheSnapshot?>(nil)
    /// Called once when the file is found to have changed.
    private let changed = Mutex<(@Sendable () -> Void)?>(nil)
    private let failed = Mutex(false)

    /// Reads a store once, from start to end. Closes the descriptor on failure, otherwise with the index.
    ///
    /// - Returns: the index and the accounts of ``CacheSnapshot/overviews(clientID:)``; credentials stay in the file.
    /// - Throws: if a full read is needed.
    static func read(_ descriptor: Int32, path: String, pieceSize: Int) throws(JSONEntryReader.NeedsFullRead)
        -> (index: StoreIndex, overviews: [AccountOverview])
    {
        let began = time(nil)
        guard let identity = Identity(descriptor) else {
            close(descriptor)
            throw JSONEntryReader.NeedsFullRead()
        }
        var builder = StoreIndexBuilder(size: identity.size)
        do throws(JSONEntryReader.NeedsFullRead) {
            try builder.read(descriptor, size: identity.size, pieceSize: pieceSize)
            // Other programs truncate in place, so the bytes read can be a mix of old and new.
            guard Identity(descriptor) == identity else { throw JSONEntryReader.NeedsFullRead() }
        } catch {
            close(descriptor)
            throw error
        }
        let index = StoreIndex(descriptor, path, identity, began, builder)
        return (index, try index.overviews(builder))
    }

    private init(
        _ descriptor: Int32, _ path: String, _ identity: Identity, _ began: Int, _ builder: StoreIndexBuilder
    ) {
        self.descriptor = descriptor
        self.path = path
        self.identity = identity
        self.began = began
        people = builder.people
        clients = builder.clients.names
        shared = builder.shared
        suspectEntries = builder.suspects
        (entries, starts) = builder.sorted()
    }

    deinit { close(descriptor) }

    /// Whether the file is unchanged. False if it was modified just before the read, as its times are too coarse then.
    package var isCurrent: Bool {
        var info = stat()
        guard let place = try? ResolvedPath(path), uninterrupted({ stat(place.file, &info) }) == 0 else { return false }
        return Identity(info) == identity && identity.seconds < began - 1
    }

    /// - Parameter body: called once, on any thread, when a read fails because the file was changed in place.
    package func onChange(_ body: @escaping @Sendable () -> Void) { changed.withLock { $0 = body } }

    /// Whether a client has a usable refresh token.
    package func holdsRefreshToken(clientID: String) -> Bool {
        guard let client = clients.firstIndex(of: ClientID.canonical(clientID)) else { return false }
        let section = UInt8(StoreIndexBuilder.Place.refreshToken.rawValue)
        return entries.contains { $0.section == section && $0.isUsable && $0.client == UInt16(client) }
    }

    /// The entries that a decision about an account needs: its own and the shared ones. Empty if the file has changed.
    package func snapshot(of account: AccountID) -> CacheSnapshot {
        people.home(Array(account.homeAccountID.utf8)[...]).flatMap(snapshot(ofHome:)) ?? .empty
    }

    /// The whole store. Kept once read, as only few settings need it.
    package var whole: CacheSnapshot {
        if let known = everything.withLock({ $0 }) { return known }
        guard let text = bytes(at: 0, identity.size), Identity(descriptor) == identity,
            let found = try? CacheSnapshot(text, path: path)
        else {
            tellChange()
            return .empty
        }
        everything.withLock { $0 = found }
        return found
    }

    /// Whether a read failed because the file was changed in place, so that results are incomplete.
    package var hasChanged: Bool { failed.withLock { $0 } }

    private func tellChange() {
        failed.withLock { $0 = true }
        changed.withLock { body in
            defer { body = nil }
            return body
        }?()
    }

    private func snapshot(ofHome home: Int) -> CacheSnapshot? {
        if let last = last.withLock({ $0 }), last.home == home { return last.snapshot }
        guard let found = snapshot(of: entries(ofHome: home) + shared) else { return nil }
        last.withLock { $0 = Last(home: home, snapshot: found) }
        return found
    }

    private func entries(ofHome home: Int) -> ArraySlice<Entry> { entries[Int(starts[home])..<Int(starts[home + 1])] }

    /// The entries as a store of their own; nil if the file has changed.
    private func snapshot(of entries: ArraySlice<Entry>) -> CacheSnapshot? {
        if let text = text(of: entries), let found = try? CacheSnapshot(text, path: path) { return found }
        tellChange()
        return nil
    }

    /// The entries as a store of their own; nil if they can no longer be read.
    private func text(of entries: ArraySlice<Entry>) -> [UInt8]? {
        var text: [UInt8] = [UInt8(ascii: "{")]
        text.reserveCapacity(entries.reduce(256) { $0 + Int($1.length) + 1 })
        for place in StoreIndexBuilder.Place.allCases {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text += Array("\"\(place.section.rawValue)\":{".utf8)
            var isFirst = true
            for entry in entries where Int(entry.section) == place.rawValue {
                if !isFirst { text.append(UInt8(ascii: ",")) }
                isFirst = false
                guard let bytes = bytes(at: Int(entry.offset), Int(entry.length)) else { return nil }
                text += bytes
            }
            text.append(UInt8(ascii: "}"))
        }
        text.append(UInt8(ascii: "}"))
        return Identity(descriptor) == identity ? text : nil
    }

    private func bytes(at offset: Int, _ length: Int) -> [UInt8]? {
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, used in
            while used < length, let base = buffer.baseAddress {
                let at = used
                let count = uninterrupted { pread(descriptor, base + at, length - at, off_t(offset + at)) }
                guard count > 0 else {
                    isWhole = false
                    return
                }
                used += count
            }
        }
        return isWhole ? bytes : nil
    }

    // MARK: Queries of all entries

    /// The entries that may be damaged, undecodable or without an owner.
    var suspects: CacheSnapshot { suspectEntries.isEmpty ? .empty : snapshot(of: suspectEntries[...]) ?? .empty }

    /// The number of usable credentials with an owner.
    var ownedCount: Int { entries.count(where: \.isUsable) }

    /// The usable credentials of each home account ID, sorted by ID, in pieces of a few entries.
    func visitOwned(_ body: ([CachedCredential]) -> Void) {
        let homes = (0..<people.homeCount).map { (people.homeAccountID(ofHome: $0), $0) }.sorted { $0.0 < $1.0 }
        for (_, home) in homes {
            let credentials = entries(ofHome: home).filter(\.isUsable)
            guard !credentials.isEmpty, let found = snapshot(of: credentials[...])?.credentials() else { continue }
            body(found)
        }
    }

    // MARK: Account queries

    private func lives(of person: Int, home homeAccountID: String) -> [CredentialLife] {
        credentialEntries(of: person).map { entry, kind in
            CredentialLife(
                kind: kind, clientID: clients[Int(entry.client)], homeAccountID: homeAccountID,
                cachedAt: .init(epoch: entry.cachedAt), expiresOn: .init(epoch: entry.expiresOn),
                isOfFamily: entry.isOfFamily)
        }
    }

    private func credentials(of person: Int) -> [CachedCredential] {
        let home = people.home(of: person)
        guard let snapshot = snapshot(ofHome: home) else { return [] }
        if let known = last.withLock({ $0?.home == home ? $0?.credentials[person] : nil }) { return known }
        let (id, cloud) = (people.homeAccountID(ofHome: home), people.cloud(of: person))
        let found = snapshot.credentials().filter {
            HomeAccountID.isSame($0.homeAccountID ?? "", id, issuer: nil)
                && people.cloud(ofHost: $0.environment) == cloud
        }
        last.withLock { if $0?.home == home { $0?.credentials[person] = found } }
        return found
    }

    private func credentialEntries(of person: Int) -> [(Entry, CachedCredential.Kind)] {
        entries(ofHome: people.home(of: person)).compactMap { entry in
            guard Int(entry.person) == person, entry.isUsable,
                let kind = StoreIndexBuilder.Place(rawValue: Int(entry.section))?.section.kind
            else { return nil }
            return (entry, kind)
        }
    }

    private func overview(of person: Int, in snapshot: CacheSnapshot) -> AccountOverview? {
        let cloud = people.cloud(of: person)
        return snapshot.overviews().first { people.cloud(ofHost: $0.account.environment) == cloud }
    }

    // MARK: The list

    private func overviews(_ builder: StoreIndexBuilder) throws(JSONEntryReader.NeedsFullRead) -> [AccountOverview] {
        let reader = CredentialReader(
            credentials: { self.credentials(of: $0) }, lives: { self.lives(of: $0, home: $1) })
        var overviews: [AccountOverview] = []
        overviews.reserveCapacity(builder.accounts.count)
        let clientSets = builder.clientSets()
        var namesOfSets: [UInt64: [String]] = [:]
        func clients(of set: UInt64) -> [String] {
            if let known = namesOfSets[set] { return known }
            let names = builder.clients.names.indices.filter { set & 1 << UInt64($0) != 0 }.map {
                builder.clients.names[$0]
            }.sorted()
            namesOfSets[set] = names
            return names
        }
        for (account, person) in zip(builder.accounts, builder.accountPeople) {
            var account = account
            account.clients = clients(of: clientSets[person])
            account.settle()
            var consent: [ConsentRecord] = []
            var uses: [ClientUse] = []
            // A second read, for values that only few entries have.
            if account.username.isEmpty || builder.peopleWithMetadata.contains(person) {
                guard let snapshot = snapshot(ofHome: people.home(of: person)),
                    let overview = overview(of: person, in: snapshot)
                else { throw JSONEntryReader.NeedsFullRead() }
                account.username = overview.account.username
                account.formerUsernames = overview.account.formerUsernames
                (consent, uses) = (overview.consent, overview.uses)
            }
            overviews.append(
                AccountOverview(account: account, reader: reader, number: person, consent: consent, uses: uses))
        }
        keepFormerUsernames(of: &overviews, builder, clientSets)
        for person in builder.orphans {
            let held = credentialEntries(of: person)
            guard let first = held.first?.0 else { continue }
            let used = held.reduce(UInt64(0)) { $0 | 1 << UInt64($1.0.client) }
            overviews.append(
                AccountOverview(
                    account: Account(
                        homeAccountID: people.homeAccountID(of: person),
                        environment: people.environments[Int(first.environment)], username: "",
                        clients: clients(of: used)),
                    reader: reader, number: person))
        }
        last.withLock { $0 = nil }
        return overviews
    }

    /// Without those that another user has now: an account's own entries do not tell.
    private func keepFormerUsernames(
        of overviews: inout [AccountOverview], _ builder: StoreIndexBuilder, _ clientSets: [UInt64]
    ) {
        var names = FormerUsernames()
        for (place, overview) in overviews.enumerated() where !overview.account.formerUsernames.isEmpty {
            names.add(overview.account.formerUsernames, of: place, at: provider(builder.accountPeople[place]))
        }
        guard !names.list.isEmpty else { return }
        for (place, account) in builder.accounts.enumerated() where clientSets[builder.accountPeople[place]] != 0 {
            for profile in account.tenantProfiles {
                names.note(profile.username, isOf: place, at: provider(builder.accountPeople[place]))
            }
        }
        for (place, names) in names.list { overviews[place].account.formerUsernames = names }
    }

    /// An index has no issuers.
    private func provider(_ person: Int) -> FormerUsernames.Provider {
        .init(cloud: people.cloud(of: person), issuer: 0)
    }
}
