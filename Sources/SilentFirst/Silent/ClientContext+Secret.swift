import Identity
import TokenCache
import Wire

extension ClientContext {
    /// The client's authentication, for requests that are about to be sent; nil for a public client, and for a provider
    /// that the secret is not for. Reads the secret, so call it once per acquisition.
    func authentication(_ metadata: ProviderMetadata, at authority: Authority) async throws(Failure)
        -> ClientAuthentication?
    {
        guard let client = configuration.clientSecret(at: authority) else { return nil }
        let reader = ClientSecretReader(configuration, cache)
        let secret = try await BlockingExecutor.run { () throws(Failure) in
            try reader.secret(client.source) { !Task.isCancelled }
        }
        return ClientAuthentication(secret, method: client.method, metadata)
    }
}
