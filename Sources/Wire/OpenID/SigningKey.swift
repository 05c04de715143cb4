import Crypto
import CryptoExtras
import Identity
import StrictJSON

/// A provider's public key (RFC 7517) of an accepted kind: RSA of at least 2048 bits, or P-256.
struct SigningKey: Sendable {
    enum Material: Sendable {
        case rsa(_RSA.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
        /// RSA under 2048 bits: verifies nothing, but its tokens differ from those of an unknown key.
        case weak
    }

    let id: String?
    let algorithm: String?
    let material: Material

    var isWeak: Bool {
        if case .weak = material { return true }
        return false
    }

    /// Nil for other uses and kinds of keys; `oct` keys are never accepted.
    init?(_ object: JSONObject) {
        if let use = object["use"]?.string, use != "sig" { return nil }
        id = object["kid"]?.string
        algorithm = object["alg"]?.string
        switch object["kty"]?.string {
        case "RSA":
            guard let n = object["n"]?.string.flatMap({ Base64URL.decode($0) }),
                let e = object["e"]?.string.flatMap({ Base64URL.decode($0) }),
                n.count <= 1024, e.count <= 8
            else { return nil }
            guard n.drop(while: { $0 == 0 }).count >= 256 else {
                material = .weak
                return
            }
            guard let key = try? _RSA.Signing.PublicKey(n: n, e: e) else { return nil }
            material = .rsa(key)
        case "EC":
            guard object["crv"]?.string == "P-256", let x = object["x"]?.string.flatMap({ Base64URL.decode($0) }),
                let y = object["y"]?.string.flatMap({ Base64URL.decode($0) }), x.count == 32, y.count == 32,
                let key = try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
            else { return nil }
            material = .p256(key)
        default: return nil
        }
    }

    /// The algorithm must be on the list and fit the key: never `none`, never HMAC.
    func verifies(_ signature: [UInt8], of input: String, algorithm name: String) -> Bool {
        if let algorithm, algorithm != name { return false }
        let digest = SHA256.hash(data: Array(input.utf8))
        switch (name, material) {
        case ("RS256", .rsa(let key)):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        case ("PS256", .rsa(let key)):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .PSS)
        case ("ES256", .p256(let key)):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        default: return false
        }
    }

    static let algorithms = ["RS256", "PS256", "ES256"]
}
