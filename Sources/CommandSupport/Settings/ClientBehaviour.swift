import FoundationEssentials
package import Identity
package import SilentFirst

/// What a client does differently from others, all of it optional.
package struct ClientBehaviour: Hashable, Sendable {
    /// Hosts or addresses that need no instance discovery.
    package var knownAuthorities: [String] = []
    /// What is given by hand: the issuer where it is not the authority's address, and endpoints.
    package var endpoints = EndpointOverrides()
    /// Whether an expired token is used in its extended lifetime while the provider is unreachable.
    package var extendedLifetime: Bool?
    /// Seconds that an access token must still live.
    package var expirationBuffer: Int?
    /// Whether the provider may move the sign-in to the person's own cloud.
    package var instanceAware: Bool?
    /// Whether tokens are bound to a key where the provider can (DPoP).
    package var proofOfPossession: Bool?
    /// Whether authorization requests are pushed where the provider offers it.
    package var pushesRequests: Bool?
    /// Where the browser comes back to after a sign-out, as registered.
    package var postLogoutRedirectURI: String?
    /// The method of sign-ins that name none.
    package var via: SignInMethod?

    package func apply(to configuration: inout PublicClientApplication.Configuration) {
        if let expirationBuffer { configuration.expirationBuffer = TimeInterval(expirationBuffer) }
        configuration.knownAuthorities = knownAuthorities
        configuration.endpoints = endpoints
        configuration.extendedLifetime = extendedLifetime ?? false
        configuration.instanceAware = instanceAware ?? false
        configuration.proofOfPossession = proofOfPossession ?? false
        configuration.pushesAuthorizationRequests = pushesRequests ?? false
        configuration.postLogoutRedirectURI = postLogoutRedirectURI
    }

    /// The members of `[clients.NAME.endpoints]`: the names of RFC 8414 without `_endpoint` and `_uri`.
    package static var endpointNames: [(name: String, member: WritableKeyPath<EndpointOverrides, WebAddress?>)] {
        [
            ("authorization", \.authorization), ("token", \.token), ("device_authorization", \.deviceAuthorization),
            ("jwks", \.keys), ("userinfo", \.userInfo), ("revocation", \.revocation), ("end_session", \.endSession),
            ("registration", \.registration), ("pushed_authorization_request", \.pushedAuthorization),
        ]
    }
}
