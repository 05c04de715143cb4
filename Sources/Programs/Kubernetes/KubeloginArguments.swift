package import CommandSupport
import Identity

/// The command line of Azure/kubelogin as kubeconfigs carry it: `kubelogin get-token …`.
package struct KubeloginArguments: Hashable, Sendable {
    package var server: String
    package var client: String?
    package var tenant: String?
    package var authority: String?

    /// What a person signs in by; the others are for services, and read files or variables of theirs.
    private static let logins = ["devicecode", "interactive", "azurecli", "azd", "ropc"]
    private static let taking = [
        "--server-id", "--client-id", "--tenant-id", "--environment", "--authority-host", "--login", "--login-hint",
        "--redirect-url", "--token-cache-dir", "--cache-dir", "--timeout",
    ]
    private static let short = ["-l": "--login", "-t": "--tenant-id", "-e": "--environment"]
    private static let flags = ["--legacy", "--disable-environment-override", "--disable-instance-discovery"]

    /// - Parameter words: the arguments of kubelogin.
    /// - Returns: nil for another command, another kind of sign-in or an option that is not known: kubelogin's own.
    package init?(_ words: [String]) {
        guard words.first == "get-token" else { return nil }
        var values: [String: String] = [:]
        var isLegacy = false
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = Self.short[parts[0]] ?? parts[0]
            if Self.flags.contains(name) {
                guard parts.count == 1 || ["true", "false"].contains(parts[1]) else { return nil }
                if name == "--legacy" { isLegacy = parts.count == 1 || parts[1] == "true" }
            } else {
                guard Self.taking.contains(name), let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    return nil
                }
                values[name] = value
            }
        }
        guard Self.logins.contains(values["--login"] ?? "devicecode"), let server = values["--server-id"] else {
            return nil
        }
        let cloud = (values["--environment"] ?? "AzurePublicCloud").asciiLowercased
        guard let host = Self.hosts[cloud] else { return nil }
        self.server = isLegacy ? "spn:" + server : server
        // "azurecli" is signed in as Azure CLI is, whatever client the kubeconfig names.
        client = ["azurecli", "azd"].contains(values["--login"]) ? nil : values["--client-id"]
        tenant = values["--tenant-id"].flatMap { $0.isEmpty ? nil : $0 }
        authority = values["--authority-host"].flatMap { $0.isEmpty ? nil : $0 } ?? host
        while authority?.last == "/" { authority?.removeLast() }
        guard authority.map({ (try? WebAddress($0)) != nil }) ?? true else { return nil }
    }

    /// Nil for the public cloud, which needs no name.
    private static let hosts: [String: String?] = [
        "azurepubliccloud": nil, "azurechinacloud": "https://login.partner.microsoftonline.cn",
        "azurechina": "https://login.partner.microsoftonline.cn",
        "azureusgovernmentcloud": "https://login.microsoftonline.us",
        "azureusgovernment": "https://login.microsoftonline.us",
    ]

    /// - Parameters:
    ///   - cluster: its address, where client-go tells it.
    package func query(_ options: TokenOptions = TokenOptions(), cluster: String?, _ environment: ProcessEnvironment)
        -> TokenQuery
    {
        var query = TokenQuery(options, ProgramRequest(.kubectl, cluster: cluster, environment), .cluster)
        query.place.kinds = Authority.Kind.allCases.filter { $0 != .oidc }
        query.place.client = "kubelogin"
        // A rule's tenant goes before the kubeconfig's, which many people share.
        query.place.tenant = tenant
        query.asked.clientID = client
        query.asked.scopes = [server + "/.default"]
        query.asked.authority = authority.map { $0 + "/" + (tenant ?? "organizations") }
        return query
    }
}
