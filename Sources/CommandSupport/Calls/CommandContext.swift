import FoundationEssentials
import Glibc
package import Identity
package import SilentCore
package import TokenCache

/// Options, environment and settings of one command; earlier ones take precedence.
package struct CommandContext: Sendable {
    package let shared: TokenOptions
    package let environment: ProcessEnvironment
    package private(set) var settings: Settings
    package let output: Output
    /// Prompts for passphrases; closed while the interface is shown.
    package let desk: PassphrasePrompt
    package let keys: StoreKeys
    /// The demo's folder of sample stores, searched instead of the user's home and environment.
    package var homeOfPrograms: String?

    /// - Parameters:
    ///   - settings: nil to load the settings file.
    ///   - keys: of encrypted stores; nil to prompt for a passphrase.
    package init(
        _ shared: TokenOptions, environment: ProcessEnvironment = ProcessEnvironment(), settings: Settings? = nil,
        keys: StoreKeys? = nil
    ) throws(Failure) {
        self.shared = shared
        self.environment = environment
        output = Output(
            json: shared.json, verbose: shared.verbose, noColor: shared.noColor || environment["NO_COLOR"] != nil)
        let desk = PassphrasePrompt(environment, isOpen: !shared.neverAsks)
        self.desk = desk
        self.keys = keys ?? StoreKeys { question throws(StoreError) in try desk.answer(question) }
        let place = Self.settingsPlace(shared, environment)
        if let settings {
            self.settings = settings
        } else {
            self.settings = try Settings.load(place.path, isNamed: place.isNamed)
        }
    }

    /// The path of the settings file, and whether an option or the environment set it.
    package static func settingsPlace(
        _ shared: TokenOptions, _ environment: ProcessEnvironment
    ) -> (path: String, isNamed: Bool) {
        let named = shared.config ?? environment["FOYER_CONFIG"]
        return (named.map(environment.expand) ?? environment.configFolder + "/config.toml", named != nil)
    }

    /// A copy with the settings file read again.
    package func readingSettingsAgain() throws(Failure) -> CommandContext {
        var session = self
        session.settings = try Settings.load(settings.path, isNamed: false)
        return session
    }

    // MARK: Which client

    /// The settings and defaults that requests are resolved with.
    package var world: ResolutionWorld {
        ResolutionWorld(
            settings, client: environment["FOYER_CLIENT"], authority: environment["FOYER_AUTHORITY"],
            account: environment["FOYER_ACCOUNT"], tenant: environment["FOYER_TENANT"],
            remembered: { (try? storeSpec(nil)).flatMap { DefaultClient(environment).client(of: $0, settings) } },
            uses: { uses(in: try? cacheForLooking(nil)) },
            folder: {
                environment.workingFolder.map {
                    ProgramRequest(program: Product.name, directory: $0, home: environment.home)
                }
            },
            session: { () throws(Failure) in try AgentSession.find(in: environment, settings.agentVariables) },
            answered: { SessionAnswers(environment).answer(to: $0, at: Date()) })
    }

    /// How people have signed in to a store; empty if it cannot be read without asking.
    package func uses(in store: TokenCache?) -> [ClientUse] {
        guard let store, (try? store.status().isOpen) ?? false, let snapshot = try? store.read() else { return [] }
        return snapshot.allUses
    }

    /// The client, rule, tenant and scopes of a request.
    package func resolved(_ query: TokenQuery) throws(Failure) -> ResolvedClient {
        do throws(Refusal) { return try ResolvedClient(query, world) } catch { throw error.failure }
    }

    package func resolved() throws(Failure) -> ResolvedClient { try resolved(TokenQuery(shared)) }

    package func clientIfAny() throws(Failure) -> ClientChoice? { try resolved().client }

    package func client() throws(Failure) -> ClientChoice {
        if let choice = try clientIfAny() { return choice }
        throw Refusal.noClient(settings: settings.path).failure
    }

    package func client(named name: String) throws(Failure) -> ClientChoice {
        do throws(Refusal) { return try world.client(named: name) } catch { throw error.failure }
    }

    package func authority(_ client: ClientChoice) throws(Failure) -> Authority {
        do throws(Refusal) { return try world.authority(of: client, shared) } catch { throw error.failure }
    }

    /// The scopes to request while the account is still unknown.
    package func scopes(_ client: ClientChoice, _ authority: Authority) throws(Failure) -> ScopeSet {
        let resolved = try resolved()
        do throws(Refusal) { return try resolved.scopes(client, at: authority) } catch { throw error.failure }
    }

    /// The scopes that a client is known to be registered for; none if they are unknown.
    package func listedScopes(_ client: ClientChoice) -> [String] {
        (try? authority(client)).map { client.defaults.listedScopes(at: $0).names } ?? client.scopes
    }

    // MARK: Token stores

    /// The store set by option, environment or settings; nil for the default store.
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

    /// The client's store as it exists now; see ``storeForSigningIn(_:)`` for a new one.
    package func storeSpec(_ client: ClientChoice?) throws(Failure) -> StoreSpec {
        try namedSpec(client) ?? DefaultStore(environment).forReading
    }

    /// The store for a read-only command, without removal of leftover files.
    package func cacheForLooking(_ client: ClientChoice?) throws(Failure) -> TokenCache {
        TokenCache(try storeSpec(client), keys: keys)
    }

    package func cache(_ client: ClientChoice?) throws(Failure) -> TokenCache {
        let cache = try cacheForLooking(client)
        cache.clearLeftovers()
        return cache
    }

    /// The store that a sign-in writes to, unlocked now so that no passphrase prompt interrupts the sign-in.
    ///
    /// - Returns: the store, and a note for the user if it is a new default store.
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
        let place =
            "tokens are stored in \(label(cache)) (\(StoreProtection.words(choice.spec.kind))): \(choice.reason)"
        return (
            cache,
            choice.spec.kind == .file
                ? place + "; to encrypt them: foyer store move --to "
                    + "\(store.sealed.description.shellWord)\(storeOptions)" : place
        )
    }

    /// How long to wait for the browser: the library's default, or a longer `--timeout`.
    package var patience: Duration { .seconds(max(300, shared.timeout ?? 0)) }

    package func network() -> NetworkSettings {
        NetworkSettings(
            certificateFile: environment["SSL_CERT_FILE"].map(environment.expand),
            httpsProxy: proxy("HTTPS_PROXY", "https_proxy"),
            // CGI programs must ignore upper-case HTTP_PROXY, which a request header can set; foyer is not one.
            httpProxy: proxy("HTTP_PROXY", "http_proxy"),
            noProxy: (environment["NO_PROXY"] ?? environment["no_proxy"] ?? "").split(separator: ",").map {
                $0.filter { !$0.isWhitespace }
            }, timeout: shared.timeout ?? 10, productName: Product.name)
    }

    /// Checked at the first request through the proxy, not here: a cached token needs no proxy.
    private func proxy(_ names: String...) -> ProxySetting? {
        for name in names { if let value = environment[name] { return ProxySetting(value, source: name) } }
        return nil
    }

    /// - Parameters:
    ///   - named: the authority; nil for the client's own.
    ///   - cache: the store; nil for the client's own.
    package func cachedClient(
        _ client: ClientChoice, at named: Authority? = nil, redirectURI: String? = nil, cache: TokenCache? = nil
    ) throws(Failure) -> CachedClient {
        let cache = if let cache { cache } else { try self.cache(client) }
        let own = if let named { named } else { try authority(client) }
        var defaults = client.defaults
        defaults.namedRedirectURI = redirectURI
        var configuration = ClientConfiguration(
            clientID: client.clientID, authority: own, redirectURI: defaults.redirectURI(at: own),
            capabilities: client.capabilities, store: cache.spec?.description ?? cache.path, network: network())
        configuration.clientName = client.name == client.clientID ? nil : client.name
        client.behaviour.apply(to: &configuration, isOwn: defaults.isOwn(own))
        configuration.defaults = defaults
        configuration.clientSecret = clientSecret(client, configuration)
        configuration.broker = settings.broker
        return CachedClient(configuration, cache)
    }

    /// The client's secret, with the full path of its file. Only for the provider in the settings: an option or the
    /// environment can name another one.
    private func clientSecret(_ client: ClientChoice, _ configuration: ClientConfiguration) -> ClientSecret? {
        let own = client.authority ?? Authority.defaultAddress
        guard var secret = client.behaviour.clientSecret, let authority = try? Authority(own, kind: client.kind),
            authority == configuration.authority
                || (authority.kind.isEntra && configuration.mayReceiveSecret(authority))
        else { return nil }
        if case .file(let path) = secret.source { secret.source = .file(environment.expand(path)) }
        return secret
    }
}
