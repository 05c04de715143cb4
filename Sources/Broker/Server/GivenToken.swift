import CommandSupport
import FoundationEssentials
import Identity
import StrictJSON

/// A token as the agent has given it: what `foyer token --json` prints, with the ID token.
struct GivenToken: Sendable {
    private let account: Account
    let json: JSONValue

    init(_ answer: JSONValue) throws(BrokerRefusal) {
        func time(_ name: String) -> Date? { answer[name]?.string.flatMap { try? Date($0, strategy: .iso8601) } }
        guard let token = answer["accessToken"]?.string, !token.isEmpty,
            let account = answer["account"].flatMap({ Account(brokered: $0) }), let expires = time("expiresOn"),
            let idToken = answer["idToken"]?.string
        else {
            throw BrokerRefusal(.interactionRequired, "foyer: the store has no ID token that says whose token it is")
        }
        self.account = account
        json = BrokerAnswer.token(
            accessToken: Secret(token), idToken: Secret(idToken), account: account,
            tenantID: answer["tenantId"]?.string ?? "",
            scopes: ScopeSet((answer["scopes"]?.array ?? []).compactMap(\.string)), expiresOn: expires,
            extendedExpiresOn: time("extendedExpiresOn"))
    }

    /// Whether it is of the account that was asked for: a beginning of a name is enough for a person, and not here.
    func isOf(_ request: BrokerRequest) -> Bool {
        if let home = request.homeAccountID { return home == account.homeAccountID }
        guard let name = request.username else { return true }
        return name.asciiLowercased == account.username.asciiLowercased
    }
}

extension Account {
    /// An account as `--json` prints it; nil for another object.
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
