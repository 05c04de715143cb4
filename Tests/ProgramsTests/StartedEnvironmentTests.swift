import CommandSupport
import Identity
import Testing

@testable import Programs

@Suite struct StartedEnvironmentTests {
    /// What a program gets of a shell that has set every variable of the table to `shell`; foyer's values are `foyer`.
    private static func environment(
        _ given: Set<GivenIdentity>, _ options: TokenOptions = TokenOptions(), shell: [String: String]? = nil
    ) -> [String: String] {
        let names = IdentitySource.all.flatMap(\.names).filter { !IdentitySource.isFile($0) }.map {
            $0.hasSuffix("*") ? $0.dropLast() + "X" : $0
        }
        let held = shell ?? Dictionary(uniqueKeysWithValues: names.map { ($0, "shell") })
        let started = StartedEnvironment(
            given, options, ProcessEnvironment { held[$0] }, names: Array(held.keys))
        var result = held
        for name in started.removed { result[name] = nil }
        let own = Dictionary(uniqueKeysWithValues: names.map { ($0, "foyer") }).filter { !$0.key.hasPrefix("FOYER_") }
        for (name, value) in started.set(own) { result[name] = value }
        return result
    }

    private static let azure: [(names: [String], value: String?)] = [
        (
            ["IDENTITY_ENDPOINT", "IDENTITY_HEADER", "AZURE_TOKEN_CREDENTIALS", "ARM_USE_MSI", "ARM_MSI_ENDPOINT"],
            "foyer"
        ),
        (
            [
                "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_USERNAME",
                "AZURE_PASSWORD", "AZURE_FEDERATED_TOKEN_FILE", "IDENTITY_SERVER_THUMBPRINT", "IMDS_ENDPOINT",
                "MSI_ENDPOINT", "MSI_SECRET", "AZURE_POD_IDENTITY_AUTHORITY_HOST", "AZURE_AUTH_LOCATION",
                "ARM_CLIENT_ID", "ARM_CLIENT_SECRET", "ARM_OIDC_TOKEN", "ARM_USE_OIDC", "ARM_ACCESS_KEY",
            ], nil
        ),
        (
            ["AZURE_TENANT_ID", "AZURE_AUTHORITY_HOST", "AZURE_CONFIG_DIR", "ARM_SUBSCRIPTION_ID", "TF_TOKEN_X"],
            "shell"
        ),
    ]
    private static let aws: [(names: [String], value: String?)] = [
        (
            [
                "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
                "BOTO_CONFIG", "AWS_EC2_METADATA_DISABLED",
            ], "foyer"
        ),
        (
            [
                "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
                "AWS_SECURITY_TOKEN", "AWS_CREDENTIAL_EXPIRATION", "AMAZON_ACCESS_KEY_ID", "AWS_BEARER_TOKEN_X",
                "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_CREDENTIAL_FILE",
            ], nil
        ),
        (["AWS_ROLE_SESSION_NAME", "AWS_REGION", "AWS_ENDPOINT_URLX", "AWS_ACCOUNT_ID"], "shell"),
    ]
    private static let developerCLI: [(names: [String], value: String?)] = [
        (["AZD_AUTH_ENDPOINT", "AZD_AUTH_KEY"], "foyer"), (["AZD_AUTH_CERT"], nil), (["AZD_CONFIG_DIR"], "shell"),
    ]
    private static let never = [
        "GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_AUTH_X", "KUBECONFIG", "KUBERNETES_SERVICE_HOST", "VAULT_TOKEN",
        "DOCKER_CONFIG", "REGISTRY_AUTH_FILE", "FOYER_ACCOUNT",
    ]

    @Test(
        arguments: [
            [], [.managedIdentity], [.managedIdentity, .developerCLI], [.managedIdentity, .webIdentity],
            Set(GivenIdentity.allCases),
        ] as [Set<GivenIdentity>])
    func `Each variable is set, removed or kept as the table says, for each identity that is given`(
        given: Set<GivenIdentity>
    ) {
        let result = Self.environment(given)
        for (identity, rows) in [
            (.managedIdentity, Self.azure), (.webIdentity, Self.aws), (.developerCLI, Self.developerCLI),
        ] as [(GivenIdentity, [(names: [String], value: String?)])] {
            for (names, value) in rows {
                for name in names {
                    #expect(result[name] == (given.contains(identity) ? value : "shell"), "\(name)")
                }
            }
        }
        for name in Self.never { #expect(result[name] == "shell", "\(name)") }
    }

    @Test func `A name of the table is there once, and each row says why and where that is documented`() {
        let names = IdentitySource.all.flatMap(\.names)
        #expect(Set(names).count == names.count)
        for source in IdentitySource.all {
            #expect(
                !source.reason.isEmpty && (source.reference?.url.hasPrefix("https://") ?? (source.program == .foyer)))
            if source.deed != .kept { #expect(source.identity != nil, "\(source.names)") }
        }
    }

    @Test func `A session's name that the shell does not set is foyer's`() {
        #expect(Self.environment([.webIdentity], shell: [:])["AWS_ROLE_SESSION_NAME"] == "foyer")
        #expect(
            Self.environment([.webIdentity], shell: ["AWS_ROLE_SESSION_NAME": ""])["AWS_ROLE_SESSION_NAME"] == "foyer")
    }

    @Test(arguments: [
        (["client": "lab"], ["FOYER_CLIENT": "lab"]),
        (["client": "work"], ["FOYER_CLIENT": "work", "FOYER_ACCOUNT": "ada", "FOYER_TENANT": "t"]),
        (["account": "hedy"], ["FOYER_CLIENT": "work", "FOYER_ACCOUNT": "hedy", "FOYER_TENANT": "t"]),
        (["client": "lab", "account": "hedy"], ["FOYER_CLIENT": "lab", "FOYER_ACCOUNT": "hedy"]),
        (["tenant": "u"], ["FOYER_CLIENT": "work", "FOYER_ACCOUNT": "ada", "FOYER_TENANT": "u"]),
        ([:], ["FOYER_CLIENT": "work", "FOYER_ACCOUNT": "ada", "FOYER_TENANT": "t"]),
    ])
    func `A shell's usual sign-in gives way to the options`(named: [String: String], expected: [String: String]) {
        var options = TokenOptions()
        (options.client, options.account, options.tenant) = (named["client"], named["account"], named["tenant"])
        let shell = ["FOYER_CLIENT": "work", "FOYER_ACCOUNT": "ada", "FOYER_TENANT": "t"]
        #expect(Self.environment([], options, shell: shell) == expected)
        // Without one, rules choose as before.
        #expect(Self.environment([], options, shell: [:]).isEmpty)
    }
}
