/// Manually configured endpoints of a provider, which override its metadata.
///
/// If authorization, token and (with OpenID Connect) keys are set, no metadata is fetched. With authorization and token
/// alone, an OpenID Connect provider or B2C policy may have no metadata (status 404), or no keys in it: its ID tokens
/// are then accepted because they come from the token endpoint over TLS (OpenID Connect Core section 3.1.3.7 rule 6),
/// after all other checks. Keys that the metadata has are always used. The names follow RFC 8414 section 2.
public struct EndpointOverrides: Hashable, Sendable {
    /// The issuer in the provider's metadata, ID tokens and responses, byte for byte, if it differs from the
    /// authority's URL. Nothing else permits a different issuer.
    public var issuer: String?
    /// `authorization_endpoint`: the page to open in a browser.
    public var authorization: WebAddress?
    /// `token_endpoint`.
    public var token: WebAddress?
    /// `device_authorization_endpoint` (RFC 8628).
    public var deviceAuthorization: WebAddress?
    /// `jwks_uri`: the keys that ID tokens are checked with.
    public var keys: WebAddress?
    /// `userinfo_endpoint` (OpenID Connect Core section 5.3).
    public var userInfo: WebAddress?
    /// `revocation_endpoint` (RFC 7009).
    public var revocation: WebAddress?
    /// `end_session_endpoint` (OpenID Connect RP-Initiated Logout section 2.1).
    public var endSession: WebAddress?
    /// `registration_endpoint` (RFC 7591).
    public var registration: WebAddress?
    /// `pushed_authorization_request_endpoint` (RFC 9126 section 5).
    public var pushedAuthorization: WebAddress?
    /// `introspection_endpoint` (RFC 7662).
    public var introspection: WebAddress?

    /// Omitted values come from the metadata.
    public init(
        issuer: String? = nil, authorization: WebAddress? = nil, token: WebAddress? = nil,
        deviceAuthorization: WebAddress? = nil,
        keys: WebAddress? = nil, userInfo: WebAddress? = nil, revocation: WebAddress? = nil,
        endSession: WebAddress? = nil,
        registration: WebAddress? = nil, pushedAuthorization: WebAddress? = nil,
        introspection: WebAddress? = nil
    ) {
        self.issuer = issuer
        self.authorization = authorization
        self.token = token
        self.deviceAuthorization = deviceAuthorization
        self.keys = keys
        self.userInfo = userInfo
        self.revocation = revocation
        self.endSession = endSession
        self.registration = registration
        self.pushedAuthorization = pushedAuthorization
        self.introspection = introspection
    }

    package var isEmpty: Bool { self == EndpointOverrides() }

    /// Whether the metadata is not needed. OAuth alone has no keys.
    package func isComplete(for kind: Authority.Kind) -> Bool {
        authorization != nil && token != nil && (keys != nil || kind == .oauth2)
    }

    /// Whether the provider may have no keys: the endpoints of a sign-in are set, so it may have no metadata either.
    package func mayLackKeys(_ kind: Authority.Kind) -> Bool {
        (kind == .oidc || kind == .b2c) && authorization != nil && token != nil && keys == nil
    }

    /// The endpoints by their names in a metadata document.
    private static var table: [(name: String, member: WritableKeyPath<EndpointOverrides, WebAddress?>)] {
        [
            ("authorization_endpoint", \.authorization), ("token_endpoint", \.token),
            ("device_authorization_endpoint", \.deviceAuthorization), ("jwks_uri", \.keys),
            ("userinfo_endpoint", \.userInfo), ("revocation_endpoint", \.revocation),
            ("end_session_endpoint", \.endSession), ("registration_endpoint", \.registration),
            ("pushed_authorization_request_endpoint", \.pushedAuthorization),
            ("introspection_endpoint", \.introspection),
        ]
    }

    package static func member(named name: String) -> WritableKeyPath<EndpointOverrides, WebAddress?>? {
        table.first { $0.name == name }?.member
    }

    /// The endpoints that are set, by their names in a metadata document.
    package var members: [(name: String, address: WebAddress)] {
        Self.table.compactMap { name, member in self[keyPath: member].map { (name, $0) } }
    }
}
