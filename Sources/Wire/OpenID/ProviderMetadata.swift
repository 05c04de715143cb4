package import Identity
package import StrictJSON

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
    package var announcesIssuer = false
    /// Empty when the provider does not say.
    package var scopes: ScopeSet = []
    /// RFC 9126: where authorization requests are pushed to.
    package var pushedAuthorization: WebAddress?
    /// RFC 9126 section 5: an authorization request that was not pushed is refused.
    package var requiresPushedAuthorization = false
    /// Empty when the provider does not say: then it is `query` and `fragment`.
    package var responseModes: [String] = []
    /// RFC 9449 section 5.1: the algorithms of proofs; empty when the provider does not bind tokens to keys.
    package var proofAlgorithms: [String] = []

    /// Whether the issuer holds Entra ID's place for a tenant id.
    package var isTemplate: Bool { issuer.contains(Self.placeholder) }

    /// Whether tokens can be bound to a key of the kind that this program has (RFC 9449 section 5.1).
    package var offersProofs: Bool { proofAlgorithms.contains("ES256") }

    static let placeholder = "{tenantid}"

    /// Whether a text names this issuer: simple string comparison (RFC 9207 section 2.4); with Entra ID's template, any
    /// tenant's identifier may stand in its place.
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
    /// Most names that are kept of one list.
    private static let mostNames = 500

    /// Reads and checks a document; also one that was kept, which is believed no more than one that has just come.
    ///
    /// - Parameters:
    ///   - document: the metadata, or what ``document`` wrote.
    ///   - manual: what takes the place of the document's members; its issuer is the only one that is accepted when it
    ///     names one.
    ///   - aliases: host names of the authority's cloud that instance discovery told, beside those of the built-in
    ///     table.
    /// - Throws: `untrusted` when it is not this authority's, `badEndpoint` when an address in it may not be used,
    ///   `unsupported` when it lacks what every sign-in needs, or offers PKCE without S256.
    package init(
        _ document: JSONObject, of authority: Authority, manual: EndpointOverrides = EndpointOverrides(),
        aliases: [String] = []
    ) throws(WireError) {
        guard let issuer = document["issuer"]?.string else {
            throw .untrusted(check: .issuer, detail: "the metadata names none")
        }
        guard IssuerMatch(authority: authority, manual: manual, aliases: aliases).accepts(issuer) else {
            throw .untrusted(
                check: .issuer,
                detail:
                    """
                    asked \(manual.issuer ?? authority.description), answered for \
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
            // A provider elsewhere has no business on this machine, where any other program may listen.
            guard address.isSecure || authority.address.isLoopback else { throw .badEndpoint(name: name, .insecure) }
            return address
        }
        guard let authorization = try address("authorization_endpoint"), let token = try address("token_endpoint"),
            let keys = try address("jwks_uri")
        else {
            throw .unsupported(
                "the provider's metadata lacks the authorization endpoint, the token endpoint or the keys",
                hint:
                    """
                    check the authority; what a provider does not say can be written into the settings as its \
                    endpoints
                    """
            )
        }
        if authority.kind == .aad {
            // A refresh token never leaves its cloud.
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
                hint: "it has to be switched on at the provider; no sign-in goes without it"
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
            announcesIssuer: document["authorization_response_iss_parameter_supported"]?.bool ?? false,
            scopes: ScopeSet(names("scopes_supported")),
            pushedAuthorization: try address("pushed_authorization_request_endpoint"),
            requiresPushedAuthorization: document["require_pushed_authorization_requests"]?.bool ?? false,
            responseModes: names("response_modes_supported"),
            proofAlgorithms: names("dpop_signing_alg_values_supported"))
    }

    /// The metadata as a document, for whoever keeps it across processes; ``init(_:of:manual:aliases:)`` reads it and
    /// checks it again.
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
            text("registration_endpoint", registration),
            text("pushed_authorization_request_endpoint", pushedAuthorization),
            flag("authorization_response_iss_parameter_supported", announcesIssuer),
            flag("require_pushed_authorization_requests", requiresPushedAuthorization),
            list("scopes_supported", scopes.names),
            list("response_modes_supported", responseModes), list("dpop_signing_alg_values_supported", proofAlgorithms),
        ]
        return JSONObject(members.compactMap(\.self))
    }
}
