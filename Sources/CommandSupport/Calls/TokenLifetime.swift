package import FoundationEssentials

package struct TokenLifetime: Hashable, Sendable {
    /// The share of its lifetime after which a token is renewed, with time left for retries.
    package static let usualShare = 0.8
    /// Spreads the renewal of tokens that were issued together.
    package static let jitter = 0.1

    package var issued: Date
    package var expires: Date
    /// The provider's renewal time (`refresh_in`).
    package var refresh: Date?

    package init(issued: Date, expires: Date, refresh: Date? = nil) {
        (self.issued, self.expires, self.refresh) = (issued, expires, refresh)
    }

    package var length: TimeInterval { max(0, expires.timeIntervalSince(issued)) }

    /// Whether renewal is due, at the earliest time that the jitter allows.
    package func isDue(at now: Date) -> Bool {
        now >= issued.addingTimeInterval(length * (Self.usualShare - Self.jitter))
    }
}
