package import Identity

/// OpenID Connect Core section 5.3: who it is, where no ID token says so.
package enum UserInfo {
    /// - Parameter subject: the subject of the ID token when there is one; the answer must be of the same.
    /// - Throws: `unsupported` when the provider has no such endpoint, `untrusted` when the answer names nobody or
    ///   somebody else.
    package static func fetch(metadata: ProviderMetadata, accessToken: Secret, subject: String?, transport: Transport)
        async throws(WireError) -> Claims
    {
        guard let endpoint = metadata.userInfo else { throw .unsupported("the provider has no user info") }
        let reply = try await transport.send(HTTPRequest(endpoint, bearer: accessToken))
        try reply.requireService()
        guard reply.status == 200 else {
            throw .untrusted(check: .userInfo, detail: "refused (HTTP \(reply.status))")
        }
        let claims = Claims(try reply.object())
        guard let found = claims.string("sub"), IDTokenCheck.isSubject(found) else {
            throw .untrusted(
                check: .userInfo,
                detail: claims["sub"] == nil ? "it names no subject" : "sub is not a text of 1 to 255 ASCII characters")
        }
        guard subject == nil || subject == found else {
            throw .untrusted(check: .userInfo, detail: "it is of another subject than the ID token")
        }
        return claims
    }
}
