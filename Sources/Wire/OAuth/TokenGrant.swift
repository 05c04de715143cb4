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
    /// Why the access token cannot be used: a member violates RFC 6749 section 5.1, or the token has already expired.
    /// The new refresh token must still be saved, as a provider that rotates them has spent the old one.
    package var flaw: WireError?

    /// Assumed if the provider does not say.
    static let usualLifetime = 3600
    /// A year; longer lifetimes are capped.
    static let longestLifetime = 31_536_000
    private static let longestToken = 1_048_576

    /// - Parameters:
    ///   - binding: the requested one; the token's type must match it.
    ///   - metadata: of the server; a server with OAuth 2.0 alone may separate scopes by commas, and its ID tokens are
    ///     ignored, as nothing checks them.
    package init(_ object: JSONObject, binding: TokenBinding = .bearer, _ metadata: ProviderMetadata? = nil)
        throws(WireError)
    {
        let isOAuthOnly = metadata?.isOAuthOnly ?? false
        let token = try Self.token("access_token", in: object)
        idToken = isOAuthOnly ? nil : try Self.token("id_token", in: object)
        guard token != nil || idToken != nil else {
            throw .untrusted(check: .tokenResponse, detail: "no access_token")
        }
        // In any case. An unrequested scheme cannot be used (RFC 6749 section 7.1), and a bearer token must not pass
        // for a bound one.
        let type = object["token_type"]?.string?.asciiLowercased
        guard
            token == nil || type == binding.tokenType.asciiLowercased
                || (type != nil && type == metadata?.habits.bearerType && binding.tokenType == "Bearer")
        else {
            throw .untrusted(
                check: .tokenType,
                detail: object["token_type"] == nil ? "missing" : "it is not \(binding.tokenType)")
        }
        accessToken = token
        tokenType = binding.tokenType
        // Bitbucket names it in the plural.
        switch object["scope"] ?? (isOAuthOnly ? object["scopes"] : nil) {
        case nil, .null: scopes = nil
        case .string(let text): scopes = ScopeSet(parsing: isOAuthOnly ? text.replacing(",", with: " ") : text)
        // Section 3.3: one string, separated by spaces. The contents of a list are not guessed.
        default: flaw = .untrusted(check: .tokenResponse, detail: "scope is not a string")
        }
        if scopes?.isEmpty == true { scopes = nil }
        switch Self.lifetime(object["expires_in"]) {
        case .absent: expiresIn = isOAuthOnly ? nil : Self.usualLifetime
        case .seconds(let seconds) where seconds > 0: expiresIn = seconds
        // Appendix A.14: digits, so not negative. Zero is valid, for an unusable token.
        case .seconds:
            expiresIn = 0
            flaw = .untrusted(check: .tokenResponse, detail: "the access token has already expired (expires_in)")
        case .nonsense:
            expiresIn = 0
            flaw = .untrusted(check: .tokenResponse, detail: "invalid expires_in")
        }
        // Only hints, so errors are ignored.
        extendedExpiresIn = Self.lifetime(object["ext_expires_in"]).seconds
        refreshIn = Self.lifetime(object["refresh_in"]).seconds
        refreshToken = try Self.token("refresh_token", in: object)
        clientInfo = object["client_info"]?.string.flatMap { ClientInfo($0) }
        familyID = object["foci"]?.string.flatMap { $0.utf8.count <= 16 && ScopeSet.isScope($0) ? $0 : nil }
    }

    /// Visible ASCII only: a token goes into a header and to standard output.
    private static func token(_ name: String, in object: JSONObject) throws(WireError) -> Secret? {
        guard let value = object[name], value != .null else { return nil }
        guard let text = value.string else {
            throw .untrusted(check: .tokenResponse, detail: "\(name) is not a string")
        }
        guard !text.isEmpty else { return nil }
        guard text.utf8.count <= longestToken, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .untrusted(check: .tokenResponse, detail: "\(name) has invalid characters")
        }
        return Secret(text)
    }

    private enum Lifetime {
        case absent, nonsense
        case seconds(Int)

        var seconds: Int? {
            if case .seconds(let seconds) = self { return seconds }
            return nil
        }
    }

    /// Numbers, also in quotes as sent by old endpoints. More than a year is capped; a number above 1e9 is a date, not
    /// a lifetime, so the default is assumed.
    private static func lifetime(_ value: JSONValue?) -> Lifetime {
        guard let value, value != .null else { return .absent }
        let number: Double?
        if let text = value.string {
            number =
                text.utf8.count <= 20 && text.utf8.allSatisfy({ $0 == 0x2E || (0x30...0x39).contains($0) })
                ? Double(text) : nil
        } else {
            number = value.double
        }
        guard let number else { return .nonsense }
        return .seconds(number >= 1e9 ? usualLifetime : Int(min(max(number, 0), Double(longestLifetime))))
    }
}

/// The token endpoint's response: a refusal is a result, not an error.
package enum TokenAnswer: Sendable {
    case granted(TokenGrant)
    case refused(OAuthError)
}
