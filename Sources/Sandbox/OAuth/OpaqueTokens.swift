/// Token responses of the OAuth servers: opaque access tokens, and an ID token only from Google.
enum OpaqueTokens {
    static func answer(
        _ grant: Grant, from server: OAuthServer, client: HostedClient, refreshToken: String?, with mint: TokenMint,
        keys: inout CloudKeys, tokens: inout IssuedTokens
    ) throws(OAuthErrorResponse) -> JSON {
        let lifetime = client.policy.expires ? server.accessTokenLifetime ?? mint.accessTokenLifetime : nil
        let secret = server.newAccessToken(for: client)
        var token = mint.remembered(grant)
        token.expiresAt = lifetime.map { mint.now + $0 } ?? .max
        token.chain = grant.chain
        token.resources = grant.resources
        token.contexts = grant.contexts
        tokens.access[secret] = token
        var idToken: String?
        if server == .google {
            do { idToken = try mint.idToken(grant, accessToken: secret, keys: &keys) } catch {
                throw OAuthErrorResponse("server_error", "the token could not be signed", status: 500)
            }
        }
        return .members([
            "access_token": .string(secret), "token_type": server == .github ? "bearer" : "Bearer",
            "expires_in": lifetime.map { .int($0) }, "refresh_token": refreshToken.map { .string($0) },
            "refresh_token_expires_in": server == .github
                ? refreshToken.map { _ in .int(OAuthServer.gitHubRefreshLifetime) } : nil,
            "scope": .string(server.scopeText(grant.granted)), "id_token": idToken.map { .string($0) },
        ])
    }
}
