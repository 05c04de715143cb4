public import FoundationEssentials

/// The application, its authority and its token store.
public struct ClientConfiguration: Hashable, Sendable {
    /// The client ID of the app registration; in lower case if it is a GUID at Entra ID.
    public var clientID: String
    /// The default authority for requests.
    public var authority: Authority
    /// The client's secret, sent only to ``authority``'s provider; nil for a public client.
    public var clientSecret: ClientSecret?
    /// The registered loopback redirect URI; the port is chosen at run time unless specified.
    public var redirectURI: String
    /// Client capabilities, sent to Entra ID as `xms_cc`, such as `cp1` (continuous access evaluation).
    public var capabilities: [String]
    /// Seconds a usable access token must remain valid; outside Entra ID at most a tenth of its lifetime.
    public var expirationBuffer: TimeInterval
    /// Whether an expired access token is used in its extended lifetime while the provider is unreachable; its source
    /// is then ``AcquiredToken/Source/extendedLifetime``. Off by default, as in MSAL.
    public var extendedLifetime: Bool
    /// Hosts or authority URLs that need no instance discovery, such as a custom domain of Entra ID.
    public var knownAuthorities: [String] = []
    /// Whether Entra ID may respond from the user's own cloud (`instance_aware`).
    public var instanceAware = false
    /// The manually configured issuer and endpoints of ``authority``.
    public var endpoints = EndpointOverrides()
    /// Where an OAuth 2.0 server says who signed in. If nil, its userinfo or introspection endpoint is used, else the
    /// request's login hint names the account.
    public var account: AccountEndpoint?
    /// The name under which the user knows the client, remembered with a sign-in; nil if it has none.
    package var clientName: String?
    /// The name of the ``KnownServer`` at ``authority``; nil if its host tells.
    package var server: String?
    /// The values of the settings, for authorities other than ``authority``, too; nil if a program configures the
    /// client itself.
    package var defaults: RequestDefaults?
    /// The subset of `openid`, `profile` and `offline_access` to request from an OpenID Connect provider; `openid` is
    /// always included. Nil requests all three, if the provider supports them. Set it for a client that may only
    /// request some scopes; without `offline_access`, many providers issue no refresh token.
    public var reservedScopes: ScopeSet?
    /// Whether to request key-bound tokens (DPoP) if the OpenID Connect provider supports them, even without a
    /// resource.
    public var proofOfPossession = false
    /// Whether to push authorization requests whenever the provider supports it, not only if required (RFC 9126).
    public var pushesAuthorizationRequests = false
    /// The registered http loopback URL that the browser is redirected to after its session ended. Without it, a
    /// sign-out only knows that the page was opened, not whether the session ended.
    public var postLogoutRedirectURI: String?
    /// Registered at Entra ID for any port.
    public static let usualRedirectURI = "http://localhost"
    /// When silent calls use the broker that the application was created with.
    public var broker = BrokerUse.never
    /// The store: an absolute path, or `file:PATH`, `encrypted:PATH`, `keyring:NAME`; empty if the application is given
    /// a ``TokenStore``.
    public var store: String
    /// The absolute path of the directory for the file that is touched when the item of `keyring:NAME` changes. If nil,
    /// `$XDG_DATA_HOME/silent-first`, else `~/.local/share/silent-first`.
    public var dataFolder: String?
    /// Proxies, certificates, time limits and the name sent to providers.
    public var network: NetworkSettings

    /// Creates a configuration; other members can be set afterwards. Nothing is read or validated yet: an unusable
    /// store or an invalid redirect URI fails the call that needs it.
    public init(
        clientID: String, authority: Authority, redirectURI: String = usualRedirectURI,
        capabilities: [String] = [],
        expirationBuffer: TimeInterval = 300, extendedLifetime: Bool = false, store: String = "",
        network: NetworkSettings = NetworkSettings()
    ) {
        self.clientID = authority.kind.isEntra ? ClientID.canonical(clientID) : clientID
        self.authority = authority
        self.redirectURI = redirectURI
        self.capabilities = capabilities
        self.expirationBuffer = expirationBuffer
        self.extendedLifetime = extendedLifetime
        self.store = store
        self.network = network
    }
}

extension ClientConfiguration {
    /// The issuer of an authority's accounts and tokens, which can be configured for ``authority``; nil for Entra ID.
    package func issuer(of authority: Authority) -> String? {
        guard !authority.kind.isEntra else { return nil }
        guard authority == self.authority else { return authority.issuer }
        let endpoints = endpoints(of: authority)
        if let set = endpoints.issuer { return Issuer.normalized(set) }
        // Without metadata, only the endpoints tell two servers apart.
        guard authority.kind == .oauth2, endpoints.isComplete(for: .oauth2), let token = endpoints.token else {
            return authority.issuer
        }
        return Issuer.normalized(token)
    }

    package func knownServer(of authority: Authority) -> KnownServer? {
        KnownServer.at(authority, named: server, for: self.authority)
    }

    /// The redirect URI of a sign-in at an authority.
    package func redirectURI(at authority: Authority) -> String {
        defaults?.redirectURI(at: authority) ?? redirectURI
    }

