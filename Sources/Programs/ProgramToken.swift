package import CommandSupport
package import FoundationEssentials
package import Identity
import SilentFirst
package import StrictJSON

/// A token as other programs get it, whether it was made here or by the agent.
package struct ProgramToken: Sendable {
    package let secret: Secret
    package let expiresOn: Date
    package let clientID: String
    package let tenantID: String
    package let username: String
    /// The home account id; empty where an agent does not say it.
    package let accountID: String
    /// As ``AcquiredToken/Source`` has it.
    package let source: String

    package init(_ token: AcquiredToken) {
        secret = token.accessToken
        expiresOn = token.expiresOn
        clientID = token.clientID
        tenantID = token.tenantID
        username = token.account.username
        accountID = token.account.homeAccountID
        source = token.source.rawValue
    }

    /// An ID token, for whoever wants one in the place of an access token.
    package init(_ token: IDToken) {
        secret = token.secret
        expiresOn = token.expiresOn
        clientID = token.clientID
        tenantID = token.tenantID
        username = token.account.username
        accountID = token.account.homeAccountID
        source = token.source.rawValue
    }

    /// What the agent answers, which is what `foyer token --json` prints; nil for another object.
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

    /// Seconds since the epoch, rounded down.
    package var expiresAt: Int64 { Int64(expiresOn.timeIntervalSince1970.rounded(.down)) }
}
