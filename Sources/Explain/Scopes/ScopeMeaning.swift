// Scopes/ says what scopes allow, what was granted and declined, and where consent is taken back.

import Identity

/// What a scope lets a program do, in one sentence for the person who consents.
package struct ScopeMeaning: Hashable, Sendable {
    /// How much harm a program can do with it in the wrong hands.
    package enum Risk: Int, Hashable, Sendable, Comparable, CaseIterable {
        /// Who the person is, or what everybody in the organization can see.
        case low
        /// Reads what is the person's own.
        case medium
        /// Changes or sends in the person's name, or reads other people's things.
        case high
        /// Changes an organization: its people, its applications, its rules, its machines.
        case critical

        package static func < (left: Risk, right: Risk) -> Bool { left.rawValue < right.rawValue }

        package var word: String {
            switch self {
            case .low: "low"
            case .medium: "medium"
            case .high: "high"
            case .critical: "critical"
            }
        }
    }

    /// The resource's identifier; empty for OpenID Connect's own scopes.
    package let resource: String
    /// The scope's name without the resource.
    package let name: String
    package let risk: Risk
    /// Lower case, no full stop.
    package let sentence: String
    /// Whether, by default, only an administrator can consent.
    package let needsAdministrator: Bool

    init(_ resource: String, _ name: String, _ risk: Risk, _ sentence: String, admin: Bool = false) {
        self.resource = resource
        self.name = name
        self.risk = risk
        self.sentence = sentence
        needsAdministrator = admin
    }

    /// The meaning of a scope as it stands in a request or a token: with the resource in front, or bare for OpenID
    /// Connect and Microsoft Graph.
    ///
    /// `RESOURCE/.default` is explained for every resource; a resource that ends in a slash is told apart, since the
    /// audience then has the slash.
    /// - Returns: nil for a scope that is not known; nothing is guessed from a name.
    package static func of(_ scope: String) -> ScopeMeaning? {
        guard let slash = scope.lastIndex(of: "/") else {
            return table["|" + scope.asciiLowercased] ?? table[graph + "|" + scope.asciiLowercased]
        }
        let resource = String(scope[..<slash])
        let name = String(scope[scope.index(after: slash)...])
        if name.asciiLowercased == ".default" { return everything(of: resource) }
        let known = resource.hasSuffix("/") ? String(resource.dropLast()) : resource
        return table[known.asciiLowercased + "|" + name.asciiLowercased]
    }

    private static func everything(of resource: String) -> ScopeMeaning {
        let slash =
            resource.hasSuffix("/")
            ? "; the two slashes are right: the resource's name ends in one, and so does the audience of the token" : ""
        return ScopeMeaning(
            resource, ".default", .high,
            "everything that was consented to for \(resourceName(resource)), and nothing new" + slash)
    }

    /// The resource's product name where it is known, else the identifier.
    package static func resourceName(_ resource: String) -> String {
        let plain = (resource.hasSuffix("/") ? String(resource.dropLast()) : resource).asciiLowercased
        return resources.first { $0.id == plain }?.name ?? resource
    }

    package static let graph = "https://graph.microsoft.com"

    /// Identifiers of resources, lower-case, without a slash at the end.
    static let resources: [(id: String, name: String)] = [
        (graph, "Microsoft Graph"), ("https://graph.microsoft.us", "Microsoft Graph (US Government)"),
        ("https://microsoftgraph.chinacloudapi.cn", "Microsoft Graph (China)"),
        ("https://graph.windows.net", "Azure AD Graph (retired)"),
        ("https://management.azure.com", "Azure Resource Manager"),
        ("https://management.core.windows.net", "Azure Resource Manager"),
        ("https://vault.azure.net", "Azure Key Vault"), ("https://storage.azure.com", "Azure Storage"),
        ("https://database.windows.net", "Azure SQL"),
        ("https://ossrdbms-aad.database.windows.net", "Azure Database for PostgreSQL and MySQL"),
        ("https://servicebus.azure.net", "Azure Service Bus"), ("https://eventhubs.azure.net", "Azure Event Hubs"),
        ("https://api.loganalytics.io", "Log Analytics"), ("https://monitor.azure.com", "Azure Monitor"),
        ("https://kusto.kusto.windows.net", "Azure Data Explorer"), ("https://datalake.azure.net", "Azure Data Lake"),
        ("https://cosmos.azure.com", "Azure Cosmos DB"), ("https://cognitiveservices.azure.com", "Azure AI services"),
        ("https://ml.azure.com", "Azure Machine Learning"), ("https://search.azure.com", "Azure AI Search"),
        ("https://containerregistry.azure.net", "Azure Container Registry"),
        ("https://batch.core.windows.net", "Azure Batch"),
        ("https://azconfig.io", "Azure App Configuration"), ("https://digitaltwins.azure.net", "Azure Digital Twins"),
        ("https://dev.azuresynapse.net", "Azure Synapse"), ("https://outlook.office365.com", "Exchange Online"),
        ("https://outlook.office.com", "Exchange Online"), ("https://analysis.windows.net/powerbi/api", "Power BI"),
        ("https://service.flow.microsoft.com", "Power Automate"), ("https://api.powerplatform.com", "Power Platform"),
        ("499b84ac-1321-427f-aa17-267ca6975798", "Azure DevOps"),
        ("https://app.vssps.visualstudio.com", "Azure DevOps"),
        ("6dae42f8-4368-4678-94ff-3960e28e3630", "Azure Kubernetes Service"),
    ]

    private static let table: [String: ScopeMeaning] = {
        let all = openID + graphPeople + graphContent + graphAdministration + azure
        return Dictionary(
            all.map { ($0.resource + "|" + $0.name.asciiLowercased, $0) }, uniquingKeysWith: { first, _ in first })
    }()

    /// How many scopes are explained.
    static var count: Int { table.count }
    package static var all: [ScopeMeaning] { Array(table.values) }

    private static let openID: [ScopeMeaning] = [
        ScopeMeaning("", "openid", .low, "signs you in: the program learns an identifier of you, and nothing else"),
        ScopeMeaning("", "profile", .low, "reads your name and the basic facts of your profile"),
        ScopeMeaning("", "email", .low, "reads your email address, not your mail"),
        ScopeMeaning("", "address", .medium, "reads your postal address"),
        ScopeMeaning("", "phone", .medium, "reads your telephone number"),
        ScopeMeaning(
            "", "offline_access", .medium,
            "keeps what you granted also while you are away: a refresh token is given out"),
        ScopeMeaning("", "groups", .low, "reads the names of the groups that you are in"),
        ScopeMeaning("", "roles", .low, "reads the roles that you have in the program"),
    ]
}
