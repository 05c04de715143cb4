package import FoundationEssentials
package import Identity
package import StrictJSON

/// An access token or ID token for another program, acquired here or by an agent.
package struct IssuedToken: Sendable {
    package let secret: Secret
    package let expiresOn: Date
    package let clientID: String
    package let tenantID: String
    package let username: String
    /// The home account ID; empty if an agent does not report it.
    package let accountID: String
    /// The raw value of ``AcquiredToken/Source``.
    package let source: String
    package var life: TokenLifetime?
    /// The error that prevented a due renewal.
    package var notRenewed: Failure?

    package init(_ token: AcquiredToken) {
        secret = token.accessToken
        expiresOn = token.expiresOn
        clientID = token.clientID
        tenantID = token.tenantID
        username = token.account.username
        accountID = token.account.homeAccountID
        source = token.source.rawValue
    }

    init(
        _ credential: CachedCredential, of account: Account, clientID: String, source: AcquiredToken.Source,
        life: TokenLifetime
    ) {
        secret = credential.secret
        expiresOn = life.expires
        self.clientID = clientID
        tenantID = credential.realm
        username = account.username
        accountID = account.homeAccountID
        self.source = source.rawValue
        self.life = life
    }

    /// Reads an agent's response, the format of `foyer token --json`.
    package init?(_ answer: JSONValue) {
        guard let secret = answer["accessToken"]?.string, let clientID = answer["clientId"]?.string,
            let expiresOn = answer["expiresOn"].flatMap(Self.end)
        else { return nil }
        self.secret = Secret(secret)
        self.expiresOn = expiresOn
        self.clientID = clientID
        tenantID = answer["tenantId"]?.string ?? ""
        username = answer["account"]?["username"]?.string ?? ""
        accountID = answer["account"]?["homeAccountId"]?.string ?? ""
        source = answer["source"]?.string ?? ""
    }

    private static func end(_ value: JSONValue) -> Date? {
        value == .null ? .noAnnouncedEnd : value.string.flatMap { try? Date($0, strategy: .iso8601) }
    }

    package func isDue(at now: Date) -> Bool { life?.isDue(at: now) ?? false }

    /// Seconds since the epoch, rounded down.
    package var expiresAt: Int64 { Int64(expiresOn.timeIntervalSince1970.rounded(.down)) }
}
