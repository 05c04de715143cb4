/// Everything that decides what a token says: who, for which client, where, and with which permissions.
struct Grant: Sendable, Equatable {
    var issuer: HostedIssuer
    var clientId: String
    var user: User
    /// What was asked for, and what of it a person agreed to.
    var scopes: Scopes
    var granted: [String]
    var nonce: String?
    var authTime: Int
    var saysAuthTime = false
    /// The claims parameter that came with the request (OpenID Connect Core section 5.5).
    var claims: String?
    /// The authentication contexts that the sign-in has won.
    var contexts: Set<String> = []

    /// What a claims parameter asks of the access token.
    static func wishes(in claims: String?) -> JSON? { claims.flatMap { try? JSON(parsing: $0) }?["access_token"] }
}
