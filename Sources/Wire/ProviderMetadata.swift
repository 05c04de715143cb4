package import Identity
import StrictJSON

/// What a provider says of itself (OpenID Connect Discovery 1.0 section 3, RFC 8414 section 2), each address checked.
package struct ProviderMetadata: Hashable, Sendable {
    /// As the provider writes it; for Entra's many-tenant authorities with `{tenantid}` in it.
    package var issuer: String
    package var authorization: WebAddress
    package var token: WebAddress
    package var device: WebAddress?
    package var keys: WebAddress
    package var userInfo: WebAddress?
    package var revocation: WebAddress?
    package var endSession: WebAddress?
    package var registration: WebAddress?
    /// RFC 9207: the provider promises `iss` in each authorization response.
    package var announcesIssuer: Bool
    /// Empty when the provider does not say.
    package var scopes: ScopeSet

    /// Whether the issuer holds Entra ID's place for a tenant id (M6).
    package var isTemplate: Bool { issuer.contains(Self.placeholder) }

    static let placeholder = "{tenantid}"

    /// Whether a text names this issuer: simple string comparison (RFC 9207 section 2.4); with Entra ID's template, any tenant's identifier may stand
    /// in its place.
    ///
    /// - Parameter tenantID: the tenant that must stand there, when it is known.
    func isIssuer(_ text: String, tenantID: String? = nil) -> Bool {
        guard let place = issuer.firstRange(of: Self.placeholder) else { return text.utf8.elementsEqual(issuer.utf8) }
        let before = issuer[..<place.lowerBound]
        let after = issuer[place.upperBound...]
        guard text.utf8.count > before.utf8.count + after.utf8.count, text.utf8.starts(with: before.utf8),
            text.utf8.reversed().starts(with: after.utf8.reversed())
        else { return false }
        let tenant = String(decoding: text.utf8.dropFirst(before.utf8.count).dropLast(after.utf8.count), as: UTF8.self)
        return tenant.isGUID && (tenantID == nil || tenantID == tenant)
    }
}

extension ProviderMetadata {
    /// Reads and checks a document.
    ///
    /// - Throws: `untrusted` when it is not this authority's (M1, M6), `badEndpoint` when an address in it may not be used (M5), `unsupported` when
    ///   it lacks what every sign-in needs, or offers PKCE without S256 (P4).
    init(_ document: JSONObject, of authority: Authority) throws(WireError) {
        guard let issuer = document["issuer"]?.string else { throw .untrusted(check: "issuer", detail: "the metadata names none") }
        guard Self.mayIssue(issuer, for: authority) else {
            throw .untrusted(check: "issuer", detail: "asked \(authority), answered for \(OAuthError.clean(issuer, limit: 200))")
        }
        func address(_ name: String) throws(WireError) -> WebAddress? {
            guard let value = document[name], value != .null else { return nil }
            guard let text = value.string else { throw .badEndpoint(name: name, .scheme) }
            let address: WebAddress
            do { address = try WebAddress(text) } catch { throw .badEndpoint(name: name, error) }
            // M5: a provider elsewhere has no business on this machine, where any other program may listen.
            guard address.isSecure || authority.address.isLoopback else { throw .badEndpoint(name: name, .insecure) }
            return address
        }
        guard let authorization = try address("authorization_endpoint"), let token = try address("token_endpoint"),
            let keys = try address("jwks_uri")
        else { throw .unsupported("the provider's metadata lacks the authorization endpoint, the token endpoint or the keys") }
        if authority.kind == .aad {
            // A refresh token never leaves its cloud.
            guard
                token.host == authority.address.host || Cloud.isSame(token.host, authority.address.host)
                    || (token.isLoopback && authority.address.isLoopback)
            else { throw .untrusted(check: "token endpoint", detail: "\(token.host) is not in the cloud of \(authority.address.host)") }
        }
        if let methods = document["code_challenge_methods_supported"]?.array, !methods.contains(.string("S256")) {
            throw .unsupported("the provider does not support PKCE with S256")
        }
        self.init(
            issuer: issuer, authorization: authorization, token: token, device: try address("device_authorization_endpoint"), keys: keys,
            userInfo: try address("userinfo_endpoint"), revocation: try address("revocation_endpoint"),
            endSession: try address("end_session_endpoint"), registration: try address("registration_endpoint"),
            announcesIssuer: document["authorization_response_iss_parameter_supported"]?.bool ?? false,
            scopes: ScopeSet((document["scopes_supported"]?.array ?? []).compactMap(\.string)))
    }

    /// M1: byte for byte for OpenID Connect, but for the slash at the end, which the address of the document does not tell. M6: for Microsoft's
    /// products the issuer is of the same origin or cloud, and has the tenant that was asked for, or the place for one.
    private static func mayIssue(_ issuer: String, for authority: Authority) -> Bool {
        let asked = authority.address
        if authority.kind == .oidc {
            // Bytes, not characters: Unicode has look-alikes that Swift takes for equal, such as the Kelvin sign.
            return [asked.text, asked.text + "/"].contains { $0.utf8.elementsEqual(issuer.utf8) }
                || asked.text.utf8.elementsEqual((issuer + "/").utf8)
        }
        let filled = issuer.replacing(placeholder, with: "00000000-0000-0000-0000-000000000000")
        guard let address = try? WebAddress(filled), address.query == nil else { return false }
        let isSameOrigin = address.host == asked.host && address.port == asked.port && address.isSecure == asked.isSecure
        let isSameCloud = address.isSecure && address.port == nil && Cloud.isSame(address.host, asked.host)
        let isExternalID = authority.kind == .ciam && address.isSecure && address.host.hasSuffix(".ciamlogin.com")
        guard isSameOrigin || isSameCloud || isExternalID else { return false }
        guard authority.kind == .aad, authority.tenant.isGUID else { return true }
        return address.pathSegments.first?.asciiLowercased == authority.tenant.asciiLowercased
    }
}
