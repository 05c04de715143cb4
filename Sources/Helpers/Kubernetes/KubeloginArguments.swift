package import CommandSupport
import Identity

/// The Azure/kubelogin command line used in kubeconfigs: `kubelogin get-token …`.
package struct KubeloginArguments: Hashable, Sendable {
    package var server: String
    package var client: String?
    package var tenant: String?
    package var authority: String?
    /// A username.
    package var loginHint: String?

    /// Sign-ins of users; the others are for services, with their own files or variables.
    private static let logins = ["devicecode", "interactive", "azurecli", "azd", "ropc"]
    private static let taking = [
        "--server-id", "--client-id", "--tenant-id", "--environment", "--authority-host", "--login", "--login-hint",
        "--redirect-url", "--token-cache-dir", "--cache-dir", "--timeout",
    ]
    private static let short = ["-l": "--login", "-t": "--tenant-id", "-e": "--environment"]
    private static let flags = ["--legacy", "--disable-environment-override", "--disable-instance-discovery"]

    /// - Returns: nil for another command, kind of sign-in or unknown option, left to the real kubelogin.
    package init?(_ words: [String]) {
        let all = OptionWord.ofKubelogin(words, taking: Self.taking, flags: Self.flags, short: Self.short)
        guard let values = all?.compactMapValues(\.last) else { return nil }
        guard Self.logins.contains(values["--login"] ?? "devicecode"), let server = values["--server-id"] else {
            return nil
        }
        let cloud = (values["--environment"] ?? "AzurePublicCloud").asciiLowercased
        guard let host = Self.hosts[cloud] else { return nil }
        self.server = values["--legacy"] == "true" ? "spn:" + server : server
        // "azurecli" uses Azure CLI's client, whatever client the kubeconfig names.
        client = ["azurecli", "azd"].contains(values["--login"]) ? nil : values["--client-id"]
        loginHint = values["--login-hint"]
        tenant = values["--tenant-id"].flatMap { $0.isEmpty ? nil : $0 }
        authority = values["--authority-host"].flatMap { $0.isEmpty ? nil : $0 } ?? host
        while authority?.last == "/" { authority?.removeLast() }
        guard authority.map({ (try? WebAddress($0)) != nil }) ?? true else { return nil }
    }

    /// The public cloud is the default and needs no URL.
    private static let hosts: [String: String?] = [
        "azurepubliccloud": nil, "azurechinacloud": "https://login.partner.microsoftonline.cn",
        "azurechina": "https://login.partner.microsoftonline.cn",
        "azureusgovernmentcloud": "https://login.microsoftonline.us",
        "azureusgovernment": "https://login.microsoftonline.us",
    ]

    package func query(_ options: TokenOptions = TokenOptions(), cluster: String?, _ environment: ProcessEnvironment)
        -> TokenQuery
    {
        let person = NamedPerson(username: loginHint)
        var query = TokenQuery(
            options, ProgramRequest(.kubectl, person: person, cluster: cluster, environment), .cluster)
        query.place.kinds = Authority.Kind.allCases.filter { !$0.isStandard }
        query.place.client = "kubelogin"
        // A rule's tenant overrides the kubeconfig's, which is often shared between users.
        query.place.tenant = tenant
        query.asked.clientID = client
        query.asked.scopes = [server + "/.default"]
        query.asked.authority = authority.map { $0 + "/" + (tenant ?? "organizations") }
        return query
    }
}
