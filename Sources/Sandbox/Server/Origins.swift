/// The sandbox's addresses and their clouds.
///
/// `127.0.0.1` and `localhost` are names of one cloud, like `login.microsoftonline.com` and `login.windows.net`. The
/// sovereign cloud has the address `127.0.0.2`, if available.
struct Origins: Sendable, Equatable {
    var scheme = "http"
    var port = 0
    var sovereignHost = "127.0.0.2"
    var sovereignPort = 0

    /// Host names of the global cloud, without ports, the preferred one first.
    static let globalHosts = ["127.0.0.1", "localhost"]

    /// The GitHub server and its API. They are addressed through an HTTP proxy, for which the sandbox serves, so also
    /// without a port. Names under `localhost` are always loopback (RFC 6761 section 6.3).
    static let gitHubHost = "github.localhost"
    static let gitHubAPIHost = "api.github.localhost"

    var base: String { "\(scheme)://127.0.0.1:\(port)" }
    var sovereignBase: String { "\(scheme)://\(sovereignAuthority)" }
    var sovereignAuthority: String { "\(sovereignHost):\(sovereignPort)" }

    func cloud(of base: String) -> HostedIssuer.Cloud { base == sovereignBase ? .sovereign : .global }

    func base(of cloud: HostedIssuer.Cloud) -> String { cloud == .sovereign ? sovereignBase : base }

    /// The base URL for a request's `Host`; nil for any other name, which may belong to an attacker's page (DNS
    /// rebinding).
    func base(for authority: String?, arrivedAt cloud: HostedIssuer.Cloud) -> String? {
        guard let authority = authority?.lowercased(), !authority.isEmpty else { return base(of: cloud) }
        let gitHub = [Origins.gitHubHost, Origins.gitHubAPIHost]
        let known =
            cloud == .sovereign
            ? [sovereignAuthority]
            : (Origins.globalHosts + gitHub + ["[::1]"]).map { "\($0):\(port)" } + gitHub
        return known.contains(authority) ? "\(scheme)://\(authority)" : nil
    }

    // MARK: Instance discovery

    /// The hosts of a cloud with and without port, as libraries disagree on whether an environment has one. The
    /// requested form comes first.
    func hosts(of cloud: HostedIssuer.Cloud, withPort: Bool) -> [String] {
        let names = cloud == .sovereign ? [sovereignHost] : Origins.globalHosts
        let number = cloud == .sovereign ? sovereignPort : port
        let numbered = names.map { "\($0):\(number)" }
        // Two clouds at one address differ only by port.
        guard !Origins.globalHosts.contains(sovereignHost) || cloud == .global else { return numbered }
        return withPort ? numbered + names : names + numbered
    }

    /// Scheme, host and port of a host name; nil if it is not one of these hosts.
    func base(ofHost host: String) -> String? {
        let host = host.lowercased()
        guard
            let cloud = [HostedIssuer.Cloud.global, .sovereign].first(where: {
                hosts(of: $0, withPort: true).contains(host)
            })
        else {
            return nil
        }
        let number = cloud == .sovereign ? sovereignPort : port
        return "\(scheme)://\(host.hasSuffix(":\(number)") ? host : "\(host):\(number)")"
    }
}
