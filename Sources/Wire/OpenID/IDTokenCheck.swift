import Crypto
package import FoundationEssentials
@_spi(IDTokenCheck) package import Identity
import StrictJSON

/// An ID token as it came. Nothing in it may be believed.
package struct UncheckedIDToken: Sendable {
    let secret: Secret
    /// Takes any text: the check comes later.
    package init(_ secret: Secret) { self.secret = secret }
}

/// What is known of an ID token once it was looked at.
package enum IDTokenFinding: Sendable {
    case passed(IDToken)
    /// Nothing in it is wrong, but it could not be checked: the keys could not be had, the provider lists no such key,
    /// or a clock is wrong. It came from the token endpoint over TLS and says what is expected of it (Core section
    /// 3.1.3.7 rule 6); what else is known of it is the reason.
    case unchecked(Claims, because: WireError)
    /// It is not what it should be.
    case wrong(WireError)
}

/// An ID token that passed every rule; only ``IDTokenCheck`` makes one.
package struct IDToken: Sendable {
    package let claims: CheckedClaims
    package let secret: Secret
    /// That it is from a time to come, which a refresh does not fail for. Lower case, no full stop.
    package let warning: String?

    fileprivate init(claims: CheckedClaims, secret: Secret, warning: String? = nil) {
        (self.claims, self.secret, self.warning) = (claims, secret, warning)
    }
}

/// What the cache has of the ID token before a refresh, for Core section 12.2. It is not checked again, so that it can
/// only make a new token fail: nothing passes because of it.
package struct PreviousIDToken: Sendable {
    package let subject: String
    let nonce: String?

    /// - Parameter token: the cached token; nil when it is not readable or names no subject, with which nothing can be
    ///   compared.
    package init?(_ token: Secret) {
        guard let claims = try? DecodedJWT(token).payload, let subject = claims.string("sub") else { return nil }
        self.init(subject: subject, nonce: claims.string("nonce"))
    }

    init(subject: String, nonce: String? = nil) { (self.subject, self.nonce) = (subject, nonce) }
}

