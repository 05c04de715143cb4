package import CommandSupport
import FoundationEssentials
package import Identity
import StrictJSON

/// The contract between client-go and a credential plugin, `client.authentication.k8s.io`.
package struct ExecCredential: Hashable, Sendable {
    /// The version that was asked for, which the answer must have, too.
    package let version: String
    /// The cluster's address, where the kubeconfig says that it is told.
    package let cluster: String?
    /// Whether client-go asks, which always says so; else the plugin is run by hand.
    package let isAsked: Bool

    private static let group = "client.authentication.k8s.io/"
    private static let versions = ["v1", "v1beta1"]

    /// Bytes: client-go sets no limit, and a certificate chain is in it.
    private static let longest = 1_048_576

    /// - Throws: `invalidInput` for a version that is not known, and for what is too long: a cluster that is not
    ///   understood is not "none".
    package init(_ environment: ProcessEnvironment) throws(Failure) {
        try self.init(environment.bounded("KUBERNETES_EXEC_INFO", limit: Self.longest))
    }

    /// - Parameter text: nil where the plugin is run by hand.
    init(_ text: String?) throws(Failure) {
        guard let text else {
            (version, cluster, isAsked) = (Self.group + "v1", nil, false)
            return
        }
        guard let value = try? JSONValue(parsing: Array(text.utf8)), let version = value["apiVersion"]?.string,
            Self.versions.contains(where: { Self.group + $0 == version })
        else {
            throw Failure(
                .invalidInput, "KUBERNETES_EXEC_INFO is of no known version",
                hint: .text("write apiVersion: \(Self.group)v1 into the kubeconfig"))
        }
        self.version = version
        isAsked = true
        let told = value["spec"]?["cluster"]
        cluster = told?["server"]?.string
        guard told == nil || told == .null || cluster != nil else {
            throw Failure(.invalidInput, "KUBERNETES_EXEC_INFO names a cluster without an address")
        }
    }

    package func answer(_ token: IssuedToken) -> String {
        JSONValue(
            ("apiVersion", version.json), ("kind", "ExecCredential"),
            (
                "status",
                JSONValue(("expirationTimestamp", token.expiresOn.rfc3339.json), ("token", token.secret.reveal().json))
            )
        ).serialized() + "\n"
    }
}
