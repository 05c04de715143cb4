package import Identity

/// What is particular about Azure DevOps: its hosts, which organization a request is for, and how it names the tenant.
package struct AzureDevOps: Hashable, Sendable {
    /// Nil where neither the path nor the address names it.
    package let organization: String?
    /// Where the organization can be asked for its tenant; nil without an organization.
    package let address: WebAddress?

    /// - Parameters:
    ///   - username: of `https://ORGANIZATION@dev.azure.com`, as its pages show the address: no user.
    /// - Returns: nil for another host.
    package init?(host: String, path: String?, username: String?) {
        let suffix = ".visualstudio.com"
        if host == "dev.azure.com" {
            let first = path.flatMap { $0.split(separator: "/").first.map(String.init) }
            organization = (first ?? username).flatMap { Self.isName($0) ? $0 : nil }
            address = organization.flatMap { try? WebAddress("https://dev.azure.com/\($0)/_apis/connectionData") }
        } else if host.hasSuffix(suffix), host.split(separator: ".").count == 3 {
            organization = String(host.dropLast(suffix.count))
            address = try? WebAddress("https://\(host)/_apis/connectionData")
        } else {
            return nil
        }
    }

    /// The organization whose packages are at a host of Azure Artifacts.
    ///
    /// - Returns: nil for another host.
    package init?(packagesAt host: String, path: String?) {
        let suffix = ".pkgs.visualstudio.com"
        if host == "pkgs.dev.azure.com" {
            self.init(host: "dev.azure.com", path: path ?? "", username: nil)
        } else if host.hasSuffix(suffix), host.split(separator: ".").count == 4 {
            self.init(host: "dev.azure.com", path: String(host.dropLast(suffix.count)), username: nil)
        } else {
            return nil
        }
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "-")
            }
    }

    /// The tenant that a challenge names: that of a known cloud only, as a token of another provider is none for Azure
    /// DevOps.
    package static func tenant(of challenges: [String]) -> String? {
        for challenge in AuthenticationChallenge.read(challenges) where challenge.scheme.asciiLowercased == "bearer" {
            guard let address = challenge["authorization_uri"].flatMap({ try? WebAddress($0) }),
                Cloud.containing(host: address.host) != nil, let tenant = address.pathSegments.first, tenant.isGUID
            else { continue }
            return tenant.asciiLowercased
        }
        return nil
    }

    /// - Parameter resourceTenant: `X-VSS-ResourceTenant`, several separated by commas; all zeros for an organization
    ///   of personal accounts.
    package static func tenant(ofResource resourceTenant: String?) -> String? {
        resourceTenant?.split(separator: ",").map { $0.filter { $0 != " " }.asciiLowercased }.first {
            $0.isGUID && $0.contains { $0 != "0" && $0 != "-" }
        }
    }
}
