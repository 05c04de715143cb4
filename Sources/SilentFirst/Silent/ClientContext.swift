import FoundationEssentials
import Identity
import TokenCache

/// What the calls of one client work with: who it is, where its tokens rest, how providers are reached, and the clock.
/// Helpers that need only one of them take that one.
struct ClientContext: Sendable {
    let configuration: ClientConfiguration
    let cache: TokenCache
    let provider: Provider
    let now: @Sendable () -> Date
    /// Nil where there is none, or none is to be asked.
    var broker: TokenBroker?
}

extension ClientContext {
    /// What the store holds now, for a caller on any executor.
    func currentSnapshot() async throws(Failure) -> CacheSnapshot {
        try await BlockingExecutor.run { () throws(Failure) in try snapshot() }
    }

    /// The same for a caller that may block where it is: on ``BlockingExecutor``, or on a thread of its own.
    func snapshot() throws(Failure) -> CacheSnapshot {
        do { return try cache.read() } catch { throw Failure(error) }
    }

    /// Removes an account from this client's part of the store, or from every client's.
    ///
    /// - Returns: how many entries went.
    func remove(_ account: Account, wipe: Bool) throws(Failure) -> Int {
        do { return try cache.remove(account.id, clientID: wipe ? nil : configuration.clientID) } catch {
            throw Failure(error)
        }
    }
}
