package import FoundationEssentials
package import Identity
import SilentFirst
package import StrictJSON

/// A token as it is handed on, an access token or an ID token, whether it was made here or by an agent.
package struct IssuedToken: Sendable {
    package let secret: Secret
    package let expiresOn: Date
    package let clientID: String
    package let tenantID: String
    package let username: String
    /// The home account id; empty where an agent does not say it.
    package let accountID: String
    /// As ``AcquiredToken/Source`` has it.
    package let source: String
    /// Nil where that is not known.
    package var life: TokenLife?
    /// Why it is not a newer one, though its time has come.
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

    /// An ID token of the cache.
    init(
        _ credential: CachedCredential, of account: Account, clientID: String, source: AcquiredToken.Source,
        life: TokenLife
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

    /// What an agent answers, which is what `foyer token --json` prints; nil for another object.
    package init?(_ answer: JSONValue) {
        guard let secret = answer["accessToken"]?.string, let clientID = answer["clientId"]?.string,
            let text = answer["expiresOn"]?.string, let expiresOn = try? Date(text, strategy: .iso8601)
        else { return nil }
        self.secret = Secret(secret)
        self.expiresOn = expiresOn
        self.clientID = clientID
        tenantID = answer["tenantId"]?.string ?? ""
        username = answer["account"]?["username"]?.string ?? ""
        accountID = answer["account"]?["homeAccountId"]?.string ?? ""
        source = answer["source"]?.string ?? ""
    }

    /// Whether it is time for another one.
    package func isDue(at now: Date) -> Bool { life?.isDue(at: now) ?? false }

    /// Seconds since the epoch, rounded down.
    package var expiresAt: Int64 { Int64(expiresOn.timeIntervalSince1970.rounded(.down)) }
}
