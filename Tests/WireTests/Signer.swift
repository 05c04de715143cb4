import Crypto
import CryptoExtras
import Identity

/// Keys made for the tests, and tokens signed with them.
enum Signer: CaseIterable, Sendable {
    case rs256, rs384, rs512, ps256, ps384, ps512, es256, es384, es512, edDSA, ed25519

    private static let rsa = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
    private static let other = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
    private static let p256 = P256.Signing.PrivateKey()
    private static let p384 = P384.Signing.PrivateKey()
    private static let p521 = P521.Signing.PrivateKey()
    private static let curve25519 = Curve25519.Signing.PrivateKey()

    var algorithm: String {
        switch self {
        case .rs256: "RS256"
        case .rs384: "RS384"
        case .rs512: "RS512"
        case .ps256: "PS256"
        case .ps384: "PS384"
        case .ps512: "PS512"
        case .es256: "ES256"
        case .es384: "ES384"
        case .es512: "ES512"
        case .edDSA: "EdDSA"
        case .ed25519: "Ed25519"
        }
    }

    /// The type of the key, with its curve.
    enum Kind: CaseIterable, Sendable { case rsa, p256, p384, p521, ed25519 }

    var kind: Kind {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
        case .es256: .p256
        case .es384: .p384
        case .es512: .p521
        case .edDSA, .ed25519: .ed25519
        }
    }

    /// The public key as a JWK.
    func key(id: String? = "k1", more: String = "") throws -> String {
        let name = id.map { #","kid":"\#($0)""# } ?? ""
        switch kind {
        case .rsa: return try Self.jwk(Self.rsa.get().publicKey, name + more)
        case .p256: return Self.jwk("P-256", Self.p256.publicKey.rawRepresentation, name + more)
        case .p384: return Self.jwk("P-384", Self.p384.publicKey.rawRepresentation, name + more)
        case .p521: return Self.jwk("P-521", Self.p521.publicKey.rawRepresentation, name + more)
        case .ed25519:
            let x = Base64URL.encode(Array(Self.curve25519.publicKey.rawRepresentation))
            return #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"\#(name)\#(more)}"#
        }
    }

    private static func jwk(_ curve: String, _ point: some Sequence<UInt8>, _ more: String) -> String {
        let point = Array(point)
        let (x, y) = (point[..<(point.count / 2)], point[(point.count / 2)...])
        return
            #"{"kty":"EC","crv":"\#(curve)","x":"\#(Base64URL.encode(x))","y":"\#(Base64URL.encode(y))"\#(more)}"#
    }

    /// Another RSA key than the one that signs.
    static func strangerKey(id: String = "k1") throws -> String { try jwk(other.get().publicKey, #","kid":"\#(id)""#) }

    private static func jwk(_ key: _RSA.Signing.PublicKey, _ more: String) throws -> String {
        let numbers = try key.getKeyPrimitives()
        return
            #"{"kty":"RSA","n":"\#(Base64URL.encode(Array(numbers.modulus)))","e":"\#(Base64URL.encode(Array(numbers.publicExponent)))"\#(more)}"#
    }

    /// The bytes of the public key as PEM, for those who take them for an HMAC secret.
    static func pem() throws -> String { try rsa.get().publicKey.pemRepresentation }

    /// A token over a header and a payload that are taken as they are.
    func token(header: String? = nil, payload: String) throws -> Secret {
        let head = header ?? #"{"alg":"\#(algorithm)","kid":"k1","typ":"JWT"}"#
        let input = Base64URL.encode(Array(head.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        return Secret(input + "." + Base64URL.encode(try sign(input)))
    }

    func sign(_ input: String) throws -> [UInt8] {
        let bytes = Array(input.utf8)
        func rsa(_ digest: some Digest, _ padding: _RSA.Signing.Padding) throws -> [UInt8] {
            Array(try Self.rsa.get().signature(for: digest, padding: padding).rawRepresentation)
        }
        switch self {
        case .rs256: return try rsa(SHA256.hash(data: bytes), .insecurePKCS1v1_5)
        case .rs384: return try rsa(SHA384.hash(data: bytes), .insecurePKCS1v1_5)
        case .rs512: return try rsa(SHA512.hash(data: bytes), .insecurePKCS1v1_5)
        case .ps256: return try rsa(SHA256.hash(data: bytes), .PSS)
        case .ps384: return try rsa(SHA384.hash(data: bytes), .PSS)
        case .ps512: return try rsa(SHA512.hash(data: bytes), .PSS)
        case .es256: return Array(try Self.p256.signature(for: SHA256.hash(data: bytes)).rawRepresentation)
        case .es384: return Array(try Self.p384.signature(for: SHA384.hash(data: bytes)).rawRepresentation)
        case .es512: return Array(try Self.p521.signature(for: SHA512.hash(data: bytes)).rawRepresentation)
        case .edDSA, .ed25519: return Array(try Self.curve25519.signature(for: bytes))
        }
    }

    /// A token with a signature made otherwise.
    static func token(header: String, payload: String, _ sign: (String) -> [UInt8]) -> Secret {
        let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        return Secret(input + "." + Base64URL.encode(sign(input)))
    }
}
