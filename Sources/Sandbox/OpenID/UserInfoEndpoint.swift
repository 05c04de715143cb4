/// The userinfo endpoint, OpenID Connect Core section 5.3.
enum UserInfoEndpoint {
    static func answer(
        _ request: SandboxRequest, in issuer: HostedIssuer, tokens: IssuedTokens, people: People,
        proofs: inout ProofChecks, quirks: Quirks, now: Int
    ) -> SandboxResponse {
        guard
            let secret = presentedToken(request, in: issuer, tokens: tokens, proofs: &proofs, quirks: quirks, now: now),
            let token = tokens.access[secret], token.expiresAt > now, let user = people.user(token.username)
        else {
            var answer = SandboxResponse.json(.members(["error": "invalid_token"]), status: 401)
            answer.headers.append(("WWW-Authenticate", "Bearer error=\"invalid_token\""))
            return answer
        }
        let granted = token.scope.split(separator: " ")
        let profile = issuer.isEntra || issuer.shape == .adfs || granted.contains("profile")
        return .json(
            quirks.applied(
                toClaims: .members([
                    "sub": .string(
                        quirks.has(.userinfoOfAnother) && !issuer.isEntra
                            ? "another-user"
                            : TokenMint.subject(
                                of: user, client: token.clientId, tenantId: issuer.isEntra ? user.homeTenant : nil,
                                in: issuer)
                    ),
                    "name": profile ? .string(user.name) : nil,
                    "preferred_username": profile ? .string(user.username) : nil,
                    "email": granted.contains("email") ? .string(user.username) : nil,
                ])))
    }

    /// The access token of a request to the plain issuer's resource; a key-bound token requires its proof (RFC 9449
    /// section 7).
    private static func presentedToken(
        _ request: SandboxRequest, in issuer: HostedIssuer, tokens: IssuedTokens, proofs: inout ProofChecks,
        quirks: Quirks, now: Int
    ) -> String? {
        let words = (request.headers["authorization"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, let token = tokens.access[words[1]], token.provider == issuer.provider else {
            return nil
        }
        switch (words[0].lowercased(), token.thumbprint) {
        case ("bearer", nil): return words[1]
        case ("dpop", let bound?):
            guard let proof = request.headers["dpop"],
                let shown = try? proofs.checkedProof(
                    proof, method: request.method, address: issuer.identifier + "/userinfo", token: words[1],
                    quirks: quirks,
                    now: now)
            else { return nil }
            return shown == bound ? words[1] : nil
        default: return nil
        }
    }
}
