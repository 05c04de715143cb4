package import CommandSupport
import FoundationEssentials
package import Identity
import SilentCore
package import SilentFirst
package import TokenCache

extension CommandContext {
    /// The application that carries out the calls of a client.
    package func application(
        _ client: ClientChoice, at authority: Authority? = nil, redirectURI: String? = nil, provider: Provider? = nil,
        cache: TokenCache? = nil
    ) throws(Failure) -> PublicClientApplication {
        application(try cachedClient(client, at: authority, redirectURI: redirectURI, cache: cache), provider)
    }

    fileprivate func application(_ client: CachedClient, _ provider: Provider? = nil) -> PublicClientApplication {
        PublicClientApplication(
            client.configuration, cache: client.cache,
            provider: provider ?? Provider(client.configuration.network, refreshes: ProcessEnd.refreshes),
            broker: settings.broker == .never ? nil : BrokerAccess.broker(environment), onFailure: noteFailure,
            now: client.now)
    }

    /// Nil in the demo, whose failures do not belong in a report.
    private var noteFailure: (@Sendable (Failure, Authority) -> Void)? {
        guard homeOfPrograms == nil else { return nil }
        return { [environment] failure, authority in
            FailureRecord(environment).note(failure, authority.kind, at: Date())
        }
    }
}

extension TokenCall {
    /// A new application for this call.
    package var application: PublicClientApplication { context.application(cached) }
}
