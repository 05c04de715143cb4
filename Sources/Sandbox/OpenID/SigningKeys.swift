import Crypto
import FoundationEssentials

/// The token signing keys. The newest signs; the previous one stays published to verify older signatures.
struct SigningKeys: Sendable {
    struct KeyPair: Sendable {
        var kid: String
        var privateKey: PrivateSigningKey
        var jwk: JSON

        init(for algorithm: SigningAlgorithm = .rs256) throws {
            privateKey = try PrivateSigningKey(for: algorithm)
            kid = RandomValue.token(12)
            jwk = try privateKey.publicMembers()
            jwk["use"] = "sig"
            jwk["alg"] = .string(algorithm.rawValue)
            jwk["kid"] = .string(kid)
        }
    }

    /// Oldest first, never empty.
    private(set) var published: [KeyPair]
    private var current: KeyPair

    init() throws {
        current = try KeyPair()
        published = [current]
    }

    mutating func rotate(to algorithm: SigningAlgorithm = .rs256) throws {
        current = try KeyPair(for: algorithm)
        published = published.suffix(1) + [current]
    }

    /// The algorithm of new tokens.
    var algorithm: SigningAlgorithm { current.privateKey.algorithm }

    var document: JSON { .members(["keys": .array(published.map(\.jwk))]) }

    /// RFC 7515 compact form, by the newest key unless a fault changes it.
    func sign(_ claims: JSON, type: String, bent by: TokenFault? = nil) throws -> String {
        var header = JSON.members([
            "typ": .string(type), "alg": .string(algorithm.rawValue), "kid": .string(current.kid),
        ])
        switch by {
        case .algNone: header["alg"] = "none"
        case .hs256WithPublicKey: header["alg"] = "HS256"
        default: break
        }
        let input =
            Base64URLCoding.encode(Array(header.text.utf8)) + "." + Base64URLCoding.encode(Array(claims.text.utf8))
        switch by {
        case .algNone:
            return input + "."
        case .hs256WithPublicKey:
            let secret = SymmetricKey(data: Data(current.privateKey.publicPEM.utf8))
            return input + "."
                + Base64URLCoding.encode(Array(HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: secret)))
        default:
            var signature = try current.privateKey.sign(input)
            if by == .badSignature { signature[signature.count / 2] ^= 0x40 }
            return input + "." + Base64URLCoding.encode(signature)
        }
    }

    /// The claims of a token signed by one of these keys, even if expired.
    func claims(of token: String) -> JSON? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, token.utf8.count <= 32768, let payload = Base64URLCoding.decode(parts[1]),
            let bytes = Base64URLCoding.decode(parts[2])
        else { return nil }
        let input = "\(parts[0]).\(parts[1])"
        guard published.contains(where: { $0.privateKey.isValid(Array(bytes), of: input) }) else { return nil }
        return try? JSON(parsing: String(decoding: payload, as: UTF8.self))
    }
}

/// The ways in which a fault can invalidate an ID token.
package enum TokenFault: String, Sendable, CaseIterable {
    case algNone, hs256WithPublicKey, badSignature, wrongIssuer, wrongAudience, wrongNonce, missingNonce, expired,
        missingSub, futureIat
    case missing
}

struct CloudKeys: Sendable {
    private(set) var global: SigningKeys
    private var sovereign: SigningKeys?

    init() throws { global = try SigningKeys() }

    mutating func keys(of cloud: HostedIssuer.Cloud) throws -> SigningKeys {
        guard cloud == .sovereign else { return global }
        if let sovereign { return sovereign }
        let made = try SigningKeys()
        sovereign = made
        return made
    }

    mutating func sign(_ claims: JSON, in issuer: HostedIssuer, type: String, bent by: TokenFault? = nil) throws
        -> String
    {
        try keys(of: issuer.cloud).sign(claims, type: type, bent: by)
    }

    /// The claims of a token signed by a key of either cloud, even if expired.
    func claims(of token: String) -> JSON? { global.claims(of: token) ?? sovereign?.claims(of: token) }

    mutating func rotate(to algorithm: SigningAlgorithm = .rs256) throws {
        try global.rotate(to: algorithm)
        try sovereign?.rotate(to: algorithm)
    }
}
