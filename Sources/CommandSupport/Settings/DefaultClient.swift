package import Identity
import SilentFirst
import StrictJSON
package import TokenCache

/// The client that a person signed in at first into each store: the default one where neither an option nor the
/// settings name any. What a helper, a family or another program adds to the store changes nothing of it.
package struct DefaultClient: Sendable {
    private let file: StateFile
    private static let maximumBytes = 65_536
    private static let mostStores = 100

    package init(_ environment: ProcessEnvironment) {
        file = StateFile(path: environment.stateFolder + "/default-clients.json", maximumBytes: Self.maximumBytes)
    }

    package func client(of store: StoreSpec, _ settings: Settings) -> ClientChoice? {
        file.clearLeftovers()
        guard let bytes = try? file.read(),
            let entry = entries(bytes).first(where: { $0["store"]?.string == store.description }),
            let id = entry["clientId"]?.string
        else { return nil }
        var choice = settings.choice(id: id)
        if choice.authority == nil {
            choice.authority = entry["authority"]?.string
            choice.kind = entry["kind"]?.string.flatMap { Authority.Kind(rawValue: $0) }
        }
        return choice
    }

    /// - Parameters:
    ///   - authority: where the client signs people in, if it was named.
    ///   - replaces: whether another one is changed; else the first stays.
    /// - Throws: `storeError`; then nothing has changed.
    package func set(_ client: ClientChoice, of store: StoreSpec, replaces: Bool) throws(Failure) {
        do throws(StoreError) {
            try file.change { bytes in
                var kept = bytes.map(entries) ?? []
                let isThere = kept.contains { $0["store"]?.string == store.description }
                guard !isThere || replaces else { return bytes ?? [] }
                kept.removeAll { $0["store"]?.string == store.description }
                let entry = JSONValue(
                    ("store", store.description.json), ("clientId", client.clientID.json),
                    ("authority", client.authority.json), ("kind", (client.kind?.rawValue).json))
                let list = JSONValue.array([entry] + kept.prefix(Self.mostStores - 1))
                return Array((JSONValue(("version", 1), ("clients", list)).serialized() + "\n").utf8)
            }
        } catch { throw Failure(error) }
    }

    private func entries(_ bytes: [UInt8]) -> [JSONValue] {
        guard let value = try? JSONValue(parsing: bytes), value["version"]?.integer == 1 else { return [] }
        return Array((value["clients"]?.array ?? []).prefix(Self.mostStores))
    }
}

extension CommandContext {
    /// Notes at which client a person has signed in, or begins to, where nobody has signed in at another before.
    ///
    /// - Parameters:
    ///   - snapshot: the store as it was: a client that is its only one was the default until now.
    ///   - replaces: whether the person wants it for the default.
    package func noteSignIn(_ client: ClientChoice, before snapshot: CacheSnapshot?, replaces: Bool = false) {
        // Where the settings name one, nobody will look.
        let isNamed = settings.defaultClient != nil || settings.clients.count == 1
        guard homeOfPrograms == nil, replaces || !isNamed, let store = try? storeSpec(nil),
            (try? storeSpec(client)) == store
        else { return }
        let first = replaces ? nil : snapshot.flatMap { world.onlyClient(in: $0) }
        var choice = first ?? client
        if first == nil { choice.authority = shared.authority ?? world.authority ?? client.authority }
        try? DefaultClient(environment).set(choice, of: store, replaces: replaces)
    }

    /// Before a helper adds another client's tokens to a store that has one client's only.
    package func noteOnlyClient(in snapshot: CacheSnapshot) {
        guard settings.clients.isEmpty, let only = world.onlyClient(in: snapshot) else { return }
        noteSignIn(only, before: nil)
    }
}
