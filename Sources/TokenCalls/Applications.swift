import Identity
import SilentFirst

/// Recently used applications, one for each configuration.
package actor Applications {
    typealias Key = ClientConfiguration

    private struct Entry {
        let application: PublicClientApplication
        var users = 0
        var lastUse: ContinuousClock.Instant
    }

    /// An application unused for this long is closed, with its connections and the keys of its store.
    private static let idleTime: Duration = .seconds(600)
    private var entries: [Key: Entry] = [:]

    /// The shared application for this configuration; return it with ``giveBack(_:)``.
    func take(_ new: PublicClientApplication) -> (PublicClientApplication, Key) {
        let key = new.configuration
        var entry = entries[key] ?? Entry(application: new, lastUse: .now)
        entry.users += 1
        entries[key] = entry
        return (entry.application, key)
    }

    func giveBack(_ key: Key) {
        entries[key]?.users -= 1
        entries[key]?.lastUse = .now
    }

    package var stores: [String] { Set(entries.keys.map(\.store)).sorted() }

    /// - Returns: the time until the next check.
    package func closeIdle() async -> Duration {
        let now = ContinuousClock.now
        for key in entries.keys {
            // One may be taken while another is closed.
            guard let entry = entries[key], entry.users == 0, entry.lastUse + Self.idleTime <= now else { continue }
            entries[key] = nil
            await entry.application.close()
        }
        // One that is used from now on is not idle before.
        let next = entries.values.filter { $0.users == 0 }.map { $0.lastUse + Self.idleTime }.min()
        return next.map { max(.milliseconds(1), $0 - .now) } ?? Self.idleTime
    }

    package func closeAll() async {
        let all = entries.values
        entries = [:]
        for entry in all { await entry.application.close() }
    }
}
