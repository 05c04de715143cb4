import FoundationEssentials
import Identity
import TokenCache

/// The configuration, store, network access and clock of a client. Helpers that need only one take just that.
struct ClientContext: Sendable {
    let configuration: ClientConfiguration
    let cache: TokenCache
    let provider: Provider
    let now: @Sendable () -> Date
    /// Nil if there is none, or it must not be used.
    var broker: TokenBroker?
}

extension ClientContext {
    func currentSnapshot() async throws(Failure) -> CacheSnapshot {
        try await BlockingExecutor.run { () throws(Failure) in try snapshot() }
    }

    /// Reads the store on the calling thread, which may block: on ``BlockingExecutor`` or a dedicated thread.
    func snapshot() throws(Failure) -> CacheSnapshot {
        do { return try cache.read() } catch { throw Failure(error) }
    }

    func remove(_ account: Account, wipe: Bool) throws(Failure) -> Int {
        do { return try cache.remove(account.id, clientID: wipe ? nil : configuration.clientID) } catch {
            throw Failure(error)
        }
    }
}
