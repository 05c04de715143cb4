/// A resource's 401 response that requires more than a valid token (continuous access evaluation, Conditional Access).
///
/// ```swift
/// if let challenge = ClaimsChallenge(wwwAuthenticate: fields) {
///     request.claims = challenge.claims
/// }
/// ```
public struct ClaimsChallenge: Hashable, Sendable {
    /// The claims request as JSON, exactly as the resource sent it, for ``TokenRequest/claims``.
    public let claims: String
    /// The resource's authority, as a hint only: never sign in there just because a resource says so.
    public let authority: WebAddress?

    /// - Parameter fields: the values of the response's `WWW-Authenticate` fields.
    /// - Returns: nil unless one of them is a `Bearer`, `PoP` or `DPoP` challenge with `error="insufficient_claims"`
    ///   and claims that are a JSON object of at most 16 KiB in base64 or base64url.
    public init?(wwwAuthenticate fields: [String]) {
        let schemes: Set<String> = ["bearer", "pop", "dpop"]
        for challenge in AuthenticationChallenge.read(fields) where schemes.contains(challenge.scheme.asciiLowercased) {
            guard challenge["error"] == "insufficient_claims", let coded = challenge["claims"],
                let bytes = Base64URL.decodeLeniently(coded),
                let text = String(validating: bytes, as: UTF8.self), ClaimsRequest.isValid(text)
            else { continue }
            claims = text
            authority = (challenge["authorization_uri"] ?? challenge["authorization"]).flatMap { try? WebAddress($0) }
            return
        }
        return nil
    }

    /// The nonce that the resource requires in the next proof of possession: `nonce` of a `PoP` challenge.
    ///
    /// - Parameter fields: the values of the response's `WWW-Authenticate` fields.
    public static func proofNonce(wwwAuthenticate fields: [String]) -> String? {
        AuthenticationChallenge.read(fields).first { $0.scheme.asciiLowercased == "pop" && $0["nonce"] != nil }?[
            "nonce"]
    }
}
