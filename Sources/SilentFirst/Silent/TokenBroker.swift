package import FoundationEssentials
package import Identity

/// Another program that has tokens for the user and holds the device key.
package struct TokenBroker: Sendable {
    /// A token request. Without an account, the broker must have exactly one.
    package struct Request: Sendable {
        package let clientID: String
        package let authority: Authority
        package let scopes: ScopeSet
        package let account: Account?
        package let claims: String?
        package let forceRefresh: Bool
        package let correlationID: UUID
    }

    package struct Answer: Sendable {
        package var accessToken: Secret
        package var idToken: Secret
        package var clientInfo: String?
        /// Nil if not reported: then the requested ones.
        package var scopes: ScopeSet?
        package var expiresOn: Date

        package init(accessToken: Secret, idToken: Secret, clientInfo: String?, scopes: ScopeSet?, expiresOn: Date) {
            self.accessToken = accessToken
            self.idToken = idToken
            self.clientInfo = clientInfo
            self.scopes = scopes
            self.expiresOn = expiresOn
        }
    }

    /// The reason that there is no token: lower case, no full stop, without control characters.
    package struct Trouble: Error, Hashable, Sendable {
        package let message: String
        package init(_ message: String) { self.message = message }
    }

    package let acquire: @Sendable (Request) async throws(Trouble) -> Answer

    package init(acquire: @escaping @Sendable (Request) async throws(Trouble) -> Answer) { self.acquire = acquire }
}
