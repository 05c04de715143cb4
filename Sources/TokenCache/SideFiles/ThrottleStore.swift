package import FoundationEssentials
import StrictJSON

/// A request that is not to be repeated for a while, as every process of this program is to know.
package struct ThrottleEntry: Hashable, Sendable {
    /// Why it is not to be repeated.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The provider asked to wait, or is down.
        case wait
        /// The provider wants a person, and the same question would get the same answer.
        case person
        /// The provider was not reached. It may be asked again at once, but for those who waited meanwhile for the same
        /// answer.
        case unreached
        /// The provider's answer could not be used because of the time that it is here, and another would not be.
        case clock
    }

    /// Names the request; nothing can be found from it.
    package var key: String
    /// Names the account and client, so that a sign-in can lift what is noted of them.
    package var account: String
    package var kind: Kind
    package var since: Date
    package var until: Date
    /// What the provider said, for whoever asks again meanwhile; its words are not kept, since they might repeat what
    /// it was sent.
    package var error: String?
    package var suberror: String?
    package var codes: [Int]
    package var claims: String?
    /// How far the clock of this machine was ahead of the provider's, seconds; negative where it was behind.
    package var ahead: Int?
    /// When this machine had started, by its clock at the time: another moment by now means that the clock was set.
    package var started: Date?

    package init(
        key: String, account: String, kind: Kind, since: Date, until: Date, error: String? = nil,
        suberror: String? = nil,
        codes: [Int] = [], claims: String? = nil, ahead: Int? = nil, started: Date? = nil
    ) {
        self.ahead = ahead
        self.started = started
        self.key = key
        self.account = account
        self.kind = kind
        self.since = since
        self.until = until
        self.error = error
        self.suberror = suberror
        self.codes = codes
        self.claims = claims
    }

    /// Longest that one may hold, seconds: an hour, or two minutes where only a person is missing or nobody was
    /// reached. A file cannot hold anybody up for longer.
    package static func longest(_ kind: Kind) -> TimeInterval {
        switch kind {
        case .wait, .clock: 3600
        case .person, .unreached: 120
        }
    }

    /// Whether it still holds.
    ///
    /// Times that no rule of ours gives are not believed: an end beyond the longest, a beginning that is still to come
    /// (the clock went back).
    package func holds(at now: Date) -> Bool {
        until > now && since.timeIntervalSince(now) <= 1 && until.timeIntervalSince(since) <= Self.longest(kind)
    }
}

/// The small file beside the store, `<store>.throttle`, that keeps what is not to be repeated. It holds no credential,
/// and losing it costs a request.
package struct ThrottleStore: Sendable {
    /// A larger file is none of ours.
    static let maximumBytes = 262_144
    /// More are not kept; those that end first go.
    static let maximumEntries = 200

    /// The store's path.
    private let path: String
    private let lockWait: Duration

    /// - Parameters:
    ///   - path: the store's, absolute.
    ///   - lockWait: how long another writer is waited for.
    package init(path: String, lockWait: Duration = .seconds(5)) {
        self.path = path
        self.lockWait = lockWait
    }

    /// What holds now. A file that is missing, of somebody else, or not to be understood holds nobody up.
    package func read(at now: Date) -> [ThrottleEntry] {
        guard let file = try? file(), let content = try? FileStore(path: file).read(),
            content.bytes.count <= Self.maximumBytes,
            let value = try? JSONValue(
                parsing: content.bytes, limits: JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 6)),
            value["version"]?.integer == 1
        else { return [] }
        return (value["entries"]?.array ?? []).prefix(Self.maximumEntries).compactMap(ThrottleEntry.init).filter {
            $0.holds(at: now)
        }
    }

    /// Changes what holds: lock, read again, change, write aside, rename.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func change(at now: Date, _ body: (inout [ThrottleEntry]) -> Void) throws(StoreError) {
        let file = try file()
        let place = try ResolvedPath(file)
        try place.makeFolder()
        try StoreLock.holding(place, wait: lockWait) { () throws(StoreError) in
            let before = read(at: now)
            var after = before
            body(&after)
            after = Array(after.filter { $0.holds(at: now) }.sorted { $0.until > $1.until }.prefix(Self.maximumEntries))
            guard Set(after) != Set(before) else { return }
            let value = JSONValue.object(
                JSONObject([
                    JSONMember(name: "version", value: 1),
                    JSONMember(name: "entries", value: .array(after.map(\.json))),
                ]))
            let bytes = Array(value.serialized().utf8)
            guard bytes.count <= Self.maximumBytes else { throw StoreError(.tooLarge(bytes: bytes.count), path: file) }
            try FileStore(path: file).write(bytes, at: place)
        }
    }

    /// Beside the file itself, links followed, so that all who use the store find one.
    private func file() throws(StoreError) -> String { try ResolvedPath(path).file + ".throttle" }
}

extension ThrottleEntry {
    fileprivate init?(_ value: JSONValue) {
        func name(_ member: String) -> String? {
            value[member]?.string.flatMap {
                $0.utf8.count == 32 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
                    ? $0 : nil
            }
        }
        func time(_ member: String) -> Date? {
            value[member]?.integer.flatMap {
                (0...253_402_300_799).contains($0) ? Date(timeIntervalSince1970: TimeInterval($0)) : nil
            }
        }
        func word(_ member: String, _ limit: Int) -> String? {
            value[member]?.string.flatMap { $0.utf8.count <= limit ? $0 : nil }
        }
        guard let key = name("key"), let account = name("account"), let kind = word("kind", 16).flatMap(Kind.init),
            let since = time("since"),
            let until = time("until")
        else { return nil }
        self.init(
            key: key, account: account, kind: kind, since: since, until: until, error: word("error", 100),
            suberror: word("suberror", 100),
            codes: (value["codes"]?.array ?? []).prefix(20).compactMap { $0.integer.flatMap { Int(exactly: $0) } },
            claims: word("claims", 16_384),
            ahead: value["ahead"]?.integer.flatMap {
                (-253_402_300_799...253_402_300_799).contains($0) ? Int(exactly: $0) : nil
            },
            started: time("started"))
    }

    fileprivate var json: JSONValue {
        func seconds(_ date: Date) -> JSONValue {
            .number(
                JSONNumber(
                    text: String(
                        Int64(exactly: min(max(date.timeIntervalSince1970, 0), 253_402_300_799).rounded(.down)) ?? 0)))
        }
        var members = [
            JSONMember(name: "key", value: .string(key)), JSONMember(name: "account", value: .string(account)),
            JSONMember(name: "kind", value: .string(kind.rawValue)), JSONMember(name: "since", value: seconds(since)),
            JSONMember(name: "until", value: seconds(until)),
        ]
        if let error { members.append(JSONMember(name: "error", value: .string(error))) }
        if let suberror { members.append(JSONMember(name: "suberror", value: .string(suberror))) }
        if !codes.isEmpty {
            members.append(
                JSONMember(name: "codes", value: .array(codes.map { .number(JSONNumber(text: String($0))) })))
        }
        if let claims { members.append(JSONMember(name: "claims", value: .string(claims))) }
        if let ahead { members.append(JSONMember(name: "ahead", value: .number(JSONNumber(text: String(ahead))))) }
        if let started { members.append(JSONMember(name: "started", value: seconds(started))) }
        return .object(JSONObject(members))
    }
}
