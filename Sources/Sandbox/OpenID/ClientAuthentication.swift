import FoundationEssentials

/// The client's identity in a request, and its proof (RFC 6749 section 2.3.1).
struct ClientAuthentication: Sendable, Equatable {
    let clientId: String?
    let secret: String?
    let method: HostedClient.Authentication
    /// Whether the header and the body name different clients, or both have a secret.
    private let isAmbiguous: Bool

    init(_ request: SandboxRequest) {
        let form = request.form
        if let (id, password) = ClientAuthentication.basic(request.headers["authorization"]) {
            clientId = form["client_id"] ?? id
            secret = password
            method = .basic
            isAmbiguous = clientId != id || form["client_secret"] != nil
        } else {
            clientId = form["client_id"] ?? request.queryForm["client_id"]
            secret = form["client_secret"]
            method = secret == nil ? .none : .post
            isAmbiguous = false
        }
    }

    /// Both halves are form-encoded. A public client has an empty password.
    private static func basic(_ header: String?) -> (id: String, password: String?)? {
        guard let header, header.lowercased().hasPrefix("basic "),
            let bytes = Data(base64Encoded: String(header.dropFirst(6)))
        else { return nil }
        let pair = String(decoding: bytes, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let id = Form(parsing: "half=" + (pair.first ?? ""))["half"] else { return nil }
        return (id, pair.count > 1 ? Form(parsing: "half=" + pair[1])["half"] : nil)
    }

    /// A secret that a public client sends is ignored.
    ///
    /// - Parameter isExempt: whether this request is also good without the secret.
    func check(_ client: HostedClient, isExempt: Bool = false) throws(OAuthErrorResponse) {
        guard let wanted = client.secret, !(isExempt && secret == nil) else { return }
        guard let secret else {
            throw OAuthErrorResponse("invalid_client", ClientAuthentication.missing, status: 401)
        }
        guard !isAmbiguous else {
            throw OAuthErrorResponse("invalid_request", "there is more than one client authentication")
        }
        guard secret == wanted, client.methods.contains(method) else {
            throw OAuthErrorResponse("invalid_client", "The client authentication is wrong.", status: 401)
        }
    }

    static let missing = "client_secret is missing."
}
