extension IdentitySource.Reference {
    fileprivate static let googleAuth = Self(
        "google-auth 2.63.0", "https://pypi.org/project/google-auth/2.63.0/", read: "2026-11-28")
    fileprivate static let gcloud = Self("gcloud", "https://cloud.google.com/sdk/docs/properties", read: "2026-11-28")
    fileprivate static let terraformGoogle = Self(
        "Terraform's google",
        "https://registry.terraform.io/providers/hashicorp/google/latest/docs/guides/provider_reference")
    fileprivate static let kubeconfig = Self(
        "kubeconfig", "https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/")
    fileprivate static let pod = Self(
        "kubernetes 35.0.0", "https://pypi.org/project/kubernetes/35.0.0/", read: "2026-11-28")
    fileprivate static let hvac = Self("hvac 2.4.0", "https://pypi.org/project/hvac/2.4.0/", read: "2026-11-28")
    fileprivate static let terraformKubernetes = Self(
        "Terraform's kubernetes", "https://registry.terraform.io/providers/hashicorp/kubernetes/latest/docs")
    fileprivate static let vault = Self(
        "Vault", "https://developer.hashicorp.com/vault/docs/commands#configure-environment-variables")
    fileprivate static let docker = Self(
        "Docker", "https://docs.docker.com/reference/cli/docker/#environment-variables")
    fileprivate static let containers = Self(
        "containers-auth.json", "https://github.com/containers/image/blob/main/docs/containers-auth.json.5.md")
}

extension IdentitySource {
    static let google: [IdentitySource] = [
        IdentitySource(
            .google, ["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"], .kept,
            "the configuration that names foyer's helper, or another identity", .googleAuth),
        IdentitySource(
            .google,
            [
                "CLOUDSDK_CONFIG", "CLOUDSDK_ACTIVE_CONFIG_NAME", "CLOUDSDK_CORE_ACCOUNT", "CLOUDSDK_AUTH_*",
                "~/.config/gcloud",
            ], .kept, "the accounts of gcloud, where foyer gives no identity", .gcloud),
        IdentitySource(
            .google, ["GCE_METADATA_HOST", "GCE_METADATA_IP", "GCE_METADATA_ROOT", "NO_GCE_CHECK"], .kept,
            "the machine's service account, where foyer gives no identity", .googleAuth),
        IdentitySource(
            .google, ["GOOGLE_CREDENTIALS", "GOOGLE_OAUTH_ACCESS_TOKEN", "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT"], .kept,
            "Terraform's identity at Google, where foyer gives none", .terraformGoogle),
        IdentitySource(
            .google, ["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "GOOGLE_CLOUD_QUOTA_PROJECT"], .kept,
            "a project, which chooses no identity", .googleAuth),
    ]

    static let kubernetes: [IdentitySource] = [
        IdentitySource(
            .kubernetes, ["KUBECONFIG", "~/.kube/config"], .kept,
            "the clusters, for each of which foyer's plugin or another identity is named", .kubeconfig),
        IdentitySource(
            .kubernetes,
            [
                "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT",
                "/var/run/secrets/kubernetes.io/serviceaccount/token",
            ], .kept, "a pod's service account, where foyer gives no identity", .pod),
        IdentitySource(
            .kubernetes, ["KUBE_TOKEN", "KUBE_CONFIG_PATH", "KUBE_CONFIG_PATHS", "KUBE_CTX"], .kept,
            "Terraform's identity at a cluster, where foyer gives none", .terraformKubernetes),
    ]

    static let vault: [IdentitySource] = [
        IdentitySource(
            .vault, ["VAULT_TOKEN", "BAO_TOKEN", "~/.vault-token", "VAULT_CLIENT_CERT", "VAULT_CLIENT_KEY"], .kept,
            "what Vault itself issued; a sign-in with the account's ID token replaces it", .hvac),
        IdentitySource(
            .vault, ["VAULT_ADDR", "VAULT_NAMESPACE", "BAO_ADDR", "BAO_NAMESPACE"], .kept,
            "a server and a namespace, which choose no identity", .vault),
    ]

    static let docker: [IdentitySource] = [
        IdentitySource(
            .docker, ["DOCKER_CONFIG", "~/.docker/config.json"], .kept,
            "the registries, for each of which foyer's helper or another identity is named", .docker),
        IdentitySource(
            .docker, ["DOCKER_AUTH_CONFIG"], .kept, "accounts of registries, where foyer gives no identity", .docker),
        IdentitySource(
            .docker, ["REGISTRY_AUTH_FILE", "~/.config/containers/auth.json"], .kept,
            "the accounts of podman and skopeo, which can name foyer's helper", .containers),
        IdentitySource(
            .docker, ["DOCKER_HOST", "DOCKER_CONTEXT"], .kept, "a daemon, which chooses no identity", .docker),
    ]

    /// A shell's usual sign-in, which foyer's helpers use in the command.
    static let usualSignIn: [IdentitySource] = [
        IdentitySource(
            .foyer, ["FOYER_CLIENT", "FOYER_ACCOUNT", "FOYER_TENANT"], .setByOption, with: .option,
            "a sign-in that the shell names gives way to the options, also for foyer's helpers in the command")
    ]
}
