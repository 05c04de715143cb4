package import FoundationEssentials
package import Identity
import StrictJSON

/// Pushed authorization requests, RFC 9126: the request goes to the provider directly, and the browser carries a
/// reference to it only.
package enum PushedAuthorization {
    /// Whether a request must be pushed (section 5), or is when that was wished and the provider can.
    package static func isNeeded(_ metadata: ProviderMetadata, wished: Bool) -> Bool {
        metadata.requiresPushedAuthorization || (wished && metadata.pushedAuthorization != nil)
    }

    /// Pushes a request (section 2.1).
    ///
    /// - Returns: the address to open, with the client's identifier and the reference and nothing else (section 4).
    /// - Throws: `unsupported` when the provider requires it and names no endpoint, `refused` with the provider's
    ///   reason, `untrusted` for a reference that could not be one.
    package static func push(_ request: AuthorizeRequest, correlationID: UUID, transport: Transport)
        async throws(WireError) -> WebAddress
    {
        guard let endpoint = request.metadata.pushedAuthorization else {
            throw .unsupported("the provider wants pushed authorization requests and does not say where")
        }
        let reply = try await transport.send(
            HTTPRequest(
                endpoint, body: .form(request.fields),
                headers: request.isEntra
                    ? TokenEndpoint.entraHeaders(correlationID, product: transport.product, anchor: nil) : []))
        try reply.requireService()
        guard reply.status == 201 || reply.status == 200 else {
            throw .refused(try OAuthError(answer: reply, isRefresh: false))
        }
        guard let reference = try reply.object()["request_uri"]?.string, (1...1024).contains(reference.utf8.count),
            reference.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw .untrusted(check: .pushedRequest, detail: "the provider gave no reference to it") }
        return try request.address(with: [("client_id", request.clientID), ("request_uri", reference)])
    }
}
