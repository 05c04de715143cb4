import Crypto
import CryptoExtras
import Identity
import StrictJSON

/// A provider's public key (RFC 7517) of an accepted kind: RSA of at least 2048 bits, P-256, P-384, P-521 or Ed25519.
struct SigningKey: Sendable {
    enum Material: Sendable {
        case rsa(_RSA.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
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

    /// Nil for other uses and kinds of keys, and for malformed members; `oct` keys are never accepted.
    init?(_ object: JSONObject) {
        func isAbsent(_ name: String) -> Bool { object[name] ?? .null == .null }
        func bytes(_ name: String) -> [UInt8]? { object[name]?.string.flatMap { Base64URL.decode($0) } }
        id = object["kid"]?.string
        algorithm = object["alg"]?.string
        guard id != nil || isAbsent("kid"), algorithm != nil || isAbsent("alg") else { return nil }
        // RFC 7517 sections 4.2 and 4.3.
        guard isAbsent("use") || object["use"]?.string == "sig" else { return nil }
        guard isAbsent("key_ops") || object["key_ops"]?.array?.contains("verify") == true else { return nil }
        switch object["kty"]?.string {
        case "RSA":
            guard let n = bytes("n"), let e = bytes("e"), n.count <= 1024, e.count <= 8 else { return nil }
            guard n.drop(while: { $0 == 0 }).count >= 256 else {
                material = .weak
                return
            }
            guard let key = try? _RSA.Signing.PublicKey(n: n, e: e) else { return nil }
            material = .rsa(key)
        case "EC":
            guard let x = bytes("x"), let y = bytes("y"),
                let key = Self.key(of: object["crv"]?.string, x, y)
            else { return nil }
            material = key
        case "OKP":
            // RFC 8037 section 2.
            guard object["crv"]?.string == "Ed25519", let x = bytes("x"), x.count == 32,
                let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x)
            else { return nil }
            material = .ed25519(key)
        default: return nil
        }
    }

    /// RFC 7518 section 6.2.1: coordinates have the full length of the curve. The point must be on it.
    private static func key(of curve: String?, _ x: [UInt8], _ y: [UInt8]) -> Material? {
        func point(_ length: Int) -> [UInt8]? { x.count == length && y.count == length ? [4] + x + y : nil }
        switch curve {
        case "P-256":
            return point(32).flatMap { try? P256.Signing.PublicKey(x963Representation: $0) }.map(Material.p256)
        case "P-384":
            return point(48).flatMap { try? P384.Signing.PublicKey(x963Representation: $0) }.map(Material.p384)
        case "P-521":
            return point(66).flatMap { try? P521.Signing.PublicKey(x963Representation: $0) }.map(Material.p521)
        default: return nil
        }
    }

    /// Whether tokens of the algorithm can be signed with this key: its type and curve fit (RFC 7518 section 3.1, RFC
    /// 8037 section 3.1), and it names this algorithm or none.
    func fits(_ wanted: SignatureAlgorithm) -> Bool {
        guard algorithm == nil || algorithm == wanted.rawValue else { return false }
        switch wanted {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
            switch material {
            case .rsa, .weak: return true
            case .p256, .p384, .p521, .ed25519: return false
            }
        case .es256: if case .p256 = material { return true }
        case .es384: if case .p384 = material { return true }
        case .es512: if case .p521 = material { return true }
        case .edDSA, .ed25519: if case .ed25519 = material { return true }
        }
        return false
    }

    /// The algorithm must be an accepted one that fits the key.
    func verifies(_ signature: [UInt8], of input: String, algorithm name: String) -> Bool {
        guard let algorithm = SignatureAlgorithm(rawValue: name), fits(algorithm) else { return false }
        let bytes = Array(input.utf8)
        switch material {
        case .rsa(let key): return Self.verifies(signature, of: bytes, algorithm, key)
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA256.hash(data: bytes))
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA384.hash(data: bytes))
        case .p521(let key):
            guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA512.hash(data: bytes))
        case .ed25519(let key): return signature.count == 64 && key.isValidSignature(signature, for: bytes)
        case .weak: return false
        }
    }

    private static func verifies(
        _ signature: [UInt8], of bytes: [UInt8], _ algorithm: SignatureAlgorithm, _ key: _RSA.Signing.PublicKey
    ) -> Bool {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        switch algorithm {
        case .rs256:
            return key.isValidSignature(signature, for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
        case .rs384:
            return key.isValidSignature(signature, for: SHA384.hash(data: bytes), padding: .insecurePKCS1v1_5)
        case .rs512:
            return key.isValidSignature(signature, for: SHA512.hash(data: bytes), padding: .insecurePKCS1v1_5)
        // RFC 7518 section 3.5: the salt has the length of the hash.
        case .ps256: return key.isValidSignature(signature, for: SHA256.hash(data: bytes), padding: .PSS)
        case .ps384: return key.isValidSignature(signature, for: SHA384.hash(data: bytes), padding: .PSS)
        case .ps512: return key.isValidSignature(signature, for: SHA512.hash(data: bytes), padding: .PSS)
        case .es256, .es384, .es512, .edDSA, .ed25519: return false
        }
    }
}
