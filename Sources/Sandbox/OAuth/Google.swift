/// Google's errors, token information and revocation.
enum Google {
    static func refusal(_ refusal: OAuthErrorResponse) -> OAuthErrorResponse {
        var refusal = refusal
        switch refusal.error {
        case "invalid_client" where refusal.description == ClientAuthentication.missing:
            refusal.error = "invalid_request"
            refusal.status = 400
        case "invalid_client": refusal.description = "Unauthorized"
        case "authorization_pending":
            refusal.status = 428
            refusal.description = "Precondition Required"
        case "slow_down", "access_denied":
            refusal.status = 403
            refusal.description = "Forbidden"
        case "invalid_grant": refusal.description = "Bad Request"
        default: break
        }
        if let suberror = refusal.suberror {
            refusal.more.append(JSON.Member(name: "error_subtype", value: .string(suberror)))
        }
        return refusal
    }

    /// The scopes and the end of an access token, without authentication.
    static func tokenInfo(_ request: SandboxRequest, tokens: IssuedTokens, people: People, now: Int)
        throws(OAuthErrorResponse) -> JSON
    {
        guard let secret = request.queryForm["access_token"] ?? request.bodyForm["access_token"],
            let token = tokens.access[secret], token.provider == .oauth(.google), token.expiresAt > now,
            let user = people.user(token.username)
        else { throw OAuthErrorResponse("invalid_token", "Invalid Value") }
        let granted = token.scope.split(separator: " ").map(String.init)
        // Google's numbers are strings here.
        return .members([
            "azp": .string(token.clientId), "aud": .string(token.clientId), "sub": .string(user.googleSubject),
            "scope": .string(OAuthServer.google.scopeText(granted)), "exp": .string(String(token.expiresAt)),
            "expires_in": .string(String(token.expiresAt - now)),
            "email": granted.contains("email") ? .string(user.username) : nil,
            "email_verified": granted.contains("email") ? "true" : nil,
            "access_type": tokens.refresh.values.contains { $0.chain == token.chain } ? "offline" : "online",
        ])
    }

    /// Either token ends the whole grant, without authentication of the client. The user must consent again.
    static func revoke(_ request: SandboxRequest, tokens: inout IssuedTokens, consents: inout Consents, people: People)
        throws(OAuthErrorResponse) -> JSON
    {
        guard request.method == "POST", let secret = request.queryForm["token"] ?? request.bodyForm["token"] else {
            throw OAuthErrorResponse("invalid_request", "Missing required parameter: token")
        }
        guard let grant = tokens.signIn(of: secret, at: .oauth(.google)), let user = people.user(grant.username) else {
            throw OAuthErrorResponse("invalid_token", "Token expired or revoked")
        }
        tokens.endAll(of: grant.username, clientId: grant.clientId, at: .oauth(.google))
        consents.remove(grant.clientId, user)
        return .members([:])
    }
}
