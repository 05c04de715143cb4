/// A place on this machine where some program keeps tokens: what the program is called, and where it was looked for.
package struct StoreSource: Hashable, Sendable {
    /// How the tokens are kept there.
    package enum Storage: Hashable, Sendable {
        /// The first of these that holds anything is taken: programs fall back from a keyring to a file, and some move
        /// the other way later.
        case readable([StoreSpec])
        /// Nobody but the program can read it; with what protects it.
        case sealed(by: String)
    }

    /// A short word, for options and settings.
    package let name: String
    /// The program that owns it, as people call it.
    package let program: String
    /// The file that is looked at first.
    package let place: String
    package let storage: Storage
    /// Whether the person allowed to change it.
    package var mayWrite = false
    /// The file in which the Azure CLI lists the subscriptions of those who are signed in; nil for other programs.
    package var profile: String?
    /// The file in which the Azure CLI keeps the secrets of service principals; nil for other programs.
    package var principals: String?

    /// The store of this program itself, which it always writes.
    package static func own(_ spec: StoreSpec) -> StoreSource {
        StoreSource(name: "foyer", program: "foyer", place: spec.path, storage: .readable([spec]), mayWrite: true)
    }

    /// A store that the person named in the settings.
    package static func named(_ name: String, _ spec: StoreSpec, mayWrite: Bool) -> StoreSource {
        StoreSource(
            name: name, program: "the program of \(name)", place: spec.path, storage: .readable([spec]),
            mayWrite: mayWrite
        )
    }
}

/// Where the known programs are looked for.
package struct KnownPlaces: Sendable {
    private let home: String
    private let value: @Sendable (String) -> String?

    /// - Parameters:
    ///   - home: the person's home folder, absolute.
    ///   - value: an environment variable's value; nil when it is unset or empty.
    package init(home: String, value: @escaping @Sendable (String) -> String?) {
        (self.home, self.value) = (home, value)
    }

    /// The stores of all known programs, whether they are there or not, in a fixed order.
    package var sources: [StoreSource] {
        [azureCLI, azureCLISealed] + azurePowerShell + [azd] + azureIdentity + gitCredentialManager + azureAuth
            + azureIdentityForGo + [
                code
            ]
    }

    /// Whether a program's store is called so: a store of the settings may not take the name for a file of its own.
    package static func isKnown(_ name: String) -> Bool {
        names.contains(name) || ["azureauth-", "azure-sdk-for-go-"].contains { name.hasPrefix($0) }
    }

    /// Those that are the same on every machine.
    package static let names = [
        "foyer", "azure-cli", "azure-cli-keyring", "azure-powershell", "azure-powershell-cae", "azure-powershell-nocae",
        "azd", "azure-identity", "azure-identity-cae", "azure-identity-nocae", "git-credential-manager",
        "git-credential-manager-app", "vscode",
    ]

    /// A folder by an environment variable; relative values count as unset, as the XDG rules say, and as no program
    /// means them.
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
            profile: azureFolder + "/azureProfile.json", principals: azureFolder + "/service_principal_entries.json")
    }

    /// With `core.encrypt_token_cache`: the file is a signal only. The attributes are placeholders in the program
    /// itself.
    private var azureCLISealed: StoreSource {
        let signal = azureFolder + "/msal_token_cache.bin"
        let item = KeyringItem(
            name: "azure-cli", signal: signal, schema: "my_schema_name",
            attributes: ["my_attr1": "foo", "my_attr2": "bar"],
            label: "MSALCache")
        return StoreSource(
            name: "azure-cli-keyring", program: "Azure CLI", place: signal, storage: .readable([.keyring(item)]),
            profile: azureFolder + "/azureProfile.json")
    }

    /// The one store of the Azure SDK for .NET and of Azure PowerShell.
    private var azurePowerShell: [StoreSource] {
        let folder = folder("XDG_DATA_HOME", else: ".local/share") + "/.IdentityService"
        return ["", ".cae", ".nocae"].map { suffix in
            netStore(
                "azure-powershell" + suffix.replacingDot, "Azure PowerShell", folder + "/msal.cache" + suffix,
                "msal.cache" + suffix)
        }
    }

    /// Older programs for .NET keep the folder one level higher.
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

    /// As the extensions for .NET keep a cache: a file where there is no keyring, else an item in base64 that is found
    /// without its schema.
    private func netStore(_ name: String, _ program: String, _ file: String, _ schema: String) -> StoreSource {
        let item = KeyringItem(
            name: name, signal: file, schema: schema,
            attributes: [
                "MsalClientID": "Microsoft.Developer.IdentityService", "Microsoft.Developer.IdentityService": "1.0.0.0",
            ],
            label: "MSALCache", matchesSchema: false, isBase64: true)
        return StoreSource(
            name: name, program: program, place: file, storage: .readable([.file(path: file), .keyring(item)]))
    }

    /// The Azure SDK for Python, with and without continuous access evaluation.
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
            name: "azd", program: "Azure Developer CLI", place: file, storage: .readable([.file(path: file)]))
    }

    /// One file for each tenant.
    private var azureAuth: [StoreSource] {
        let folder = home + "/.azureauth"
        return FolderListing.names(in: folder) { $0.hasPrefix("msal_") && $0.hasSuffix("_cache.json") }.map { file in
            let tenant = file.dropFirst("msal_".count).dropLast("_cache.json".count)
            return StoreSource(
                name: "azureauth-\(tenant)", program: "AzureAuth", place: folder + "/" + file,
                storage: .readable([.file(path: folder + "/" + file)]))
        }
    }

    /// The Azure SDK for Go seals its caches under keys of the kernel's keyring, which are its own.
    private var azureIdentityForGo: [StoreSource] {
        let folder = folder("XDG_CACHE_HOME", else: ".cache") + "/.IdentityService"
        return FolderListing.names(in: folder) { !$0.hasPrefix(".") && !$0.hasSuffix(StoreLock.suffix) }.map { file in
            StoreSource(
                name: "azure-sdk-for-go-\(file)", program: "Azure SDK for Go", place: folder + "/" + file,
                storage: .sealed(by: "a key of the program in the kernel's keyring"))
        }
    }

    private var code: StoreSource {
        StoreSource(
            name: "vscode", program: "Visual Studio Code",
            place: folder("XDG_CONFIG_HOME", else: ".config") + "/Code/User/globalStorage/state.vscdb",
            storage: .sealed(by: "a key of the program in the session's keyring"))
    }
}

extension String {
    /// `.cae` as the end of a name.
    fileprivate var replacingDot: String { isEmpty ? "" : "-" + String(dropFirst()) }
}
