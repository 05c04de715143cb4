import Crypto
import CryptoExtras
import Identity

/// Keys made for the tests, and tokens signed with them.
enum Signer: CaseIterable, Sendable {
    case rs256, ps256, es256

    private static let rsa = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
    private static let other = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
    private static let p256 = P256.Signing.PrivateKey()

    var algorithm: String {
        switch self {
        case .rs256: "RS256"
        case .ps256: "PS256"
        case .es256: "ES256"
        }
    }

    /// The public key as a JWK.
    func key(id: String? = "k1", more: String = "") throws -> String {
        let name = id.map { #","kid":"\#($0)""# } ?? ""
        switch self {
        case .rs256, .ps256: return try Self.jwk(Self.rsa.get().publicKey, name + more)
        case .es256:
            let point = Array(Self.p256.publicKey.rawRepresentation)
            return
                #"{"kty":"EC","crv":"P-256","x":"\#(Base64URL.encode(point[..<32]))","y":"\#(Base64URL.encode(point[32...]))"\#(name)\#(more)}"#
        }
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
        let digest = SHA256.hash(data: Array(input.utf8))
        switch self {
        case .rs256:
            return Array(try Self.rsa.get().signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
        case .ps256: return Array(try Self.rsa.get().signature(for: digest, padding: .PSS).rawRepresentation)
        case .es256: return Array(try Self.p256.signature(for: digest).rawRepresentation)
        }
    }

    /// A token with a signature made otherwise.
    static func token(header: String, payload: String, _ sign: (String) -> [UInt8]) -> Secret {
        let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        return Secret(input + "." + Base64URL.encode(sign(input)))
    }
}
