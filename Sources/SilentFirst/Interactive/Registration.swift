public import FoundationEssentials
public import Identity
import SilentCore
package import TokenCache
import Wire

extension PublicClientApplication {
    /// A client registered at a provider, for use in ``Configuration``.
    public struct RegisteredClient: Hashable, Sendable {
        /// For ``/Identity/ClientConfiguration/clientID`` (`client_id` of RFC 7591 section 3.2.1).
        public let clientID: String
        /// The loopback redirect URI, as registered.
        public let redirectURI: String
        /// The scopes that the client may request.
        public let scopes: ScopeSet
        /// Whether it may sign users in with a device code.
        public let mayUseDeviceCode: Bool
        /// Whether it may get refresh tokens.
        public let mayRefresh: Bool
        /// The secret, if the provider registered a confidential client although a public one was requested. Keep it
        /// safe, and configure it as ``/Identity/ClientConfiguration/clientSecret``.
        public let clientSecret: Secret?
        /// How the client must send its secret.
        public let secretMethod: ClientSecret.Method?
        /// When the provider stops accepting the secret; nil if it does not expire.
        public let secretExpiresAt: Date?
        let registered: ClientRegistration.Registered

        /// For ``PublicClientApplication/delete(_:network:)`` later; nil if the provider offers no deletion.
        package var access: RegistrationAccess? {
            registered.management.map { RegistrationAccess(address: $0.address.text, token: $0.token) }
        }
    }

    /// Registers a native, public client with dynamic registration (RFC 7591), for programs without a client ID.
    ///
    /// Register a client only once: a second call creates a second client. If the provider refuses, the request is
    /// retried without the grant types that it may not support. A client that cannot be used is deleted again, if the
    /// provider supports that (RFC 7592).
    /// - Parameters:
    ///   - name: shown to users on the provider's pages; sanitized and limited to 100 characters.
    ///   - authority: an OpenID Connect issuer, or a server of the kind `oauth2`.
    ///   - redirectURI: a loopback URI; without a port, the provider must accept any (RFC 8252 section 7.3).
    ///   - scopes: scopes that the client will request, besides `openid`; nil for the usual ones the provider lists.
    ///   - endpoints: manually configured endpoints.
    ///   - network: the network settings.
    /// - Returns: the client. Save it: the provider does not return it again.
    /// - Throws: ``/Identity/Failure`` with code `serverError` if the provider does not support registration, refuses,
    ///   or registers an unusable client; `unavailable`, `untrustedResponse`; `usage` for another kind of authority.
    public static func register(
        name: String, at authority: Authority, redirectURI: String = "http://127.0.0.1/", scopes: ScopeSet? = nil,
        endpoints: EndpointOverrides = EndpointOverrides(), network: NetworkSettings = NetworkSettings()
    ) async throws(Failure) -> RegisteredClient {
        try await register(
            name: name, at: authority, redirectURI: redirectURI, scopes: scopes, endpoints: endpoints, network: network,
            onSending: {})
    }

    /// - Parameter onSending: called before the request that creates a client.
    package static func register(
        name: String, at authority: Authority, redirectURI: String, scopes: ScopeSet?, endpoints: EndpointOverrides,
        network: NetworkSettings, onSending: @Sendable () -> Void
    ) async throws(Failure) -> RegisteredClient {
        guard authority.kind.isStandard else {
            throw Failure(
                .usage, "clients of \(authority.environment) are registered by an administrator",
                hint: .nameClient(how: "ask them for a client id"))
        }
        let provider = Provider(network)
        let outcome: Result<RegisteredClient, Failure>
        do throws(Failure) {
            outcome = .success(
                try await register(name, authority, redirectURI, scopes, endpoints, provider, onSending))
        } catch { outcome = .failure(error) }
        await provider.close()
        return try outcome.get()
    }

    /// Deletes a registered client again, for a caller that could not save it (RFC 7592).
    ///
    /// - Returns: whether the provider confirmed it; many do not support it.
    public static func delete(_ client: RegisteredClient, network: NetworkSettings = NetworkSettings()) async -> Bool {
        await delete(client.registered.management, network)
    }

    /// Deletes a client that was registered earlier.
    package static func delete(_ access: RegistrationAccess, network: NetworkSettings) async -> Bool {
        guard let address = try? WebAddress(access.address) else { return false }
        return await delete(ClientRegistration.Management(address: address, token: access.token), network)
    }

