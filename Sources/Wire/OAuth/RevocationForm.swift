package import Identity
import StrictJSON

/// How a server revokes tokens, and where: a token is only sent to the server that issued it.
package enum RevocationForm: Hashable, Sendable {
    /// RFC 7009, at the metadata's endpoint.
    case standard
    /// RFC 7009's parameter in the query, without a client.
    case tokenInQuery(WebAddress)
    /// See ``KnownServer/Revocation/credentialList(_:)``. Only for users who ask for it.
    case credentialList(WebAddress)
    case bearerCall(WebAddress)

    /// Nil if the server revokes nothing for a client.
    ///
    /// - Parameter server: the known server at the authority.
    package init?(_ server: KnownServer?, at authority: Authority, _ metadata: ProviderMetadata) {
        func own(_ template: String) -> WebAddress? {
            server?.tokenAddress(template, at: authority.address)
        }
        switch server?.revocation ?? .standard {
        case .none: return nil
        case .standard:
            guard metadata.revocation != nil else { return nil }
            self = .standard
        case .tokenInQuery(let template):
            guard let address = metadata.revocation ?? own(template) else { return nil }
            self = .tokenInQuery(address)
        case .credentialList(let template):
            guard let address = own(template) else { return nil }
            self = .credentialList(address)
        case .bearerCall(let template):
            guard let address = own(template) else { return nil }
            self = .bearerCall(address)
        }
    }

    /// - Returns: nil for ``standard``.
    func request(_ token: Secret) throws(WireError) -> HTTPRequest? {
        var request: HTTPRequest
        switch self {
        case .standard: return nil
        case .tokenInQuery(let address):
            let text =
                address.text + (address.query == nil ? "?" : "&")
                + FormEncoding.encode([("token", token.reveal())])
            let full: WebAddress
            do { full = try WebAddress(text) } catch { throw .badEndpoint(name: "revocation endpoint", error) }
            request = HTTPRequest(full, body: .form([]))
        case .credentialList(let address):
            request = HTTPRequest(
                address,
                body: .json(
                    .object(
                        JSONObject([
                            JSONMember(name: "credentials", value: .array([.string(token.reveal())]))
                        ]))))
        case .bearerCall(let address): request = HTTPRequest(address, body: .form([]), bearer: token)
        }
        // Revoking twice does no harm.
        request.resend = .always
        request.secrets = [token]
        return request
    }

    func outcome(_ reply: HTTPReply) throws(WireError) -> RevocationOutcome {
        try reply.requireService()
        let object = try? reply.object()
        let error = (object?["error"]?.string).map { OAuthError.clean($0, limit: 64) }
        let isDone =
            switch self {
            // The token had expired or was revoked before.
            case .tokenInQuery: (200...299).contains(reply.status) || reply.status == 400 && error == "invalid_token"
            case .bearerCall: reply.status == 200 && (object?["ok"] == .bool(true) || error == "token_revoked")
            case .standard, .credentialList: (200...299).contains(reply.status)
            }
        return isDone ? .revoked : .refused(error.map { "refused (\($0))" } ?? "refused (HTTP \(reply.status))")
    }
}
