package import Identity

/// The destination of a program's token: the accepted kinds of provider, and defaults for the request.
package struct Place: Hashable, Sendable {
    /// Accepted kinds of provider; nil for any.
    package var kinds: [Authority.Kind]?
    package var client: String?
    /// Whether that client is used only if no account is signed in at another suitable client.
    package var isLastResort = false
    /// Default scopes for clients of ``kinds``.
    package var scopes: [String] = []
    /// The service's tenant, if it reports one.
    package var tenant: String?
    /// The condition that a rule must have to allow tokens; nil if the tokens are useless elsewhere.
    package var mustBeNamed: ProgramRule.Condition?

    /// A user's own command, or a service that accepts any provider's ID token.
    package static let anywhere = Place()
    /// Azure Resource Manager and the other resources of Azure CLI.
    package static let azureCLI = Place(kinds: [.aad], client: wellKnown)
    package static let azureDevOps = Place(
        kinds: [.aad], client: "Visual Studio", scopes: ["499b84ac-1321-427f-aa17-267ca6975798/.default"])
    package static let azureRegistry = Place(
        kinds: [.aad], client: wellKnown, scopes: ["https://containerregistry.azure.net/.default"])
    package static let host = Place(mustBeNamed: .host)
    package static let registry = Place(mustBeNamed: .registry)
    package static let cluster = Place(mustBeNamed: .cluster)

    /// The resource in a request to a managed-identity endpoint. Only Entra ID knows `RESOURCE/.default`; Microsoft's
    /// own resources need work or school accounts.
    package static func resource(_ scopes: [String]) -> Place {
        let isMicrosoft = scopes.contains { scope in
            guard let host = (try? WebAddress(scope))?.host else { return false }
            return hostsOfMicrosoft.contains { host == $0 || host.hasSuffix("." + $0) }
        }
        return Place(
            kinds: isMicrosoft ? [.aad] : Authority.Kind.allCases.filter { !$0.isStandard }, client: wellKnown,
            isLastResort: true)
    }

    private static let wellKnown = "Azure CLI"
    private static let hostsOfMicrosoft = [
        "azure.com", "azure.net", "azure.cn", "azure.us", "windows.net", "microsoft.com", "microsoftonline.com",
        "chinacloudapi.cn", "usgovcloudapi.net", "office.com", "office365.com", "visualstudio.com", "azurecr.io",
        "powerbi.com", "dynamics.com", "sharepoint.com", "microsoft.us", "microsoftazure.us",
    ]
}
