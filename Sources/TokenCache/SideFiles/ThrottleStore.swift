package import FoundationEssentials
import Identity
package import StrictJSON

/// A request that is not to be repeated for a while, as every process of this program is to know.
package struct ThrottleEntry: JSONRecord, StateEntry, Hashable {
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
    package var key = ""
    /// Names the account and client, so that a sign-in can lift what is noted of them.
    package var account = ""
    package var kind = Kind.wait
    package var since = Date.distantPast
    package var until = Date.distantPast
    /// What the provider said, for whoever asks again meanwhile; its words are not kept, since they might repeat what
    /// it was sent.
    package var error: String?
    package var suberror: String?
    package var codes: [Int] = []
    package var claims: String?
    /// How far the clock of this machine was ahead of the provider's, seconds; negative where it was behind.
    package var ahead: Int?
    /// When this machine had started, by its clock at the time: another moment by now means that the clock was set.
    package var started: Date?

    package init() {}

    package init(_ kind: Kind, key: String, account: String, since: Date, until: Date) {
        (self.kind, self.key, self.account, self.since, self.until) = (kind, key, account, since, until)
    }

    package mutating func describe(_ member: inout JSONMembers) {
        let name = JSONForm.text.map({ $0.isFingerprint ? $0 : nil }, \.self)
        member("key", &key, name)
        member("account", &account, name)
        member("kind", &kind, .word)
        member("since", &since, .time)
        member("until", &until, .time)
        member("error", &error, .text(longest: 100))
        member("suberror", &suberror, .text(longest: 100))
        member.orBlank("codes", &codes, .items(.integer, most: 20))
        member("claims", &claims, .text(longest: 16_384))
        // As far apart as two times can be.
        let last = Int(Date.calendarSeconds.upperBound)
        member("ahead", &ahead, JSONForm.integer.map({ (-last...last).contains($0) ? $0 : nil }, \.self))
        member("started", &started, .time)
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
    /// Of too many, those that end first go.
    private static let format = ListFormat<ThrottleEntry>(
        "entries", maximumBytes: 262_144, most: 200, isNewestFirst: true)

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
    package func read(at now: Date) -> [ThrottleEntry] { (try? list())?.read(at: now) ?? [] }

    /// Changes what holds.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func change(at now: Date, _ body: (inout [ThrottleEntry]) -> Void) throws(StoreError) {
        try list().change(at: now) { entries in
            body(&entries)
            entries.sort { $0.until > $1.until }
        }
    }

    /// Beside the file itself, links followed, so that all who use the store find one.
    private func list() throws(StoreError) -> StateList<ThrottleEntry> {
        StateList(path: try ResolvedPath(path).file + ".throttle", Self.format, lockWait: lockWait)
    }
}

extension String {
    fileprivate var isFingerprint: Bool {
        utf8.count == 32 && utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
