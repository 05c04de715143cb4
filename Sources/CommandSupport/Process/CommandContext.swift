import FoundationEssentials
import Glibc
package import Identity
package import SilentFirst
package import TokenCache

/// Options, environment and settings put together, in that order, for one command.
package struct CommandContext: Sendable {
    package let shared: CommonOptions
    package let environment: ProcessEnvironment
    package private(set) var settings: Settings
    package let output: Output
    /// Who asks for passphrases; closed while screens are up.
    package let desk: PassphrasePrompt
    package let keys: StoreKeys
    /// Where other programs' stores are looked for instead of the person's home and environment: the demo's made-up
    /// ones.
    package var homeOfPrograms: String?

    /// - Parameter settings: nil for those of the file.
    package init(
        _ shared: CommonOptions, environment: ProcessEnvironment = ProcessEnvironment(), settings: Settings? = nil
    ) throws(Failure) {
        self.shared = shared
        self.environment = environment
        output = Output(
            json: shared.json, verbose: shared.verbose, noColor: shared.noColor || environment["NO_COLOR"] != nil)
        let desk = PassphrasePrompt(environment, isOpen: !shared.neverAsks)
        self.desk = desk
        keys = StoreKeys { question throws(StoreError) in try desk.answer(question) }
        let place = Self.settingsPlace(shared, environment)
        if let settings {
            self.settings = settings
        } else {
            self.settings = try Settings.load(place.path, isNamed: place.isNamed)
        }
    }

    /// Where the settings are, and whether somebody has named that file.
    package static func settingsPlace(
        _ shared: CommonOptions, _ environment: ProcessEnvironment
    ) -> (path: String, isNamed: Bool) {
        let named = shared.config ?? environment["FOYER_CONFIG"]
        return (named.map(environment.expand) ?? environment.configFolder + "/config.toml", named != nil)
    }

    /// The same with the settings as the file has them now.
    package func readingSettingsAgain() throws(Failure) -> CommandContext {
        var session = self
        session.settings = try Settings.load(settings.path, isNamed: false)
        return session
    }

    // MARK: Which client

    /// The client that a command works for, or nil when none is named anywhere.
    package func clientIfAny() throws(Failure) -> ClientChoice? {
        if let id = shared.clientID { return choice(id: id) }
        guard let name = shared.client ?? environment["FOYER_CLIENT"] ?? settings.defaultClient else {
            return settings.clients.count == 1 ? choice(settings.clients[0]) : nil
        }
        return try client(named: name)
    }

    package func client() throws(Failure) -> ClientChoice {
        if let choice = try clientIfAny() { return choice }
        throw Failure(
            .configuration, "no client is named",
            hint: """
                run it with --client \(Self.clientToBeginWith.shellWord) or another client ("foyer clients --all"), or \
                write in \(settings.path): client = "work" and [clients.work] with client_id and authority
                """
        )
    }

    /// The client that a store is all about, when nobody named one: another program's file then serves as it is.
    package func onlyClient(in snapshot: CacheSnapshot) throws(Failure) -> ClientChoice {
        let credentials = snapshot.credentials(clientID: nil)
        guard let first = credentials.first, credentials.allSatisfy({ $0.clientID == first.clientID }) else {
            return try client()
        }
        var choice = choice(id: first.clientID)
        if choice.authority == nil, let issuer = first.issuer {
            guard credentials.allSatisfy({ $0.issuer == issuer }) else { return choice }
            choice.authority = issuer
            choice.kind = issuer.hasSuffix("/adfs") ? .adfs : .oidc
            return choice
        }
        let realm = credentials.first { !$0.realm.isEmpty }?.realm
        if choice.authority == nil, let realm,
            credentials.allSatisfy({ Cloud.isSame($0.environment, first.environment) })
        {
            let tenant = Cloud.containing(host: first.environment) == nil ? realm : "organizations"
            choice.authority = "https://\(first.environment)/\(tenant)"
        }
        return choice
    }

    package func client(named name: String) throws(Failure) -> ClientChoice {
        if let configured = settings.client(named: name) { return choice(configured) }
        if let known = Client.wellKnown(name) { return choice(id: known.id) }
        // FOYER_CLIENT may hold an identifier: a GUID is never a name.
        if name.isGUID || settings.clients.contains(where: { $0.clientID == name }) { return choice(id: name) }
        let known = (settings.clients.map(\.name) + Client.wellKnown.prefix(3).map(\.name)).joined(separator: ", ")
        throw Failure(
            .configuration, "no client is named \"\(name)\"", hint: "known are: \(known); see \"foyer clients --all\"")
    }

    private func choice(id: String) -> ClientChoice {
        if let configured = settings.clients.first(where: { $0.clientID == id }) { return choice(configured) }
        return ClientChoice(name: Client.wellKnown(id)?.name ?? id, clientID: id)
    }

    private func choice(_ client: Settings.ClientSettings) -> ClientChoice {
        ClientChoice(
            name: client.name, clientID: client.clientID, authority: client.authority, kind: client.kind,
            redirectURI: client.redirectURI,
            scopes: client.scopes, capabilities: client.capabilities, store: client.store, behaviour: client.behaviour)
    }

    // MARK: Where, and whose tokens

    /// What an option, the environment or the settings name, in that order.
    private func namedAuthority(_ client: ClientChoice) -> String? {
        shared.authority ?? environment["FOYER_AUTHORITY"] ?? client.authority
    }

    package func authority(_ client: ClientChoice) throws(Failure) -> Authority {
        let text = namedAuthority(client) ?? Authority.defaultAddress
        do { return try Authority(text, kind: text == client.authority ? client.kind : nil) } catch {
            throw Failure(
                .configuration, "\(text): \(error)",
                hint: .text("write an address such as " + Authority.defaultAddress))
        }
    }

    /// The authority to ask for an account that was named: what somebody wrote for this client is never overruled, as a
    /// script that is set up for one provider must not get another's token.
    ///
    /// - Parameter own: the client's own, see ``authority(_:)``.
    package func authority(_ client: ClientChoice, own: Authority, for account: Account?) -> Authority {
        guard let account, namedAuthority(client) == nil else { return own }
        return Authority.toAsk(for: account, configured: own, issuer: own.issuer)
    }

    /// The request made into one for an account: from which authority, and for which scopes. `foyer token` and Enter in
    /// the interface have it from here.
    package func request(
        _ request: TokenRequest, for account: Account?, at authority: Authority, _ client: ClientChoice,
        in snapshot: CacheSnapshot
    ) -> TokenRequest {
        var request = request
        request.account = account
        request.authority = authority
        request.scopes = ScopeSet.toAsk(
            named: ScopeSet(shared.scopes), configured: ScopeSet(client.scopes), kind: authority.kind,
            legacy: account.flatMap { snapshot.scopesOfLegacy($0, clientID: client.clientID) })
        return request
    }

    /// The scopes to ask for when it is not known for whom.
    package func scopes(_ client: ClientChoice, _ authority: Authority) -> ScopeSet {
        ScopeSet.toAsk(
            named: ScopeSet(shared.scopes), configured: ScopeSet(client.scopes), kind: authority.kind)
    }

    // MARK: Token stores

    /// The store that is named somewhere; nil when the default serves.
    private func namedSpec(_ client: ClientChoice?) throws(Failure) -> StoreSpec? {
        guard let text = shared.store ?? environment["FOYER_STORE"] ?? client?.store ?? settings.store else {
            return nil
        }
        return try spec(text)
    }

    package func spec(_ text: String) throws(Failure) -> StoreSpec {
        do {
            return try StoreSpec(text, folder: environment.dataFolder, label: Product.name, expand: environment.expand)
        } catch {
            throw Failure(.configuration, error.message, hint: .text(error.hint))
        }
    }

    /// The store of a client, as it is now.
    package func storeSpec(_ client: ClientChoice?) throws(Failure) -> StoreSpec {
        try namedSpec(client) ?? DefaultStore(environment).forReading
    }

    /// The store for who only looks: nothing of it is tidied up.
    package func cacheForLooking(_ client: ClientChoice?) throws(Failure) -> TokenCache {
        TokenCache(try storeSpec(client), keys: keys)
    }

    package func cache(_ client: ClientChoice?) throws(Failure) -> TokenCache {
        let cache = try cacheForLooking(client)
        cache.clearLeftovers()
        return cache
    }

    /// The store that a sign-in writes to, unlocked, so that its passphrase is not asked for in the middle.
    ///
    /// - Returns: the store, and what the person should know when it is a new one that nobody named.
    package func storeForSigningIn(_ client: ClientChoice?) throws(Failure) -> (cache: TokenCache, note: String?) {
        let named = try namedSpec(client)
        let store = DefaultStore(environment)
        let choice = named.map { DefaultStore.Choice(spec: $0, reason: "", isNew: false) } ?? store.forWriting()
        let cache = TokenCache(choice.spec, keys: keys)
        if choice.spec.kind == .encrypted {
            let isNew = !((try? cache.status().isThere) ?? false)
            do { try cache.unlock() } catch {
                throw isNew ? Failure.of(error, creating: cache.path) : Failure(error)
            }
        }
        guard choice.isNew else { return (cache, nil) }
        let place = "tokens are stored in \(label(cache)), \(StoreProtection.words(choice.spec.kind)): \(choice.reason)"
        return (
            cache,
            choice.spec.kind == .file
                ? place + "; to encrypt them: foyer store move --to "
                    + "\(store.sealed.description.shellWord)\(storeOptions)" : place
        )
    }

    /// How long a browser is waited for: as the library has it, longer where a request may take longer.
    package var patience: Duration { .seconds(max(300, shared.timeout ?? 0)) }

    package func network() -> PublicClientApplication.NetworkSettings {
        PublicClientApplication.NetworkSettings(
            certificateFile: environment["SSL_CERT_FILE"].map(environment.expand),
            httpsProxy: proxy("HTTPS_PROXY", "https_proxy"),
            // Upper-case HTTP_PROXY is set from a request header in CGI programs; foyer is none, and the contract names
            // it.
            httpProxy: proxy("HTTP_PROXY", "http_proxy"),
            noProxy: (environment["NO_PROXY"] ?? environment["no_proxy"] ?? "").split(separator: ",").map {
                $0.filter { !$0.isWhitespace }
            }, timeout: shared.timeout ?? 10, productName: Product.name)
    }

    /// Judged when a request is to go through it: a token from the cache needs none.
    private func proxy(_ names: String...) -> ProxySetting? {
        for name in names { if let value = environment[name] { return ProxySetting(value, source: name) } }
        return nil
    }

    /// Whom a token may send this machine to for keys: the authorities of options, environment and settings.
    package func knownIssuers() -> KnownIssuers {
        let named = [shared.authority, environment["FOYER_AUTHORITY"]].compactMap(\.self).flatMap { text in
            // The issuer of a token is named as it stands there, whatever kind of authority it looks like.
            [try? Authority(text), try? Authority(text, kind: .oidc)].compactMap {
                $0.map { KnownIssuers.Configured($0) }
            }
        }
        let configured = settings.clients.compactMap { client -> KnownIssuers.Configured? in
            guard let text = client.authority, let authority = try? Authority(text, kind: client.kind) else {
                return nil
            }
            return KnownIssuers.Configured(authority, client.behaviour.endpoints)
        }
        return KnownIssuers(named + configured)
    }

    package func application(
        _ client: ClientChoice, redirectURI: String? = nil, provider: Provider? = nil, cache: TokenCache? = nil
    )
        throws(Failure)
        -> PublicClientApplication
    {
        let cache = if let cache { cache } else { try self.cache(client) }
        var configuration = PublicClientApplication.Configuration(
            clientID: client.clientID, authority: try authority(client),
            redirectURI: redirectURI ?? client.redirectURI ?? "http://localhost",
            capabilities: client.capabilities, store: cache.spec?.description ?? cache.path, network: network())
        client.behaviour.apply(to: &configuration)
        configuration.broker = settings.broker
        // Some providers refuse a client any scope that it is not registered for, profile and offline_access too:
        // whoever names scopes names all of them.
        if configuration.authority.kind == .oidc, !client.scopes.isEmpty {
            configuration.reservedScopes = ScopeSet(client.scopes).reservedOnly
        }
        return PublicClientApplication(
            configuration, cache: cache,
            provider: provider ?? Provider(configuration.network, refreshes: ProcessEnd.refreshes),
            broker: settings.broker == .never ? nil : BrokerAccess.broker(environment),
            onFailure: noteFailure,
            now: { Date() })
    }

    /// Nil in the demo: what fails there is nobody's trouble.
    private var noteFailure: (@Sendable (Failure, Authority) -> Void)? {
        guard homeOfPrograms == nil else { return nil }
        return { [environment] failure, authority in
            FailureRecord(environment).note(failure, authority.kind, at: Date())
        }
    }
}
