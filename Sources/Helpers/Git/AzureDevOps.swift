package import Identity

/// Azure DevOps specifics: its hosts, a request's organization, and how a response names the tenant.
package struct AzureDevOps: Hashable, Sendable {
    /// Nil if neither the path nor the URL names one.
    package let organization: String?
    /// Its response names the tenant.
    package let address: WebAddress?

    /// - Parameters:
    ///   - username: the organization in `https://ORGANIZATION@dev.azure.com`, the form that its pages show; not a
    ///     user.
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

    /// For a host of Azure Artifacts; nil for another.
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

    /// The tenant in a challenge, from a known Microsoft cloud only: Azure DevOps accepts no other provider's tokens.
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
