package import FoundationEssentials
import Identity
package import StrictJSON

/// A request that foyer should not repeat for a while, in any process.
package struct ThrottleEntry: JSONRecord, StateEntry, Hashable {
    /// Why it should not be repeated.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The provider asked to wait, or is down.
        case wait
        /// The provider requires user interaction, and would send the same response again.
        case person
        /// The provider was unreachable. A new attempt is allowed, except for callers that waited for this same one.
        case unreached
        /// The response could not be used because this machine's clock is wrong, which a retry would not change.
        case clock
        /// How often in a row the provider was throttling or down: the next wait grows with it. Holds nothing up.
        case failures
        /// A refresh token was sent and no answer came: it can be used up. Holds nothing up.
        case lost
    }

    package static let mostFailures = 100

    /// Identifies the request; a fingerprint that reveals nothing.
    package var key = ""
    /// Identifies the account and client, so that a sign-in can clear their entries.
    package var account = ""
    package var kind = Kind.wait
    package var since = Date.distantPast
    package var until = Date.distantPast
    /// The provider's error, for later callers. Its description is not stored, as it can repeat parts of the request.
    package var error: String?
    package var suberror: String?
    package var codes: [Int] = []
    package var claims: String?
    /// How far this machine's clock is ahead of the provider's, in seconds; negative if behind.
    package var ahead: Int?
    /// The boot time by the clock when the entry was made. If it differs later, the clock was set.
    package var started: Date?
    /// In a row.
    package var failures: Int?

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
        // The largest possible difference between two times.
        let last = Int(Date.calendarSeconds.upperBound)
        member("ahead", &ahead, JSONForm.integer.map({ (-last...last).contains($0) ? $0 : nil }, \.self))
        member("started", &started, .time)
        member(
            "failures", &failures, JSONForm.integer.map({ (1...Self.mostFailures).contains($0) ? $0 : nil }, \.self))
    }

    /// Maximum duration in seconds: an hour, with half an hour of jitter, or two minutes if only the user or the
    /// connection is missing; two weeks for what only explains a later refusal.
    package static func longest(_ kind: Kind) -> TimeInterval {
        switch kind {
        case .wait: 5400
        case .failures: 14_400
        case .lost: 1_209_600
        case .clock: 3600
        case .person, .unreached: 120
        }
    }

    /// Whether it is in effect. Times that foyer never writes are ignored: an end beyond the maximum, or a start in the
    /// future (the clock was set back).
    package func holds(at now: Date) -> Bool {
        until > now && since.timeIntervalSince(now) <= 1 && until.timeIntervalSince(since) <= Self.longest(kind)
    }
}

extension String {
    fileprivate var isFingerprint: Bool {
        utf8.count == 32 && utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
