package import FoundationEssentials
@_spi(IDTokenCheck) package import Identity
import StrictJSON

/// A received ID token. Its contents must not be trusted.
package struct UncheckedIDToken: Sendable {
    let secret: Secret
    package init(_ secret: Secret) { self.secret = secret }
}

package enum IDTokenFinding: Sendable {
    case passed(IDToken)
    /// No rule failed, but not all could be checked: no keys, an unknown key, or a wrong clock. It came from the token
    /// endpoint over TLS and has the expected claims (Core section 3.1.3.7 rule 6).
    case unchecked(Claims, because: WireError)
    case wrong(WireError)
}

/// An ID token that passed every rule; only ``IDTokenCheck`` creates one.
package struct IDToken: Sendable {
    package let claims: CheckedClaims
    package let secret: Secret
    /// Issued in the future, which does not fail a refresh. Lowercase, no full stop.
    package let warning: String?
    /// False if TLS alone vouches for it: the provider has no keys (Core section 3.1.3.7 rule 6).
    package let isSignatureVerified: Bool

    fileprivate init(claims: CheckedClaims, secret: Secret, warning: String? = nil, isSignatureVerified: Bool) {
        (self.claims, self.secret, self.warning) = (claims, secret, warning)
        self.isSignatureVerified = isSignatureVerified
    }
}

