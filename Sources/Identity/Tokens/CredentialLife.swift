package import FoundationEssentials

extension Date {
    /// The expiry of a token for which a server with OAuth 2.0 alone announces no end: the last second of the year
    /// 9999. Other programs that read the store only know times.
    package static let noAnnouncedEnd = Date(timeIntervalSince1970: 253_402_300_799)

    /// Nil for ``noAnnouncedEnd``, for answers in which the expiry is optional.
    package var announced: Date? { self == .noAnnouncedEnd ? nil : self }
}

/// A credential's owner and lifetime, without secrets: all that a list shows.
package struct CredentialLife: Hashable, Sendable {
    package let kind: CachedCredential.Kind
    package let clientID: String
    /// Nil for app-only tokens.
    package let homeAccountID: String?
    package let cachedAt: Date?
    package let expiresOn: Date?
    package let isOfFamily: Bool

    package init(
        kind: CachedCredential.Kind, clientID: String, homeAccountID: String?, cachedAt: Date?, expiresOn: Date?,
        isOfFamily: Bool
    ) {
        self.kind = kind
        self.clientID = clientID
        self.homeAccountID = homeAccountID
        self.cachedAt = cachedAt
        self.expiresOn = expiresOn
        self.isOfFamily = isOfFamily
    }

    /// Whether an access token can still be used: valid beyond the buffer, and not cached in the future (wrong clock).
    ///
    /// - Parameter buffer: required remaining seconds, limited by ``expirationBuffer(_:)``; MSAL uses 300.
    package func isFresh(at now: Date, buffer: TimeInterval = 300) -> Bool {
        guard let expiresOn, expiresOn.timeIntervalSince(now) >= expirationBuffer(buffer) else { return false }
        return !isAhead(of: now)
    }

    /// Whether it was stored in the future: the clock was or is wrong, so the entry's times are unreliable.
    package func isAhead(of now: Date) -> Bool {
        // Tolerates two minutes of skew between machines that share a home directory.
        cachedAt.map { $0.timeIntervalSince(now) > 120 } ?? false
    }

    /// The remaining seconds that this token needs in order to be used.
    ///
    /// Entra ID's tokens last at least an hour, so MSAL's five minutes apply. Other providers issue tokens for five
    /// minutes or less, which could never be reused; for them the limit is a tenth of the lifetime.
    package func expirationBuffer(_ buffer: TimeInterval) -> TimeInterval {
        guard !isOfEntra, let expiresOn, let cachedAt else { return buffer }
        return Self.expirationBuffer(buffer, lifetime: expiresOn.timeIntervalSince(cachedAt))
    }

    /// The required remaining seconds of a token that may have a short lifetime (seconds): at most a tenth of it.
    package static func expirationBuffer(_ buffer: TimeInterval, lifetime: TimeInterval) -> TimeInterval {
        min(buffer, max(0, lifetime) / 10)
    }

    /// Entra ID's identifiers are `uid.utid`, with the tenant GUID as `utid`; other providers use the subject.
    private var isOfEntra: Bool { homeAccountID.map { HomeAccountID.hasTenant($0) } ?? false }
}

/// Reads credentials that stayed in the store, one account at a time.
package final class CredentialReader: Sendable {
    let credentials: @Sendable (_ number: Int) -> [CachedCredential]
    let lives: @Sendable (_ number: Int, _ homeAccountID: String) -> [CredentialLife]

    package init(
        credentials: @escaping @Sendable (_ number: Int) -> [CachedCredential],
        lives: @escaping @Sendable (_ number: Int, _ homeAccountID: String) -> [CredentialLife]
    ) {
        (self.credentials, self.lives) = (credentials, lives)
    }
}

enum HeldCredentials: Sendable {
    case here([CachedCredential])
    case stored(CredentialReader, Int)
}

extension HeldCredentials: Hashable {
    static func == (one: HeldCredentials, other: HeldCredentials) -> Bool {
        switch (one, other) {
        case (.here(let one), .here(let other)): one == other
        case (.stored(let reader, let one), .stored(let other, let another)): reader === other && one == another
        case (.here, .stored), (.stored, .here): false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .here(let credentials): hasher.combine(credentials)
        case .stored(let reader, let number):
            hasher.combine(ObjectIdentifier(reader))
            hasher.combine(number)
        }
    }
}
