import FoundationEssentials
import Identity
import Wire

extension PublicClientApplication {
    /// The provider's metadata; an authority that nobody vouches for is validated first.
    nonisolated func metadata(of authority: Authority, _ record: TrailRecorder) async throws(Failure) -> ProviderMetadata {
        do { return try await providerMetadata(of: authority, record) } catch { throw Failure(error) }
    }

    /// The same, for those who look into why it could not be had.
    nonisolated func providerMetadata(of authority: Authority, _ record: TrailRecorder) async throws(WireError) -> ProviderMetadata {
        do {
            var aliases: [String] = []
            if InstanceDiscovery.isNeeded(for: authority, knownAuthorities: configuration.knownAuthorities),
                authority != configuration.authority
            {
                aliases = try await provider.instances.record(of: authority).aliases
                record.note(.instanceDiscovery, .done, authority.environment)
            }
            let manual = authority == configuration.authority ? configuration.endpoints : ManualEndpoints()
            let metadata = try await provider.discovery.metadata(for: authority, manual: manual, aliases: aliases)
            record.note(.discovery, .done, authority.address.hostAndPort)
            return metadata
        } catch {
            record.note(.discovery, .failed, error.message)
            throw error
        }
    }

    /// The claims request of one acquisition: the challenge with this application's capabilities in it; capabilities mean nothing outside Entra ID.
    nonisolated func claims(for request: TokenRequest) throws(Failure) -> String? {
        let isEntra = (request.authority ?? configuration.authority).kind.isEntra
        let challenge = request.claims.flatMap { ClaimsRequest.isEmpty($0) ? nil : $0 }
        do { return try ClaimsRequest.merged(challenge: challenge, capabilities: isEntra ? configuration.capabilities : []) } catch {
            throw Failure(.usage, "the claims request is not a JSON object", hint: "pass it on exactly as the resource gave it")
        }
    }

    nonisolated func tokenEndpoint(
        _ metadata: ProviderMetadata, _ authority: Authority, _ correlationID: UUID, _ binding: TokenBinding = .bearer
    ) -> TokenEndpoint {
        TokenEndpoint(
            metadata: metadata, clientID: configuration.clientID, isEntra: authority.kind.isEntra, correlationID: correlationID,
            transport: provider.transport, binding: binding, now: now)
    }
}
