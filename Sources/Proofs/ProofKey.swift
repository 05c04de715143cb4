import Crypto
package import Identity
package import StrictJSON

/// The key that a token is bound to (RFC 9449, MSAL's proof of possession): P-256, generated here and never sent.
///
/// Store ``secret`` next to the refresh token, no more widely readable; one key for each issuer and account.
package struct ProofKey: Sendable {
    private let key: P256.Signing.PrivateKey

    package init() { key = P256.Signing.PrivateKey() }

    /// - Throws: `untrusted` if it is not a key; the tokens bound to it are then lost, and a new key is needed.
    package init(_ secret: Secret) throws(WireError) {
        guard let bytes = Base64URL.decode(secret.reveal()), bytes.count == 32,
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        else { throw .untrusted(check: .proofKey, detail: "not a P-256 key") }
        self.key = key
    }

    /// - Parameter pem: `PRIVATE KEY` or `EC PRIVATE KEY`.
    package init(pem: Secret) throws(WireError) {
        guard pem.count <= 4096, let key = try? P256.Signing.PrivateKey(pemRepresentation: pem.reveal()) else {
            throw .untrusted(check: .proofKey, detail: "not a P-256 key")
        }
        self.key = key
    }

    /// For storage: base64url of its 32 bytes.
    package var secret: Secret { Secret(Base64URL.encode(Array(key.rawRepresentation))) }

    package var pem: Secret { Secret(key.pemRepresentation) }

    /// The public half as a JWK (RFC 7517), members in the order of RFC 7638.
    package var jwk: JSONObject {
        let point = Array(key.publicKey.rawRepresentation)
        return JSONObject([
            JSONMember(name: "crv", value: "P-256"), JSONMember(name: "kty", value: "EC"),
            JSONMember(name: "x", value: .string(Base64URL.encode(point.prefix(32)))),
            JSONMember(name: "y", value: .string(Base64URL.encode(point.suffix(32)))),
        ])
    }

    /// RFC 7638: the key's name for providers and caches (`jkt`, `kid`).
    package var thumbprint: String { Self.thumbprint(of: jwk) ?? "" }

    /// RFC 7638 section 3, for RSA and elliptic curves; else nil.
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
            throw .unsupported("cannot sign the proof")
        }
        return Secret(input + "." + Base64URL.encode(Array(signature.rawRepresentation)))
    }
}
