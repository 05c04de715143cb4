package import FoundationEssentials
package import Identity
package import StrictJSON
package import TokenCache

/// Registrations of clients that were sent and are not in the settings yet: `registrations.json` in the state folder.
/// One of a process that was killed is found here, so that it can be finished or deleted. Contains no secrets.
package struct UnfinishedRegistrations: Sendable {
    package struct Entry: Hashable {
        package var name = ""
        /// The settings file that it is for.
        package var settings = ""
        package var authority = ""
        /// In whole seconds.
        package var date = Date.distantPast
        /// Nil until the provider has answered.
        package var clientID: String?
        /// The lines for the settings.
        package var lines: [String] = []
        /// The store, as in the settings, and the issuer in it of the client's secret.
        package var store: String?
        package var issuer: String?

        package init() {}

        /// Whether the client is of no use without its secret.
        package var needsSecret: Bool { lines.contains { $0.hasPrefix("client_secret ") } }

        package var owner: ClientSecretOwner? {
            guard let issuer, let clientID else { return nil }
            return ClientSecretOwner(issuer: issuer, clientID: clientID)
        }
    }

    private static let mostEntries = 50
    fileprivate static let mostLines = 64
    private let list: StateList<Entry>
    private let settings: String

    /// - Parameter settings: the path of the settings file; the entries for others are left alone.
    package init(_ environment: ProcessEnvironment, settings: String) {
        self.settings = settings
        list = StateList(
            path: environment.stateFolder + "/registrations.json",
            ListFormat("registrations", maximumBytes: 262_144, most: Self.mostEntries), lockWait: .seconds(5))
    }

    /// Oldest first.
    package func read() -> [Entry] { list.read().filter { $0.settings == settings } }

    package func entry(_ name: String) -> Entry? { read().last { $0.name == name } }

    /// Records a registration, in place of an earlier one of its name.
    ///
    /// - Throws: `storeError`; then nothing may be sent.
    package func note(_ entry: Entry) throws(Failure) {
        var entry = entry
        entry.settings = settings
        try change { entries in
            entries.removeAll { $0.name == entry.name && $0.settings == settings }
            entries.append(entry)
        }
    }

    package func remove(_ name: String) throws(Failure) {
        try change { $0.removeAll { $0.name == name && $0.settings == settings } }
    }

    private func change(_ body: (inout [Entry]) -> Void) throws(Failure) {
        do throws(StoreError) { try list.change(body) } catch { throw Failure(error) }
    }
}

extension UnfinishedRegistrations.Entry: JSONRecord, StateEntry {
    package mutating func describe(_ member: inout JSONMembers) {
        member("name", &name, .text(longest: 100))
        member("settings", &settings, .text(longest: 4096))
        member("authority", &authority, .text(longest: 2048))
        member("at", &date, .time)
        member("client_id", &clientID, .text(longest: 512))
        member("lines", &lines, .all(.text(longest: 8192), most: UnfinishedRegistrations.mostLines))
        member("store", &store, .text(longest: 4096))
        member("issuer", &issuer, .text(longest: 2048))
    }
}
