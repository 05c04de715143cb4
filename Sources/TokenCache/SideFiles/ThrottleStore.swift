package import FoundationEssentials
import Identity

/// The requests not to repeat: in `<store>.throttle`, or in memory for a store that is in no file. Contains no
/// credentials; losing it costs a request.
package struct ThrottleStore: Sendable {
    /// Above the limit, the entries that end first are dropped.
    private static let format = ListFormat<ThrottleEntry>(
        "entries", maximumBytes: 262_144, most: 200, isNewestFirst: true)

    private let cache: TokenCache
    private let lockWait: Duration

    package init(_ cache: TokenCache, lockWait: Duration = .seconds(5)) {
        self.cache = cache
        self.lockWait = lockWait
    }

    /// The entries next to a plain file; the store's path is absolute.
    package init(path: String, lockWait: Duration = .seconds(5)) {
        self.init(TokenCache(path: path), lockWait: lockWait)
    }

    /// The entries in effect. A missing, untrusted or unreadable file blocks nothing.
    package func read(at now: Date) -> [ThrottleEntry] {
        if case .attached(let store) = cache.backend { return store.throttled().filter { $0.holds(at: now) } }
        return (try? list())?.read(at: now) ?? []
    }

    package func change(at now: Date, _ body: (inout [ThrottleEntry]) -> Void) throws(StoreError) {
        func changed(_ entries: inout [ThrottleEntry]) {
            body(&entries)
            entries.sort { $0.until > $1.until }
        }
        guard case .attached(let store) = cache.backend else { return try list().change(at: now, changed) }
        store.changeThrottled { entries in
            changed(&entries)
            entries = Array(entries.filter { $0.holds(at: now) }.prefix(Self.format.most))
        }
    }

    /// Next to the link's target, so that all users of the store share one file.
    private func list() throws(StoreError) -> StateList<ThrottleEntry> {
        StateList(path: try ResolvedPath(cache.current.path).file + ".throttle", Self.format, lockWait: lockWait)
    }
}