/// Claims of the cached ID token before a refresh, for Core section 12.2. It is not checked again: it can only make a
/// new token fail, never pass.
package struct PreviousIDToken: Sendable {
    package let subject: String
    let nonce: String?

    /// - Parameter token: the cached token. Returns nil if it is unreadable or has no subject to compare.
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

    /// Allowed clock difference in seconds, as in Microsoft's service libraries.
    private static let leeway: TimeInterval = 300
    /// Smaller for `max_age`: a limit should be stretched only by the usual clock difference.
    private static let authenticationLeeway: TimeInterval = 120

    /// - Parameters:
    ///   - nonce: the sent one; nil for device and refresh grants, which have none.
    ///   - previous: the ID token before a refresh: the subject must match, and the nonce, if the new one has one.
    ///   - maxAge: seconds, from the authorization request; the token then needs `auth_time`.
    ///   - requiredACR: accepted authentication classes; empty for any.
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

    /// - Throws: `untrusted` with the failed rule; transport errors if the keys could not be fetched.
    package func check(_ token: UncheckedIDToken) async throws(WireError) -> IDToken {
        switch await examine(token) {
        case .passed(let token): return token
        case .unchecked(_, let reason), .wrong(let reason): throw reason
        }
    }

    /// Applies every possible rule, so a token counts as unchecked only if nothing in it is wrong.
    package func examine(_ token: UncheckedIDToken) async -> IDTokenFinding {
        let jwt: DecodedJWT
        let subject: String
        do throws(WireError) {
            jwt = try readable(token)
            subject = try checkedSubject(jwt.payload)
            try checkAccessTokenHash(jwt)
        } catch { return .wrong(error) }
        let ahead = notYet(jwt.payload)
        // A refresh response comes over TLS, for the token that was sent, with the previous subject. If it is from the
        // future, this machine's clock is slow; this says nothing about the sender.
        let isExcused = previous != nil
        let doubt = over(jwt.payload) ?? (isExcused ? nil : ahead)
        switch await signature(jwt) {
        case .verified, .notNeeded:
            if let doubt { return .unchecked(jwt.payload, because: doubt) }
            return .passed(
                IDToken(
                    claims: CheckedClaims(passed: jwt.payload, subject: subject), secret: token.secret,
                    warning: isExcused ? ahead?.message : nil,
                    isSignatureVerified: !metadata.vouchesForIDTokens))
        case .undecided(let reason): return .unchecked(jwt.payload, because: doubt ?? reason)
        case .wrong(let reason): return .wrong(reason)
        }
    }

    private func readable(_ token: UncheckedIDToken) throws(WireError) -> DecodedJWT {
        let jwt: DecodedJWT
        // Rule 1: encryption was not requested. Requires three parts, canonical base64url and unique names.
        do { jwt = try DecodedJWT(token.secret) } catch { throw Self.failed(.idTokenForm, error.description) }
        // RFC 8725 section 3.11: reject explicit other types of JWT, such as at+jwt.
        if let type = jwt.header["typ"], type.string.map({ !$0.asciiLowercased.hasSuffix("+jwt") }) != true {
            throw Self.failed(.idTokenType, "its type is not an ID token")
        }
        return jwt
    }

    /// Applies the rules that depend on neither a clock nor the signature, and returns the subject.
    private func checkedSubject(_ claims: Claims) throws(WireError) -> String {
        // Rule 2: Entra's template is filled with the token's own tenant, which must be a GUID.
        let tenantID = claims.string("tid")
        if metadata.isTemplate, tenantID?.isGUID != true, !metadata.mayLackTenantID || claims["tid"] != nil {
            throw Self.failed(
                .idTokenIssuer, claims["tid"] == nil ? "no tenant (tid)" : "tid is not a GUID")
        }
        guard let issuer = claims.string("iss") else {
            throw Self.failed(.idTokenIssuer, Self.lack("iss", in: claims, "string"))
        }
        guard metadata.isIssuer(issuer, tenantID: metadata.isTemplate ? tenantID : nil) else {
            throw Self.failed(.idTokenIssuer, "wrong issuer")
        }
        // Rule 3. More audiences are accepted if the authorized party is this client: providers add a project's
        // resources.
        let audience = claims.strings("aud")
        guard audience.contains(clientID), claims["aud"]?.array.map({ $0.count == audience.count }) ?? true else {
            throw Self.failed(.idTokenAudience, claims["aud"] == nil ? "no audience" : "issued for another client")
        }
        // Rules 4 and 5.
        if audience.count > 1, claims.string("azp") == nil {
            throw Self.failed(.idTokenAuthorizedParty, "several audiences, no authorized party (azp)")
        }
        if claims["azp"] != nil, claims.string("azp") != clientID {
            throw Self.failed(.idTokenAuthorizedParty, "wrong authorized party (azp)")
        }
        // Rules 9 and 10: exp and iat are numbers; they are compared with the clock elsewhere.
        guard claims.date("exp") != nil else { throw Self.failed(.idTokenExpiry, Self.lack("exp", in: claims, "time")) }
        guard claims.date("iat") != nil else {
            throw Self.failed(.idTokenIssueTime, Self.lack("iat", in: claims, "time"))
        }
        // Section 12.2: a refreshed token has no nonce, or the sign-in's.
        if let previousNonce = previous?.nonce, claims["nonce"] != nil, claims.string("nonce") != previousNonce {
            throw Self.failed(.idTokenNonce, "it differs from the sign-in's")
        }
        // Rule 11. Not checked if no nonce was sent.
        if let nonce {
            guard let found = claims.string("nonce"), Secret(found).isEqual(constantTime: Secret(nonce)) else {
                throw Self.failed(
                    .idTokenNonce, claims["nonce"] == nil ? "no nonce" : "nonce mismatch")
            }
        }
        // Rule 12: one of the requested classes.
        if !requiredACR.isEmpty, !requiredACR.contains(claims.string("acr") ?? "") {
            throw Self.failed(.idTokenAuthenticationClass, "not one of the requested classes")
        }
        // Rule 13. Without a request, auth_time is ignored: providers send it in odd forms.
        if let maxAge {
            guard let proven = claims.date("auth_time") else {
                throw Self.failed(.idTokenAuthenticationTime, Self.lack("auth_time", in: claims, "time"))
            }
            guard now.timeIntervalSince(proven) <= Double(maxAge) + Self.authenticationLeeway else {
                throw Self.failed(.idTokenAuthenticationTime, "too old (max_age)")
            }
        }
        guard let subject = claims.string("sub"), Self.isSubject(subject) else {
            throw Self.failed(.idTokenSubject, Self.lack("sub", in: claims, "string of 1 to 255 ASCII characters"))
        }
        if let previous, previous.subject != subject {
            throw Self.failed(.idTokenSubject, "different user (sub) than before")
        }
        return subject
    }

    /// An existing but unreadable claim is not a missing one.
    private static func lack(_ name: String, in claims: Claims, _ kind: String) -> String {
        claims[name] == nil ? "missing" : "\(name) is not a \(kind)"
    }

    /// Rule 9, as far as it depends on a clock, which may be wrong.
    private func over(_ claims: Claims) -> WireError? {
        guard let expiry = claims.date("exp"), now.timeIntervalSince(expiry) > Self.leeway else { return nil }
        return Self.failed(.idTokenExpiry, "expired; check this machine's clock")
    }

    /// Rule 10 and RFC 7519 section 4.1.5 (iat, nbf), which also depend on a clock.
    private func notYet(_ claims: Claims) -> WireError? {
        if let issued = claims.date("iat"), issued.timeIntervalSince(now) > Self.leeway {
            return Self.failed(.idTokenIssueTime, "issued in the future; check this machine's clock")
        }
        if let begin = claims.date("nbf"), begin.timeIntervalSince(now) > Self.leeway {
            return Self.failed(.idTokenBegin, "not valid yet; check this machine's clock")
        }
        return nil
    }

    package static func isSubject(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255 && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }

    /// 3.1.3.8: the left half of the digest, if present, by the hash of the token's own algorithm.
    private func checkAccessTokenHash(_ jwt: DecodedJWT) throws(WireError) {
        guard jwt.payload["at_hash"] != nil, let accessToken else { return }
        guard let hash = SignatureHash(algorithm: jwt.header.string("alg") ?? "") else {
            // The check of the signature refuses the algorithm, unless TLS alone vouches for the token.
            guard metadata.vouchesForIDTokens else { return }
            throw Self.failed(.idTokenAccessTokenHash, "unknown algorithm, so unknown hash")
        }
        guard jwt.payload.string("at_hash") == Base64URL.encode(hash.half(of: accessToken.reveal())) else {
            throw Self.failed(.idTokenAccessTokenHash, "at_hash mismatch")
        }
    }

    private enum SignatureOutcome {
        case verified
        case notNeeded
        /// The provider's keys are unavailable, or the named one is not among them (yet).
        case undecided(WireError)
        case wrong(WireError)
    }

    /// Rules 6 to 8: verified with the issuer's keys only; keys in the header are ignored. If the provider has none,
    /// TLS vouches for the token, but it must not be unsigned, which a client has to register for (Core section 2).
    private func signature(_ jwt: DecodedJWT) async -> SignatureOutcome {
        if metadata.vouchesForIDTokens {
            guard let algorithm = jwt.header.string("alg"), algorithm.asciiLowercased != "none" else {
                return .wrong(Self.failed(.idTokenSignature, "its algorithm is not accepted"))
            }
            return .notNeeded
        }
        do throws(WireError) {
            switch try await SignatureCheck(keys: keys, address: try metadata.requiredKeys()).check(jwt) {
            case .verified: return .verified
            case .unsupportedAlgorithm: return .wrong(Self.failed(.idTokenSignature, "its algorithm is not accepted"))
            case .criticalExtension:
                return .wrong(Self.failed(.idTokenSignature, "it requires an unsupported extension (crit)"))
            case .weakKey:
                return .wrong(
                    Self.failed(.idTokenSignature, "the provider's key is too weak: RSA keys have at least 2048 bits"))
            case .noSuchKey: return .undecided(Self.failed(.idTokenSignature, "the provider has no such key"))
            case .otherKindOfKey:
                return .wrong(Self.failed(.idTokenSignature, "the provider's key is not for its algorithm"))
            case .mismatch: return .wrong(Self.failed(.idTokenSignature, "does not match the provider's key"))
            }
        } catch { return .undecided(error) }
    }

    private static func failed(_ rule: SecurityCheck, _ detail: String) -> WireError {
        .untrusted(check: rule, detail: detail)
    }
}
