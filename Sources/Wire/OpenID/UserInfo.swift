package import Identity

/// OpenID Connect Core section 5.3: the user's claims if there is no ID token. Only made from a response.
package struct UserInfo: Sendable {
    package let claims: Claims
    package let subject: String

    private init(claims: Claims, subject: String) { (self.claims, self.subject) = (claims, subject) }

    /// - Parameter idToken: from the same response, if it was checked; the subject must match (Core section 5.3.2).
    /// - Throws: `unsupported` without an endpoint, `untrusted` if the subject is missing or different.
    package static func fetch(
        metadata: ProviderMetadata, accessToken: Secret, of idToken: IDToken?, transport: Transport
    ) async throws(WireError) -> UserInfo {
        guard let endpoint = metadata.userInfo else { throw .unsupported("the provider has no userinfo endpoint") }
        let reply = try await transport.send(HTTPRequest(endpoint, bearer: accessToken))
        try reply.requireService()
        guard reply.status == 200 else { throw .untrusted(check: .userInfo, detail: "refused (HTTP \(reply.status))") }
        let claims = Claims(try reply.object())
        guard let found = claims.string("sub"), IDTokenCheck.isSubject(found) else {
            throw .untrusted(
                check: .userInfo,
                detail: claims["sub"] == nil ? "no subject" : "sub is not a string of 1 to 255 ASCII characters")
        }
        guard idToken.map({ $0.claims.subject == found }) ?? true else {
            throw .untrusted(check: .userInfo, detail: "the subject differs from the ID token's")
        }
        return UserInfo(claims: claims, subject: found)
    }
}
