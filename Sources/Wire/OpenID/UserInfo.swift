package import Identity

/// OpenID Connect Core section 5.3: who it is, where no ID token says so. Only an answer of the endpoint becomes one.
package struct UserInfo: Sendable {
    package let claims: Claims
    /// `sub`, which the answer must have.
    package let subject: String

    private init(claims: Claims, subject: String) { (self.claims, self.subject) = (claims, subject) }

    /// - Parameter idToken: that of the same response when there is one; the answer must be of its subject (Core
    ///   section 5.3.2). A token that was not checked has nothing to compare with.
    /// - Throws: `unsupported` when the provider has no such endpoint, `untrusted` when the answer names nobody or
    ///   somebody else.
    package static func fetch(
        metadata: ProviderMetadata, accessToken: Secret, of idToken: IDToken?, transport: Transport
    ) async throws(WireError) -> UserInfo {
        guard let endpoint = metadata.userInfo else { throw .unsupported("the provider has no user info") }
        let reply = try await transport.send(HTTPRequest(endpoint, bearer: accessToken))
        try reply.requireService()
        guard reply.status == 200 else { throw .untrusted(check: .userInfo, detail: "refused (HTTP \(reply.status))") }
        let claims = Claims(try reply.object())
        guard let found = claims.string("sub"), IDTokenCheck.isSubject(found) else {
            throw .untrusted(
                check: .userInfo,
                detail: claims["sub"] == nil ? "it names no subject" : "sub is not a text of 1 to 255 ASCII characters")
        }
        guard idToken.map({ $0.claims.subject == found }) ?? true else {
            throw .untrusted(check: .userInfo, detail: "it is of another subject than the ID token")
        }
        return UserInfo(claims: claims, subject: found)
    }
}
