extension IdentitySource.Reference {
    fileprivate static let azureIdentity = Self(
        "azure-identity 1.27.0", "https://pypi.org/project/azure-identity/1.27.0/", read: "2026-11-28")
    fileprivate static let autorest = Self(
        "go-autorest", "https://pkg.go.dev/github.com/Azure/go-autorest/autorest/azure/auth")
    fileprivate static let azureCLI = Self(
        "Azure CLI", "https://learn.microsoft.com/cli/azure/azure-cli-configuration")
    fileprivate static let developerCLI = Self(
        "azd", "https://github.com/Azure/azure-dev/blob/main/cli/azd/docs/external-authentication.md",
        read: "2026-11-28")
    fileprivate static let azurerm = Self(
        "azurerm backend",
        "https://github.com/hashicorp/terraform/blob/main/internal/backend/remote-state/azure/backend.go",
        read: "2026-11-28")
    fileprivate static let terraform = Self(
        "Terraform CLI", "https://developer.hashicorp.com/terraform/cli/config/config-file")
}

extension IdentitySource {
    static let azure: [IdentitySource] = [
        IdentitySource(
            .azure, ["IDENTITY_ENDPOINT", "IDENTITY_HEADER"], .set, with: .managedIdentity,
            "the endpoint, and the secret of its requests", .azureIdentity),
        IdentitySource(
            .azure, ["AZURE_TOKEN_CREDENTIALS"], .set, with: .managedIdentity,
            "`prod`: no other account of Azure CLI, azd, an editor or a broker is used, not even after a refusal",
            .azureIdentity),
        IdentitySource(
            .azure,
            [
                "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PATH",
                "AZURE_CLIENT_CERTIFICATE_PASSWORD", "AZURE_CLIENT_SEND_CERTIFICATE_CHAIN", "AZURE_USERNAME",
                "AZURE_PASSWORD",
            ], .removed, with: .managedIdentity,
            "a service principal or user of the environment precedes a managed identity", .azureIdentity),
        IdentitySource(
            .azure,
            [
                "AZURE_FEDERATED_TOKEN_FILE", "AZURE_KUBERNETES_TOKEN_PROXY", "AZURE_KUBERNETES_SNI_NAME",
                "AZURE_KUBERNETES_CA_FILE", "AZURE_KUBERNETES_CA_DATA",
            ], .removed, with: .managedIdentity, "the workload identity of a pod precedes a managed identity",
            .azureIdentity),
        IdentitySource(
            .azure,
            [
                "IDENTITY_SERVER_THUMBPRINT", "IMDS_ENDPOINT", "MSI_ENDPOINT", "MSI_SECRET",
                "AZURE_POD_IDENTITY_AUTHORITY_HOST",
            ], .removed, with: .managedIdentity, "they choose another kind of managed identity", .azureIdentity),
        IdentitySource(
            .azure,
            [
                "AZURE_TENANT_ID", "AZURE_AUTHORITY_HOST", "AZURE_ADDITIONALLY_ALLOWED_TENANTS",
                "AZURE_REGIONAL_AUTHORITY_NAME", "AZURE_IDENTITY_DISABLE_MULTITENANTAUTH",
            ], .kept, "a directory or a cloud, which chooses no identity by itself", .azureIdentity),
        IdentitySource(
            .azure, ["AZURE_CONFIG_DIR", "~/.azure"], .kept,
            "the accounts of `az`, which a program uses only if it names Azure CLI", .azureCLI),
        IdentitySource(
            .azure,
            [
                "AZURE_STORAGE_KEY", "AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_SAS_TOKEN",
                "AZURE_STORAGE_ACCOUNT",
            ],
            .kept, "keys of one storage account, which `az storage` reads and the SDKs do not", .azureCLI),
    ]

    static let azureOfOlderPrograms: [IdentitySource] = [
        IdentitySource(
            .azure, ["AZURE_AUTH_LOCATION", "AZURE_CERTIFICATE_PATH", "AZURE_CERTIFICATE_PASSWORD"], .removed,
            with: .managedIdentity, "older SDKs read a service principal from them", .autorest)
    ]

    static let developerCLI: [IdentitySource] = [
        IdentitySource(
            .developerCLI, ["AZD_AUTH_ENDPOINT", "AZD_AUTH_KEY"], .set, with: .developerCLI,
            "the endpoint, and the key of its requests", .developerCLI),
        IdentitySource(
            .developerCLI, ["AZD_AUTH_CERT"], .removed, with: .developerCLI,
            "the certificate of another endpoint; foyer's is on loopback", .developerCLI),
        IdentitySource(
            .developerCLI, ["AZD_CONFIG_DIR", "~/.azd"], .kept, "the accounts of `azd` without `--azd`", .developerCLI),
    ]

    static let terraform: [IdentitySource] = [
        IdentitySource(
            .terraform, ["ARM_USE_MSI", "ARM_MSI_ENDPOINT"], .set, with: .managedIdentity,
            "the endpoint; its address contains the secret, as Terraform sends no other", .azurerm),
        IdentitySource(
            .terraform,
            [
                "ARM_CLIENT_ID", "ARM_CLIENT_SECRET", "ARM_CLIENT_CERTIFICATE", "ARM_CLIENT_CERTIFICATE_PATH",
                "ARM_CLIENT_CERTIFICATE_PASSWORD", "ARM_CLIENT_ID_FILE_PATH", "ARM_CLIENT_SECRET_FILE_PATH",
            ], .removed, with: .managedIdentity, "a service principal precedes a managed identity", .azurerm),
        IdentitySource(
            .terraform,
            [
                "ARM_USE_OIDC", "ARM_OIDC_TOKEN", "ARM_OIDC_TOKEN_FILE_PATH", "ARM_OIDC_REQUEST_URL",
                "ARM_OIDC_REQUEST_TOKEN", "ARM_OIDC_AZURE_SERVICE_CONNECTION_ID",
                "ARM_ADO_PIPELINE_SERVICE_CONNECTION_ID", "ARM_USE_AKS_WORKLOAD_IDENTITY",
            ], .removed, with: .managedIdentity, "the identity of a pipeline or pod precedes a managed identity",
            .azurerm),
        IdentitySource(
            .terraform, ["ARM_ACCESS_KEY", "ARM_SAS_TOKEN"], .removed, with: .managedIdentity,
            "the backend uses a storage account's key instead of an identity", .azurerm),
        IdentitySource(
            .terraform, ["ARM_MSI_API_VERSION"], .removed, with: .managedIdentity,
            "the protocol of another kind of managed identity", .azurerm),
        IdentitySource(
            .terraform,
            [
                "ARM_TENANT_ID", "ARM_SUBSCRIPTION_ID", "ARM_ENVIRONMENT", "ARM_METADATA_HOSTNAME", "ARM_USE_CLI",
                "ARM_USE_AZUREAD",
            ], .kept, "a directory, a subscription or a cloud, or what comes after a managed identity", .azurerm),
        IdentitySource(
            .terraform, ["TF_TOKEN_*", "TF_CLI_CONFIG_FILE", "~/.terraformrc", "~/.terraform.d/credentials.tfrc.json"],
            .kept, "tokens of registries and HCP Terraform, where foyer gives no identity", .terraform),
    ]
}
