/// Token revocation, RFC 7009.
enum RevocationEndpoint {
    /// An unknown token counts as revoked (section 2.2).
    static func answer(
        _ request: SandboxRequest, in issuer: HostedIssuer, client: HostedClient, tokens: inout IssuedTokens
    ) throws(OAuthErrorResponse) -> SandboxResponse {
        guard let secret = request.bodyForm["token"] else { throw .missing("token") }
        if let token = tokens.refresh[secret], token.provider == issuer.provider {
            guard token.clientId == client.clientId else {
                throw OAuthErrorResponse("unauthorized_client", "the token was issued to another client")
            }
            tokens.revoke(chain: token.chain)
        } else if let token = tokens.access[secret], token.provider == issuer.provider {
            guard token.clientId == client.clientId else {
                throw OAuthErrorResponse("unauthorized_client", "the token was issued to another client")
            }
            tokens.access[secret] = nil
        }
        return .empty(200)
    }
}

/// Token introspection, RFC 7662.
enum IntrospectionEndpoint {
    /// Only for the client's own tokens.
    static func answer(
        _ request: SandboxRequest, in issuer: HostedIssuer, client: HostedClient, tokens: IssuedTokens, now: Int
    ) throws(OAuthErrorResponse) -> JSON {
        guard let secret = request.bodyForm["token"] else { throw .missing("token") }
        if let token = tokens.access[secret], token.clientId == client.clientId, token.expiresAt > now {
            return .members([
                "active": true, "scope": .string(token.scope), "client_id": .string(token.clientId),
                "username": .string(token.username), "sub": .string(token.username),
                "token_type": token.thumbprint == nil ? "Bearer" : "DPoP", "iat": .int(token.issuedAt),
                "exp": token.expiresAt == .max ? nil : .int(token.expiresAt), "iss": .string(issuer.identifier),
                "aud": token.resources.first.map { .string($0) },
            ])
        }
        if let token = tokens.refresh[secret], token.clientId == client.clientId, token.state == .live,
            token.expiresAt > now
        {
            return .members([
                "active": true, "scope": .string(token.granted.joined(separator: " ")),
                "client_id": .string(token.clientId),
                "username": .string(token.username), "exp": .int(token.expiresAt),
            ])
        }
        return .members(["active": false])
    }
}
