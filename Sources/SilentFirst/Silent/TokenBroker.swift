public import FoundationEssentials
public import Identity

/// Another program that has tokens for the user and holds the device key, such as an identity broker on D-Bus.
///
/// The program supplies the call; ``/Identity/ClientConfiguration/broker`` says when a silent call uses it, for Entra
/// ID only. An answer is checked like a provider's response: an ID token that fails a check, or one of another account,
/// is refused, and the call continues without the broker.
public struct TokenBroker: Sendable {
    /// A token request. Without an account, the broker must have exactly one.
    public struct Request: Sendable {
        /// The client ID.
        public let clientID: String
        /// The authority, with the account's tenant.
        public let authority: Authority
        /// The scopes, without the reserved ones.
        public let scopes: ScopeSet
        /// The account whose token is wanted.
        public let account: Account?
        /// The JSON claims request, with the client's capabilities.
        public let claims: String?
        /// Whether the broker must not answer from its cache.
        public let forceRefresh: Bool
        /// For the logs of all parties.
        public let correlationID: UUID
    }

    /// A token of the broker.
    public struct Answer: Sendable {
        /// A bearer token.
        public var accessToken: Secret
        /// The ID token, which says whose token it is.
        public var idToken: Secret
        /// `client_info` of the provider's response, if the broker passes it on.
        public var clientInfo: String?
        /// Nil if not reported: then the requested ones.
        public var scopes: ScopeSet?
        /// The expiry of the access token.
        public var expiresOn: Date

        /// - Parameters:
        ///   - accessToken: a bearer token.
        ///   - idToken: the ID token of the same response.
        ///   - clientInfo: `client_info`, base64url as in the response; nil if unknown.
        ///   - scopes: the granted scopes; nil if unknown.
        ///   - expiresOn: the expiry of the access token.
        public init(
            accessToken: Secret, idToken: Secret, clientInfo: String? = nil, scopes: ScopeSet? = nil, expiresOn: Date
        ) {
            self.accessToken = accessToken
            self.idToken = idToken
            self.clientInfo = clientInfo
            self.scopes = scopes
            self.expiresOn = expiresOn
        }
    }

    /// The reason that there is no token.
    public struct Trouble: Error, Hashable, Sendable {
        /// Lower case, no full stop, no secret; at most 200 characters, without control characters.
        public let message: String
        /// - Parameter message: lower case, no full stop, no secret; control characters are removed.
        public init(_ message: String) { self.message = OAuthError.clean(message, limit: 200) }
    }

    let acquire: @Sendable (Request) async throws(Trouble) -> Answer

    /// - Parameter acquire: requests a token from the broker. It must end by itself if the broker does not respond; on
    ///   a failure the silent call records the reason as a step and continues without the broker.
    public init(acquire: @escaping @Sendable (Request) async throws(Trouble) -> Answer) { self.acquire = acquire }
}
