package import FoundationEssentials
package import Identity
package import StrictJSON

/// Broker responses, with every member that MSAL's runtime and sso-mib require.
package enum BrokerAnswer {
    /// Broker callers know Entra ID accounts by this host name.
    private static let publicCloud = "login.windows.net"

    /// - Parameter idToken: unchanged. Callers reject a response without one.
    package static func token(
        accessToken: Secret, idToken: Secret, account: Account, tenantID: String, scopes: ScopeSet, expiresOn: Date,
        extendedExpiresOn: Date?
    ) -> JSONValue {
        [
            "brokerTokenResponse": [
                "accessToken": .string(accessToken.reveal()), "accessTokenType": 0,
                "idToken": .string(idToken.reveal()), "clientInfo": .string(clientInfo(account)),
                "account": self.account(account, tenantID: tenantID), "expiresOn": milliseconds(expiresOn),
                "extendedExpiresOn": milliseconds(extendedExpiresOn ?? expiresOn),
                "grantedScopes": .string(scopes.names.joined(separator: " ")),
            ]
        ]
    }

    package static func accounts(_ accounts: [Account]) -> JSONValue {
        ["accounts": .array(accounts.map { account($0, tenantID: $0.homeTenantID ?? "") })]
    }

    /// Several callers ignore an account that lacks one of these members.
    private static func account(_ account: Account, tenantID: String) -> JSONValue {
        let cloud = Cloud.containing(host: account.environment)
        let words = (account.name ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        return [
            "environment": .string(cloud?.name == "Public" ? publicCloud : account.environment),
            "givenName": .string(words.first ?? ""), "familyName": .string(words.count > 1 ? words[1] : ""),
            "homeAccountId": .string(account.homeAccountID), "localAccountId": .string(account.localAccountID),
            "name": .string(account.name ?? account.username), "passwordExpiry": 0, "realm": .string(tenantID),
            "username": .string(account.username), "clientInfo": .string(clientInfo(account)),
        ]
    }

    /// `client_info` of Entra ID: base64url of the two parts of the home account ID.
    private static func clientInfo(_ account: Account) -> String {
        let parts = account.homeAccountID.split(separator: ".", maxSplits: 1).map(String.init)
        let info: JSONValue = ["uid": .string(parts.first ?? ""), "utid": .string(parts.count > 1 ? parts[1] : "")]
        return Base64URL.encode(Array(info.serialized().utf8))
    }

    /// Since 1970.
    private static func milliseconds(_ date: Date) -> JSONValue {
        .number(JSONNumber(text: String(Int64(clamping: Int(date.timeIntervalSince1970)) * 1000)))
    }
}
