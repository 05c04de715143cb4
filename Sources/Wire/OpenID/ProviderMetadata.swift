package import Identity
import Proofs
package import StrictJSON

/// A provider's metadata (OpenID Connect Discovery 1.0 section 3, RFC 8414 section 2), with each URL checked.
package struct ProviderMetadata: Hashable, Sendable {
    /// As written by the provider; contains `{tenantid}` for Entra's multitenant authorities.
    package var issuer: String
    package var authorization: WebAddress
    package var token: WebAddress
    package var device: WebAddress?
    /// Nil only if ``isOAuthOnly``, or if neither the metadata nor the endpoints by hand have one.
    package var keys: WebAddress?
    package var userInfo: WebAddress?
    package var revocation: WebAddress?
    package var endSession: WebAddress?
    package var registration: WebAddress?
    /// RFC 7662.
    package var introspection: WebAddress?
    /// RFC 9207: each authorization response has `iss`.
    package var announcesIssuer = false
    package var scopes: ScopeSet = []
    package var pushedAuthorization: WebAddress?
    /// RFC 9126 section 5: authorization requests must be pushed.
    package var requiresPushedAuthorization = false
    /// If empty: `query` and `fragment`.
    package var responseModes: [String] = []
    /// RFC 9449 section 5.1: algorithms of proofs; empty if unsupported.
    package var proofAlgorithms: [String] = []
    /// How clients authenticate at the token endpoint; if empty: `client_secret_basic`.
    package var tokenAuthenticationMethods: [String] = []
    /// A server with OAuth 2.0 alone: no ID tokens are requested or read, and scopes are sent unchanged.
    package var isOAuthOnly = false
    /// Those of a known server; not part of ``document``.
    package var habits = KnownServer.Habits()

    /// Whether ID tokens may have no `tid`, as B2C's: of a template, any tenant's issuer is then accepted.
    var mayLackTenantID = false

    package var isTemplate: Bool { issuer.contains(Self.placeholder) }

    /// Whether tokens can be bound to this library's kind of key (RFC 9449 section 5.1).
    package var offersProofs: Bool { proofAlgorithms.contains("ES256") }

    /// Whether an ID token of the token endpoint needs no signature: TLS vouches for it, as the provider has no keys
    /// (OpenID Connect Core section 3.1.3.7 rule 6). On loopback, the endpoint's own address vouches for it.
    var vouchesForIDTokens: Bool { keys == nil && !isOAuthOnly && (token.isSecure || token.isLoopback) }

    /// - Throws: `unsupported` if there are none.
    package func requiredKeys() throws(WireError) -> WebAddress {
        guard let keys else {
            throw .unsupported(
                isOAuthOnly ? "the server has no keys: it issues no ID tokens" : "the provider publishes no keys")
        }
        return keys
    }

    static let placeholder = "{tenantid}"

    /// Simple string comparison (RFC 9207 section 2.4); Entra ID's template accepts any tenant, or only `tenantID` if
    /// set.
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
    private static let mostNames = 500

    /// Reads and checks a document; a cached one is not trusted more than a new one.
    ///
    /// - Parameters:
    ///   - document: the metadata, or ``document``.
    ///   - manual: overrides the document's members; if it has an issuer, only that one is accepted.
    ///   - aliases: host names of the authority's cloud from instance discovery, in addition to the built-in table.
    /// - Throws: `untrusted` if it is not this authority's, `badEndpoint` if a URL in it is not allowed, `unsupported`
    ///   if it lacks a required endpoint, or offers PKCE without S256.
    package init(
        _ document: JSONObject, of authority: Authority, manual: EndpointOverrides = EndpointOverrides(),
        aliases: [String] = []
    ) throws(WireError) {
        let isOAuthOnly = authority.kind == .oauth2
        guard let issuer = document["issuer"]?.string else {
            throw .untrusted(check: .issuer, detail: "no issuer in the metadata")
        }
        guard IssuerMatch(authority: authority, manual: manual, aliases: aliases).accepts(issuer) else {
            throw .untrusted(
                check: .issuer,
                detail:
                    """
                    expected \(manual.issuer ?? authority.description), got \
                    \(OAuthError.clean(issuer, limit: 200))
                    """
            )
        }
        let given = Dictionary(uniqueKeysWithValues: manual.members.map { ($0.name, $0.address) })
        func address(_ name: String) throws(WireError) -> WebAddress? {
            if let address = given[name] { return address }
            guard let value = document[name], value != .null else { return nil }
            guard let text = value.string else { throw .badEndpoint(name: name, .scheme) }
            let address: WebAddress
            do { address = try WebAddress(text) } catch { throw .badEndpoint(name: name, error) }
            // A remote provider must not point to this machine, where any program can listen.
            guard address.isSecure || authority.address.isLoopback else { throw .badEndpoint(name: name, .insecure) }
            return address
        }
        guard let authorization = try address("authorization_endpoint"), let token = try address("token_endpoint")
        else {
            throw .unsupported(
                "the provider's metadata lacks the authorization endpoint or token endpoint",
                hint: "check the authority, or set missing endpoints in the settings")
        }
        let keys = try address("jwks_uri")
        guard keys != nil || isOAuthOnly || manual.mayLackKeys(authority.kind) else {
            throw .unsupported(
                "the provider's metadata has no keys (jwks_uri), which ID tokens are verified with",
                hint: """
                    set the endpoint jwks in the settings, or kind = "oauth2" if this server has no OpenID Connect
                    """)
        }
        if authority.kind == .aad {
            // A refresh token must never leave its cloud.
            guard
                token.host == authority.address.host || Cloud.isSame(token.host, authority.address.host)
                    || aliases.contains(token.host)
                    || (token.isLoopback && authority.address.isLoopback)
            else {
                throw .untrusted(
                    check: .tokenEndpoint, detail: "\(token.host) is not in the cloud of \(authority.address.host)")
            }
        }
        if let methods = document["code_challenge_methods_supported"]?.array, !methods.contains(.string("S256")) {
            throw .unsupported(
                "the provider does not support PKCE with S256",
                hint: "enable PKCE (S256) at the provider; it is required"
            )
        }
        func names(_ name: String) -> [String] {
            (document[name]?.array ?? []).prefix(Self.mostNames).compactMap(\.string)
        }
        self.init(
            issuer: issuer, authorization: authorization, token: token,
            device: try address("device_authorization_endpoint"), keys: keys,
            userInfo: try address("userinfo_endpoint"), revocation: try address("revocation_endpoint"),
            endSession: try address("end_session_endpoint"), registration: try address("registration_endpoint"),
            introspection: try address("introspection_endpoint"),
            announcesIssuer: document["authorization_response_iss_parameter_supported"]?.bool ?? false,
            scopes: ScopeSet(names("scopes_supported")),
            pushedAuthorization: try address("pushed_authorization_request_endpoint"),
            requiresPushedAuthorization: document["require_pushed_authorization_requests"]?.bool ?? false,
            responseModes: names("response_modes_supported"),
            proofAlgorithms: names("dpop_signing_alg_values_supported"),
            tokenAuthenticationMethods: names("token_endpoint_auth_methods_supported"), isOAuthOnly: isOAuthOnly,
            mayLackTenantID: authority.kind == .b2c)
    }

    /// For caching across processes; ``init(_:of:manual:aliases:)`` reads and checks it again.
    package var document: JSONObject {
        func text(_ name: String, _ address: WebAddress?) -> JSONMember? {
            address.map { JSONMember(name: name, value: .string($0.text)) }
        }
        func list(_ name: String, _ names: [String]) -> JSONMember? {
            names.isEmpty ? nil : JSONMember(name: name, value: .array(names.map { .string($0) }))
        }
        func flag(_ name: String, _ value: Bool) -> JSONMember? {
            value ? JSONMember(name: name, value: .bool(true)) : nil
        }
        let members: [JSONMember?] = [
            JSONMember(name: "issuer", value: .string(issuer)), text("authorization_endpoint", authorization),
            text("token_endpoint", token),
            text("device_authorization_endpoint", device), text("jwks_uri", keys), text("userinfo_endpoint", userInfo),
            text("revocation_endpoint", revocation), text("end_session_endpoint", endSession),
            text("registration_endpoint", registration), text("introspection_endpoint", introspection),
            text("pushed_authorization_request_endpoint", pushedAuthorization),
            flag("authorization_response_iss_parameter_supported", announcesIssuer),
            flag("require_pushed_authorization_requests", requiresPushedAuthorization),
            list("scopes_supported", scopes.names),
            list("response_modes_supported", responseModes), list("dpop_signing_alg_values_supported", proofAlgorithms),
            list("token_endpoint_auth_methods_supported", tokenAuthenticationMethods),
        ]
        return JSONObject(members.compactMap(\.self))
    }
}
