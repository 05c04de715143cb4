import CommandSupport
import FoundationEssentials
package import Identity
import StrictJSON

/// The contract between client-go and a credential plugin, `client.authentication.k8s.io`.
package struct ExecCredential: Hashable, Sendable {
    /// The version that was asked for, which the answer must have, too.
    package let version: String
    /// The cluster's address, where the kubeconfig says that it is told.
    package let cluster: String?

    private static let group = "client.authentication.k8s.io/"
    private static let versions = ["v1", "v1beta1"]

    /// - Parameter text: of `KUBERNETES_EXEC_INFO`; nil where the plugin is run by hand.
    /// - Throws: `invalidInput` for a version that is not known.
    package init(_ text: String?) throws(Failure) {
        guard let text else {
            (version, cluster) = (Self.group + "v1", nil)
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
        cluster = value["spec"]?["cluster"]?["server"]?.string
    }

    package func answer(_ token: ProgramToken) -> String {
        JSONValue(
            ("apiVersion", version.json), ("kind", "ExecCredential"),
            (
                "status",
                JSONValue(
                    ("expirationTimestamp", token.expiresOn.rfc3339.json), ("token", token.secret.reveal().json))
            )
        ).serialized() + "\n"
    }
}
