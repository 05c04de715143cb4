package import FoundationEssentials
package import Identity
import StrictJSON

/// Pushed authorization requests, RFC 9126: sent directly to the provider; the browser gets only a reference.
package enum PushedAuthorization {
    /// Whether a request must be pushed (section 5), or can be and this is desired.
    package static func isNeeded(_ metadata: ProviderMetadata, wished: Bool) -> Bool {
        metadata.requiresPushedAuthorization || (wished && metadata.pushedAuthorization != nil)
    }

    /// Pushes a request (section 2.1).
    ///
    /// - Parameter authentication: nil for a public client.
    /// - Returns: the URL to open, with only the client ID and the reference (section 4).
    /// - Throws: `unsupported` without an endpoint, `refused` by the provider, `untrusted` for an invalid reference.
    package static func push(
        _ request: AuthorizeRequest, authentication: ClientAuthentication? = nil, correlationID: UUID,
        transport: Transport
    ) async throws(WireError) -> WebAddress {
        guard let endpoint = request.metadata.pushedAuthorization else {
            throw .unsupported("the provider requires pushed authorization requests but lists no endpoint")
        }
        var pushed = HTTPRequest(
            endpoint, body: .form(request.fields),
            headers: request.isEntra
                ? TokenEndpoint.entraHeaders(correlationID, product: transport.product, anchor: nil) : [])
        pushed.authenticate(request.clientID, authentication)
        let reply = try await transport.send(pushed)
        try reply.requireService()
        guard reply.status == 201 || reply.status == 200 else {
            throw .refused(try OAuthError(answer: reply, isRefresh: false))
        }
        guard let reference = try reply.object()["request_uri"]?.string, (1...1024).contains(reference.utf8.count),
            reference.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw .untrusted(check: .pushedRequest, detail: "no request_uri in the response") }
        return try request.address(with: [("client_id", request.clientID), ("request_uri", reference)])
    }
}
