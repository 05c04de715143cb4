package import FoundationEssentials

/// From when to when a token lives.
package struct TokenLife: Hashable, Sendable {
    /// The part of its life after which a token is renewed; there is time left to try again.
    package static let usualShare = 0.8
    /// Tokens that were issued together are not renewed together.
    package static let jitter = 0.1

    package var issued: Date
    package var expires: Date
    /// From when on the provider wants it renewed (`refresh_in`).
    package var refresh: Date?

    package init(issued: Date, expires: Date, refresh: Date? = nil) {
        (self.issued, self.expires, self.refresh) = (issued, expires, refresh)
    }

    package var length: TimeInterval { max(0, expires.timeIntervalSince(issued)) }

    /// Whether it is time for another one, jitter left out.
    package func isDue(at now: Date) -> Bool {
        now >= issued.addingTimeInterval(length * (Self.usualShare - Self.jitter))
    }
}
