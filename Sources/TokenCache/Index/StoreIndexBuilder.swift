import FoundationEssentials
import Glibc
import Identity
import StrictJSON

struct StoreIndexBuilder {
    /// The sections in output order. Legacy entries can belong to users by name, so a store with any needs a full read.
    enum Place: Int, CaseIterable {
        case accessToken, refreshToken, idToken, account, appMetadata, accountMetadata

        var section: Section {
            switch self {
            case .accessToken: .accessToken
            case .refreshToken: .refreshToken
            case .idToken: .idToken
            case .account: .account
            case .appMetadata: .appMetadata
            case .accountMetadata: .accountMetadata
            }
        }
    }

    struct Clients {
        private(set) var names: [String] = []
        private var last: [UInt8] = []
        private var lastNumber = 0
        private static let most = 64

        mutating func number(of bytes: ArraySlice<UInt8>) throws(JSONEntryReader.NeedsFullRead) -> Int {
            if !names.isEmpty, last[...].isSame(as: bytes) { return lastNumber }
            let name = ClientID.canonical(String(decoding: bytes, as: UTF8.self))
            last = Array(bytes)
            if let known = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) {
                lastNumber = known
            } else {
                guard names.count < Self.most else { throw JSONEntryReader.NeedsFullRead() }
                lastNumber = names.count
                names.append(name)
            }
            return lastNumber
        }
    }

    private enum Field: Int, CaseIterable {
        case home, environment, client, secret, expiresOn, cachedAt, modified, family, target, realm, tokenType, type,
            issuer, asked, used, former, principal, revocation

        var name: StaticString {
            switch self {
            case .home: "home_account_id"
            case .environment: "environment"
            case .client: "client_id"
            case .secret: "secret"
            case .expiresOn: "expires_on"
            case .cachedAt: "cached_at"
            case .modified: "last_modification_time"
            case .family: "family_id"
            case .target: "target"
            case .realm: "realm"
            case .tokenType: "token_type"
            case .type: "credential_type"
            case .issuer: "issuer"
            case .asked: "asked_scopes"
            case .used: "used_authority"
            case .former: "former_username"
            case .principal: "principal_home_account_id"
            case .revocation: "revocation_secret"
            }
        }
    }

    private(set) var people = AccountTable()
    private(set) var clients = Clients()
    /// Entries without an owner.
    private(set) var shared: [StoreIndex.Entry] = []
    private var found: [StoreIndex.Entry] = []
    /// Entries that may be damaged, undecodable or without an owner.
    private(set) var suspects: [StoreIndex.Entry] = []
    /// The accounts as in the file, without their clients and not yet settled, and the number of each one's user.
    private(set) var accounts: [Account] = []
    private(set) var accountPeople: [Int] = []
    /// Profiles inside of entries, by index into ``accounts``: they come after those of entries.
    private var nested: [(place: Int, profiles: [TenantProfile])] = []
    /// Index into ``accounts`` by user; -1 for users without an account.
    private var places: [Int32] = []
    /// Users who have an entry in the account section, valid or not.
    private var known: [Bool] = []
    /// The clients of each user, as bit sets.
    private var clientBits: [UInt64] = []
    /// Users with metadata that a list shows: consent, how they signed in, or former usernames.
    private(set) var peopleWithMetadata: Set<Int> = []
    private var finder = JSONFieldFinder(Field.allCases.map(\.name))
    private var tenants = SharedStrings()
    private static let tombstone = Array("<tombstone>".utf8)
    private static let mostShared = 4096

    /// - Parameter size: size of the file, in bytes.
    init(size: Int) { found.reserveCapacity(min(size / 700, 1 << 17)) }

    mutating func read(_ descriptor: Int32, size: Int, pieceSize: Int) throws(JSONEntryReader.NeedsFullRead) {
        var reader = JSONEntryReader(
            sections: Place.allCases.map(\.section.name) + [Section.legacy.name], limits: CacheSnapshot.limits,
            pieceSize: pieceSize)
        try reader.read(size: size) { buffer, offset in
            uninterrupted { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
        } _: { (piece) throws(JSONEntryReader.NeedsFullRead) in
            // Legacy entries are matched by more than a home account ID.
            guard let place = Place(rawValue: piece.section) else { throw JSONEntryReader.NeedsFullRead() }
            for index in 0..<piece.outline.entryCount {
                let node = piece.outline.entry(at: index)
                try take(CacheEntry(outline: piece.outline, node: node, index: index), place, piece.start)
            }
        }
        for (place, profiles) in nested { accounts[place].tenantProfiles += profiles }
        // Not a token cache: a full read reports that.
        guard reader.hasKnownSection || reader.isEmpty else { throw JSONEntryReader.NeedsFullRead() }
    }

    private mutating func take(_ entry: CacheEntry, _ place: Place, _ start: Int) throws(JSONEntryReader.NeedsFullRead)
    {
        let range = entry.outline.range(of: entry.node)
        var note = StoreIndex.Entry(
            offset: UInt32(truncatingIfNeeded: start + range.lowerBound), length: UInt32(range.count), home: -1,
            section: UInt8(place.rawValue))
        guard entry.outline.isObject(entry.node) else {
            suspects.append(note)
            return
        }
        let isOfClient: Bool
        let isPlain = finder.find(in: entry.outline, entry.node)
        if isPlain {
            isOfClient = !finder.isMissing(Field.principal.rawValue)
            // Few sign-outs wait for a provider, and they make a client one of the account's.
            guard finder.isMissing(Field.revocation.rawValue) else { throw JSONEntryReader.NeedsFullRead() }
            try takePlain(&note, place)
        } else {
            isOfClient = entry.has("principal_home_account_id")
            guard !entry.isPendingRevocation else { throw JSONEntryReader.NeedsFullRead() }
            try takeEscaped(entry, &note, place)
        }
        let isSound = place.section.kind == nil || note.isUsable && (place != .accessToken || note.expiresOn >= 0)
        if !isSound || !isPlain && !entry.isDecodable { suspects.append(note) }
        if place == .account, note.person >= 0 { takeAccount(entry, Int(note.person), Int(note.environment)) }
        let isShared = place == .appMetadata || (place == .accountMetadata && isOfClient)
        if note.home >= 0, !isShared {
            found.append(note)
        } else if isShared || place == .accountMetadata {
            guard shared.count < Self.mostShared else { throw JSONEntryReader.NeedsFullRead() }
            shared.append(note)
        }
    }

    private func filled(_ field: Field) -> ArraySlice<UInt8>? {
        finder.bytes(field.rawValue).flatMap { $0.isEmpty ? nil : $0 }
    }

    private func isTextOrMissing(_ field: Field) -> Bool {
        finder.isMissing(field.rawValue) || finder.isString(field.rawValue) || finder.isNull(field.rawValue)
    }

    /// Handles an entry without escapes, by its bytes.
    private mutating func takePlain(_ note: inout StoreIndex.Entry, _ place: Place) throws(JSONEntryReader
        .NeedsFullRead)
    {
        // Issuers are resolved across all entries together.
        guard finder.isMissing(Field.issuer.rawValue) else { throw JSONEntryReader.NeedsFullRead() }
        // A string with escapes would be a different key in the tables.
        if finder.isString(Field.home.rawValue), finder.bytes(Field.home.rawValue) == nil {
            throw JSONEntryReader.NeedsFullRead()
        }
        let environment = filled(.environment)
        if let home = filled(.home) {
            note.home = Int32(truncatingIfNeeded: people.number(ofHome: home))
            if let environment {
                let number = try people.number(ofEnvironment: environment)
                note.environment = UInt16(truncatingIfNeeded: number)
                note.person = Int32(truncatingIfNeeded: people.person(home: Int(note.home), environment: number))
            }
        }
        if place == .accountMetadata, note.person >= 0,
            !finder.isMissing(Field.asked.rawValue) || !finder.isMissing(Field.used.rawValue)
                || !finder.isMissing(Field.former.rawValue)
        {
            peopleWithMetadata.insert(Int(note.person))
        }
        guard place.section.kind != nil else { return }
        let secret = filled(.secret)
        let hasSecret = secret.map { !$0.isSame(as: Self.tombstone[...]) } ?? false
        let client = filled(.client)
        if let client { note.client = UInt16(try clients.number(of: client)) }
        if finder.isString(Field.secret.rawValue), finder.bytes(Field.secret.rawValue) == nil {
            throw JSONEntryReader.NeedsFullRead()
        }
        if hasSecret, client != nil, note.person >= 0 { noteClient(Int(note.client), of: Int(note.person)) }
        note.isUsable =
            note.person >= 0 && hasSecret && client != nil && environment != nil
            && isTextOrMissing(.target) && isTextOrMissing(.realm) && isTextOrMissing(.tokenType)
            && isTextOrMissing(.expiresOn) && isTextOrMissing(.cachedAt) && isTextOrMissing(.type)
            && isTextOrMissing(.family)
        note.isOfFamily = filled(.family) != nil
        note.expiresOn = seconds(.expiresOn)
        note.cachedAt = seconds(.cachedAt)
        if note.cachedAt < 0 { note.cachedAt = seconds(.modified) }
    }

    /// Same rule as ``CacheEntry/date(_:)``: an integer in a string; -1 for everything else.
    private func seconds(_ field: Field) -> Int64 {
        guard let bytes = filled(field) else { return -1 }
        var value: Int64 = 0
        if bytes.count <= 12, bytes.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            for byte in bytes { value = value * 10 + Int64(byte - 0x30) }
        } else {
            guard let number = Int64(String(decoding: bytes, as: UTF8.self)) else { return -1 }
            value = number
        }
        return Date.calendarSeconds.contains(value) ? value : -1
    }

    /// Handles an entry with escapes or duplicate names, field by field.
    private mutating func takeEscaped(_ entry: CacheEntry, _ note: inout StoreIndex.Entry, _ place: Place)
        throws(JSONEntryReader.NeedsFullRead)
    {
        guard !entry.has("issuer") else { throw JSONEntryReader.NeedsFullRead() }
        // Users are distinguished by the bytes as written.
        for field in ["home_account_id", "environment", "client_id"] as [StaticString] {
            guard entry.isPlain(field) else { throw JSONEntryReader.NeedsFullRead() }
        }
        let environment = entry.filled("environment")
        if let home = entry.filled("home_account_id") {
            note.home = Int32(truncatingIfNeeded: people.number(ofHome: Array(home.utf8)[...]))
            if let environment {
                let number = try people.number(ofEnvironment: Array(environment.utf8)[...])
                note.environment = UInt16(truncatingIfNeeded: number)
                note.person = Int32(truncatingIfNeeded: people.person(home: Int(note.home), environment: number))
            }
        }
        if place == .accountMetadata, note.person >= 0,
            entry.has("asked_scopes") || entry.has("used_authority") || entry.has("former_username")
        {
            peopleWithMetadata.insert(Int(note.person))
        }
        guard let kind = place.section.kind else { return }
        if let client = entry.filled("client_id") {
            note.client = UInt16(try clients.number(of: Array(client.utf8)[...]))
            if entry.hasSecret, note.person >= 0 { noteClient(Int(note.client), of: Int(note.person)) }
        }
        guard note.person >= 0, let credential = entry.credential(kind) else { return }
        note.isUsable = true
        note.isOfFamily = credential.familyID != nil
        note.expiresOn = credential.expiresOn.map { Int64($0.timeIntervalSince1970) } ?? -1
        note.cachedAt = credential.cachedAt.map { Int64($0.timeIntervalSince1970) } ?? -1
    }

    private mutating func noteClient(_ client: Int, of person: Int) {
        if clientBits.count <= person {
            clientBits += Array(repeating: 0, count: max(person + 1, clientBits.count * 2) - clientBits.count)
        }
        clientBits[person] |= 1 << UInt64(client)
    }

    /// Same rules as ``CacheSnapshot/accounts(clientID:)``.
    private mutating func takeAccount(_ entry: CacheEntry, _ person: Int, _ environment: Int) {
        if known.count <= person {
            let more = max(person + 1, known.count * 2) - known.count
            known += Array(repeating: false, count: more)
            places += Array(repeating: -1, count: more)
        }
        known[person] = true
        guard let home = entry.filled("home_account_id"), var profile = CacheSnapshot.profile(of: entry, home: home)
        else { return }
        profile.tenantID = tenants.copy(of: profile.tenantID)
        if places[person] < 0 {
            places[person] = Int32(truncatingIfNeeded: accounts.count)
            accounts.append(Account(homeAccountID: home, environment: people.environments[environment], username: ""))
            accountPeople.append(person)
        }
        accounts[Int(places[person])].tenantProfiles.append(profile)
        let more = CacheSnapshot.nestedProfiles(of: entry)
        if !more.isEmpty { nested.append((Int(places[person]), more)) }
    }

    // MARK: Results

    func clientSets() -> [UInt64] { clientBits + Array(repeating: 0, count: max(0, people.count - clientBits.count)) }

    /// Users with credentials but no account entry, in the order of their credentials.
    var orphans: [Int] {
        var orphans: [Int] = []
        var seen = known + Array(repeating: false, count: max(0, people.count - known.count))
        for place in [Place.accessToken, .refreshToken, .idToken] {
            for entry in found where Int(entry.section) == place.rawValue && entry.isUsable {
                let person = Int(entry.person)
                if !seen[person] {
                    seen[person] = true
                    orphans.append(person)
                }
            }
        }
        return orphans
    }

    /// The entries sorted by home account ID, section and position in the file, and the start of each ID's range.
    func sorted() -> (entries: [StoreIndex.Entry], starts: [Int32]) {
        let places = Place.allCases.count
        var ends = [Int32](repeating: 0, count: people.homeCount * places + 1)
        for entry in found { ends[Int(entry.home) * places + Int(entry.section) + 1] += 1 }
        for index in ends.indices.dropFirst() { ends[index] += ends[index - 1] }
        let starts = (0...people.homeCount).map { ends[$0 * places] }
        let sorted = [StoreIndex.Entry](unsafeUninitializedCapacity: found.count) { buffer, used in
            for entry in found {
                let bucket = Int(entry.home) * places + Int(entry.section)
                buffer[Int(ends[bucket])] = entry
                ends[bucket] += 1
            }
            used = found.count
        }
        return (sorted, starts)
    }
}

extension CacheEntry {
    /// Whether the field is missing, not a string, or written without escapes.
    fileprivate func isPlain(_ field: StaticString) -> Bool {
        guard let found = outline.field(field, of: node) else {
            return !outline.fields(of: node).contains { outline.isNamed($0, field) }
        }
        guard outline.isString(found) else { return true }
        return text(field).map { outline.source(of: found).count == $0.utf8.count + 2 } ?? false
    }
}

extension Date {
    /// - Parameter epoch: seconds; negative for no date.
    init?(epoch: Int64) {
        guard epoch >= 0 else { return nil }
        self.init(timeIntervalSince1970: TimeInterval(epoch))
    }
}
