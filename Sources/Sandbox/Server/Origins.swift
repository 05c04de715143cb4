/// The addresses under which the sandbox is reached, each belonging to one cloud.
///
/// `127.0.0.1` and `localhost` are two names of one cloud, as `login.microsoftonline.com` and `login.windows.net` are.
/// The sovereign cloud has another address, `127.0.0.2`, where the machine lends it.
struct Origins: Sendable, Equatable {
    var scheme = "http"
    var port = 0
    var sovereignHost = "127.0.0.2"
    var sovereignPort = 0

    /// Names of the global cloud, without ports, the preferred one first.
    static let globalHosts = ["127.0.0.1", "localhost"]

    var base: String { "\(scheme)://127.0.0.1:\(port)" }
    var sovereignBase: String { "\(scheme)://\(sovereignAuthority)" }
    var sovereignAuthority: String { "\(sovereignHost):\(sovereignPort)" }

    func cloud(of base: String) -> HostedIssuer.Cloud { base == sovereignBase ? .sovereign : .global }

    func base(of cloud: HostedIssuer.Cloud) -> String { cloud == .sovereign ? sovereignBase : base }

    /// The base that a request names by its `Host`; nil: another name for this address may belong to a page that means
    /// harm (DNS rebinding).
    func base(for authority: String?, arrivedAt cloud: HostedIssuer.Cloud) -> String? {
        guard let authority = authority?.lowercased(), !authority.isEmpty else { return base(of: cloud) }
        let known =
            cloud == .sovereign ? [sovereignAuthority] : (Origins.globalHosts + ["[::1]"]).map { "\($0):\(port)" }
        return known.contains(authority) ? "\(scheme)://\(authority)" : nil
    }

    // MARK: Instance discovery

    /// The hosts of a cloud with and without their port: libraries disagree on whether an environment has one. The
    /// asker's form comes first.
    func hosts(of cloud: HostedIssuer.Cloud, withPort: Bool) -> [String] {
        let names = cloud == .sovereign ? [sovereignHost] : Origins.globalHosts
        let number = cloud == .sovereign ? sovereignPort : port
        let numbered = names.map { "\($0):\(number)" }
        // Two clouds at one address are told apart by the port alone.
        guard !Origins.globalHosts.contains(sovereignHost) || cloud == .global else { return numbered }
        return withPort ? numbered + names : names + numbered
    }

    /// Scheme, host and port of one of these hosts, by the name that was used; nil: it is none of them.
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