/// OpenID Connect Core section 3.1.3.7, rule by rule, and 12.2 for refreshed tokens.
package struct IDTokenCheck: Sendable {
    let metadata: ProviderMetadata
    let clientID: String
    let nonce: String?
    let previous: PreviousIDToken?
    let accessToken: Secret?
    let now: Date
    let keys: KeySet
    let maxAge: Int?
    let requiredACR: [String]

    /// How far clocks may be apart, seconds: as Microsoft's own libraries for services have it.
    private static let leeway: TimeInterval = 300
    /// The same for how long ago the person proved who they are, where somebody set a bound to it: a bound is not
    /// stretched further than clocks usually differ.
    private static let authenticationLeeway: TimeInterval = 120

    /// - Parameters:
    ///   - nonce: what was sent; nil when none was, as in device and refresh grants.
    ///   - previous: the ID token before a refresh: the new one must have its subject, and where it has a nonce, its
    ///     nonce.
    ///   - accessToken: what `at_hash` must fit when it is there.
    ///   - maxAge: seconds, as the authorization request had it: then the token must say when the person proved who
    ///     they are.
    ///   - requiredACR: the classes of authentication of which the token must name one; empty when any will do.
    package init(
        metadata: ProviderMetadata, clientID: String, nonce: String?, previous: PreviousIDToken?, accessToken: Secret?,
        now: Date,
        keys: KeySet, maxAge: Int? = nil, requiredACR: [String] = []
    ) {
        self.maxAge = maxAge
        self.requiredACR = requiredACR
        self.metadata = metadata
        self.clientID = clientID
        self.nonce = nonce
        self.previous = previous
        self.accessToken = accessToken
        self.now = now
        self.keys = keys
    }

    /// - Throws: `untrusted` with the rule that failed; transport errors when the keys could not be fetched.
    package func check(_ token: UncheckedIDToken) async throws(WireError) -> IDToken {
        switch await examine(token) {
        case .passed(let token): return token
        case .unchecked(_, let reason), .wrong(let reason): throw reason
        }
    }

    /// Every rule that can be applied is, so that a token counts as unchecked only when nothing in it is wrong.
    package func examine(_ token: UncheckedIDToken) async -> IDTokenFinding {
        let jwt: DecodedJWT
        let subject: String
        do throws(WireError) {
            jwt = try readable(token)
            subject = try checkedSubject(jwt.payload)
        } catch { return .wrong(error) }
        let ahead = notYet(jwt.payload)
        // A refresh is answered over TLS, for the very token that was sent and the subject of before: that the answer
        // is from a time to come says that this machine's clock is slow, and nothing of who answered.
        let isExcused = previous != nil
        let doubt = over(jwt.payload) ?? (isExcused ? nil : ahead)
        switch await signature(jwt) {
        case .verified:
            if let doubt { return .unchecked(jwt.payload, because: doubt) }
            return .passed(
                IDToken(
                    claims: CheckedClaims(passed: jwt.payload, subject: subject), secret: token.secret,
                    warning: isExcused ? ahead?.message : nil))
        case .undecided(let reason): return .unchecked(jwt.payload, because: doubt ?? reason)
        case .wrong(let reason): return .wrong(reason)
        }
    }

    private func readable(_ token: UncheckedIDToken) throws(WireError) -> DecodedJWT {
        let jwt: DecodedJWT
        // Rule 1: an encrypted token was not registered for; three parts, canonical base64url, no name twice.
        do { jwt = try DecodedJWT(token.secret) } catch { throw Self.failed(.idTokenForm, error.description) }
        // RFC 8725 section 3.11: a token that says it is another kind of JWT, such as at+jwt, is none of ours.
        if let type = jwt.header["typ"], type.string.map({ !$0.asciiLowercased.hasSuffix("+jwt") }) != true {
            throw Self.failed(.idTokenType, "it says that it is no ID token")
        }
        return jwt
    }

    /// Every rule that hangs on neither a clock nor the signature.
    ///
    /// - Returns: the subject.
    private func checkedSubject(_ claims: Claims) throws(WireError) -> String {
        // Rule 2: Entra's template is filled with the token's own tenant, which must be a GUID.
        let tenantID = claims.string("tid")
        if metadata.isTemplate, tenantID?.isGUID != true {
            throw Self.failed(
                .idTokenIssuer, claims["tid"] == nil ? "it names no tenant" : "what it names as its tenant is no GUID")
        }
        guard let issuer = claims.string("iss") else {
            throw Self.failed(.idTokenIssuer, Self.lack("iss", in: claims, "text"))
        }
        guard metadata.isIssuer(issuer, tenantID: metadata.isTemplate ? tenantID : nil) else {
            throw Self.failed(.idTokenIssuer, "it is from another issuer")
        }
        // Rule 3. Other audiences are accepted when the authorized party is this client: providers add the resources of
        // a project.
        let audience = claims.strings("aud")
        guard audience.contains(clientID), claims["aud"]?.array.map({ $0.count == audience.count }) ?? true else {
            throw Self.failed(.idTokenAudience, claims["aud"] == nil ? "it names none" : "it is for another client")
        }
        // Rules 4 and 5.
        if audience.count > 1, claims.string("azp") == nil {
            throw Self.failed(.idTokenAuthorizedParty, "it has several audiences and names none")
        }
        if claims["azp"] != nil, claims.string("azp") != clientID {
            throw Self.failed(.idTokenAuthorizedParty, "it was issued to another client")
        }
        // Rules 9 and 10: exp and iat are numbers; what the clock says of them is looked at apart.
        guard claims.date("exp") != nil else { throw Self.failed(.idTokenExpiry, Self.lack("exp", in: claims, "time")) }
        guard claims.date("iat") != nil else {
            throw Self.failed(.idTokenIssueTime, Self.lack("iat", in: claims, "time"))
        }
        // Section 12.2: a refreshed token has no nonce, or the one of the sign-in.
        if let previousNonce = previous?.nonce, claims["nonce"] != nil, claims.string("nonce") != previousNonce {
            throw Self.failed(.idTokenNonce, "it is not the one of the sign-in")
        }
        // Rule 11. Where no nonce was sent, what the token says is not looked at.
        if let nonce {
            guard let found = claims.string("nonce"), Secret(found).isEqual(constantTime: Secret(nonce)) else {
                throw Self.failed(
                    .idTokenNonce, claims["nonce"] == nil ? "it has none" : "it does not answer this request")
            }
        }
        // Rule 12: what was asked for is what it must be.
        if !requiredACR.isEmpty, !requiredACR.contains(claims.string("acr") ?? "") {
            throw Self.failed(.idTokenAuthenticationClass, "it is not one of those that were asked for")
        }
        // Rule 13. Unasked, auth_time is not looked at: providers send it in odd forms.
        if let maxAge {
            guard let proven = claims.date("auth_time") else {
                throw Self.failed(.idTokenAuthenticationTime, Self.lack("auth_time", in: claims, "time"))
            }
            guard now.timeIntervalSince(proven) <= Double(maxAge) + Self.authenticationLeeway else {
                throw Self.failed(.idTokenAuthenticationTime, "it is too long ago")
            }
        }
        guard let subject = claims.string("sub"), Self.isSubject(subject) else {
            throw Self.failed(.idTokenSubject, Self.lack("sub", in: claims, "text of 1 to 255 ASCII characters"))
        }
        if let previous, previous.subject != subject {
            throw Self.failed(.idTokenSubject, "it is of another person than before")
        }
        try checkAccessTokenHash(claims)
        return subject
    }

    /// A claim that is there and cannot be read is not a missing one.
    private static func lack(_ name: String, in claims: Claims, _ kind: String) -> String {
        claims[name] == nil ? "it has none" : "\(name) is not a \(kind)"
    }

    /// Rule 9 where it hangs on a clock, which may be this machine's that is wrong: exp is not over.
    private func over(_ claims: Claims) -> WireError? {
        guard let expiry = claims.date("exp"), now.timeIntervalSince(expiry) > Self.leeway else { return nil }
        return Self.failed(.idTokenExpiry, "it has expired; is this machine's clock right?")
    }

    /// Rule 10, and RFC 7519 section 4.1.5, where they hang on a clock: iat and nbf are not to come.
    private func notYet(_ claims: Claims) -> WireError? {
        if let issued = claims.date("iat"), issued.timeIntervalSince(now) > Self.leeway {
            return Self.failed(.idTokenIssueTime, "it is in the future; is this machine's clock right?")
        }
        if let begin = claims.date("nbf"), begin.timeIntervalSince(now) > Self.leeway {
            return Self.failed(.idTokenBegin, "it is not valid yet; is this machine's clock right?")
        }
        return nil
    }

    /// Not empty, at most 255 visible ASCII characters.
    static func isSubject(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255 && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }

    /// 3.1.3.8: the left half of the digest, where the provider gives it. All algorithms of the list are on SHA-256.
    private func checkAccessTokenHash(_ claims: Claims) throws(WireError) {
        guard claims["at_hash"] != nil, let accessToken else { return }
        let digest = Array(SHA256.hash(data: Array(accessToken.reveal().utf8)))
        guard claims.string("at_hash") == Base64URL.encode(digest.prefix(16)) else {
            throw Self.failed(.idTokenAccessTokenHash, "the two tokens do not belong together")
        }
    }

    private enum SignatureOutcome {
        case verified
        /// The provider's keys could not be had, or the one that is named is not among them (yet).
        case undecided(WireError)
        case wrong(WireError)
    }

    /// Rules 6 to 8: always verified, with the issuer's keys only; keys in the header are not looked at.
    private func signature(_ jwt: DecodedJWT) async -> SignatureOutcome {
        do throws(WireError) {
            switch try await SignatureCheck(keys: keys, address: metadata.keys).check(jwt) {
            case .verified: return .verified
            case .unsupportedAlgorithm: return .wrong(Self.failed(.idTokenSignature, "its algorithm is not accepted"))
            case .criticalExtension:
                return .wrong(Self.failed(.idTokenSignature, "it demands an extension that is not understood (crit)"))
            case .weakKey:
                return .wrong(
                    Self.failed(.idTokenSignature, "the provider's key is too weak: RSA keys have at least 2048 bits"))
            case .noSuchKey: return .undecided(Self.failed(.idTokenSignature, "the provider has no such key"))
            case .mismatch: return .wrong(Self.failed(.idTokenSignature, "it does not fit the provider's key"))
            }
        } catch { return .undecided(error) }
    }

    private static func failed(_ rule: SecurityCheck, _ detail: String) -> WireError {
        .untrusted(check: rule, detail: detail)
    }
}
