import Crypto

/// The accepted algorithms of signatures (RFC 7518 section 3.1, RFC 8037 section 3.1, RFC 9864 section 2.2): never
/// `none`, which signs nothing, nor HMAC, whose key the provider would share with all clients. Curves that swift-crypto
/// lacks, secp256k1 and Ed448, are not accepted.
enum SignatureAlgorithm: String, CaseIterable, Sendable {
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
    case ed25519 = "Ed25519"
}

/// The hash function of a JWS algorithm, also for `at_hash` (OpenID Connect Core section 3.1.3.6).
enum SignatureHash: Sendable {
    case sha256, sha384, sha512

    /// - Parameter algorithm: the header's `alg`. The hash is that of the algorithm, also of one that is not accepted.
    ///   Nil if it is unknown.
    init?(algorithm: String) {
        switch algorithm {
        case "RS256", "PS256", "ES256", "ES256K", "HS256": self = .sha256
        case "RS384", "PS384", "ES384", "HS384": self = .sha384
        // RFC 8032 section 5.1: Ed25519 has SHA-512 inside.
        case "RS512", "PS512", "ES512", "HS512", "EdDSA", "Ed25519": self = .sha512
        default: return nil
        }
    }

    /// The left half of a text's hash.
    func half(of text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        let digest: [UInt8] =
            switch self {
            case .sha256: Array(SHA256.hash(data: bytes))
            case .sha384: Array(SHA384.hash(data: bytes))
            case .sha512: Array(SHA512.hash(data: bytes))
            }
        return Array(digest.prefix(digest.count / 2))
    }
}
