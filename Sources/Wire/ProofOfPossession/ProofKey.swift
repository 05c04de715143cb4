import Crypto
package import Identity
package import StrictJSON

/// The key that a token is bound to (RFC 9449, MSAL's proof of possession): P-256, made here and never sent.
///
/// Whoever keeps it keeps ``secret``, beside the refresh token and no more widely readable; one key for each issuer and
/// account.
package struct ProofKey: Sendable {
    private let key: P256.Signing.PrivateKey

    /// A new key from the system's generator.
    package init() { key = P256.Signing.PrivateKey() }

    /// - Parameter secret: what ``secret`` gave.
    /// - Throws: `untrusted` when it is no key; then the tokens that are bound to it are lost, and a new one is to be
    ///   made.
    package init(_ secret: Secret) throws(WireError) {
        guard let bytes = Base64URL.decode(secret.reveal()), bytes.count == 32,
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        else { throw .untrusted(check: .proofKey, detail: "it is no P-256 key") }
        self.key = key
    }

    /// - Parameter pem: `PRIVATE KEY` or `EC PRIVATE KEY`.
    /// - Throws: `untrusted` when it is no P-256 key.
    package init(pem: Secret) throws(WireError) {
        guard pem.count <= 4096, let key = try? P256.Signing.PrivateKey(pemRepresentation: pem.reveal()) else {
            throw .untrusted(check: .proofKey, detail: "it is no P-256 key")
        }
        self.key = key
    }

    /// The key for its store: base64url of its 32 bytes.
    package var secret: Secret { Secret(Base64URL.encode(Array(key.rawRepresentation))) }

    package var pem: Secret { Secret(key.pemRepresentation) }

    /// The public half as a JWK (RFC 7517), nothing of the private one in it; its members in the order of RFC 7638.
    package var jwk: JSONObject {
        let point = Array(key.publicKey.rawRepresentation)
        return JSONObject([
            JSONMember(name: "crv", value: "P-256"), JSONMember(name: "kty", value: "EC"),
            JSONMember(name: "x", value: .string(Base64URL.encode(point.prefix(32)))),
            JSONMember(name: "y", value: .string(Base64URL.encode(point.suffix(32)))),
        ])
    }

    /// RFC 7638: the name under which providers and caches know the key (`jkt`, `kid`).
    package var thumbprint: String { Self.thumbprint(of: jwk) ?? "" }

    /// RFC 7638 section 3 for a public key of RSA or elliptic curves; nil for anything else.
    package static func thumbprint(of jwk: JSONObject) -> String? {
        let names: [String]
        switch jwk["kty"]?.string {
        case "EC": names = ["crv", "kty", "x", "y"]
        case "RSA": names = ["e", "kty", "n"]
        case "OKP": names = ["crv", "kty", "x"]
        default: return nil
        }
        let members = names.compactMap { name in jwk[name]?.string.map { JSONMember(name: name, value: .string($0)) } }
        guard members.count == names.count else { return nil }
        return Base64URL.encode(
            Array(SHA256.hash(data: Array(JSONValue.object(JSONObject(members)).serialized().utf8))))
    }

    /// A JWT signed with ES256 (RFC 7515 section 3.1).
    func sign(header: JSONObject, payload: JSONObject) throws(WireError) -> Secret {
        func part(_ object: JSONObject) -> String {
            Base64URL.encode(Array(JSONValue.object(object).serialized().utf8))
        }
        let input = part(header) + "." + part(payload)
        guard let signature = try? key.signature(for: SHA256.hash(data: Array(input.utf8))) else {
            throw .unsupported("the proof could not be signed")
        }
        return Secret(input + "." + Base64URL.encode(Array(signature.rawRepresentation)))
    }
}
