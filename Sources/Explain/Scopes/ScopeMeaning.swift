// Scopes/ explains scopes, which were granted or declined, and where to revoke consent.

import Identity

/// A sentence about what a scope allows a program to do, for the user who consents.
package struct ScopeMeaning: Hashable, Sendable {
    /// The harm that a malicious program could do.
    package enum Risk: Int, Hashable, Sendable, Comparable, CaseIterable {
        /// The user's identity, or data that everyone in the organization can see.
        case low
        /// Reads the user's own data.
        case medium
        /// Changes or sends in the user's name, or reads other people's data.
        case high
        /// Changes an organization: its users, applications, policies or devices.
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

    /// The resource's identifier; empty for OpenID Connect scopes.
    package let resource: String
    package let name: String
    package let risk: Risk
    /// Lower case, without a final period.
    package let sentence: String
    package let needsAdministrator: Bool
    /// Scopes that the server grants with it.
    package private(set) var includes: [String] = []

    init(_ resource: String, _ name: String, _ risk: Risk, _ sentence: String, admin: Bool = false) {
        self.resource = resource
        self.name = name
        self.risk = risk
        self.sentence = sentence
        needsAdministrator = admin
    }

    /// The resource of scopes that are written without one, as those of Microsoft Graph can be; empty if unknown.
    package static func resource(ofBare names: [String]) -> String {
        names.lazy.compactMap { of($0)?.resource }.first { !$0.isEmpty } ?? ""
    }

    /// The meaning of a scope in a request or token: with its resource, or bare for OpenID Connect and Microsoft Graph.
    ///
    /// `RESOURCE/.default` is explained for every resource. If the resource ends in a slash, the sentence mentions the
    /// double slash, as the token's audience then has the slash, too.
    /// - Returns: nil for an unknown scope; its meaning is not guessed from its name.
    package static func of(_ scope: String) -> ScopeMeaning? {
        guard let slash = scope.lastIndex(of: "/") else {
            return known("", scope) ?? known(graph, scope)
        }
        let resource = String(scope[..<slash])
        let name = String(scope[scope.index(after: slash)...])
        if name.asciiLowercased == ".default" { return everything(of: resource) }
        return known((resource.hasSuffix("/") ? String(resource.dropLast()) : resource).asciiLowercased, name)
    }

    /// The meaning of a scope at the server that grants it.
    ///
    /// - Returns: nil for an unknown scope; its meaning is not guessed from its name.
    package static func of(_ scope: String, at issuer: ScopeIssuer) -> ScopeMeaning? {
        switch issuer {
        case .microsoft: return of(scope)
        case .server(let server):
            guard var found = all(of: server).first(where: { $0.fullName == scope }) ?? known("", scope) else {
                return nil
            }
            found.includes = server.completed([scope]).names.filter { $0 != scope }
            return found
        case .other:
            return of(scope).flatMap { scope.contains("/") || $0.resource.isEmpty ? $0 : nil }
        }
    }

    /// The scope as in a request.
    package var fullName: String { resource.isEmpty ? name : resource + "/" + name }

    private static func known(_ resource: String, _ name: String) -> ScopeMeaning? {
        all.first { $0.name.isSameIgnoringCase(as: name) && $0.resource == resource }
    }

    private static func everything(of resource: String) -> ScopeMeaning {
        let slash =
            resource.hasSuffix("/")
            ? "; the double slash is correct for this resource" : ""
        return ScopeMeaning(
            resource, ".default", .high,
            "all permissions already granted for \(resourceName(resource))" + slash)
    }

    /// The resource's product name if known, or else the identifier.
    package static func resourceName(_ resource: String) -> String {
        let plain = (resource.hasSuffix("/") ? String(resource.dropLast()) : resource).asciiLowercased
        return resources.first { $0.id == plain }?.name ?? resource
    }

    package static let graph = "https://graph.microsoft.com"

    /// Resource identifiers in lower case, without a trailing slash.
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
        (googleAPIs, "Google"), ("https://mail.google.com", "Gmail"),
    ]

    package static let all = openID + graphPeople + graphContent + graphAdministration + azure

    private static let openID: [ScopeMeaning] = [
        ScopeMeaning("", "openid", .low, "signs you in: shares a user ID, nothing else"),
        ScopeMeaning("", "profile", .low, "reads your name and basic profile"),
        ScopeMeaning("", "email", .low, "reads your email address, not your mail"),
        ScopeMeaning("", "address", .medium, "reads your postal address"),
        ScopeMeaning("", "phone", .medium, "reads your telephone number"),
        ScopeMeaning(
            "", "offline_access", .medium,
            "keeps access while you are not present (refresh token)"),
        ScopeMeaning("", "groups", .low, "reads the names of the groups that you are in"),
        ScopeMeaning("", "roles", .low, "reads the roles that you have in the program"),
    ]
}
