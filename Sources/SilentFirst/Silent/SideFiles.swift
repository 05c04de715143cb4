package import FoundationEssentials
package import TokenCache

/// What lies beside a store and a decision depends on, as it was at one moment: who decides from it opens no file.
package struct SideFiles: Sendable {
    typealias Keys = Result<ProofKeyReading, StoreError>

    let keys: Keys
    private let entries: [ThrottleEntry]

    /// Reads them.
    ///
    /// - Parameter now: the wall clock.
    package init(of cache: TokenCache, at now: Date = Date()) {
        entries = ThrottleStore(path: cache.path).read(at: now)
        do throws(StoreError) { keys = .success(try ProofKeyStore(cache).reading()) } catch { keys = .failure(error) }
    }

    func throttled(at now: Date) -> [ThrottleEntry] { entries.filter { $0.holds(at: now) } }
}
