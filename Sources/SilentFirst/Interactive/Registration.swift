public import Identity
import Wire

extension PublicClientApplication {
    /// A client as a provider registered it: what goes into ``Configuration``.
    public struct RegisteredClient: Hashable, Sendable {
        /// For ``ClientConfiguration/clientID`` (`client_id` of RFC 7591 section 3.2.1).
        public let clientID: String
        /// Of this machine, as the provider has it.
        public let redirectURI: String
        /// What the client may ask for.
        public let scopes: ScopeSet
        /// Whether it may sign people in by a code that they type elsewhere.
        public let mayUseDeviceCode: Bool
        /// Whether sign-ins last beyond the life of an access token.
        public let mayRefresh: Bool
    }

    /// Registers a native, public client with a provider that registers clients by itself (RFC 7591), for programs
    /// without an identifier of their own.
    ///
    /// A client is registered once: a second call is a second client. A request that is refused is made again without
    /// the grants that the provider may not have. A secret that it may give back is not kept, since this client keeps
    /// none.
    /// - Parameters:
    ///   - name: shown to people on the provider's pages; cleaned, at most 100 characters.
    ///   - authority: an OpenID Connect issuer.
    ///   - redirectURI: of this machine; where no port is written the provider must take any (RFC 8252 section 7.3).
    ///   - scopes: what the client will ask for, `openid` beside it; nil for the usual ones, as far as the provider
    ///     lists them.
    ///   - endpoints: what is given by hand.
    ///   - network: how the provider is reached.
    /// - Returns: the client. Keep it: the provider does not give it again.
    /// - Throws: ``/Identity/Failure`` with code `serverError` when the provider registers nobody or refused, or
    ///   registered a client that cannot be used here; `unavailable`, `untrustedResponse`; `usage` for an authority of
    ///   another kind, whose clients an administrator registers.
    public static func register(
        name: String, at authority: Authority, redirectURI: String = "http://127.0.0.1/", scopes: ScopeSet? = nil,
        endpoints: EndpointOverrides = EndpointOverrides(), network: NetworkSettings = NetworkSettings()
    ) async throws(Failure) -> RegisteredClient {
        guard authority.kind == .oidc else {
            throw Failure(
                .usage, "clients of \(authority.environment) are registered by an administrator",
                hint: .nameClient(how: "ask them for a client id"))
        }
        let provider = Provider(network)
        let outcome: Result<RegisteredClient, Failure>
        do throws(Failure) {
            outcome = .success(try await register(name, authority, redirectURI, scopes, endpoints, provider))
        } catch { outcome = .failure(error) }
        await provider.close()
        return try outcome.get()
    }

    private static let usualScopes: ScopeSet = ["openid", "profile", "email", "offline_access"]

    private static func register(
        _ name: String, _ authority: Authority, _ redirectURI: String, _ scopes: ScopeSet?,
        _ endpoints: EndpointOverrides,
        _ provider: Provider
    ) async throws(Failure) -> RegisteredClient {
        let metadata: ProviderMetadata
        do { metadata = try await provider.discovery.metadata(for: authority, manual: endpoints) } catch {
            throw Failure(error)
        }
        // A provider need not list all that it has (RFC 8414 section 2), so what somebody named is asked for.
        let unlisted = metadata.scopes.isEmpty ? [] : (scopes ?? usualScopes).subtracting(metadata.scopes)
        let wanted = scopes ?? usualScopes.subtracting(unlisted)
        let registration = ClientRegistration(
            name: name, redirectURIs: [redirectURI], scopes: wanted.union(["openid"]),
            usesDeviceCode: metadata.device != nil)
        let client: ClientRegistration.Registered
        do { client = try await registration.register(metadata: metadata, transport: provider.transport) } catch {
            guard case .refused(let refusal) = error else { throw Failure(error) }
            throw failure(refusal, unlisted: scopes == nil ? [] : unlisted)
        }
        guard
            let registered = client.redirectURIs.first(where: { $0 == redirectURI })
                ?? client.redirectURIs.first(where: isOfThisMachine)
        else {
            throw Failure(
                .serverError,
                """
                the provider registered \(client.clientID) without a redirect URI of this machine; nothing was \
                written
                """,
                hint: .tryAnotherRedirectURI)
        }
        return RegisteredClient(
            clientID: client.clientID, redirectURI: registered, scopes: client.scopes,
            mayUseDeviceCode: metadata.device != nil && !client.grantsLeftOut.contains { $0.hasSuffix("device_code") },
            mayRefresh: !client.grantsLeftOut.contains("refresh_token"))
    }

    private static func isOfThisMachine(_ text: String) -> Bool {
        guard let address = try? WebAddress(text) else { return false }
        return address.isLoopback && !address.isSecure && address.query == nil
    }

    /// A refused registration is nobody's sign-in: what to do is said of the registration.
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
                        it registers only whom its administrator lets: ask for the identifier of a native (public) \
                        client
                        """)
            case _ where !unlisted.isEmpty:
                "the provider does not list \(unlisted.description) among its scopes: leave it out"
            case ("invalid_client_metadata", _), ("invalid_scope", _): .registerFewerScopes
            default: .nameClient(how: "have a native (public) client registered by the provider's administrator")
            }
        return failure
    }
}
