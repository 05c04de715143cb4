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

    package func closeIdle() async {
        let idle = entries.filter { $0.value.users == 0 && $0.value.lastUse + Self.idleTime < .now }
        for (key, entry) in idle {
            entries[key] = nil
            await entry.application.close()
        }
    }

    package func closeAll() async {
        let all = entries.values
        entries = [:]
        for entry in all { await entry.application.close() }
    }
}
