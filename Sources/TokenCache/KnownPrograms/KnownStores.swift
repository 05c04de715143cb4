/// The token store of a program on this machine, and where to look for it.
package struct StoreSource: Hashable, Sendable {
    package enum Storage: Hashable, Sendable {
        /// The first non-empty one is used: programs fall back from a keyring to a file, and some later move back.
        case readable([StoreSpec])
        /// Only the program itself can read it; with the means of protection.
        case sealed(by: String)
    }

    package let name: String
    package let program: String
    /// The file that is checked first.
    package let place: String
    package let storage: Storage
    /// Whether the user allowed changes to it.
    package var mayWrite = false
    /// Azure CLI's list of the signed-in users' subscriptions; nil for other programs.
    package var profile: String?
    /// Azure CLI's file with secrets of service principals; nil for other programs.
    package var principals: String?
    /// The program's own sign-in command; nil if it signs in by itself.
    package var signIn: String?

    /// foyer's own store, which it may always write.
    package static func own(_ spec: StoreSpec) -> StoreSource {
        StoreSource(name: "foyer", program: "foyer", place: spec.path, storage: .readable([spec]), mayWrite: true)
    }

    /// A store named in the settings.
    package static func named(_ name: String, _ spec: StoreSpec, mayWrite: Bool) -> StoreSource {
        StoreSource(
            name: name, program: "the program of \(name)", place: spec.path, storage: .readable([spec]),
            mayWrite: mayWrite
        )
    }
}

