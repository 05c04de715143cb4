/// Everything that determines a token: the user, client, issuer and permissions.
struct Grant: Sendable, Equatable {
    var issuer: HostedIssuer
    var clientId: String
    var user: User
    var scopes: Scopes
    var granted: [String]
    var nonce: String?
    var authTime: Int
    var saysAuthTime = false
    /// The claims parameter of the request (OpenID Connect Core section 5.5).
    var claims: String?
    var contexts: Set<String> = []
    /// RFC 8707.
    var resources: [String] = []
    /// The sign-in that the tokens belong to.
    var chain: String?
    /// GitHub requires no secret to refresh tokens from the device flow.
    var isFromDevice = false

    /// The part of a claims parameter for the access token.
    static func wishes(in claims: String?) -> JSON? { claims.flatMap { try? JSON(parsing: $0) }?["access_token"] }
}
