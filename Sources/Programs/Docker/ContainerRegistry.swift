package import CommandSupport
import Identity

package struct ContainerRegistry: Hashable, Sendable {
    /// Lowercase, with the port if one is given.
    package let host: String

    private static let longest = 512
    private static let azureSuffixes = [".azurecr.io", ".azurecr.cn", ".azurecr.us"]

    /// - Parameter text: as typed: a host, or a URL such as `https://index.docker.io/v1/`.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let isAddress = text.hasPrefix("https://") || text.hasPrefix("http://")
        guard let address = try? WebAddress(isAddress ? text : "https://" + text) else { return nil }
        host = address.hostAndPort
    }

    /// Judged by its name alone.
    package var isAzure: Bool { Self.azureSuffixes.contains { host.hasSuffix($0) && host.utf8.count > $0.utf8.count } }

    /// The API's URLs; a registry on this machine may have no TLS.
    var addresses: [WebAddress] {
        let secure = try? WebAddress("https://\(host)/v2/")
        let plain = secure.flatMap { $0.isLoopback ? try? WebAddress("http://\(host)/v2/") : nil }
        return [secure, plain].compactMap(\.self)
    }

    package func query(_ options: TokenOptions, _ environment: ProcessEnvironment) -> TokenQuery {
        TokenQuery(
            options, ProgramRequest(.docker, person: .nobody, registry: host, environment),
            isAzure ? .azureRegistry : .registry)
    }
}
