import CommandSupport
import FoundationEssentials
import Identity
import StrictJSON

/// A token from the agent: the output of `foyer token --json` plus the ID token.
struct GivenToken: Sendable {
    private let account: Account
    let json: JSONValue

    init(_ answer: JSONValue) throws(BrokerRefusal) {
        func time(_ name: String) -> Date? { answer[name]?.string.flatMap { try? Date($0, strategy: .iso8601) } }
        guard let token = answer["accessToken"]?.string, !token.isEmpty,
            let account = answer["account"].flatMap({ Account(brokered: $0) }), let expires = time("expiresOn"),
            let idToken = answer["idToken"]?.string
        else {
            throw BrokerRefusal(.interactionRequired, "foyer: no ID token for this account")
        }
        self.account = account
        json = BrokerAnswer.token(
            accessToken: Secret(token), idToken: Secret(idToken), account: account,
            tenantID: answer["tenantId"]?.string ?? "",
            scopes: ScopeSet((answer["scopes"]?.array ?? []).compactMap(\.string)), expiresOn: expires,
            extendedExpiresOn: time("extendedExpiresOn"))
    }

    /// Whether this is the requested account. Unlike on the command line, a prefix of a name does not match.
    func isOf(_ request: BrokerRequest) -> Bool {
        if let home = request.homeAccountID { return account.isIdentified(by: home) }
        guard let name = request.username else { return true }
        return name.asciiLowercased == account.username.asciiLowercased
    }
}

extension Account {
    /// Reads an account in the `--json` format.
    init?(brokered value: JSONValue) {
        guard let home = value["homeAccountId"]?.string, let environment = value["environment"]?.string else {
            return nil
        }
        let username = value["username"]?.string ?? ""
        self.init(
            homeAccountID: home, environment: environment, username: username, name: value["name"]?.string,
            tenantProfiles: [
                TenantProfile(
                    tenantID: "", localAccountID: value["localAccountId"]?.string ?? home, username: username,
                    isHome: true)
            ])
    }
}
