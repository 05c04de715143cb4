import FoundationEssentials

/// `BASE/resource`: an API that accepts Entra ID access tokens and may send claims challenges (RFC 6750; continuous
/// access evaluation).
enum ProtectedResource {
    /// The claim that a token must be requested with while ``Quirk/continuousAccess`` is enabled.
    static let demandedMoment = "1700000000"
    static let demandedClaims = JSON.members([
        "access_token": .members(["nbf": .members(["essential": true, "value": .string(demandedMoment)])])
    ])

    static func answer(
        _ request: SandboxRequest, in issuer: HostedIssuer, tokens: IssuedTokens, keys: CloudKeys,
        proofs: inout ProofChecks, quirks: Quirks, now: Int
    ) -> SandboxResponse {
        let words = (request.headers["authorization"] ?? "").split(separator: " ", maxSplits: 1)
        guard words.count == 2, ["bearer", "pop"].contains(words[0].lowercased()) else {
            return ProtectedResource.challenge(issuer, nil)
        }
        let isSigned = words[0].lowercased() == "pop"
        let host = issuer.base.split(separator: "/").last.map(String.init) ?? ""
        let within =
            isSigned
            ? ProofChecks.tokenOfSignedRequest(
                String(words[1]), method: request.method, path: "/resource", host: host, tokens: tokens, now: now)
            : String(words[1])
        guard let secret = within, let token = tokens.access[secret], (token.thumbprint != nil) == isSigned,
            token.expiresAt > now,
            let claims = keys.claims(of: secret), claims["tid"] != nil
        else {
            return ProtectedResource.challenge(issuer, "error=\"invalid_token\"")
        }
        if isSigned, quirks.has(.popNonce) {
            let (isRight, next) = proofs.checkNonce(ofSignedRequest: String(words[1]))
            guard isRight else {
                var answer = SandboxResponse.empty(401)
                answer.headers.append(("WWW-Authenticate", "PoP nonce=\"\(next)\""))
                return answer
            }
        }
        guard quirks.has(.continuousAccess), !token.meets(claims) else {
            return .json(.members(["username": .string(token.username)]))
        }
        // The claims are base64, as a quoted string cannot contain their quotes.
        let demanded = Data(ProtectedResource.demandedClaims.text.utf8).base64EncodedString()
        return ProtectedResource.challenge(issuer, "error=\"insufficient_claims\", claims=\"\(demanded)\"")
    }

    /// RFC 6750 section 3: the response to a request without a token says where to get one, and reports no error.
    private static func challenge(_ issuer: HostedIssuer, _ more: String?) -> SandboxResponse {
        var answer = SandboxResponse.empty(401)
        let first = "Bearer realm=\"\", authorization_uri=\"\(issuer.base)/common/oauth2/v2.0/authorize\""
        answer.headers.append(("WWW-Authenticate", [first, more].compactMap { $0 }.joined(separator: ", ")))
        return answer
    }
}

extension AccessToken {
    /// Whether the client declared support for challenges (`xms_cc`) and requested this token because of one.
    func meets(_ claims: JSON) -> Bool {
        claims["xms_cc"]?.array?.contains { $0.string?.lowercased() == "cp1" } == true
            && Grant.wishes(in: wished)?["nbf"]?["value"]?.string == ProtectedResource.demandedMoment
    }
}
