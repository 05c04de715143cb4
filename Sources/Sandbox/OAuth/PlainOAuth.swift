/// The protected resources of a plain OAuth server.
enum PlainOAuth {
    /// Answers at each address below `api`. `api/admin` requires the scope `admin` (RFC 6750 section 3.1), and
    /// `api/vault` a sign-in with `acr_values=mfa` (RFC 9470 section 3).
    static func resource(_ request: SandboxRequest, in issuer: HostedIssuer, tokens: IssuedTokens, now: Int)
        -> SandboxResponse
    {
        guard let secret = request.bearerToken else { return challenge(nil, status: 401) }
        let address = issuer.base + request.path
        guard let token = tokens.access[secret], token.provider == issuer.provider, token.expiresAt > now,
            token.resources.isEmpty || token.resources.contains(where: { ResourceIndicators.covers($0, address) })
        else { return challenge("error=\"invalid_token\"", status: 401) }
        switch request.segments.last {
        case "admin" where !token.scope.split(separator: " ").contains("admin"):
            return challenge("error=\"insufficient_scope\", scope=\"admin\"", status: 403)
        case "vault" where !token.contexts.contains("mfa"):
            return challenge("error=\"insufficient_user_authentication\", acr_values=\"mfa\"", status: 401)
        default:
            return .json(
                .members([
                    "username": .string(token.username), "scope": .string(token.scope),
                    "client_id": .string(token.clientId),
                ]))
        }
    }

    private static func challenge(_ more: String?, status: Int) -> SandboxResponse {
        var answer = SandboxResponse.empty(status)
        answer.headers.append(
            ("WWW-Authenticate", ["Bearer realm=\"notes\"", more].compactMap { $0 }.joined(separator: ", ")))
        return answer
    }
}
