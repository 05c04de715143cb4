import Crypto
package import Identity

/// Random strings for state, nonce and verifiers.
package enum Random {
    /// Base64url of random bytes from getrandom(2); the system's generator fails closed.
    package static func token(bytes count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}

/// Proof Key for Code Exchange, RFC 7636, S256 only: a new verifier for each request.
package struct PKCE: Sendable {
    /// 43 characters; sent only in the token request's body.
    package let verifier: Secret
    package let challenge: String

    package init() { self.init(verifier: Secret(Random.token(bytes: 32))) }

    /// RFC 7636 section 4.2: the challenge is base64url of the verifier's SHA-256.
    package init(verifier: Secret) {
        self.verifier = verifier
        challenge = Base64URL.encode(Array(SHA256.hash(data: Array(verifier.reveal().utf8))))
    }
}
