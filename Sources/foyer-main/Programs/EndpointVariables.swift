import Identity
import Programs

/// The environment by which programs find an endpoint.
struct EndpointVariables {
    let set: [(name: String, value: String)]
    /// Those by which the Azure SDKs would take the endpoint for one of another kind.
    static let unset = ["IDENTITY_SERVER_THUMBPRINT", "IMDS_ENDPOINT", "MSI_ENDPOINT", "MSI_SECRET"]

    /// - Parameter hasDeveloperCLI: whether the Azure Developer CLI is told, too.
    init(_ endpoint: IdentityEndpoint, hasDeveloperCLI: Bool) {
        let secret = endpoint.secret.reveal()
        let origin = "http://127.0.0.1:\(endpoint.port ?? 80)"
        set =
            [("IDENTITY_ENDPOINT", origin + "/msi/token"), ("IDENTITY_HEADER", secret)]
            + (hasDeveloperCLI ? [("AZD_AUTH_ENDPOINT", origin), ("AZD_AUTH_KEY", secret)] : [])
    }
}
