package import Identity
package import TokenCache

extension CommandContext {
    /// All stores to search: foyer's own first, then known programs' stores, then those in the settings.
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
        // An option or setting can make a known program's store foyer's own; it is listed once.
        return [.own(own)] + (known + named).filter { $0.place != own.path }
    }

    /// Reads all of these stores without changes and without a passphrase prompt.
    package func findings(_ client: ClientChoice?, isCounting: Bool = false) throws(Failure) -> [StoreProbe] {
        let hasSession = DefaultStore(environment).hasSession
        return try sources(client).map { $0.look(hasSession: hasSession, isCounting: isCounting) }
    }

    /// A short store name for the title line, without the kind of a file.
    package func label(_ store: TokenCache) -> String {
        switch store.spec {
        case .keyring(let item): "keyring:" + short(item.name)
        case .file, .encrypted, nil: short(store.path)
        }
    }

    package func short(_ path: String) -> String { environment.abbreviate(path) }

    package func clientName(_ id: String) -> String {
        settings.choice(id: id).name
    }
}