    private static func delete(_ management: ClientRegistration.Management?, _ network: NetworkSettings) async -> Bool {
        let provider = Provider(network)
        let isDeleted = await ClientRegistration.delete(management, transport: provider.transport)
        await provider.close()
        return isDeleted
    }

    private static let usualScopes: ScopeSet = ["openid", "profile", "email", "offline_access"]

    private static func register(
        _ name: String, _ authority: Authority, _ redirectURI: String, _ scopes: ScopeSet?,
        _ endpoints: EndpointOverrides,
        _ provider: Provider, _ onSending: @Sendable () -> Void
    ) async throws(Failure) -> RegisteredClient {
        let metadata: ProviderMetadata
        do { metadata = try await provider.discovery.metadata(for: authority, manual: endpoints) } catch {
            throw Failure(error)
        }
        // Providers need not list all scopes (RFC 8414 section 2), so explicitly named ones are requested anyway.
        let usual = metadata.isOAuthOnly ? [] : usualScopes
        let unlisted = metadata.scopes.isEmpty ? [] : (scopes ?? usual).subtracting(metadata.scopes)
        let wanted = scopes ?? usual.subtracting(unlisted)
        let registration = ClientRegistration(
            name: name, redirectURIs: [redirectURI], scopes: metadata.isOAuthOnly ? wanted : wanted.union(["openid"]),
            usesDeviceCode: metadata.device != nil)
        onSending()
        let client: ClientRegistration.Registered
        do { client = try await registration.register(metadata: metadata, transport: provider.transport) } catch {
            guard case .refused(let refusal) = error else { throw Failure(error) }
            throw failure(refusal, unlisted: scopes == nil ? [] : unlisted)
        }
        var method: ClientSecret.Method?
        switch client.method {
        case nil: break
        case .secret(let found): method = found
        case .other(let name):
            throw await unusable(
                client, " as a client that must authenticate with \(name), which is not supported", provider,
                hint: "delete it at the provider, and register a native (public) client manually",
                afterDeletion: "register a native (public) client manually")
        }
        guard
            let registeredURI = client.redirectURIs.first(where: { $0 == redirectURI })
                ?? client.redirectURIs.first(where: { LoopbackRedirectURI.address($0) != nil })
        else {
            throw await unusable(
                client, " without a loopback redirect URI", provider, hint: .tryAnotherRedirectURI,
                afterDeletion: .tryFixedRedirectURI)
        }
        return RegisteredClient(
            clientID: client.clientID, redirectURI: registeredURI, scopes: client.scopes,
            mayUseDeviceCode: metadata.device != nil && !client.grantsLeftOut.contains { $0.hasSuffix("device_code") },
            mayRefresh: !client.grantsLeftOut.contains("refresh_token"), clientSecret: client.secret,
            secretMethod: method, secretExpiresAt: client.secretExpiresAt, registered: client)
    }

    /// Deletes the client, and says whether that succeeded.
    private static func unusable(
        _ client: ClientRegistration.Registered, _ why: String, _ provider: Provider, hint: Failure.Hint,
        afterDeletion: Failure.Hint
    ) async -> Failure {
        let isDeleted = await ClientRegistration.delete(client.management, transport: provider.transport)
        let result = isDeleted ? "it was deleted again" : "nothing was saved"
        return Failure(
            .serverError, "the provider registered \(client.clientID)\(why); \(result)",
            hint: isDeleted ? afterDeletion : hint)
    }

    /// Not a sign-in: the hints refer to the registration.
    private static func failure(_ refusal: OAuthError, unlisted: ScopeSet) -> Failure {
        var failure = Failure(refusal)
        if failure.code != .unavailable { failure.code = .serverError }
        failure.message =
            "the provider refused the registration (\(refusal.error))" + (refusal.description.map { ": " + $0 } ?? "")
        failure.hint =
            switch (refusal.error, refusal.status) {
            case ("invalid_redirect_uri", _):
                .tryFixedRedirectURI
            case (_, 401), (_, 403), ("access_denied", _), ("invalid_token", _):
                .nameClient(
                    how: """
                        open registration is disabled: ask the administrator for a native (public) \
                        client
                        """)
            case _ where !unlisted.isEmpty:
                "the provider does not list \(unlisted.description) among its scopes: omit it"
            case ("invalid_client_metadata", _), ("invalid_scope", _): .registerFewerScopes
            default: .nameClient(how: "ask the provider's administrator to register a native (public) client")
            }
        return failure
    }
}
