import Glibc
package import Identity
import StrictJSON
import Synchronization
import SystemPackage

// Index/ holds what is known of a large store without having it in memory: who is in it, and where the entries of each
// stand. No secret and no other text of an entry is kept; those of one account are read again when they are asked for.
//
// It knows stores of Entra ID alone, in plain files. What it cannot judge it leaves to a reading of the whole store,
// so that there is one place that says what is wrong with one.

/// Where everybody's entries stand in a large store, as it was when it was read.
package final class StoreIndex: Sendable {
    /// One entry that names a home identity.
    struct Entry {
        /// Of its name's quote in the file, and the bytes to the end of its value.
        var offset: UInt32
        var length: UInt32
        /// Whose it is: the home identity alone.
        var home: Int32
        /// The home identity in a cloud; -1 where the entry names no environment.
        var person: Int32 = -1
        /// Epoch seconds; -1 where the entry does not say.
        var expiresOn: Int64 = -1
        var cachedAt: Int64 = -1
        var client: UInt16 = 0
        var environment: UInt16 = 0
        var section: UInt8
        /// Whether it can be used as a credential.
        var isUsable = false
        var isOfFamily = false
    }

    /// What tells a file from what it was before.
    private struct Identity: Equatable {
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

    /// What was asked for last: a frame asks several times for the account that is looked at.
    private struct Last {
        let home: Int
        let snapshot: CacheSnapshot
        var credentials: [Int: [CachedCredential]] = [:]
    }

    private let path: String
    private let descriptor: Int32
    private let identity: Identity
    private let began: Int
    private let people: PeopleTable
    /// Sorted by home identity, then by section, then as in the file.
    private let entries: [Entry]
    /// The first entry of each home identity, and the end.
    private let starts: [Int32]
    /// Entries that are nobody's: what is noted of applications, and of whole clients.
    private let shared: [Entry]
    private let clients: [String]
    private let last = Mutex<Last?>(nil)
    private let everything = Mutex<CacheSnapshot?>(nil)
    /// Told once when the file is found to have become another.
    private let changed = Mutex<(@Sendable () -> Void)?>(nil)

    /// Reads a store once, from its beginning to its end.
    ///
    /// - Parameters:
    ///   - descriptor: closed with the index; or at once, where there is none.
    ///   - pieceSize: how many bytes are read at a time.
    /// - Returns: also everybody in the store, as ``CacheSnapshot/overviews(clientID:)`` gives them; their credentials
    ///   stay in the file.
    /// - Throws: when only a reading of the whole can tell what is in the store.
    static func read(_ descriptor: Int32, path: String, pieceSize: Int) throws(JSONEntryReader.GaveUp)
        -> (index: StoreIndex, overviews: [AccountOverview])
    {
        let began = time(nil)
        guard let identity = Identity(descriptor) else {
            close(descriptor)
            throw JSONEntryReader.GaveUp()
        }
        var builder = StoreIndexBuilder(size: identity.size)
        do throws(JSONEntryReader.GaveUp) {
            try builder.read(descriptor, size: identity.size, pieceSize: pieceSize)
            // Others truncate in place: what was read is then a bit of both.
            guard Identity(descriptor) == identity else { throw JSONEntryReader.GaveUp() }
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
        (entries, starts) = builder.sorted()
    }

    deinit { close(descriptor) }

    /// Whether the store is still what was read. A file that was written within the second before is not trusted to say
    /// so by its times.
    package var isCurrent: Bool {
        var info = stat()
        guard let place = try? ResolvedPath(path), uninterrupted({ stat(place.file, &info) }) == 0 else { return false }
        return Identity(info) == identity && identity.seconds < began - 1
    }

    /// - Parameter body: called once, on any thread, as soon as something cannot be read again because the file was
    ///   changed in place.
    package func onChange(_ body: @escaping @Sendable () -> Void) { changed.withLock { $0 = body } }

    /// Whether some refresh token of a client could be used.
    package func holdsRefreshToken(clientID: String) -> Bool {
        guard let client = clients.firstIndex(of: clientID) else { return false }
        let section = UInt8(StoreIndexBuilder.Place.refreshToken.rawValue)
        return entries.contains { $0.section == section && $0.isUsable && $0.client == UInt16(client) }
    }

    /// What the store holds of the people with an account's home identity, and what it notes of no account: all that a
    /// decision about the account looks at.
    ///
    /// - Returns: an empty one when the file is no longer what was read.
    package func snapshot(of account: AccountID) -> CacheSnapshot {
        people.home(Array(account.homeAccountID.utf8)[...]).flatMap(snapshot(ofHome:)) ?? .empty
    }

    /// The whole store: kept once it was asked for, as only few settings ask for it.
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

    private func tellChange() {
        changed.withLock { body in
            defer { body = nil }
            return body
        }?()
    }

    private func snapshot(ofHome home: Int) -> CacheSnapshot? {
        if let last = last.withLock({ $0 }), last.home == home { return last.snapshot }
        let range = Int(starts[home])..<Int(starts[home + 1])
        guard let text = text(of: entries[range] + shared), let found = try? CacheSnapshot(text, path: path) else {
            tellChange()
            return nil
        }
        last.withLock { $0 = Last(home: home, snapshot: found) }
        return found
    }

    /// The entries as a store of their own; nil when they can no longer be read.
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

    // MARK: What the accounts are asked for

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
        let found = overview(of: person, in: snapshot)?.credentials ?? []
        last.withLock { if $0?.home == home { $0?.credentials[person] = found } }
        return found
    }

    private func credentialEntries(of person: Int) -> [(Entry, CachedCredential.Kind)] {
        let home = people.home(of: person)
        return entries[Int(starts[home])..<Int(starts[home + 1])].compactMap { entry in
            guard Int(entry.person) == person, entry.isUsable,
                let kind = StoreIndexBuilder.Place(rawValue: Int(entry.section))?.section.kind
            else { return nil }
            return (entry, kind)
        }
    }

    /// The person as a reading of all their entries gives them.
    private func overview(of person: Int, in snapshot: CacheSnapshot) -> AccountOverview? {
        let cloud = people.cloud(of: person)
        return snapshot.overviews().first { people.cloud(ofHost: $0.account.environment) == cloud }
    }

    // MARK: The list

    private func overviews(_ builder: StoreIndexBuilder) throws(JSONEntryReader.GaveUp) -> [AccountOverview] {
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
            // Read again for what stands in few entries only.
            if account.username.isEmpty || builder.peopleWithConsent.contains(person) {
                guard let snapshot = snapshot(ofHome: people.home(of: person)),
                    let overview = overview(of: person, in: snapshot)
                else { throw JSONEntryReader.GaveUp() }
                account.username = overview.account.username
                consent = overview.consent
            }
            overviews.append(AccountOverview(account: account, reader: reader, number: person, consent: consent))
        }
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
}
