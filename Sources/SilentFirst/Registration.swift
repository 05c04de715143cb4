import FoundationEssentials
public import Identity
import Wire

extension PublicClientApplication {
    /// Registers a native, public client with a provider that registers clients by itself (RFC 7591), for programs without an identifier of their own.
    ///
    /// The provider is asked once: a second call is a second client. A secret that it may give back is not kept, since this client keeps none (N9).
    /// - Parameters:
    ///   - name: shown to people on the provider's pages; cleaned, at most 100 characters.
    ///   - authority: an OpenID Connect issuer.
    ///   - redirectURI: of this machine; the provider must take any port for it (RFC 8252 section 7.3).
    ///   - scopes: what the client will ask for, where the provider wants to know.
    ///   - endpoints: what is given by hand.
    /// - Returns: the client's identifier, for ``Configuration/clientID``. Keep it: the provider does not give it again.
    /// - Throws: ``Failure`` with code `serverError` when the provider registers nobody or refused, `unavailable`, `untrustedResponse`; `usage` for an
    ///   authority of another kind, whose clients an administrator registers.
    public static func register(
        name: String, at authority: Authority, redirectURI: String = "http://127.0.0.1/", scopes: ScopeSet = [],
        endpoints: ManualEndpoints = ManualEndpoints(), network: NetworkSettings = NetworkSettings()
    ) async throws(Failure) -> String {
        guard authority.kind == .oidc else {
            throw Failure(
                .usage, "clients of \(authority.environment) are registered by an administrator",
                hint: "ask for the identifier of a registration, and use --client-id")
        }
        let provider = Provider(network)
        let outcome: Result<String, WireError>
        do throws(WireError) {
            let metadata = try await provider.discovery.metadata(for: authority, manual: endpoints)
            let registered = try await ClientRegistration(
                name: name, redirectURIs: [redirectURI], scopes: scopes, usesDeviceCode: metadata.device != nil
            ).register(metadata: metadata, transport: provider.transport)
            outcome = .success(registered.clientID)
        } catch { outcome = .failure(error) }
        await provider.close()
        do { return try outcome.get() } catch { throw Failure(error) }
    }
}
