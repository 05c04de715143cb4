package import FoundationEssentials
package import Identity

/// When the broker of the machine is asked. Whoever has its name on the session's bus is the broker, and is told which
/// account of which client is wanted: it is asked where the person trusts it with that.
package enum BrokerUse: String, Hashable, Sendable, CaseIterable {
    case never
    /// Where only it can answer: the provider wants the device to prove itself, or there is nothing to send to it.
    case device
    /// Before any refresh token is sent.
    case always
}

/// Another program that has tokens of the person, and holds the key of the device.
package struct TokenBroker: Sendable {
    /// What is asked for. An account that is not named is the only one that the broker has.
    package struct Request: Sendable {
        package let clientID: String
        package let authority: Authority
        package let scopes: ScopeSet
        package let account: Account?
        package let claims: String?
        package let forceRefresh: Bool
        package let correlationID: UUID
    }

    /// What it says, none of which is checked yet.
    package struct Answer: Sendable {
        package var accessToken: Secret
        package var idToken: Secret
        package var clientInfo: String?
        /// Nil when it does not say: then what was asked for.
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

    /// Why it gives none: lower case, no full stop, clean of control characters.
    package struct Trouble: Error, Hashable, Sendable {
        package let message: String
        package init(_ message: String) { self.message = message }
    }

    package let acquire: @Sendable (Request) async throws(Trouble) -> Answer

    package init(acquire: @escaping @Sendable (Request) async throws(Trouble) -> Answer) { self.acquire = acquire }
}
