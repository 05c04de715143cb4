package import FoundationEssentials
package import Identity
package import Proofs
package import StrictJSON

/// Entra ID's `client_info`: the account's home IDs.
package struct ClientInfo: Hashable, Sendable {
    package let raw: String
    package let uid: String
    package let utid: String

    /// Nil unless it is base64url of `{"uid","utid"}` with valid parts of an identifier.
    init?(_ raw: String) {
        guard raw.utf8.count <= 8192, let bytes = Base64URL.decodeLeniently(raw),
            let object = try? JSONValue(parsing: bytes).object,
            let uid = object["uid"]?.string, let utid = object["utid"]?.string, Self.isPart(uid), Self.isPart(utid)
        else { return nil }
        self.raw = raw
        self.uid = uid
        self.utid = utid
    }

    private static func isPart(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 128 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

/// A successful token response (RFC 6749 section 5.1), each member checked; times are seconds.
package struct TokenGrant: Hashable, Sendable {
    /// Nil for an ID token alone: Azure AD B2C sends no access token for `openid profile`.
    package var accessToken: Secret?
    package var tokenType: String
    /// Nil if omitted: then as requested.
    package var scopes: ScopeSet?
    /// Nil if a server with OAuth 2.0 alone announces no end (RFC 6749 section 5.1).
    package var expiresIn: Int?
    package var extendedExpiresIn: Int?
    package var refreshIn: Int?
    package var refreshToken: Secret?
    package var idToken: Secret?
    package var clientInfo: ClientInfo?
    package var familyID: String?
    /// Why nothing may be handed out: a member violates RFC 6749 section 5.1, or the token has already expired. The new
    /// refresh token is still known, as a provider that rotates them has spent the old one.
    package var flaw: WireError?

    /// Assumed if the provider does not say.
    static let usualLifetime = 3600
    /// A year; longer lifetimes are capped.
    static let longestLifetime = 31_536_000
    private static let longestToken = 1_048_576

    /// Reads a response. The first member that is not as it must be becomes the ``flaw``.
    ///
    /// - Parameters:
    ///   - binding: the requested one; the token's type must match it.
    ///   - metadata: of the server; a server with OAuth 2.0 alone may separate scopes by commas, and its ID tokens are
    ///     ignored, as nothing checks them.
    ///   - now: the time of the response, for an expiry that is stated as a time.
    package init(
        _ object: JSONObject, binding: TokenBinding = .bearer, _ metadata: ProviderMetadata? = nil, now: Date = Date()
    ) {
        let isOAuthOnly = metadata?.isOAuthOnly ?? false
        var flaw: WireError?
        func note(_ check: SecurityCheck, _ detail: String) { flaw = flaw ?? .untrusted(check: check, detail: detail) }
        func token(_ name: String) -> Secret? {
            switch Self.token(object[name]) {
            case .absent: return nil
            case .token(let token): return token
            case .wrong(let why): note(.tokenResponse, "\(name) \(why)")
            }
            return nil
        }
        tokenType = binding.tokenType
        refreshToken = token("refresh_token")
        idToken = isOAuthOnly ? nil : token("id_token")
        accessToken = token("access_token")
        if accessToken == nil, idToken == nil { note(.tokenResponse, "no access_token") }
        // In any case. An unrequested scheme cannot be used (RFC 6749 section 7.1), and a bearer token must not pass
        // for a bound one.
        let type = object["token_type"]?.string?.asciiLowercased
        if accessToken != nil, type != binding.tokenType.asciiLowercased,
            type == nil || type != metadata?.habits.bearerType || binding.tokenType != "Bearer"
        {
            note(.tokenType, object["token_type"] == nil ? "missing" : "it is not \(binding.tokenType)")
        }
        // Bitbucket names it in the plural.
        switch object["scope"] ?? (isOAuthOnly ? object["scopes"] : nil) {
        case nil, .null: scopes = nil
        case .string(let text): scopes = ScopeSet(parsing: isOAuthOnly ? text.replacing(",", with: " ") : text)
        // Section 3.3: one string, separated by spaces. The contents of a list are not guessed.
        default: note(.tokenResponse, "scope is not a string")
        }
        if scopes?.isEmpty == true { scopes = nil }
        switch Self.lifetime(object, now) {
        case .absent: expiresIn = isOAuthOnly ? nil : Self.usualLifetime
        case .seconds(let seconds) where seconds > 0: expiresIn = seconds
        // Appendix A.14: digits, so not negative. Zero is valid, for an unusable token.
        case .seconds:
            expiresIn = 0
            note(.tokenResponse, "the access token has already expired")
        case .nonsense:
            expiresIn = 0
            note(.tokenResponse, "invalid expires_in or expires_on")
        }
        // Only hints, so errors are ignored.
        extendedExpiresIn = Self.lifetime(object["ext_expires_in"]).seconds
        refreshIn = Self.lifetime(object["refresh_in"]).seconds
        clientInfo = object["client_info"]?.string.flatMap { ClientInfo($0) }
        familyID = object["foci"]?.string.flatMap { $0.utf8.count <= 16 && ScopeSet.isScope($0) ? $0 : nil }
        self.flaw = flaw
        // It must not be handed out. The ID token stays, as it names the user of the refresh token.
        if flaw != nil { accessToken = nil }
    }

    private enum Member {
        case absent
        case token(Secret)
        case wrong(String)
    }

    /// Visible ASCII only: a token goes into a header and to standard output.
    private static func token(_ value: JSONValue?) -> Member {
        guard let value, value != .null else { return .absent }
        guard let text = value.string else { return .wrong("is not a string") }
        guard !text.isEmpty else { return .absent }
        guard text.utf8.count <= longestToken, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return .wrong("has invalid characters")
        }
        return .token(Secret(text))
    }

    private enum Lifetime {
        case absent, nonsense
        case seconds(Int)

        var seconds: Int? {
            if case .seconds(let seconds) = self { return seconds }
            return nil
        }
    }

    /// `expires_in`, else `expires_on`, which older endpoints of Microsoft send: seconds since 1970.
    private static func lifetime(_ object: JSONObject, _ now: Date) -> Lifetime {
        let stated = lifetime(object["expires_in"])
        guard case .absent = stated, let end = object["expires_on"], end != .null else { return stated }
        guard let seconds = number(end), let end = Date(epochSeconds: seconds) else { return .nonsense }
        return .seconds(Int(min(max(end.timeIntervalSince(now), 0), Double(longestLifetime))))
    }

    /// More than a year is capped; a number above 1e9 is a date, not a lifetime, so the default is assumed.
    private static func lifetime(_ value: JSONValue?) -> Lifetime {
        guard let value, value != .null else { return .absent }
        guard let number = number(value) else { return .nonsense }
        return .seconds(number >= 1e9 ? usualLifetime : Int(min(max(number, 0), Double(longestLifetime))))
    }

    /// Numbers, also in quotes as sent by old endpoints.
    private static func number(_ value: JSONValue) -> Double? {
        guard let text = value.string else { return value.double }
        guard text.utf8.count <= 20, text.utf8.allSatisfy({ $0 == 0x2E || (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Double(text)
    }
}

/// The token endpoint's response: a refusal is a result, not an error.
package enum TokenAnswer: Sendable {
    case granted(TokenGrant)
    case refused(OAuthError)
}
