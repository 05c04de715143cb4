package import FoundationEssentials
package import Identity

/// Parameters that an application adds to the authorization request; none of them is one that the program sets itself.
package struct ExtraParameters: Hashable, Sendable {
    /// Why a parameter may not be added. The name is cleaned; values are not quoted.
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// The program sets it, and another value could undo a protection.
        case reserved(String)
        case duplicate(String)
        case malformed(String)

        package var description: String {
            switch self {
            case .reserved(let name): "the query parameter \(name) is set by the program itself"
            case .duplicate(let name): "the query parameter \(name) is given twice"
            case .malformed(let name): "the query parameter \(name) has a name or a value that cannot be sent"
            }
        }
    }

    package static let none = ExtraParameters(checked: [])
    let fields: [Field]

    struct Field: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// Parameters that a code flow needs, and those that have a property of their own.
    private static let reserved: Set<String> = [
        "client_id", "response_type", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "response_mode",
        "request", "request_uri", "client_secret", "dpop_jkt", "claims", "prompt", "login_hint", "domain_hint",
        "max_age", "acr_values",
        "client_info", "id_token_hint", "instance_aware", "login_req", "domain_req", "client-request-id",
        "return-client-request-id",
    ]
    private static let mostFields = 32

    private init(checked fields: [Field]) { self.fields = fields }

    /// The same from a dictionary, in the order of the names.
    package init(_ parameters: [String: String]) throws(Problem) {
        try self.init(parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    }

    /// - Parameter pairs: names and values in their order; at most 32, a value of at most 1024 bytes.
    /// - Throws: ``Problem`` for a name that is reserved (whatever its case), given twice, or not fit for an address.
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
    ///   - redirectURI: the listener's, with its port; it goes into the token request unchanged.
    ///   - state: random, of this request only; `nonce` likewise.
    ///   - reservedScopes: which of `openid`, `profile` and `offline_access` were chosen, `openid` always; nil for the
    ///     usual three.
    ///   - claims: a claims request as JSON, passed on letter for letter.
    ///   - isEntra: whether Entra ID's additions are sent.
    ///   - responseMode: how the answer comes back. `query` is asked for at Entra ID only: elsewhere it is what a code
    ///     flow does anyway.
    ///   - maxAge: seconds since the person last proved who they are; 0 asks for it now. The ID token must then say
    ///     when.
    ///   - acrValues: classes of authentication in order of preference; the ID token should then name one.
    ///   - homeAccountID: `uid.utid` of the account that is asked for: Entra ID's `login_req` and `domain_req`.
    ///   - instanceAware: whether Entra ID may answer from the person's own cloud.
    ///   - correlationID: one for the whole acquisition; sent to Entra ID only.
    ///   - boundTo: the key that the code is to be bound to, RFC 9449 section 10.
    ///   - extra: what the application adds.
    package init(
        metadata: ProviderMetadata, clientID: String, redirectURI: String, scopes: ScopeSet,
        reservedScopes: ScopeSet? = nil, state: String, nonce: String, pkce: PKCE, prompt: Prompt?, loginHint: String?,
        domainHint: String?, claims: String?, isEntra: Bool, responseMode: ResponseMode = .query, maxAge: Int? = nil,
        acrValues: [String] = [], homeAccountID: String? = nil, instanceAware: Bool = false, correlationID: UUID? = nil,
        boundTo key: ProofKey? = nil, extra: ExtraParameters = .none
    ) {
        self.metadata = metadata
        self.clientID = clientID
        self.isEntra = isEntra
        var fields: [(name: String, value: String)] = [
            ("client_id", clientID), ("response_type", "code"), ("redirect_uri", redirectURI),
            ("scope", TokenEndpoint.wireScopes(scopes, reserved: reservedScopes, metadata, isEntra: isEntra)),
            ("state", state), ("nonce", nonce), ("code_challenge", pkce.challenge), ("code_challenge_method", "S256"),
        ]
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
        self.fields = fields
    }

    /// The address to open. Parameters that the endpoint's own query has stay (RFC 6749 section 3.1).
    ///
    /// - Throws: `badEndpoint` when it becomes too long for a browser.
    package func address() throws(WireError) -> WebAddress { try address(with: fields) }

    func address(with fields: [(name: String, value: String)]) throws(WireError) -> WebAddress {
        let separator = metadata.authorization.query == nil ? "?" : "&"
        do { return try WebAddress(metadata.authorization.text + separator + FormEncoding.encode(fields)) } catch {
            throw .badEndpoint(name: "authorization address", error)
        }
    }
}
