package import CommandSupport
import Console
import Identity
import StrictJSON

/// `azureProfile.json` of Azure CLI: which subscription, tenant and user it was set to. Not there, it names none.
package struct AzureProfile: Sendable {
    package struct Subscription: Hashable, Sendable {
        package let id: String
        package let tenant: String
        package let user: ProgramUser?
    }

    private let subscriptions: [(name: String, isDefault: Bool, value: Subscription)]
    /// Why the file is not understood, which is there: it may name anybody.
    package let problem: String?
    private static let maximumBytes = 4 << 20

    package init(_ environment: ProcessEnvironment) {
        do throws(Failure) {
            let named = try environment.bounded("AZURE_CONFIG_DIR", limit: 4096)
            let folder = named.map(environment.expand) ?? environment.home + "/.azure"
            let path = folder + "/azureProfile.json"
            self.init(try TextFile.read(path, limit: Self.maximumBytes, what: "profile of Azure CLI"))
        } catch { self.init(problem: error.message) }
    }

    private init(problem: String) { (subscriptions, self.problem) = ([], problem) }

    /// - Parameter bytes: nil where there is no file.
    init(_ bytes: [UInt8]?) {
        guard let bytes, !bytes.isEmpty else {
            (subscriptions, problem) = ([], nil)
            return
        }
        // Azure CLI writes a byte order mark.
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let value = try? JSONValue(parsing: text, limits: JSONLimits(maximumBytes: Self.maximumBytes))
        guard let value, value.object != nil, value["subscriptions"] == nil || value["subscriptions"]?.array != nil
        else {
            (subscriptions, problem) = ([], "azureProfile.json of Azure CLI is not understood")
            return
        }
        problem = nil
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

    /// - Parameter name: an ID or a name; nil for the one that is set.
    package func subscription(_ name: String?) -> Subscription? {
        guard let name else { return subscriptions.first(where: \.isDefault)?.value }
        return subscriptions.first { $0.value.id.asciiLowercased == name.asciiLowercased || $0.name == name }?.value
    }
}
