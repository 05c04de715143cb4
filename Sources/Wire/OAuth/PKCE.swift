import Crypto
package import Identity

/// Random texts for state, nonce and verifiers.
package enum Random {
    /// Base64url of so many random bytes of the system, which are getrandom(2)'s; the system's generator fails closed.
    package static func token(bytes count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}

/// Proof Key for Code Exchange, RFC 7636, S256 only: a new verifier for each request.
package struct PKCE: Sendable {
    /// 43 characters; goes into the token request's body only.
    package let verifier: Secret
    package let challenge: String

    /// A verifier of 32 random bytes.
    package init() { self.init(verifier: Secret(Random.token(bytes: 32))) }

    /// RFC 7636 section 4.2: the challenge is base64url of the verifier's SHA-256.
    package init(verifier: Secret) {
        self.verifier = verifier
        challenge = Base64URL.encode(Array(SHA256.hash(data: Array(verifier.reveal().utf8))))
    }
}
