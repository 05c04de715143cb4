package import CommandSupport
import Identity
import StrictJSON

/// `azureProfile.json` of Azure CLI: which subscription, tenant and user it was set to. Not there, or not to be
/// understood, it names none.
package struct AzureProfile: Sendable {
    package struct Subscription: Hashable, Sendable {
        package let id: String
        package let tenant: String
        package let user: User?
    }

    package struct User: Hashable, Sendable {
        package let name: String
        /// Not so of a service principal or a managed identity, of which foyer has no tokens.
        package let isPerson: Bool
    }

    private let subscriptions: [(name: String, isDefault: Bool, value: Subscription)]
    private static let maximumBytes = 4 << 20

    package init(_ environment: ProcessEnvironment) {
        let folder = environment["AZURE_CONFIG_DIR"].map(environment.expand) ?? environment.home + "/.azure"
        let bytes = try? TextFile.read(
            folder + "/azureProfile.json", limit: Self.maximumBytes, what: "profile of Azure CLI")
        self.init(bytes ?? nil ?? [])
    }

    init(_ bytes: [UInt8]) {
        // Azure CLI writes a byte order mark.
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let value = try? JSONValue(parsing: text, limits: JSONLimits(maximumBytes: Self.maximumBytes))
        subscriptions = (value?["subscriptions"]?.array ?? []).compactMap { item in
            guard let id = item["id"]?.string, let tenant = item["tenantId"]?.string, id.isGUID, tenant.isGUID else {
                return nil
            }
            let user = item["user"]?["name"]?.string.map { name in
                User(name: name, isPerson: (item["user"]?["type"]?.string ?? "user").asciiLowercased == "user")
            }
            let subscription = Subscription(id: id, tenant: tenant, user: user)
            return (item["name"]?.string ?? "", item["isDefault"]?.bool ?? false, subscription)
        }
    }

    /// - Parameter name: an ID or a name; nil for the one that is set.
    package func subscription(_ name: String?) -> Subscription? {
        guard let name else { return subscriptions.first(where: \.isDefault)?.value }
        return subscriptions.first { $0.value.id.asciiLowercased == name.asciiLowercased || $0.name == name }?.value
    }
}
