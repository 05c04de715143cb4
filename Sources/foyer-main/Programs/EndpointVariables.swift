import Identity
import Programs

/// The environment variables that point programs to an endpoint.
struct EndpointVariables {
    let set: [(name: String, value: String)]
    /// Variables that would make Azure SDKs expect an endpoint of another kind.
    static let unset = ["IDENTITY_SERVER_THUMBPRINT", "IMDS_ENDPOINT", "MSI_ENDPOINT", "MSI_SECRET"]

    /// - Parameter hasDeveloperCLI: whether to add the variables of the Azure Developer CLI.
    init(_ endpoint: IdentityEndpoint, hasDeveloperCLI: Bool) {
        let secret = endpoint.secret.reveal()
        let origin = "http://127.0.0.1:\(endpoint.port ?? 80)"
        set =
            [("IDENTITY_ENDPOINT", origin + "/msi/token"), ("IDENTITY_HEADER", secret)]
            + (hasDeveloperCLI ? [("AZD_AUTH_ENDPOINT", origin), ("AZD_AUTH_KEY", secret)] : [])
    }
}
