package import Identity
import StrictJSON
package import TokenCache

/// The first client that the user signed in with, per store: the default if no option or setting names one. Entries
/// that a helper, a family or another program adds to the store do not change it.
package struct DefaultClient: Sendable {
    /// The original JSON, to keep members of other versions.
    fileprivate struct Entry: StateEntry {
        let json: JSONValue

        init(_ value: JSONValue) { json = value }

        subscript(name: String) -> String? { json[name]?.string }
    }

    fileprivate let list: StateList<Entry>

    package init(_ environment: ProcessEnvironment) {
        list = StateList(
            path: environment.stateFolder + "/default-clients.json",
            ListFormat("clients", maximumBytes: 65_536, most: 100, isNewestFirst: true))
    }

    package func client(of store: StoreSpec, _ settings: Settings) -> ClientChoice? {
        guard let entry = list.read().first(where: { $0["store"] == store.description }), let id = entry["clientId"]
        else { return nil }
        var choice = settings.choice(id: id)
        if choice.authority == nil {
            choice.authority = entry["authority"]
            choice.kind = entry["kind"].flatMap { Authority.Kind(rawValue: $0) }
        }
        return choice
    }

    /// - Parameters:
    ///   - client: saved with its authority, if that is set.
    ///   - replaces: whether to overwrite an earlier default; otherwise the first stays.
    /// - Throws: `storeError`; then nothing has changed.
    package func set(_ client: ClientChoice, of store: StoreSpec, replaces: Bool) throws(Failure) {
        list.clearLeftovers()
        do throws(StoreError) {
            try list.change { entries in
                guard replaces || !entries.contains(where: { $0["store"] == store.description }) else { return }
                entries.removeAll { $0["store"] == store.description }
                let entry = JSONValue(
                    ("store", store.description.json), ("clientId", client.clientID.json),
                    ("authority", client.authority.json), ("kind", (client.kind?.rawValue).json))
                entries.insert(Entry(entry), at: 0)
            }
        } catch { throw Failure(error) }
    }
}

extension DefaultClient {
    /// Gives a store that was moved the default client of its former place.
    package func carry(from old: StoreSpec, to new: StoreSpec) throws(StoreError) {
        guard list.read().contains(where: { $0["store"] == old.description }) else { return }
        try list.change { entries in
            guard let entry = entries.first(where: { $0["store"] == old.description }),
                !entries.contains(where: { $0["store"] == new.description }), let object = entry.json.object
            else { return }
            let members = object.members.map { member in
                member.name == "store" ? JSONMember(name: "store", value: new.description.json) : member
            }
            entries.insert(Entry(.object(JSONObject(members))), at: 0)
        }
    }
}

extension CommandContext {
    /// Saves the client of a sign-in as the store's default, unless the store has one.
    ///
    /// - Parameters:
    ///   - snapshot: the store before the sign-in; if it had a single client, that one was the default.
    ///   - cache: where it was saved, if that is not the present store of the settings.
    ///   - replaces: whether the user asked to make this client the default.
    package func noteSignIn(
        _ client: ClientChoice, before snapshot: CacheSnapshot?, in cache: TokenCache? = nil, replaces: Bool = false
    ) {
        // A default in the settings takes precedence.
        let isNamed = settings.defaultClient != nil || settings.clients.count == 1
        guard homeOfPrograms == nil, replaces || !isNamed, let store = try? storeSpec(nil),
            (try? storeSpec(client)) == store
        else { return }
        let first = replaces ? nil : snapshot.flatMap { world.onlyClient(in: $0) }
        var choice = first ?? client
        if first == nil { choice.authority = shared.authority ?? world.authority ?? client.authority }
        let place = (try? cache?.current.spec) ?? store
        try? DefaultClient(environment).set(choice, of: place, replaces: replaces)
    }

    /// Adds a client to the settings. The only client there would become the default, so a well-known one that has been
    /// it until now is named first: a script must not get another provider's token.
    package func save(_ client: ClientChoice) throws(Failure) -> SettingsChange {
        let file = SettingsFile(settings.path)
        if settings.clients.isEmpty, settings.defaultClient == nil, let store = try? storeSpec(nil),
            let usual = DefaultClient(environment).client(of: store, settings), usual.clientID != client.clientID,
            let known = Client.wellKnown(usual.clientID)
        {
            _ = try file.set("client", to: known.name)
        }
        return try file.add(client)
    }

    /// Call before a helper adds another client's tokens to a store with a single client.
    package func noteOnlyClient(in snapshot: CacheSnapshot) {
        guard settings.clients.isEmpty, let only = world.onlyClient(in: snapshot) else { return }
        noteSignIn(only, before: nil)
    }
}
