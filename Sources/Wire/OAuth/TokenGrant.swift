package import Identity
package import StrictJSON

/// `client_info` of Entra ID: who it is at home.
package struct ClientInfo: Hashable, Sendable {
    package let raw: String
    package let uid: String
    package let utid: String

    /// Nil when it is not base64url of `{"uid","utid"}`, or when either could not be part of an identifier.
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
    /// Nil where an ID token came alone: Azure AD B2C gives no other for `openid profile`, which is no API's scope.
    package var accessToken: Secret?
    package var tokenType: String
    /// Nil when the provider left it out: then it is what was asked for.
    package var scopes: ScopeSet?
    package var expiresIn: Int
    package var extendedExpiresIn: Int?
    package var refreshIn: Int?
    package var refreshToken: Secret?
    package var idToken: Secret?
    package var clientInfo: ClientInfo?
    package var familyID: String?
    /// Why the access token may not be used, though the answer is one: a member is not as RFC 6749 section 5.1 has it,
    /// or the token was over when it came. What the refresh token has become is known all the same, and a provider that
    /// rotates has spent the old one.
    package var flaw: WireError?

    /// What is assumed when the provider does not say.
    static let usualLifetime = 3600
    /// No token is believed to live longer than a year.
    static let longestLifetime = 31_536_000
    private static let longestToken = 1_048_576

    /// - Parameter binding: what was asked for: the type of the token must be the one that belongs to it.
    package init(_ object: JSONObject, binding: TokenBinding = .bearer) throws(WireError) {
        let token = try Self.token("access_token", in: object)
        idToken = try Self.token("id_token", in: object)
        guard token != nil || idToken != nil else {
            throw .untrusted(check: .tokenResponse, detail: "there is no access token in it")
        }
        // Any case; a scheme that was not asked for cannot be used (RFC 6749 section 7.1), and a bearer token
        // in place of a bound one would be taken for more than it is.
        guard
            token == nil || object["token_type"]?.string?.asciiLowercased == binding.tokenType.asciiLowercased
        else {
            throw .untrusted(
                check: .tokenType,
                detail: object["token_type"] == nil ? "there is none" : "it is not \(binding.tokenType)")
        }
        accessToken = token
        tokenType = binding.tokenType
        switch object["scope"] {
        case nil, .null: scopes = nil
        case .string(let text): scopes = ScopeSet(parsing: text)
        // Section 3.3: names parted by spaces, in one text. A list is none, and what it grants is not guessed.
        default: flaw = .untrusted(check: .tokenResponse, detail: "scope is not a text")
        }
        if scopes?.isEmpty == true { scopes = nil }
        switch Self.lifetime(object["expires_in"]) {
        case .absent: expiresIn = Self.usualLifetime
        case .seconds(let seconds) where seconds > 0: expiresIn = seconds
        // Appendix A.14: digits, and so no negative number. Zero is one, of a token that nobody can use.
        case .seconds:
            expiresIn = 0
            flaw = .untrusted(check: .tokenResponse, detail: "the access token was over when it came (expires_in)")
        case .nonsense:
            expiresIn = 0
            flaw = .untrusted(check: .tokenResponse, detail: "expires_in is no length of time")
        }
        // Hints only: without them nothing is lost.
        extendedExpiresIn = Self.lifetime(object["ext_expires_in"]).seconds
        refreshIn = Self.lifetime(object["refresh_in"]).seconds
        refreshToken = try Self.token("refresh_token", in: object)
        clientInfo = object["client_info"]?.string.flatMap { ClientInfo($0) }
        familyID = object["foci"]?.string.flatMap { $0.utf8.count <= 16 && ScopeSet.isScope($0) ? $0 : nil }
    }

    /// Visible ASCII only: a token goes into a header and onto standard output.
    private static func token(_ name: String, in object: JSONObject) throws(WireError) -> Secret? {
        guard let value = object[name], value != .null else { return nil }
        guard let text = value.string else { throw .untrusted(check: .tokenResponse, detail: "\(name) is not a text") }
        guard !text.isEmpty else { return nil }
        guard text.utf8.count <= longestToken, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .untrusted(check: .tokenResponse, detail: "\(name) has characters that no token may have")
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

    /// Numbers, and numbers in quotes as elder endpoints send them. What is over is over; more than a year is cut to
    /// one; more than thirty is a date and no length, and the usual length is assumed.
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

/// How the token endpoint answered: a refusal is an answer, not an error.
package enum TokenAnswer: Sendable {
    case granted(TokenGrant)
    case refused(OAuthError)
}
