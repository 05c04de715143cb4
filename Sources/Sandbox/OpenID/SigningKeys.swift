import Crypto
import CryptoExtras
import FoundationEssentials

/// The token signing keys. The newest signs; the previous one stays published to verify older signatures.
struct SigningKeys: Sendable {
    struct KeyPair: Sendable {
        var kid: String
        var privateKey: _RSA.Signing.PrivateKey
        var jwk: JSON

        init() throws {
            privateKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            kid = RandomValue.token(12)
            let numbers = try privateKey.publicKey.getKeyPrimitives()
            jwk = .members([
                "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(kid),
                "n": .string(Base64URLCoding.encode(numbers.modulus)),
                "e": .string(Base64URLCoding.encode(numbers.publicExponent)),
            ])
        }
    }

    /// Oldest first, never empty.
    private(set) var published: [KeyPair]
    private var current: KeyPair

    init() throws {
        current = try KeyPair()
        published = [current]
    }

    mutating func rotate() throws {
        current = try KeyPair()
        published = published.suffix(1) + [current]
    }

    var document: JSON { .members(["keys": .array(published.map(\.jwk))]) }

    /// RFC 7515 compact form, RS256 unless a fault changes it.
    func sign(_ claims: JSON, type: String, bent by: TokenFault? = nil) throws -> String {
        var header = JSON.members(["typ": .string(type), "alg": "RS256", "kid": .string(current.kid)])
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
            let secret = SymmetricKey(data: Data(current.privateKey.publicKey.pemRepresentation.utf8))
            return input + "."
                + Base64URLCoding.encode(Array(HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: secret)))
        default:
            var signature = Array(
                try current.privateKey.signature(for: SHA256.hash(data: Data(input.utf8)), padding: .insecurePKCS1v1_5)
                    .rawRepresentation)
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
        let digest = SHA256.hash(data: Data("\(parts[0]).\(parts[1])".utf8))
        let signature = _RSA.Signing.RSASignature(rawRepresentation: Data(bytes))
        guard
            published.contains(where: {
                $0.privateKey.publicKey.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5)
            })
        else { return nil }
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

    mutating func rotate() throws {
        try global.rotate()
        try sovereign?.rotate()
    }
}
