package import Identity
package import Wire

extension Provider {
    /// Whether a token's signature is its issuer's, for showing: nothing else of the token is checked.
    ///
    /// - Parameter issuer: the `iss` claim; its metadata and keys are fetched from there and nowhere else.
    package func signature(of jwt: DecodedJWT, issuer: String) async throws(Failure) -> SignatureCheck.Finding {
        let authority: Authority
        do { authority = try Self.authority(ofIssuer: issuer) } catch {
            throw Failure(.invalidInput, "the token's issuer is no address that may be asked: \(error)")
        }
        do {
            let metadata = try await discovery.metadata(for: authority)
            return try await SignatureCheck(keys: keys, address: metadata.keys).check(jwt)
        } catch { throw Failure(error) }
    }

    /// Entra ID's issuers end in `/v2.0`, which is no part of the authority.
    private static func authority(ofIssuer issuer: String) throws(Authority.Problem) -> Authority {
        let suffix = "/v2.0"
        if issuer.hasSuffix(suffix) {
            if let shorter = try? Authority(String(issuer.dropLast(suffix.count))), shorter.kind == .aad { return shorter }
        }
        return try Authority(issuer, kind: .oidc)
    }
}
