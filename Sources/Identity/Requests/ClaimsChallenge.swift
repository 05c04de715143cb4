/// What a resource demands beyond a valid token: continuous access evaluation and conditional access answer 401 with
/// it.
///
/// ```swift
/// if let challenge = ClaimsChallenge(wwwAuthenticate: fields) {
///     request.claims = challenge.claims
/// }
/// ```
public struct ClaimsChallenge: Hashable, Sendable {
    /// The claims request as JSON, letter for letter as the resource wrote it: what `TokenRequest.claims` takes.
    public let claims: String
    /// Where the resource says that tokens come from. A hint only: never sign in there because a resource says so.
    public let authority: WebAddress?

    /// - Parameter fields: the values of the response's `WWW-Authenticate` fields.
    /// - Returns: nil when none of them is a `Bearer`, `PoP` or `DPoP` challenge with `error="insufficient_claims"` and
    ///   claims that are a JSON object of at most 16 KiB, in base64 or base64url.
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

    /// The nonce that a resource wants in the next proof of possession: `nonce` of a `PoP` challenge.
    ///
    /// - Parameter fields: the values of the response's `WWW-Authenticate` fields.
    public static func proofNonce(wwwAuthenticate fields: [String]) -> String? {
        AuthenticationChallenge.read(fields).first { $0.scheme.asciiLowercased == "pop" && $0["nonce"] != nil }?[
            "nonce"]
    }
}
