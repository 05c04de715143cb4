package import Identity
import SilentCore
package import Wire

extension PublicClientApplication {
    /// Queries the server that issued an opaque access token about it, for display.
    ///
    /// - Returns: the server's host and answer.
    /// - Throws: `usage` if the token is another server's, which must not see it, or if the server does not answer this
    ///   client.
    package func review(_ credential: CachedCredential) async throws(Failure) -> (host: String, Introspection.Answer) {
        let authority = configuration.authority
        guard authority.kind.isStandard, let issuer = credential.issuer, issuer == configuration.issuer(of: authority),
            credential.kind == .accessToken, credential.tokenType.asciiLowercased == "bearer"
        else { throw Failure(.usage, "not a bearer token of \(authority.provider), so that server must not see it") }
        let metadata = try await context.metadata(of: authority, StepRecorder { _ in })
        let isOwn = credential.clientID == configuration.clientID
        let authentication = isOwn ? try await context.authentication(metadata, at: authority) : nil
        let forms = Introspection.forms(
            configuration.knownServer(of: authority), account: configuration.account(of: authority),
            clientID: credential.clientID, authentication: authentication, metadata)
        do {
            for form in forms {
                if let answer = try await Introspection.ask(
                    form, about: credential.secret, transport: context.provider.transport)
                {
                    return (form.host, answer)
                }
            }
        } catch { throw Failure(error) }
        throw Failure(.usage, "\(authority.provider) does not answer this client about tokens")
    }
}
