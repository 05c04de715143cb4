package import FoundationEssentials

/// Whose a credential is and how long it lives: all that a list shows of it. There is no secret in it.
package struct CredentialLife: Hashable, Sendable {
    package let kind: CachedCredential.Kind
    package let clientID: String
    /// Nil for tokens that an application holds in its own name.
    package let homeAccountID: String?
    package let cachedAt: Date?
    package let expiresOn: Date?
    /// Whether every client of Microsoft's family may redeem it.
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

    /// Whether an access token may still be handed out: it lives longer than the buffer, and was not cached in the
    /// future (a clock that went back).
    ///
    /// - Parameter buffer: seconds that must be left, as ``expirationBuffer(_:)`` bounds them; MSAL's figure is 300.
    package func isFresh(at now: Date, buffer: TimeInterval = 300) -> Bool {
        guard let expiresOn, expiresOn.timeIntervalSince(now) >= expirationBuffer(buffer) else { return false }
        return !isAhead(of: now)
    }

    /// Whether it was stored at a time to come: a clock was wrong, then or now, and nothing that the entry says of
    /// times can be believed.
    package func isAhead(of now: Date) -> Bool {
        // Two minutes of difference between machines that share a home directory are no clock that went back.
        cachedAt.map { $0.timeIntervalSince(now) > 120 } ?? false
    }

    /// The seconds that must be left of this token's life for it to be handed out.
    ///
    /// Entra ID's tokens live an hour and more, and MSAL's five minutes are kept there. Others give tokens of five
    /// minutes or less, which would never be handed out twice: for them it is at most a tenth of the token's lifetime.
    package func expirationBuffer(_ buffer: TimeInterval) -> TimeInterval {
        guard !isOfEntra, let expiresOn, let cachedAt else { return buffer }
        return min(buffer, max(0, expiresOn.timeIntervalSince(cachedAt)) / 10)
    }

    /// Entra ID names people `uid.utid`, with the tenant's GUID for `utid`; elsewhere it is the subject.
    private var isOfEntra: Bool {
        guard let name = homeAccountID?.utf8, let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return Substring(name[name.index(after: dot)...]).isGUID
    }
}

/// Reads the credentials of one account after the other from the store that they stayed in.
package final class CredentialReader: Sendable {
    let credentials: @Sendable (_ number: Int) -> [CachedCredential]
    let lives: @Sendable (_ number: Int, _ homeAccountID: String) -> [CredentialLife]

    /// - Parameters:
    ///   - credentials: those of the account with this number, in the order of the store.
    ///   - lives: of the same, without reading.
    package init(
        credentials: @escaping @Sendable (_ number: Int) -> [CachedCredential],
        lives: @escaping @Sendable (_ number: Int, _ homeAccountID: String) -> [CredentialLife]
    ) {
        (self.credentials, self.lives) = (credentials, lives)
    }
}

/// Where an account's credentials are.
enum HeldCredentials: Sendable {
    case here([CachedCredential])
    /// In the store that the reader knows, under a number.
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
