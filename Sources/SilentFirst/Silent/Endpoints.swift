import FoundationEssentials
import Identity
import Proofs
import SilentCore
import Wire

extension ClientContext {
    /// The provider's metadata; an authority that is not already trusted is validated first.
    func metadata(of authority: Authority, _ record: StepRecorder) async throws(Failure) -> ProviderMetadata {
        do { return try await providerMetadata(of: authority, record) } catch { throw Failure(error) }
    }

    /// Like ``metadata(of:_:)``, for callers that need the cause of an error.
    ///
    /// - Parameter acceptsKept: whether metadata that an earlier process cached within a day is acceptable. A sign-in
    ///   fetches it again, which fixes outdated metadata.
    func providerMetadata(of authority: Authority, _ record: StepRecorder, acceptsKept: Bool = false)
        async throws(WireError) -> ProviderMetadata
    {
        do {
            var aliases: [String] = []
            if InstanceDiscovery.isNeeded(for: authority, knownAuthorities: configuration.knownAuthorities),
                authority != configuration.authority
            {
                aliases = try await provider.instances.record(of: authority).aliases
                record.note(.instanceDiscovery, .done, authority.environment)
            }
            let manual = configuration.endpoints(of: authority)
            let kept = ProviderMetadataCache(cache, provider, now)
            if acceptsKept { await kept.recall(authority, manual, aliases) }
            var (metadata, source) = try await provider.discovery.find(
                for: authority, manual: manual, aliases: aliases, acceptsKept: acceptsKept)
            if source == .provider { kept.keep(metadata, authority, manual, aliases) }
            metadata.habits = configuration.knownServer(of: authority)?.habits ?? metadata.habits
            record.note(.discovery, .done, authority.address.hostAndPort + (source == .kept ? ", cached" : ""))
            return metadata
        } catch {
            record.note(.discovery, .failed, error.message)
            throw error
        }
    }

    func tokenEndpoint(
        _ metadata: ProviderMetadata, _ authority: Authority, _ authentication: ClientAuthentication?,
        _ correlationID: UUID, _ binding: TokenBinding
    ) -> TokenEndpoint {
        TokenEndpoint(
            metadata: metadata, clientID: configuration.clientID, authentication: authentication,
            isEntra: authority.kind.isEntra, correlationID: correlationID,
            transport: provider.transport, binding: binding, now: now)
    }
}
