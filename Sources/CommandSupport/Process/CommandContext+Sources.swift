package import Identity
package import TokenCache

extension CommandContext {
    /// Every store that is looked for: foyer's own first, then the known programs', then those of the settings.
    package func sources(_ client: ClientChoice?) throws(Failure) -> [StoreSource] {
        let own = try storeSpec(client)
        let environment = environment
        let isElsewhere = homeOfPrograms != nil
        let places = KnownPlaces(home: homeOfPrograms ?? environment.home) { isElsewhere ? nil : environment[$0] }
        let known = places.sources.map { source in
            var source = source
            source.mayWrite = settings.stores.first { $0.name == source.name }?.mayWrite ?? false
            return source
        }
        var named: [StoreSource] = []
        for store in settings.stores {
            guard let path = store.path else { continue }
            named.append(.named(store.name, try spec(path), mayWrite: store.mayWrite))
        }
        // A store that is foyer's own by option or settings is not another program's as well.
        return [.own(own)] + (known + named).filter { $0.place != own.path }
    }

    /// What is found at all these places; nothing is changed at any, and nobody is asked for a passphrase.
    package func findings(_ client: ClientChoice?) throws(Failure) -> [StoreProbe] {
        let hasSession = DefaultStore(environment).hasSession
        return try sources(client).map { $0.look(hasSession: hasSession) }
    }

    /// A store as a person names it, for the title line: the kind of a plain file goes without saying.
    package func label(_ store: TokenCache) -> String {
        switch store.spec {
        case .keyring(let item): "keyring:" + short(item.name)
        case .file, .encrypted, nil: short(store.path)
        }
    }

    /// A path with the home folder as `~`, for the title line.
    package func short(_ path: String) -> String { environment.abbreviate(path) }

    package func clientName(_ id: String) -> String {
        settings.clients.first { $0.clientID == id }?.name ?? Client.wellKnown(id)?.name ?? id
    }
}
