// Help: the output of `foyer help`. A topic is a page of foyer.docc, turned into plain text for a terminal or a pipe.
// Nothing here depends on the content of a page, and no page exists twice.

import CHelpPages
import CommandSupport

/// A reference page by its name for `foyer help`.
enum HelpTopic: String, CaseIterable {
    case keys, settings, stores
    case exitStatuses = "exit-statuses"
    case scripting, providers, programs, git, azure, kubectl, docker, pip, mail, aws, identities, agent, broker,
        security,
        architecture
    case changes

    /// The topic of this name, or of another program's name for it.
    init?(named name: String) {
        let name = name.lowercased()
        guard let topic = Self(rawValue: name) ?? Self.otherNames[name] else { return nil }
        self = topic
    }

    private static let otherNames: [String: HelpTopic] = [
        "config": .settings, "configuration": .settings, "environment": .settings, "exit-status": .exitStatuses,
        "exit-codes": .exitStatuses, "errors": .exitStatuses, "scripts": .scripting, "changelog": .changes,
        "podman": .docker, "skopeo": .docker, "uv": .pip, "az": .azure, "terraform": .azure, "kubernetes": .kubectl,
        "google": .aws, "vault": .aws, "github": .providers, "oauth": .providers, "oauth2": .providers,
    ]

    /// The page's file name, without its extension.
    var page: String { row.page }

    var summary: String { row.summary }

    private var row: (page: String, summary: String) {
        switch self {
        case .keys: ("Keys", "Every key of the interface")
        case .settings: ("Settings", "The settings file, environment variables, themes")
        case .stores: ("Stores", "Where tokens are kept and what protects them")
        case .exitStatuses: ("ExitStatuses", "Exit statuses, and each failure with its next step")
        case .scripting: ("Scripting", "Tokens in scripts, JSON, sign-in methods")
        case .providers: ("Providers", "Entra ID, OpenID Connect, GitHub and other OAuth servers")
        case .programs: ("Programs", "Rules, setup and guides for git, kubectl and others")
        case .git: ("Git", "git with your accounts: Azure DevOps and other servers")
        case .azure: ("Azure", "Azure SDKs, Terraform, azd and Azure CLI")
        case .kubectl: ("Kubernetes", "kubectl and others: AKS, OpenID Connect clusters")
        case .docker: ("Containers", "docker, podman, skopeo: container registries")
        case .pip: ("PythonPackages", "pip and uv: Azure Artifacts and other indexes")
        case .mail: ("Mail", "msmtp, neomutt, mbsync, aerc")
        case .aws: ("OtherClouds", "AWS, Google Cloud, Vault: ID tokens, token files")
        case .identities: ("Identities", "What chooses an identity in a started program")
        case .agent: ("Agent", "One process that refreshes tokens for all others")
        case .broker: ("Broker", "Single sign-on for programs that use the Linux broker")
        case .security: ("SecurityModel", "Security promises and threat model")
        case .architecture: ("Architecture", "How the program is built")
        case .changes: ("Changelog", "What is new, by version")
        }
    }

    var markdown: String {
        var length = 0
        guard let bytes = foyer_help_page(page, &length) else { return "" }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
    }
}
