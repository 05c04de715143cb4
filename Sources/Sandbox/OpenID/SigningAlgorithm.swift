import Crypto
import CryptoExtras
import FoundationEssentials

/// The signature algorithms of RFC 7518 section 3.1 and RFC 8037 section 3.1 for which a key can be made.
package enum SigningAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// OpenID Connect Core section 3.1.3.6: the left half of the hash of this algorithm; SHA-512 for Ed25519.
    func halfHash(of text: String) -> [UInt8] {
        let data = Data(text.utf8)
        return switch self {
        case .rs256, .ps256, .es256: Array(SHA256.hash(data: data).prefix(16))
        case .rs384, .ps384, .es384: Array(SHA384.hash(data: data).prefix(24))
        case .rs512, .ps512, .es512, .edDSA: Array(SHA512.hash(data: data).prefix(32))
        }
    }
}

/// A private key of the kind that an algorithm requires.
struct PrivateSigningKey: Sendable {
    private enum Material: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    let algorithm: SigningAlgorithm
    private let material: Material

    init(for algorithm: SigningAlgorithm) throws {
        self.algorithm = algorithm
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
            material = .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        case .es256: material = .p256(P256.Signing.PrivateKey())
        case .es384: material = .p384(P384.Signing.PrivateKey())
        case .es512: material = .p521(P521.Signing.PrivateKey())
        case .edDSA: material = .ed25519(Curve25519.Signing.PrivateKey())
        }
    }

    /// The members of the public key that depend on its type (RFC 7517 section 4, RFC 7518 section 6, RFC 8037).
    func publicMembers() throws -> JSON {
        func curve(_ name: String, _ point: Data) -> JSON {
            .members([
                "kty": "EC", "crv": .string(name),
                "x": .string(Base64URLCoding.encode(point.prefix(point.count / 2))),
                "y": .string(Base64URLCoding.encode(point.suffix(point.count / 2))),
            ])
        }
        switch material {
        case .rsa(let key):
            let numbers = try key.publicKey.getKeyPrimitives()
            return .members([
                "kty": "RSA", "n": .string(Base64URLCoding.encode(numbers.modulus)),
                "e": .string(Base64URLCoding.encode(numbers.publicExponent)),
            ])
        case .p256(let key): return curve("P-256", key.publicKey.rawRepresentation)
        case .p384(let key): return curve("P-384", key.publicKey.rawRepresentation)
        case .p521(let key): return curve("P-521", key.publicKey.rawRepresentation)
        case .ed25519(let key):
            return .members([
                "kty": "OKP", "crv": "Ed25519", "x": .string(Base64URLCoding.encode(key.publicKey.rawRepresentation)),
            ])
        }
    }

    /// The bytes of the public key in PEM, which a careless client takes for an HMAC secret.
    var publicPEM: String {
        switch material {
        case .rsa(let key): key.publicKey.pemRepresentation
        case .p256(let key): key.publicKey.pemRepresentation
        case .p384(let key): key.publicKey.pemRepresentation
        case .p521(let key): key.publicKey.pemRepresentation
        case .ed25519(let key): Base64URLCoding.encode(key.publicKey.rawRepresentation)
        }
    }

    func sign(_ input: String) throws -> [UInt8] {
        let data = Data(input.utf8)
        switch material {
        case .rsa(let key):
            let padding = padding
            return switch algorithm {
            case .rs256, .ps256:
                Array(try key.signature(for: SHA256.hash(data: data), padding: padding).rawRepresentation)
            case .rs384, .ps384:
                Array(try key.signature(for: SHA384.hash(data: data), padding: padding).rawRepresentation)
            default: Array(try key.signature(for: SHA512.hash(data: data), padding: padding).rawRepresentation)
            }
        case .p256(let key): return Array(try key.signature(for: data).rawRepresentation)
        case .p384(let key): return Array(try key.signature(for: data).rawRepresentation)
        case .p521(let key): return Array(try key.signature(for: data).rawRepresentation)
        case .ed25519(let key): return Array(try key.signature(for: data))
        }
    }

    func isValid(_ signature: [UInt8], of input: String) -> Bool {
        let data = Data(input.utf8)
        switch material {
        case .rsa(let key):
            let (padding, key) = (padding, key.publicKey)
            let signature = _RSA.Signing.RSASignature(rawRepresentation: Data(signature))
            return switch algorithm {
            case .rs256, .ps256: key.isValidSignature(signature, for: SHA256.hash(data: data), padding: padding)
            case .rs384, .ps384: key.isValidSignature(signature, for: SHA384.hash(data: data), padding: padding)
            default: key.isValidSignature(signature, for: SHA512.hash(data: data), padding: padding)
            }
        case .p256(let key):
            return (try? P256.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.publicKey.isValidSignature($0, for: data) } ?? false
        case .p384(let key):
            return (try? P384.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.publicKey.isValidSignature($0, for: data) } ?? false
        case .p521(let key):
            return (try? P521.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.publicKey.isValidSignature($0, for: data) } ?? false
        case .ed25519(let key): return key.publicKey.isValidSignature(Data(signature), for: data)
        }
    }

    private var padding: _RSA.Signing.Padding {
        switch algorithm {
        case .ps256, .ps384, .ps512: .PSS
        default: .insecurePKCS1v1_5
        }
    }
}
