package import FoundationEssentials
package import TokenCache

/// A snapshot of the files next to a store that a decision depends on, so that deciding opens no file.
package struct SideFiles: Sendable {
    package typealias Keys = Result<ProofKeyReading, StoreError>

    let keys: Keys
    private let entries: [ThrottleEntry]

    package init(of cache: TokenCache, at now: Date = Date()) {
        entries = ThrottleStore(cache).read(at: now)
        do throws(StoreError) { keys = .success(try ProofKeyStore(cache).reading()) } catch { keys = .failure(error) }
    }

    func throttled(at now: Date) -> [ThrottleEntry] { entries.filter { $0.holds(at: now) } }
}
