import Crypto
package import FoundationEssentials
package import Identity
import StrictJSON

/// An ID token as it came. Nothing in it may be believed.
package struct UncheckedIDToken: Sendable {
    let secret: Secret
    /// Takes any text: the check comes later.
    package init(_ secret: Secret) { self.secret = secret }
}

/// An ID token that passed every rule; only ``IDTokenCheck`` makes one.
package struct IDToken: Sendable {
    package let claims: Claims
    package let secret: Secret

    fileprivate init(claims: Claims, secret: Secret) {
        self.claims = claims
        self.secret = secret
    }
}

/// OpenID Connect Core section 3.1.3.7, rule by rule, and 12.2 for refreshed tokens.
package struct IDTokenCheck: Sendable {
    let metadata: ProviderMetadata
    let clientID: String
    let nonce: String?
    let previousSubject: String?
    let accessToken: Secret?
    let now: Date
    let keys: KeySet
    let maxAge: Int?
    let requiredACR: [String]

    /// How far clocks may be apart, seconds (T8).
    private static let leeway: TimeInterval = 120

    /// - Parameters:
    ///   - nonce: what was sent; nil when none was, as in device and refresh grants.
    ///   - previousSubject: the subject before a refresh; the new token must have the same (T19).
    ///   - accessToken: what `at_hash` must fit when it is there.
    ///   - maxAge: seconds, as the authorization request had it: then the token must say when the person proved who they are (T12).
    ///   - requiredACR: the classes of authentication of which the token must name one (T11); empty when any will do.
    package init(
        metadata: ProviderMetadata, clientID: String, nonce: String?, previousSubject: String?, accessToken: Secret?, now: Date,
        keys: KeySet, maxAge: Int? = nil, requiredACR: [String] = []
    ) {
        self.maxAge = maxAge
        self.requiredACR = requiredACR
        self.metadata = metadata
        self.clientID = clientID
        self.nonce = nonce
        self.previousSubject = previousSubject
        self.accessToken = accessToken
        self.now = now
        self.keys = keys
    }

    /// - Throws: `untrusted` with the rule that failed; transport errors when the keys could not be fetched.
    package func check(_ token: UncheckedIDToken) async throws(WireError) -> IDToken {
        let jwt: DecodedJWT
        // Rule 1: an encrypted token was not registered for; T20: three parts, canonical base64url, no name twice.
        do { jwt = try DecodedJWT(token.secret) } catch { throw Self.failed("form", error.description) }
        // RFC 8725 section 3.11: a token that says it is another kind of JWT, such as at+jwt, is none of ours.
        if let type = jwt.header["typ"], type.string.map({ !$0.asciiLowercased.hasSuffix("+jwt") }) != true {
            throw Self.failed("type", "it says that it is no ID token")
        }
        try checkClaims(jwt.payload)
        try await checkSignature(jwt)
        return IDToken(claims: jwt.payload, secret: token.secret)
    }

    private func checkClaims(_ claims: Claims) throws(WireError) {
        // Rule 2, M6: Entra's template is filled with the token's own tenant, which must be a GUID.
        let tenantID = claims.string("tid")
        if metadata.isTemplate, tenantID?.isGUID != true {
            throw Self.failed("issuer", claims["tid"] == nil ? "it names no tenant" : "what it names as its tenant is no GUID")
        }
        guard let issuer = claims.string("iss") else { throw Self.failed("issuer", Self.lack("iss", in: claims, "text")) }
        guard metadata.isIssuer(issuer, tenantID: metadata.isTemplate ? tenantID : nil) else {
            throw Self.failed("issuer", "it is from another issuer")
        }
        // Rule 3. Other audiences are accepted when the authorized party is this client: providers add the resources of a project.
        let audience = claims.strings("aud")
        guard audience.contains(clientID), claims["aud"]?.array.map({ $0.count == audience.count }) ?? true else {
            throw Self.failed("audience", claims["aud"] == nil ? "it names none" : "it is for another client")
        }
        // Rules 4 and 5.
        if audience.count > 1, claims.string("azp") == nil {
            throw Self.failed("authorized party", "it has several audiences and names none")
        }
        if claims["azp"] != nil, claims.string("azp") != clientID {
            throw Self.failed("authorized party", "it was issued to another client")
        }
        // Rule 9: exp is a number and not over.
        guard let expiry = claims.date("exp") else { throw Self.failed("expiry", Self.lack("exp", in: claims, "time")) }
        guard expiry.timeIntervalSince(now) > -Self.leeway else {
            throw Self.failed("expiry", "it is over; is this machine's clock right?")
        }
        // Rule 10: iat is a number and not in the future.
        guard let issued = claims.date("iat") else { throw Self.failed("issue time", Self.lack("iat", in: claims, "time")) }
        guard issued.timeIntervalSince(now) < Self.leeway else {
            throw Self.failed("issue time", "it is in the future; is this machine's clock right?")
        }
        if let begin = claims.date("nbf"), begin.timeIntervalSince(now) >= Self.leeway { throw Self.failed("begin", "it is not valid yet") }
        // Rule 11. A token of a flow without a nonce may repeat an earlier one (12.2) or have none.
        if let nonce {
            guard let found = claims.string("nonce"), Secret(found).isEqual(constantTime: Secret(nonce)) else {
                throw Self.failed("nonce", claims["nonce"] == nil ? "it has none" : "it does not answer this request")
            }
        }
        // Rule 12: what was asked for is what it must be.
        if !requiredACR.isEmpty, !requiredACR.contains(claims.string("acr") ?? "") {
            throw Self.failed("authentication class", "it is not one of those that were asked for")
        }
        // Rule 13. Unasked, auth_time is not looked at: providers send it in odd forms.
        if let maxAge {
            guard let proven = claims.date("auth_time") else {
                throw Self.failed("authentication time", Self.lack("auth_time", in: claims, "time"))
            }
            guard now.timeIntervalSince(proven) <= Double(maxAge) + Self.leeway else {
                throw Self.failed("authentication time", "it is too long ago")
            }
        }
        guard let subject = claims.string("sub"), Self.isSubject(subject) else {
            throw Self.failed("subject", Self.lack("sub", in: claims, "text of 1 to 255 ASCII characters"))
        }
        if let previousSubject, previousSubject != subject { throw Self.failed("subject", "it is of another person than before") }
        try checkAccessTokenHash(claims)
    }

    /// A claim that is there and cannot be read is not a missing one.
    private static func lack(_ name: String, in claims: Claims, _ kind: String) -> String {
        claims[name] == nil ? "it has none" : "\(name) is not a \(kind)"
    }

    /// T13: not empty, at most 255 visible ASCII characters.
    static func isSubject(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255 && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }

    /// 3.1.3.8: the left half of the digest, where the provider gives it. All algorithms of the list are on SHA-256.
    private func checkAccessTokenHash(_ claims: Claims) throws(WireError) {
        guard claims["at_hash"] != nil, let accessToken else { return }
        let digest = Array(SHA256.hash(data: Array(accessToken.reveal().utf8)))
        guard claims.string("at_hash") == Base64URL.encode(digest.prefix(16)) else {
            throw Self.failed("access token hash", "the two tokens do not belong together")
        }
    }

    /// Rules 6 to 8: always verified, with the issuer's keys only; keys in the header are not looked at (T16).
    private func checkSignature(_ jwt: DecodedJWT) async throws(WireError) {
        switch try await SignatureCheck(keys: keys, address: metadata.keys).check(jwt) {
        case .verified: return
        case .unsupportedAlgorithm: throw Self.failed("signature", "its algorithm is not accepted")
        case .criticalExtension: throw Self.failed("signature", "it demands an extension that is not understood (crit)")
        case .weakKey: throw Self.failed("signature", "the provider's key is too weak: RSA keys have at least 2048 bits")
        case .noSuchKey: throw Self.failed("signature", "the provider has no such key")
        case .mismatch: throw Self.failed("signature", "it does not fit the provider's key")
        }
    }

    private static func failed(_ rule: String, _ detail: String) -> WireError { .untrusted(check: "ID token \(rule)", detail: detail) }
}
