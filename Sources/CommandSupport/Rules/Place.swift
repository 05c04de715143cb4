package import Identity

/// The place that a program's token goes to: which kind of provider may serve it, and what it takes where nobody says.
package struct Place: Hashable, Sendable {
    /// Kinds of provider whose tokens it takes; nil for any.
    package var kinds: [Authority.Kind]?
    /// A well-known client that the service knows.
    package var client: String?
    /// Whether that client serves only where nobody has signed in at another one that would do.
    package var isLastResort = false
    /// For clients of its kinds.
    package var scopes: [String] = []
    /// The one that the service belongs to, where it says so.
    package var tenant: String?
    /// Whether an AI agent's session is served with tokens of its own, as Azure CLI does.
    package var separatesAgents = false
    /// What a rule has to name, else nothing goes there; nil for a place whose tokens are of no use elsewhere.
    package var mustBeNamed: ProgramRule.Condition?

    /// A person's own command, or what takes the ID token of any provider.
    package static let anywhere = Place()
    /// Azure Resource Manager and whatever else Azure CLI gets tokens for.
    package static let azureCLI = Place(kinds: [.aad], client: wellKnown, separatesAgents: true)
    /// Azure DevOps, and Azure Artifacts.
    package static let azureDevOps = Place(
        kinds: [.aad], client: "Visual Studio", scopes: ["499b84ac-1321-427f-aa17-267ca6975798/.default"])
    /// A registry of Azure's.
    package static let azureRegistry = Place(
        kinds: [.aad], client: wellKnown, scopes: ["https://containerregistry.azure.net/.default"])
    /// A host that is none of Azure's.
    package static let host = Place(mustBeNamed: .host)
    /// A registry that is none of Azure's.
    package static let registry = Place(mustBeNamed: .registry)
    package static let cluster = Place(mustBeNamed: .cluster)

    /// The resource that a program asks a managed-identity endpoint for. `RESOURCE/.default` means something at Entra
    /// ID alone; Microsoft's own resources are of the kind that has work and school accounts.
    package static func resource(_ scopes: [String]) -> Place {
        let isMicrosoft = scopes.contains { scope in
            guard let host = (try? WebAddress(scope))?.host else { return false }
            return hostsOfMicrosoft.contains { host == $0 || host.hasSuffix("." + $0) }
        }
        return Place(
            kinds: isMicrosoft ? [.aad] : Authority.Kind.allCases.filter { $0 != .oidc }, client: wellKnown,
            isLastResort: true, separatesAgents: true)
    }

    private static let wellKnown = "Azure CLI"
    private static let hostsOfMicrosoft = [
        "azure.com", "azure.net", "azure.cn", "azure.us", "windows.net", "microsoft.com", "microsoftonline.com",
        "chinacloudapi.cn", "usgovcloudapi.net", "office.com", "office365.com", "visualstudio.com", "azurecr.io",
        "powerbi.com", "dynamics.com", "sharepoint.com", "microsoft.us", "microsoftazure.us",
    ]
}
