/// Endpoints of a provider that are given by hand: each takes the place of the one in the provider's metadata.
///
/// With authorization, token and keys given, no metadata is asked for at all. The names are those of RFC 8414 section
/// 2.
public struct EndpointOverrides: Hashable, Sendable {
    /// The issuer that the provider names in its metadata, its ID tokens and its answers, byte for byte, where it is
    /// not the authority's address. Nothing else makes another issuer acceptable.
    public var issuer: String?
    public var authorization: WebAddress?
    public var token: WebAddress?
    public var deviceAuthorization: WebAddress?
    public var keys: WebAddress?
    public var userInfo: WebAddress?
    public var revocation: WebAddress?
    public var endSession: WebAddress?
    public var registration: WebAddress?
    public var pushedAuthorization: WebAddress?

    public init(
        issuer: String? = nil, authorization: WebAddress? = nil, token: WebAddress? = nil,
        deviceAuthorization: WebAddress? = nil,
        keys: WebAddress? = nil, userInfo: WebAddress? = nil, revocation: WebAddress? = nil,
        endSession: WebAddress? = nil,
        registration: WebAddress? = nil, pushedAuthorization: WebAddress? = nil
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
    }

    /// Whether nothing is given.
    public var isEmpty: Bool { self == EndpointOverrides() }

    /// Whether no metadata is needed beside them.
    package var isComplete: Bool { authorization != nil && token != nil && keys != nil }

    /// What is given, by the member's name in a metadata document.
    package var members: [(name: String, address: WebAddress)] {
        let all: [(String, WebAddress?)] = [
            ("authorization_endpoint", authorization), ("token_endpoint", token),
            ("device_authorization_endpoint", deviceAuthorization),
            ("jwks_uri", keys), ("userinfo_endpoint", userInfo), ("revocation_endpoint", revocation),
            ("end_session_endpoint", endSession),
            ("registration_endpoint", registration), ("pushed_authorization_request_endpoint", pushedAuthorization),
        ]
        return all.compactMap { name, address in address.map { (name, $0) } }
    }
}
