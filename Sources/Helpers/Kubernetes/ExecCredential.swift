package import CommandSupport
package import Identity
import StrictJSON

/// The protocol between client-go and a credential plugin, `client.authentication.k8s.io`.
package struct ExecCredential: Hashable, Sendable {
    /// The requested version, which the response repeats.
    package let version: String
    /// The cluster's URL, if the kubeconfig has client-go pass it.
    package let cluster: String?
    /// Whether client-go is the caller; false if the plugin is run manually.
    package let isAsked: Bool

    private static let group = "client.authentication.k8s.io/"
    private static let versions = ["v1", "v1beta1"]

    /// Bytes: client-go sets no limit, and the request includes a certificate chain.
    private static let longest = 1_048_576

    /// - Throws: `invalidInput`, also for oversized input: an unreadable cluster must not count as none.
    package init(_ environment: ProcessEnvironment) throws(Failure) {
        try self.init(environment.bounded("KUBERNETES_EXEC_INFO", limit: Self.longest))
    }

    init(_ text: String?) throws(Failure) {
        guard let text else {
            (version, cluster, isAsked) = (Self.group + "v1", nil, false)
            return
        }
        guard let value = try? JSONValue(parsing: Array(text.utf8)), let version = value["apiVersion"]?.string,
            Self.versions.contains(where: { Self.group + $0 == version })
        else {
            throw Failure(
                .invalidInput, "KUBERNETES_EXEC_INFO has an unsupported version",
                hint: .text("set apiVersion: \(Self.group)v1 in the kubeconfig"))
        }
        self.version = version
        isAsked = true
        let told = value["spec"]?["cluster"]
        cluster = told?["server"]?.string
        guard told == nil || told == .null || cluster != nil else {
            throw Failure(.invalidInput, "KUBERNETES_EXEC_INFO has a cluster without a server")
        }
    }

    package func answer(_ token: IssuedToken) -> String {
        // Without a time, client-go asks again after a 401.
        let end = token.expiresOn.announced.map { [("expirationTimestamp", $0.rfc3339.json)] } ?? []
        return JSONValue(
            ("apiVersion", version.json), ("kind", "ExecCredential"),
            ("status", JSONValue(end + [("token", token.secret.reveal().json)]))
        ).serialized() + "\n"
    }
}
