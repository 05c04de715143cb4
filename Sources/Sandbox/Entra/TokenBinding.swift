import Crypto
import FoundationEssentials

/// The key that a request proves, to bind its token to.
struct RequestedBinding: Sendable, Equatable {
    enum Scheme: Sendable {
        /// RFC 9449, at the plain issuer.
        case dpop
        /// MSAL's proof of possession, at Entra ID.
        case pop
    }

    var scheme: Scheme
    /// RFC 7638.
    var thumbprint: String

    var tokenType: String { scheme == .dpop ? "DPoP" : "pop" }
    /// The `cnf` claim: RFC 9449 section 6.1, or Entra ID's key name.
    var confirmation: JSON { .members([scheme == .dpop ? "jkt" : "kid": .string(thumbprint)]) }
}

/// A proof: a compact JWT signed with ES256 by the key in its header or claims.
struct KeyedJWT {
    let header: JSON
    let payload: JSON
    private let input: String
    private let signature: [UInt8]

    /// Nil for anything else, or if too large.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 65_536, parts.count == 3, let head = Base64URLCoding.decode(parts[0]),
            let body = Base64URLCoding.decode(parts[1]),
            let bytes = Base64URLCoding.decode(parts[2]),
            let header = try? JSON(parsing: String(decoding: head, as: UTF8.self)),
            let payload = try? JSON(parsing: String(decoding: body, as: UTF8.self))
        else { return nil }
        self.header = header
        self.payload = payload
        input = "\(parts[0]).\(parts[1])"
        signature = bytes
    }

    func isSigned(by jwk: JSON) -> Bool {
        guard header["alg"]?.string == "ES256", jwk["d"] == nil, jwk["kty"]?.string == "EC",
            jwk["crv"]?.string == "P-256",
            let x = jwk["x"]?.string.flatMap({ Base64URLCoding.decode($0) }),
            let y = jwk["y"]?.string.flatMap({ Base64URLCoding.decode($0) }),
            x.count == 32, y.count == 32, let key = try? P256.Signing.PublicKey(rawRepresentation: x + y),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: SHA256.hash(data: Data(input.utf8)))
    }

    /// RFC 7638 section 3.2: the required members, sorted by name.
    static func thumbprint(of jwk: JSON) -> String? {
        guard let x = jwk["x"]?.string, let y = jwk["y"]?.string, jwk["crv"]?.string == "P-256",
            jwk["kty"]?.string == "EC"
        else {
            return nil
        }
        return Base64URLCoding.encode(Digest.sha256("{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"\(x)\",\"y\":\"\(y)\"}"))
    }
}

struct ProofChecks: Sendable {
    /// The nonces that the next proof at the token endpoint and the next signed request must contain, while
    /// ``Quirk/proofNonce`` and ``Quirk/popNonce`` are enabled.
    private(set) var proofNonce: String?
    private var popNonce: String?
    private var seen: [String: Int] = [:]

    /// Proofs are valid for five minutes in either direction.
    private static let proofWindow = 300

    /// The key to bind the token of this request to; nil for a bearer token.
    mutating func bindingAsked(_ request: SandboxRequest, in issuer: HostedIssuer, quirks: Quirks, now: Int)
        throws(OAuthErrorResponse) -> RequestedBinding?
    {
        switch issuer.shape {
        case .openID:
            guard let proof = request.headers["dpop"] else { return nil }
            return RequestedBinding(
                scheme: .dpop,
                thumbprint: try checkedProof(
                    proof, method: "POST", address: issuer.identifier + "/token", token: nil, quirks: quirks, now: now))
        case .entra:
            guard request.bodyForm["token_type"]?.lowercased() == "pop" else { return nil }
            guard let bytes = request.bodyForm["req_cnf"].flatMap({ Base64URLCoding.decode($0) }),
                let kid = (try? JSON(parsing: String(decoding: bytes, as: UTF8.self)))?["kid"]?.string,
                kid.utf8.count == 43
            else { throw OAuthErrorResponse("invalid_request", "req_cnf names no key", code: 90100) }
            return RequestedBinding(scheme: .pop, thumbprint: kid)
        case .b2c, .adfs, .oauth: return nil
        }
    }

    /// Performs the checks of RFC 9449 section 4.3.
    ///
    /// - Parameter token: at a resource, the access token whose hash the proof must contain.
    /// - Returns: the key's thumbprint.
    mutating func checkedProof(
        _ text: String, method: String, address: String, token: String?, quirks: Quirks, now: Int
    ) throws(OAuthErrorResponse) -> String {
        func wrong(_ what: String) -> OAuthErrorResponse { OAuthErrorResponse("invalid_dpop_proof", what) }
        guard let proof = KeyedJWT(text) else { throw wrong("the proof is not a JWT") }
        guard proof.header["typ"]?.string == "dpop+jwt" else { throw wrong("the proof is of another type") }
        guard let jwk = proof.header["jwk"], let thumbprint = KeyedJWT.thumbprint(of: jwk), proof.isSigned(by: jwk)
        else {
            throw wrong("the proof is not signed by the key in it")
        }
        guard proof.payload["htm"]?.string == method, proof.payload["htu"]?.string == address else {
            throw wrong("the proof is for another request")
        }
        guard let issued = proof.payload["iat"]?.int, abs(issued - now) <= Self.proofWindow else {
            throw wrong("the proof is not of now")
        }
        guard let identifier = proof.payload["jti"]?.string, (1...256).contains(identifier.utf8.count) else {
            throw wrong("the proof has no identifier")
        }
        if let token {
            guard proof.payload["ath"]?.string == Base64URLCoding.encode(Digest.sha256(token)) else {
                throw wrong("the proof is for another token")
            }
        }
        if token == nil, quirks.has(.proofNonce) {
            let isRight = proofNonce != nil && proof.payload["nonce"]?.string == proofNonce
            proofNonce = RandomValue.token(16)
            guard isRight else {
                throw OAuthErrorResponse("use_dpop_nonce", "the proof has no nonce of this server's, or an old one")
            }
        }
        seen = seen.filter { $0.value > now }
        guard seen.updateValue(now + 2 * Self.proofWindow, forKey: thumbprint + identifier) == nil else {
            throw wrong("the proof was used before")
        }
        return thumbprint
    }

    /// Checks an HTTP request signed by MSAL, which contains the access token and is valid for this request and time.
    ///
    /// - Returns: the access token if all checks pass.
    static func tokenOfSignedRequest(
        _ text: String, method: String, path: String, host: String, tokens: IssuedTokens, now: Int
    ) -> String? {
        guard let request = KeyedJWT(text), let jwk = request.payload["cnf"]?["jwk"],
            let thumbprint = KeyedJWT.thumbprint(of: jwk),
            request.isSigned(by: jwk), request.header["kid"]?.string == thumbprint,
            let token = request.payload["at"]?.string,
            tokens.access[token]?.thumbprint == thumbprint, let moment = request.payload["ts"]?.int,
            abs(moment - now) <= Self.proofWindow,
            request.payload["m"]?.string == method, request.payload["p"]?.string == path,
            request.payload["u"]?.string == host
        else { return nil }
        return token
    }

    /// Whether a signed request contains the required nonce, and the next nonce.
    mutating func checkNonce(ofSignedRequest text: String) -> (isRight: Bool, next: String) {
        let isRight = popNonce != nil && KeyedJWT(text)?.payload["nonce"]?.string == popNonce
        let next = RandomValue.token(16)
        popNonce = next
        return (isRight, next)
    }
}
