public import FoundationEssentials
public import Identity

/// Who the application is, who signs people in, and where tokens rest.
public struct ClientConfiguration: Hashable, Sendable {
    /// The identifier of the application's registration.
    public var clientID: String
    /// The authority of requests that name none.
    public var authority: Authority
    /// The loopback redirect URI of the registration; the port is chosen at run time unless one is written.
    public var redirectURI: String
    /// Told to Entra ID as `xms_cc`, such as `cp1` (continuous access evaluation).
    public var capabilities: [String]
    /// Seconds that an access token must still be valid to be used; 300 as in MSAL. Outside Entra ID it is at
    /// most a tenth of the token's lifetime.
    public var expirationBuffer: TimeInterval
    /// Whether an expired access token is used in its extended lifetime while the provider is unreachable; such
    /// a token has ``/Identity/AcquiredToken/Source/extendedLifetime`` as its source. Off unless asked for, as in MSAL.
    public var extendedLifetime: Bool
    /// Hosts, or addresses of authorities, that need no instance discovery: a custom domain of Entra ID.
    public var knownAuthorities: [String] = []
    /// Whether Entra ID may answer from the person's own cloud (`instance_aware`).
    public var instanceAware = false
    /// The issuer and endpoints that are given by hand, for the configuration's own authority.
    public var endpoints = EndpointOverrides()
    /// Which of `openid`, `profile` and `offline_access` are asked for at an OpenID Connect provider; `openid`
    /// always is. Nil for all three, where the provider knows them. A client that may ask for some scopes only has
    /// to say so; without `offline_access` many providers give no refresh token.
    public var reservedScopes: ScopeSet?
    /// Whether OpenID Connect providers that can bind tokens to a key are asked to (DPoP), also when a request
    /// names no resource.
    public var proofOfPossession = false
    /// Whether authorization requests are pushed where the provider offers it (RFC 9126); where it requires it they
    /// always are.
    public var pushesAuthorizationRequests = false
    /// Where the browser comes back to from the page that ends its session, as registered: an http address of this
    /// machine. With it a sign-out knows whether the session was ended; without it only that the page was opened.
    public var postLogoutRedirectURI: String?
    /// When the broker of the machine is asked for a token.
    package var broker = BrokerUse.never
    /// The store: an absolute path, or `file:PATH`, `encrypted:PATH`, `keyring:NAME`.
    public var store: String
    /// Where the file lies that is touched when the item of `keyring:NAME` changes: an absolute path.
    /// `$XDG_DATA_HOME/silent-first` when nil, else `~/.local/share/silent-first`.
    public var dataFolder: String?
    /// Proxies, certificates, time limits and the name that is sent to providers.
    public var network: NetworkSettings

    /// What is not named here keeps its default and can be set afterwards. Nothing is read or checked yet: a store that
    /// cannot be used, or a redirect URI that is no loopback address, fails the call that needs it.
    public init(
        clientID: String, authority: Authority, redirectURI: String = "http://localhost",
        capabilities: [String] = [],
        expirationBuffer: TimeInterval = 300, extendedLifetime: Bool = false, store: String,
        network: NetworkSettings = NetworkSettings()
    ) {
        self.clientID = clientID
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
    /// The issuer whose accounts and tokens an authority has: the one that is set by hand for the configuration's own,
    /// else the authority itself. Nil for Entra ID.
    package func issuer(of authority: Authority) -> String? {
        guard !authority.kind.isEntra else { return nil }
        guard authority == self.authority, let set = endpoints.issuer else { return authority.issuer }
        return Issuer.normalized(set)
    }
}

/// How providers are reached.
public struct NetworkSettings: Hashable, Sendable {
    /// Certificates to trust instead of the system's, a PEM file.
    public var certificateFile: String?
    /// What https addresses beyond this machine are reached through: an http, https or SOCKS5 proxy, with a user
    /// name and a password where it wants them.
    public var httpsProxy: ProxySetting?
    /// The same for http addresses beyond this machine.
    public var httpProxy: ProxySetting?
    /// Hosts that are reached without a proxy.
    public var noProxy: [String]
    /// Seconds for one request, wall clock.
    public var timeout: TimeInterval
    /// The program's name, with a version after a slash if it likes. Sent as the user agent, to Entra ID as
    /// `x-client-SKU`, and written as the label of keyring items. `SilentFirst` when nil; what no product of RFC 9110
    /// section 10.1.5 may have is left out.
    public var productName: String?

    /// Without anything set: the system's certificates, no proxy, ten seconds for a request. The environment
    /// (`HTTPS_PROXY`, `SSL_CERT_FILE`) is not read.
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