    /// The ``reservedScopes`` of a sign-in that requests these scopes at an authority.
    package func reservedScopes(asking scopes: ScopeSet, at authority: Authority) -> ScopeSet? {
        reservedScopes ?? defaults?.reservedScopes(asking: scopes, at: authority)
    }

    /// The manually configured endpoints, which apply to ``authority`` only, and those of a known server.
    package func endpoints(of authority: Authority) -> EndpointOverrides {
        let set = authority == self.authority ? endpoints : EndpointOverrides()
        return knownServer(of: authority)?.filling(set, at: authority.address) ?? set
    }

    /// Where the server says who signed in: as configured, else as known; nil leaves it to its metadata.
    package func account(of authority: Authority) -> AccountEndpoint? {
        if authority == self.authority, let account { return account }
        guard let known = knownServer(of: authority), let form = known.account,
            let address = known.tokenAddress(form.address, at: authority.address)
        else { return nil }
        return AccountEndpoint(address, identifier: form.identifier, username: form.username)
    }

    /// The claims request of an acquisition: the challenge, merged with the application's capabilities at Entra ID.
    package func claims(for request: TokenRequest) throws(Failure) -> String? {
        let isEntra = (request.authority ?? authority).kind.isEntra
        let challenge = request.claims.flatMap { ClaimsRequest.isEmpty($0) ? nil : $0 }
        do {
            return try ClaimsRequest.merged(challenge: challenge, capabilities: isEntra ? capabilities : [])
        } catch {
            throw Failure(
                .usage, "the claims request is not a JSON object", hint: "pass it exactly as the resource sent it")
        }
    }
}

extension ClientConfiguration {
    /// The provider that a client's secret belongs to: the issuer, or at Entra ID the cloud. Two issuers on one host
    /// have separate secrets.
    package func secretIssuer(at authority: Authority) -> String {
        issuer(of: authority) ?? Cloud.containing(host: authority.environment)?.preferredNetwork
            ?? authority.address.originWithoutUsualPort
    }

    /// The client's secret at an authority; nil for another provider's.
    package func clientSecret(at authority: Authority) -> ClientSecret? {
        mayReceiveSecret(authority) ? clientSecret : nil
    }

    /// Whether the secret may be sent to an authority: only to the provider that it was configured for.
    package func mayReceiveSecret(_ authority: Authority) -> Bool {
        secretIssuer(at: authority) == secretIssuer(at: self.authority)
    }
}

/// An address that reports the owner of an access token, for servers without OpenID Connect.
public struct AccountEndpoint: Hashable, Sendable {
    /// Asked with the access token as a bearer token after each sign-in and refresh; the response is a JSON object.
    public var address: WebAddress
    /// The member with the identifier that never changes, a string or a whole number; dots separate nested objects.
    public var identifier: String
    /// The member with the name to show; nil for the identifier.
    public var username: String?

    /// - Parameters:
    ///   - address: an https URL, or one of this machine.
    ///   - identifier: the member's name, such as `id` or `user.id`.
    ///   - username: the member's name, such as `login`.
    public init(_ address: WebAddress, identifier: String, username: String? = nil) {
        (self.address, self.identifier, self.username) = (address, identifier, username)
    }
}

/// Network settings.
public struct NetworkSettings: Hashable, Sendable {
    /// A PEM file of CA certificates to trust instead of the system's.
    public var certificateFile: String?
    /// The proxy for https URLs beyond this machine: http, https or SOCKS5, with optional credentials.
    public var httpsProxy: ProxySetting?
    /// The proxy for http URLs beyond this machine.
    public var httpProxy: ProxySetting?
    /// Hosts that bypass the proxy.
    public var noProxy: [String]
    /// Seconds per request, wall clock.
    public var timeout: TimeInterval
    /// The program's name, optionally with a slash and a version: the user agent, `x-client-SKU` at Entra ID, and the
    /// label of keyring items. `SilentFirst` if nil; characters not allowed in RFC 9110 section 10.1.5 are removed.
    public var productName: String?

    /// The environment (`HTTPS_PROXY`, `SSL_CERT_FILE`) is not read. By default, ten seconds per request and no proxy.
    public init(
        certificateFile: String? = nil, httpsProxy: ProxySetting? = nil, httpProxy: ProxySetting? = nil,
        noProxy: [String] = [],
        timeout: TimeInterval = 10, productName: String? = nil
    ) {
        self.certificateFile = certificateFile
        self.httpsProxy = httpsProxy
        self.httpProxy = httpProxy
        self.noProxy = noProxy
        self.timeout = timeout
        self.productName = productName
    }
}

/// When to request tokens from a broker. On D-Bus, any program can own the broker's name, and learns which account of
/// which client is requested, so this is the user's choice.
public enum BrokerUse: String, Hashable, Sendable, CaseIterable {
    /// The default.
    case never
    /// Only if nothing else helps: the provider requires device authentication, or there is no token to send.
    case device
    /// Before a refresh; a cached token is still used first.
    case always
}