package struct KnownPlaces: Sendable {
    private let home: String
    private let value: @Sendable (String) -> String?

    /// - Parameters:
    ///   - home: the user's home folder, absolute.
    ///   - value: an environment variable's value; nil if unset or empty.
    package init(home: String, value: @escaping @Sendable (String) -> String?) {
        (self.home, self.value) = (home, value)
    }

    /// The stores of all known programs, existing or not, in a fixed order.
    package var sources: [StoreSource] {
        [azureCLI, azureCLISealed] + azurePowerShell + [azd] + azureIdentity + gitCredentialManager + azureAuth
            + azureIdentityForGo + [
                code
            ]
    }

    /// Whether a known program's store has this name. A store in the settings may not use it for a file of its own.
    package static func isKnown(_ name: String) -> Bool {
        names.contains(name) || ["azureauth-", "azure-sdk-for-go-"].contains { name.hasPrefix($0) }
    }

    /// The names that are the same on every machine.
    package static let names = [
        "foyer", "azure-cli", "azure-cli-keyring", "azure-powershell", "azure-powershell-cae", "azure-powershell-nocae",
        "azd", "azure-identity", "azure-identity-cae", "azure-identity-nocae", "git-credential-manager",
        "git-credential-manager-app", "vscode",
    ]

    /// A folder from an environment variable. Relative values count as unset, per the XDG specification.
    private func folder(_ variable: String, else fallback: String) -> String {
        if let named = value(variable), named.hasPrefix("/") { return named }
        return home + "/" + fallback
    }

    // MARK: The programs

    private var azureFolder: String { folder("AZURE_CONFIG_DIR", else: ".azure") }

    private var azureCLI: StoreSource {
        let file = azureFolder + "/msal_token_cache.json"
        return StoreSource(
            name: "azure-cli", program: "Azure CLI", place: file, storage: .readable([.file(path: file)]),
            profile: azureFolder + "/azureProfile.json", principals: azureFolder + "/service_principal_entries.json",
            signIn: "az login")
    }

    /// With `core.encrypt_token_cache`: the file is only a signal. The attribute placeholders are Azure CLI's own.
    private var azureCLISealed: StoreSource {
        let signal = azureFolder + "/msal_token_cache.bin"
        let item = KeyringItem(
            name: "azure-cli", signal: signal, schema: "my_schema_name",
            attributes: ["my_attr1": "foo", "my_attr2": "bar"],
            label: "MSALCache")
        return StoreSource(
            name: "azure-cli-keyring", program: "Azure CLI", place: signal, storage: .readable([.keyring(item)]),
            profile: azureFolder + "/azureProfile.json", signIn: "az login")
    }

    /// The shared store of the Azure SDK for .NET and Azure PowerShell.
    private var azurePowerShell: [StoreSource] {
        let folder = folder("XDG_DATA_HOME", else: ".local/share") + "/.IdentityService"
        return ["", ".cae", ".nocae"].map { suffix in
            netStore(
                "azure-powershell" + suffix.replacingDot, "Azure PowerShell", folder + "/msal.cache" + suffix,
                "msal.cache" + suffix, signIn: "Connect-AzAccount")
        }
    }

    /// Older .NET programs use a folder one level higher.
    private var gitCredentialManager: [StoreSource] {
        let app = home + "/.gcm/msal/app.cache"
        return [
            netStore(
                "git-credential-manager", "Git Credential Manager", home + "/.local/.IdentityService/msal.cache",
                "msal.cache"),
            StoreSource(
                name: "git-credential-manager-app", program: "Git Credential Manager", place: app,
                storage: .readable([.file(path: app)])),
        ]
    }

    /// MSAL's extensions for .NET use a file if there is no keyring, else a base64 item found without its schema.
    private func netStore(
        _ name: String, _ program: String, _ file: String, _ schema: String, signIn: String? = nil
    ) -> StoreSource {
        let item = KeyringItem(
            name: name, signal: file, schema: schema,
            attributes: [
                "MsalClientID": "Microsoft.Developer.IdentityService", "Microsoft.Developer.IdentityService": "1.0.0.0",
            ],
            label: "MSALCache", matchesSchema: false, isBase64: true)
        return StoreSource(
            name: name, program: program, place: file, storage: .readable([.file(path: file), .keyring(item)]),
            signIn: signIn)
    }

    /// Azure SDK for Python, with and without continuous access evaluation.
    private var azureIdentity: [StoreSource] {
        ["", ".cae", ".nocae"].map { suffix in
            let file = home + "/.IdentityService/msal.cache" + suffix
            let item = KeyringItem(
                name: "azure-identity" + suffix.replacingDot, signal: file, schema: "msal.cache" + suffix,
                attributes: ["MsalClientID": "Microsoft.Developer.IdentityService"], label: "MSALCache")
            return StoreSource(
                name: item.name, program: "Azure SDK (azure-identity)", place: file,
                storage: .readable([.file(path: file), .keyring(item)]))
        }
    }

    private var azd: StoreSource {
        let file = folder("AZD_CONFIG_DIR", else: ".azd") + "/auth/msal/cache.json"
        return StoreSource(
            name: "azd", program: "Azure Developer CLI", place: file, storage: .readable([.file(path: file)]),
            signIn: "azd auth login")
    }

    /// One file per tenant.
    private var azureAuth: [StoreSource] {
        let folder = home + "/.azureauth"
        return FolderListing.names(in: folder) { $0.hasPrefix("msal_") && $0.hasSuffix("_cache.json") }.map { file in
            let tenant = file.dropFirst("msal_".count).dropLast("_cache.json".count)
            return StoreSource(
                name: "azureauth-\(tenant)", program: "AzureAuth", place: folder + "/" + file,
                storage: .readable([.file(path: folder + "/" + file)]))
        }
    }

    /// The Azure SDK for Go encrypts its caches with its own keys in the kernel keyring.
    private var azureIdentityForGo: [StoreSource] {
        let folder = folder("XDG_CACHE_HOME", else: ".cache") + "/.IdentityService"
        return FolderListing.names(in: folder) { !$0.hasPrefix(".") && !$0.hasSuffix(StoreLock.suffix) }.map { file in
            StoreSource(
                name: "azure-sdk-for-go-\(file)", program: "Azure SDK for Go", place: folder + "/" + file,
                storage: .sealed(by: "a kernel keyring key"))
        }
    }

    private var code: StoreSource {
        StoreSource(
            name: "vscode", program: "Visual Studio Code",
            place: folder("XDG_CONFIG_HOME", else: ".config") + "/Code/User/globalStorage/state.vscdb",
            storage: .sealed(by: "a session keyring key"))
    }
}

extension String {
    /// `.cae` as a name suffix: `-cae`.
    fileprivate var replacingDot: String { isEmpty ? "" : "-" + String(dropFirst()) }
}
