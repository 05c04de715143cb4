/// Variables or files by which a program chooses whose identity it uses, and what foyer does with them for the
/// programs that it starts.
package struct IdentitySource: Sendable {
    package enum Program: String, CaseIterable, Sendable {
        case azure = "Azure"
        case developerCLI = "azd"
        case terraform = "Terraform"
        case aws = "AWS"
        case google = "Google Cloud"
        case kubernetes = "Kubernetes"
        case vault = "Vault"
        case docker = "Docker"
        case foyer
    }

    package enum Deed: Hashable, Sendable {
        /// The variable gets foyer's value.
        case set
        /// Like ``set``, but a value of the shell stays.
        case setIfUnset
        /// The variable gets the value of foyer's option; without one it is removed, or kept if it belongs to the
        /// client that the option names.
        case setByOption
        case removed
        /// The file is not read, as this variable names another.
        case replaced(by: String)
        /// It chooses no identity, or one that foyer does not give.
        case kept
    }

    package let program: Program
    /// Variables, of which a last `*` stands for any ending, or paths of files, which have a slash.
    package let names: [String]
    /// It applies if foyer gives ``identity``; otherwise the variables stay.
    package let deed: Deed
    /// Nil if foyer gives this program no identity in any call.
    package let identity: GivenIdentity?
    package let reason: String
    /// Nil for foyer's own variables.
    package let reference: Reference?

    init(
        _ program: Program, _ names: [String], _ deed: Deed, with identity: GivenIdentity? = nil, _ reason: String,
        _ reference: Reference? = nil
    ) {
        (self.program, self.names, self.deed, self.identity) = (program, names, deed, identity)
        (self.reason, self.reference) = (reason, reference)
    }

    /// Where the behavior is documented, or the source of the version that was read.
    package struct Reference: Hashable, Sendable {
        package let title: String
        package let url: String
        /// When it was read; nil if the page is only where the behavior should be documented.
        package let date: String?

        init(_ title: String, _ url: String, read date: String? = nil) {
            (self.title, self.url, self.date) = (title, url, date)
        }
    }

    package static let all =
        azure + azureOfOlderPrograms + developerCLI + terraform + aws + awsFiles + google + kubernetes + vault + docker
        + usualSignIn

    package static func isFile(_ name: String) -> Bool { name.contains("/") }
}

/// An identity that foyer gives the programs that it starts.
package enum GivenIdentity: String, Hashable, CaseIterable, Sendable {
    /// The managed identity endpoint.
    case managedIdentity
    /// The external authentication of the Azure Developer CLI, with `--azd`.
    case developerCLI
    /// The token file and the role of `--aws-role`.
    case webIdentity
    /// The client, the account or the tenant of an option.
    case option

    /// Without which foyer does not give it; nil if it does in each call.
    package var option: String? {
        switch self {
        case .managedIdentity: nil
        case .developerCLI: "--azd"
        case .webIdentity: "--aws-role"
        case .option: "--client, --account or --tenant"
        }
    }
}
