import FoundationEssentials
package import Identity

package struct ClientBehaviour: Hashable, Sendable {
    /// Hosts or URLs that need no instance discovery.
    package var knownAuthorities: [String] = []
    /// The issuer, if it differs from the authority's URL, and endpoints.
    package var endpoints = EndpointOverrides()
    /// The name of a known server at the authority; nil if the host tells.
    package var server: String?
    /// Where a server without OpenID Connect says who signed in.
    package var account: AccountEndpoint?
    /// Whether an expired token is used in its extended lifetime while the provider is unreachable.
    package var extendedLifetime: Bool?
    /// The minimum remaining lifetime of an access token, in seconds.
    package var expirationBuffer: Int?
    /// Whether the provider may switch to the user's own cloud.
    package var instanceAware: Bool?
    /// Whether tokens are bound to a key if the provider supports it (DPoP).
    package var proofOfPossession: Bool?
    /// Whether authorization requests are pushed if the provider supports it.
    package var pushesRequests: Bool?
    package var postLogoutRedirectURI: String?
    package var via: SignInMethod?
    /// As written: the path of a file can start with `~`.
    package var clientSecret: ClientSecret?

    /// - Parameter isOwn: whether the configuration's authority is the client's own, where its server is.
    package func apply(to configuration: inout ClientConfiguration, isOwn: Bool) {
        if let expirationBuffer { configuration.expirationBuffer = TimeInterval(expirationBuffer) }
        configuration.knownAuthorities = knownAuthorities
        configuration.endpoints = endpoints
        configuration.server = isOwn ? server : nil
        configuration.account = account
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
            ("introspection", \.introspection),
        ]
    }
}
