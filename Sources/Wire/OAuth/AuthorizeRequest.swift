package import FoundationEssentials
package import Identity
package import Proofs

/// Extra parameters of the authorization request; never ones that the program sets itself.
package struct ExtraParameters: Hashable, Sendable {
    /// The name is cleaned; values are not quoted.
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// Set by the program; another value could disable a protection.
        case reserved(String)
        case duplicate(String)
        case malformed(String)

        package var description: String {
            switch self {
            case .reserved(let name): "the query parameter \(name) is set by foyer"
            case .duplicate(let name): "the query parameter \(name) is given twice"
            case .malformed(let name): "the query parameter \(name) has an invalid name or value"
            }
        }
    }

    package static let none = ExtraParameters(checked: [])
    let fields: [Field]

    struct Field: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// Parameters of the code flow, and those with their own property.
    private static let reserved: Set<String> = [
        "client_id", "response_type", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "response_mode",
        "request", "request_uri", "resource", "client_secret", "dpop_jkt", "claims", "prompt", "login_hint",
        "domain_hint",
        "max_age", "acr_values",
        "client_info", "id_token_hint", "instance_aware", "login_req", "domain_req", "client-request-id",
        "return-client-request-id",
    ]
    private static let mostFields = 32

    private init(checked fields: [Field]) { self.fields = fields }

    package init(_ parameters: [String: String]) throws(Problem) {
        try self.init(parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    }

    /// - Parameter pairs: in order; at most 32, each value at most 1024 bytes.
    /// - Throws: ``Problem`` for a reserved name (in any case), a duplicate, or one that is invalid in a URL.
    package init(_ pairs: [(name: String, value: String)]) throws(Problem) {
        var fields: [Field] = []
        var seen: Set<String> = []
        for (name, value) in pairs {
            let folded = name.asciiLowercased
            guard !name.isEmpty, name.utf8.count <= 64, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
                value.utf8.count <= 1024,
                value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }),
                fields.count < Self.mostFields
            else { throw .malformed(OAuthError.clean(name, limit: 64)) }
            guard !Self.reserved.contains(folded) else { throw .reserved(name) }
            guard seen.insert(folded).inserted else { throw .duplicate(name) }
            fields.append(Field(name: name, value: value))
        }
        self.init(checked: fields)
    }
}

/// The authorization request: RFC 6749 section 4.1.1 with PKCE, OpenID Connect Core section 3.1.2.1.
package struct AuthorizeRequest: Sendable {
    let metadata: ProviderMetadata
    let clientID: String
    let isEntra: Bool
    let fields: [(name: String, value: String)]

    /// - Parameters:
    ///   - redirectURI: the listener's, with its port; the token request must repeat it.
    ///   - state: random, for this request only, like `nonce`.
    ///   - reservedScopes: chosen ones of `openid`, `profile` and `offline_access`; `openid` is always sent. Nil for
    ///     all three.
    ///   - claims: a claims request as JSON, sent unchanged.
    ///   - isEntra: whether to send Entra ID's extensions.
    ///   - responseMode: `query` is sent to Entra ID only; elsewhere it is the default.
    ///   - maxAge: seconds since the last authentication; 0 requires a new one. The ID token then needs `auth_time`.
    ///   - acrValues: authentication classes in order of preference.
    ///   - homeAccountID: `uid.utid` of the intended account: Entra ID's `login_req` and `domain_req`.
    ///   - instanceAware: whether Entra ID may respond from the user's own cloud.
    ///   - correlationID: for the whole acquisition; sent to Entra ID only.
    ///   - resource: the resource indicator, RFC 8707 section 2.1.
    ///   - boundTo: the key to bind the code to, RFC 9449 section 10.
    package init(
        metadata: ProviderMetadata, clientID: String, redirectURI: String, scopes: ScopeSet,
        reservedScopes: ScopeSet? = nil, state: String, nonce: String, pkce: PKCE, prompt: Prompt?, loginHint: String?,
        domainHint: String?, claims: String?, isEntra: Bool, responseMode: ResponseMode = .query, maxAge: Int? = nil,
        acrValues: [String] = [], homeAccountID: String? = nil, instanceAware: Bool = false, correlationID: UUID? = nil,
        resource: String? = nil, boundTo key: ProofKey? = nil, extra: ExtraParameters = .none
    ) {
        self.metadata = metadata
        self.clientID = clientID
        self.isEntra = isEntra
        var fields: [(name: String, value: String)] = [
            ("client_id", clientID), ("response_type", "code"), ("redirect_uri", redirectURI), ("state", state),
            ("code_challenge", pkce.challenge), ("code_challenge_method", "S256"),
        ]
        let wanted = TokenEndpoint.wireScopes(scopes, reserved: reservedScopes, metadata, isEntra: isEntra)
        if !wanted.isEmpty { fields.append((metadata.habits.scopeParameter, wanted)) }
        if !metadata.isOAuthOnly { fields.append(("nonce", nonce)) }
        if let resource { fields.append(("resource", resource)) }
        if isEntra || responseMode != .query { fields.append(("response_mode", responseMode.rawValue)) }
        if isEntra { fields.append(("client_info", "1")) }
        if isEntra, let correlationID {
            fields += [
                ("client-request-id", correlationID.uuidString.lowercased()), ("return-client-request-id", "true"),
            ]
        }
        if let prompt { fields.append(("prompt", prompt.rawValue)) }
        if let loginHint { fields.append(("login_hint", loginHint)) }
        if let domainHint { fields.append(("domain_hint", domainHint)) }
        if isEntra, let homeAccountID, let dot = homeAccountID.lastIndex(of: ".") {
            fields += [
                ("login_req", String(homeAccountID[..<dot])),
                ("domain_req", String(homeAccountID[homeAccountID.index(after: dot)...])),
            ]
        }
        if isEntra, instanceAware { fields.append(("instance_aware", "true")) }
        if let maxAge { fields.append(("max_age", String(max(0, maxAge)))) }
        if !acrValues.isEmpty { fields.append(("acr_values", acrValues.joined(separator: " "))) }
        if let claims { fields.append(("claims", claims)) }
        if let key { fields.append(("dpop_jkt", key.thumbprint)) }
        for field in extra.fields { fields.append((field.name, field.value)) }
        for habit in metadata.habits.parameters where !fields.contains(where: { $0.name == habit.name }) {
            fields.append((habit.name, habit.value))
        }
        self.fields = fields
    }

    /// Keeps the endpoint's own query (RFC 6749 section 3.1). Throws `badEndpoint` if too long for a browser.
    package func address() throws(WireError) -> WebAddress { try address(with: fields) }

    func address(with fields: [(name: String, value: String)]) throws(WireError) -> WebAddress {
        let separator = metadata.authorization.query == nil ? "?" : "&"
        do { return try WebAddress(metadata.authorization.text + separator + FormEncoding.encode(fields)) } catch {
            throw .badEndpoint(name: "authorization URL", error)
        }
    }
}
