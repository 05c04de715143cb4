import Crypto
package import FoundationEssentials
package import Identity
import StrictJSON
import Synchronization

/// A DPoP proof, RFC 9449 section 4.2: proves the key for this request at this time.
package enum DPoPProof {
    /// - Parameters:
    ///   - method: of the request, uppercase.
    ///   - address: of the request; the query is dropped.
    ///   - accessToken: for a resource, hashed into `ath`; nil for the token endpoint.
    ///   - nonce: the origin's latest.
    /// - Returns: the value of the `DPoP` field; a resource also needs `Authorization: DPoP TOKEN`.
    package static func make(
        method: String, address: WebAddress, key: ProofKey, accessToken: Secret? = nil, nonce: String? = nil, now: Date,
        identifier: String = Random.token(bytes: 16)
    ) throws(WireError) -> Secret {
        let header = JSONObject([
            JSONMember(name: "typ", value: "dpop+jwt"), JSONMember(name: "alg", value: "ES256"),
            JSONMember(name: "jwk", value: .object(key.jwk)),
        ])
        var claims: [JSONMember] = [
            JSONMember(name: "jti", value: .string(identifier)), JSONMember(name: "htm", value: .string(method)),
            JSONMember(name: "htu", value: .string(address.origin + address.path)),
            JSONMember(name: "iat", value: .number(JSONNumber(text: String(SignedHTTPRequest.seconds(now))))),
        ]
        if let accessToken {
            claims.append(
                JSONMember(
                    name: "ath",
                    value: .string(Base64URL.encode(Array(SHA256.hash(data: Array(accessToken.reveal().utf8)))))))
        }
        if let nonce { claims.append(JSONMember(name: "nonce", value: .string(nonce))) }
        return try key.sign(header: header, payload: JSONObject(claims))
    }
}

/// The latest nonce of each origin, RFC 9449 section 8.2. Shared by the whole process.
package final class ProofNonces: Sendable {
    private static let mostOrigins = 64
    private let newest = Mutex<[String: String]>([:])

    package init() {}

    package subscript(address: WebAddress) -> String? { newest.withLock { $0[address.origin] } }

    /// Saves a response's `DPoP-Nonce`, unless invalid (RFC 9449 section 8.1).
    package func keep(_ nonce: String?, from address: WebAddress) {
        guard let nonce, (1...1024).contains(nonce.utf8.count),
            nonce.utf8.allSatisfy({ $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) })
        else { return }
        newest.withLock { newest in
            if newest.count >= Self.mostOrigins, newest[address.origin] == nil { newest.removeAll() }
            newest[address.origin] = nonce
        }
    }
}

/// MSAL's proof of possession: the access token inside a signed description of the request.
package enum SignedHTTPRequest {
    /// - Parameters:
    ///   - nonce: from the resource, if required.
    ///   - now: must be close to the resource's clock.
    /// - Returns: the value after `PoP ` in the `Authorization` field.
    package static func make(
        method: String, address: WebAddress, key: ProofKey, accessToken: Secret, nonce: String? = nil, now: Date
    )
        throws(WireError) -> Secret
    {
        let header = JSONObject([
            JSONMember(name: "alg", value: "ES256"), JSONMember(name: "typ", value: "pop"),
            JSONMember(name: "kid", value: .string(key.thumbprint)),
        ])
        let confirmation = JSONObject([JSONMember(name: "jwk", value: .object(key.jwk))])
        var claims: [JSONMember] = [
            JSONMember(name: "at", value: .string(accessToken.reveal())),
            JSONMember(name: "ts", value: .number(JSONNumber(text: String(seconds(now))))),
            JSONMember(name: "m", value: .string(method.uppercased())),
            JSONMember(name: "u", value: .string(address.hostAndPort)),
            JSONMember(name: "p", value: .string(address.path.isEmpty ? "/" : address.path)),
            JSONMember(name: "cnf", value: .object(confirmation)),
        ]
        if let nonce { claims.append(JSONMember(name: "nonce", value: .string(nonce))) }
        return try key.sign(header: header, payload: JSONObject(claims))
    }

    /// `req_cnf` of the token request: the key to bind the token to.
    package static func confirmation(of key: ProofKey) -> String {
        Base64URL.encode(
            Array(
                JSONValue.object(JSONObject([JSONMember(name: "kid", value: .string(key.thumbprint))])).serialized()
                    .utf8))
    }

    static func seconds(_ date: Date) -> Int64 { Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0 }
}

/// The binding of a grant's tokens. It determines the token request, and the expected type in the response.
package enum TokenBinding: Sendable {
    /// Unbound: anyone who has the token can use it.
    case bearer
    /// RFC 9449, for OpenID Connect providers.
    case dpop(ProofKey, ProofNonces)
    /// MSAL's proof of possession, for Entra ID.
    case pop(ProofKey)

    /// The expected `token_type`.
    package var tokenType: String {
        switch self {
        case .bearer: "Bearer"
        case .dpop: "DPoP"
        case .pop: "pop"
        }
    }

    /// The key's thumbprint, as stored in caches; nil for bearer tokens.
    package var keyID: String? { key?.thumbprint }

    package var key: ProofKey? {
        switch self {
        case .bearer: nil
        case .dpop(let key, _), .pop(let key): key
        }
    }
}
