package import CommandSupport
import Console
import Identity
import StrictJSON

/// Azure CLI's `azureProfile.json`: its subscriptions, tenants and users. A missing file has none.
package struct AzureProfile: Sendable {
    package struct Subscription: Hashable, Sendable {
        package let id: String
        package let tenant: String
        package let user: ProgramUser?
    }

    private var subscriptions: [(name: String, isDefault: Bool, value: Subscription)] = []
    /// Why an existing file could not be parsed: its user is then unknown.
    package private(set) var problem: String?
    private static let maximumBytes = 4 << 20

    package init(_ environment: ProcessEnvironment) {
        do throws(Failure) {
            let path = try Self.folder(environment) + "/azureProfile.json"
            self.init(try TextFile.read(path, limit: Self.maximumBytes, what: "profile of Azure CLI"))
        } catch {
            self.init(nil)
            problem = error.message
        }
    }

    /// Azure CLI's folder.
    static func folder(_ environment: ProcessEnvironment) throws(Failure) -> String {
        try environment.bounded("AZURE_CONFIG_DIR", limit: 4096).map(environment.expand) ?? environment.home + "/.azure"
    }

    /// - Parameter bytes: nil if the file does not exist.
    init(_ bytes: [UInt8]?) {
        guard let bytes, !bytes.isEmpty else { return }
        // Azure CLI writes a byte order mark.
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let value = try? JSONValue(parsing: text, limits: JSONLimits(maximumBytes: Self.maximumBytes))
        guard let value, value.object != nil, value["subscriptions"] == nil || value["subscriptions"]?.array != nil
        else {
            problem = "cannot parse Azure CLI's azureProfile.json"
            return
        }
        subscriptions = (value["subscriptions"]?.array ?? []).compactMap { item in
            guard let id = item["id"]?.string, let tenant = item["tenantId"]?.string, id.isGUID, tenant.isGUID else {
                return nil
            }
            let subscription = Subscription(id: id, tenant: tenant, user: item["user"].flatMap(Self.user))
            return (item["name"]?.string ?? "", item["isDefault"]?.bool ?? false, subscription)
        }
    }

    private static func user(_ value: JSONValue) -> ProgramUser? {
        guard let name = value["name"]?.string else {
            return value == .null ? nil : .unknown(why: "its profile names no user")
        }
        let shown = SafeText.line(name, limit: 200)
        return (value["type"]?.string ?? "user").asciiLowercased == "user" ? .person(shown) : .service(shown)
    }

    /// - Parameter name: an ID or a name; nil for the default subscription.
    package func subscription(_ name: String?) -> Subscription? {
        guard let name else { return subscriptions.first(where: \.isDefault)?.value }
        return subscriptions.first { $0.value.id.asciiLowercased == name.asciiLowercased || $0.name == name }?.value
    }
}
