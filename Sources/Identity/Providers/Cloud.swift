/// The Microsoft clouds and their host names.
///
/// The table is built in, so reading a cache never needs instance discovery.
package struct Cloud: Hashable, Sendable {
    package let name: String
    package let preferredNetwork: String
    /// The host name that MSAL for .NET, Java and JavaScript write to caches.
    package let preferredCache: String
    /// All host names of the cloud, which are equivalent in a cache.
    package let aliases: [String]

    package static let all: [Cloud] = [
        Cloud(
            name: "Public", preferredNetwork: "login.microsoftonline.com", preferredCache: "login.windows.net",
            aliases: ["login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net"]),
        Cloud(
            name: "China", preferredNetwork: "login.partner.microsoftonline.cn",
            preferredCache: "login.partner.microsoftonline.cn",
            aliases: ["login.partner.microsoftonline.cn", "login.chinacloudapi.cn"]),
        Cloud(
            name: "US Government", preferredNetwork: "login.microsoftonline.us",
            preferredCache: "login.microsoftonline.us",
            aliases: ["login.microsoftonline.us", "login.usgovcloudapi.net"]),
        Cloud(single: "US", host: "login-us.microsoftonline.com"),
        Cloud(single: "Germany (closed)", host: "login.microsoftonline.de"),
        Cloud(single: "Bleu (France)", host: "login.sovcloud-identity.fr"),
        Cloud(single: "Delos (Germany)", host: "login.sovcloud-identity.de"),
        Cloud(single: "Singapore", host: "login.sovcloud-identity.sg"),
    ]

    private init(name: String, preferredNetwork: String, preferredCache: String, aliases: [String]) {
        self.name = name
        self.preferredNetwork = preferredNetwork
        self.preferredCache = preferredCache
        self.aliases = aliases
    }

    private init(single name: String, host: String) {
        self.init(name: name, preferredNetwork: host, preferredCache: host, aliases: [host])
    }

    /// The cloud of a host, or nil if the host is not Microsoft's.
    package static func containing(host: String) -> Cloud? { all.first { $0.aliases.contains(host) } }

    /// The page on which a user sees applications and sessions, and ends them; nil where none is known.
    ///
    /// - Parameter isPersonal: for a personal Microsoft account.
    package func grantPage(isPersonal: Bool) -> WebAddress? {
        guard name == "Public" else { return nil }
        return try? WebAddress(
            isPersonal ? "https://account.microsoft.com/privacy/app-access" : "https://mysignins.microsoft.com/")
    }

    /// Whether two environments are equal or aliases of one cloud.
    package static func isSame(_ left: String, _ right: String) -> Bool {
        if left == right { return true }
        guard let cloud = containing(host: left) else { return false }
        return cloud.aliases.contains(right)
    }

    /// All host names that a cache may use for an environment, starting with the given one.
    package static func aliases(of environment: String) -> [String] {
        guard let cloud = containing(host: environment) else { return [environment] }
        return [environment] + cloud.aliases.filter { $0 != environment }
    }
}
