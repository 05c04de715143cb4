package import Identity
package import TokenCache

/// The first half of the resolution, without a store: client, rule, tenant and scopes. Pure.
package struct ResolvedClient: Sendable {
    /// The source of the client. Raw values appear in `--json`.
    package enum Source: String, Hashable, Sendable {
        case option
        /// Named in the program's request.
        case asked
        case environment, rule
        /// A client of the settings whose provider is the requesting host itself.
        case provider
        /// The default client of the settings, or their only one.
        case settings
        /// The program's usual client.
        case program
        /// The client by which the named account has signed in.
        case account
        /// The client of the first sign-in.
        case remembered
        /// The store's only client.
        case nobody
    }

    /// An earlier rule and its failed condition; nil if the destination does not accept the rule's client.
    package struct SkippedRule: Hashable, Sendable {
        package var rule: ProgramRule
        package var condition: ProgramRule.Condition?
    }

    package let query: TokenQuery
    /// Nil if it depends on the store.
    package private(set) var client: ClientChoice?
    package private(set) var source: Source
    /// Clients for all programs that the destination does not accept.
    package private(set) var passedClients: [ClientChoice]
    package private(set) var rule: ProgramRule?
    package private(set) var passedOver: [SkippedRule]
    /// From an option or a rule, else the usual one.
    package private(set) var account: String?
    package private(set) var accountSource = Resolution.AccountSource.nobody
    /// The usual sign-in for the client, if no account is named.
    package private(set) var usual: UsualSignIn?
    /// From the program's request.
    package private(set) var requestedAccount: String?
    /// Named by the program with a username.
    package var person: NamedPerson { query.request?.person ?? .nobody }
    package private(set) var tenant: String?
    /// Whether a rule must name the destination and none does.
    package private(set) var isPlaceUnnamed: Bool

    private let wantedClient: ClientChoice?
    private var own: Authority?
    package let world: ResolutionWorld

    package init(_ query: TokenQuery, _ world: ResolutionWorld) throws(Refusal) {
        self.query = query
        self.world = world
        wantedClient = try world.askedClient(of: query)
        (rule, passedOver, passedClients) = (nil, [], [])
        (client, source, isPlaceUnnamed) = (nil, .nobody, false)
        try query.checkLimits()
        if let request = query.request { try choose(request) }
        try nameClient()
        own = client.flatMap { try? world.authority(of: $0, query.options, asked: query.asked) }
        account = query.options.account ?? rule?.account
        accountSource = account == nil ? .nobody : query.options.account == nil ? .rule : .option
        requestedAccount = query.asked.account ?? (wantedClient == nil ? query.identity : nil)
        tenant = query.options.tenant ?? rule?.tenant
        if let asked = query.asked.tenant {
            if let tenant, tenant.asciiLowercased != asked.asciiLowercased {
                throw .outOfBound(bound(query.options.tenant, "--tenant"), what: "tenant", asked: asked, bound: tenant)
            }
            tenant = asked
        }
        // A rule can give the destination a client whose provider has no tenants.
        if own?.kind.hasTenants ?? true { tenant = tenant ?? query.place.tenant }
        takeUsualAccount()
    }

    /// For a request that names no account, of a program that has none of its own.
    private mutating func takeUsualAccount() {
        let isProgram = query.request != nil
        guard query.takesUsualAccount || isProgram, account == nil, requestedAccount == nil, query.user == nil,
            person == .nobody,
            let usual = world.usualSignIn(for: client, ofProgram: isProgram)
        else { return }
        self.usual = usual
        if own?.kind.hasTenants ?? true { tenant = tenant ?? usual.tenant }
        guard let account = usual.account else { return }
        self.account = account
        accountSource =
            switch usual.source {
            case .environment: .environment
            case .rule: .rule
            case .settings: .settings
            }
    }

    // MARK: The rule

    private mutating func choose(_ request: ProgramRequest) throws(Refusal) {
        for rule in world.settings.rules {
            if let condition = rule.mismatch(with: request) {
                passedOver.append(SkippedRule(rule: rule, condition: condition))
            } else if let condition = query.place.mustBeNamed, rule.conditions[condition] == nil {
                passedOver.append(SkippedRule(rule: rule, condition: condition))
            } else if !rule.namesPlace, let client = rule.client.flatMap({ world.settings.choice(named: $0) }),
                !takes(client)
            {
                passedOver.append(SkippedRule(rule: rule, condition: nil))
            } else {
                self.rule = rule
                break
            }
        }
        guard let condition = query.place.mustBeNamed, rule == nil else { return }
        // The user can be prompted about a cluster; a host without a rule is refused.
        isPlaceUnnamed = providers.isEmpty
        if isPlaceUnnamed, condition != .cluster { throw .placeNotNamed(request, condition) }
    }

    /// Clients of the settings whose provider is the requesting host, such as a self-hosted GitLab, or whose vendor's
    /// git host it is.
    private var providers: [ClientChoice] {
        guard let host = query.request?.host else { return [] }
        return world.settings.clients.filter { client in
            guard let authority = try? authority(of: client) else { return false }
            guard authority.kind.isStandard else { return false }
            let isOfGit = query.request?.program == ProgramName.git.rawValue
            return authority.address.hostAndPort == host
                || (isOfGit
                    && KnownServer.at(authority.address)?.servesGit(at: host, authority: authority.address) == true)
        }
    }

    // MARK: The client

    private mutating func nameClient() throws(Refusal) {
        let settings = world.settings
        let bound = try world.client(query.options.client, query.options.clientID, at: query.options.authority)
        let wanted = wantedClient
        if let bound { try take(bound, .option, wanted, "--client") }
        let isBound = wanted != nil || query.place.mustBeNamed != nil || world.client == nil
        if client == nil, isBound, let named = rule?.client {
            try take(try world.client(named: named), .rule, wanted, nil)
        }
        if client == nil, let wanted {
            guard takes(wanted) else { throw otherKind(wanted) }
            (client, source) = (wanted, .asked)
        }
        if client == nil, rule?.client == nil, let own = providers.first { (client, source) = (own, .provider) }
        if client == nil, let name = world.client { offer(try world.client(named: name), .environment) }
        let ofRule = query.request == nil && client == nil ? world.ofFolder?.client : rule?.client
        if client == nil, let named = ofRule { offer(try world.client(named: named), .rule) }
        if client == nil, let name = settings.defaultClient {
            offer(try world.client(named: name), .settings)
        } else if client == nil, settings.clients.count == 1 {
            offer(settings.clients[0], .settings)
        }
        if client == nil, !query.place.isLastResort { offerOwn() }
        if client == nil, let remembered = world.remembered() { offer(remembered, .remembered) }
    }

    /// Takes a client from an option or a rule, which limits the request.
    private mutating func take(
        _ named: ClientChoice, _ source: Source, _ wanted: ClientChoice?, _ option: String?
    ) throws(Refusal) {
        let bound: Refusal.Bound = option.map { .option($0) } ?? .rule(line: rule?.line ?? 0)
        if let wanted, wanted.clientID != named.clientID {
            throw .outOfBound(bound, what: "client", asked: wanted.name, bound: named.name)
        }
        if let asked = query.asked.authority, let own = named.authority, let wanted = try? Authority(asked),
            let mine = try? Authority(own, kind: named.kind), !mine.isOfSameProvider(as: wanted)
        {
            throw .outOfBound(bound, what: "client's provider", asked: asked, bound: own)
        }
        // A rule that names the destination decides what may go there.
        guard takes(named) || (option == nil && rule?.namesPlace == true) else { throw otherKind(named) }
        if rule == nil, !providers.isEmpty, !providers.contains(named) { throw otherKind(named) }
        (client, self.source) = (named, source)
    }

    private mutating func offer(_ choice: ClientChoice, _ source: Source) {
        guard takes(choice) else { return passedClients.append(choice) }
        (client, self.source) = (choice, source)
    }

    private mutating func offerOwn() {
        guard let own = query.place.client.flatMap({ world.settings.choice(named: $0) }), takes(own) else { return }
        (client, source) = (own, .program)
    }

    func takes(_ client: ClientChoice) -> Bool {
        guard let kinds = query.place.kinds else { return true }
        // An invalid authority is reported when it is used.
        return (try? authority(of: client)).map { kinds.contains($0.kind) } ?? true
    }

    func otherKind(_ client: ClientChoice) -> Refusal {
        let kind = (try? authority(of: client))?.kind ?? .oidc
        return .otherKind(client: client.name, kind, query.request ?? ProgramRequest(program: "foyer"))
    }

    /// The option or rule that limits the request to ``account``.
    var boundOfAccount: Refusal.Bound { bound(query.options.account, "--account") }

    private func bound(_ option: String?, _ name: String) -> Refusal.Bound {
        option == nil ? .rule(line: rule?.line ?? 0) : .option(name)
    }

    /// Falls back to the store's only client, if any, else to the destination's last resort.
    package func settled(by only: ClientChoice?) throws(Refusal) -> ResolvedClient {
        guard client == nil else { return self }
        var settled = self
        if let only { settled.offer(only, .nobody) }
        if settled.client == nil { settled.offerOwn() }
        guard settled.client != nil else {
            throw settled.passedClients.first.map(otherKind) ?? .noClient(settings: world.settings.path)
        }
        return settled
    }

    // MARK: The client of the named account

    /// Whether the client is named. A default gives way to the client by which a named account has signed in, and so
    /// does one of several names of a client ID.
    private var isNamed: Bool {
        switch source {
        case .option: query.options.client != nil
        case .asked: query.asked.client != nil || query.identity != nil
        case .environment: Client.isSameName(client?.name, world.client)
        // A folder's rule is a default for foyer's own commands.
        case .rule: query.request != nil
        case .provider, .account: true
        case .settings, .program, .remembered, .nobody: false
        }
    }

    /// Whether any of the store's clients will do, as nothing but an earlier sign-in chose this one.
    private var isByChance: Bool { source == .remembered || source == .nobody }

    private var isIDNamed: Bool { source == .option || source == .asked || source == .environment }

    /// With the client by which the named account has signed in, if no client is named and it has not signed in by the
    /// default.
    ///
    /// - Throws: ``Refusal/ambiguousAccount(_:_:_:)``.
    package func following(_ snapshot: CacheSnapshot) throws(Refusal) -> ResolvedClient {
        guard let name = account ?? requestedAccount ?? person.address else {
            try checkOnlyProvider(snapshot)
            return self
        }
        guard let client, !isNamed,
            world.namedAuthority(ClientChoice(name: "", clientID: ""), query.options, asked: query.asked) == nil
        else { return self }
        // Nearly always the default is the client, which is found without the others' entries.
        let isWhole = account == nil && requestedAccount == nil
        func meant(_ accounts: [Account]) -> [Account] {
            isWhole ? accounts.named(by: name) : accounts.meant(by: name)
        }
        if !isByChance, let only = meant(snapshot.accounts(clientID: client.clientID)).only,
            isCertainly(client, of: only, in: snapshot)
        {
            return self
        }
        let matches = meant(snapshot.accounts(clientID: isIDNamed ? client.clientID : nil))
        guard !matches.isEmpty else { return self }
        let known = KnownClients(world.settings, uses: snapshot.allUses)
        let found = matches.map { account in
            let uses = known.uses(of: account, in: snapshot)
            return (account: account, uses: isIDNamed ? uses.filter { $0.isOf(client) } : uses)
        }
        let isUsual = found.contains { entry in
            entry.uses.contains { use in use.isOf(client) && known.choice(of: use).isSameName(as: client) }
        }
        if isUsual, !(isByChance && matches.count > 1) { return self }
        let choices = found.compactMap { $0.uses.first }.map(known.choice(of:)).filter(takes)
        guard found.count == 1 else { throw .ambiguousAccount(name, matches, clients: choices.map(\.name)) }
        guard let choice = choices.first else { return self }
        var following = self
        (following.client, following.source) = (choice, .account)
        following.own = try? world.authority(of: choice, query.options, asked: query.asked)
        return following
    }

    /// With the store's only client if none is named, then ``following(_:)``.
    package func settled(in snapshot: CacheSnapshot) throws(Refusal) -> ResolvedClient {
        let chosen = client == nil ? try settled(by: world.onlyClient(in: snapshot)) : self
        return try chosen.following(snapshot)
    }

    /// - Throws: ``Refusal/ambiguousClient(_:_:)`` if the store's only client ID is known to several providers.
    private func checkOnlyProvider(_ snapshot: CacheSnapshot) throws(Refusal) {
        guard source == .nobody, let client,
            world.namedAuthority(ClientChoice(name: "", clientID: ""), query.options, asked: query.asked) == nil
        else { return }
        let accounts = snapshot.accounts(clientID: client.clientID)
        guard Set(accounts.map { $0.issuer ?? "" }).count > 1 else { return }
        let known = KnownClients(world.settings, uses: snapshot.allUses)
        let names = accounts.compactMap { known.uses(of: $0, in: snapshot).first }.map { known.choice(of: $0).name }
        throw .ambiguousClient(client.clientID, names)
    }

    /// Whether an account has signed in by this client and no other that has its ID.
    private func isCertainly(_ client: ClientChoice, of account: Account, in snapshot: CacheSnapshot) -> Bool {
        guard let authority = own, authority.issuer == account.issuer else { return false }
        let uses = snapshot.uses(of: account.id, clientID: client.clientID)
        guard !uses.isEmpty else { return !world.settings.clients.contains { $0 != client && $0.hasID(of: client) } }
        return uses.contains { $0.name == client.name && $0.authority == authority.address.text }
    }

    // MARK: The authority, and the scopes

    package func authority(of client: ClientChoice) throws(Refusal) -> Authority {
        if let own, client == self.client { return own }
        return try world.authority(of: client, query.options, asked: query.asked)
    }

    /// - Parameter legacy: scopes of an account that is only in an ADAL cache.
    package func scopes(
        _ client: ClientChoice, at authority: Authority, legacy: ScopeSet? = nil
    ) throws(Refusal) -> ScopeSet {
        if let refusal = self.refusal(ofScopes: ScopeSet(query.asked.scopes)) { throw refusal }
        let (kind, named, place) = (authority.kind, namedScopes(authority.kind), query.place)
        if named.isEmpty, client.scopes.isEmpty, place.mustBeNamed != nil, !kind.isStandard, !query.isIDToken,
            let request = query.request
        {
            throw .noScopes(request, client: client.name)
        }
        return client.defaults.scopes(named: named, at: authority, clientID: client.clientID, legacy: legacy)
    }
}

extension ResolvedClient {
    /// Why a program may not request these scopes; nil if it may.
    func refusal(ofScopes asked: ScopeSet) -> Refusal? {
        let bound = boundScopes
        guard !asked.isEmpty, !bound.isEmpty, !bound.covers(asked) else { return nil }
        return .outOfBound(
            self.bound(query.options.scopes.first, "--scope"), what: "scopes", asked: "\(asked)", bound: "\(bound)")
    }

    /// The scopes that a rule or the command line fixes; empty if neither does.
    var boundScopes: ScopeSet {
        ScopeSet(query.options.scopes.isEmpty ? rule?.scopes ?? [] : query.options.scopes)
    }

    /// Scopes from the program's request, the command line, a rule or the destination, in that order.
    package func namedScopes(_ kind: Authority.Kind) -> ScopeSet {
        let asked = ScopeSet(query.asked.scopes)
        if !asked.isEmpty { return asked }
        if !boundScopes.isEmpty { return boundScopes }
        return (query.place.kinds ?? [kind]).contains(kind) ? ScopeSet(query.place.scopes) : []
    }
}

extension ResolutionWorld {
    /// - Parameter authority: decides between clients of the settings that have this ID.
    fileprivate func client(_ name: String?, _ id: String?, at authority: String?) throws(Refusal) -> ClientChoice? {
        if let id { return try client(id: id, at: authority) }
        return try name.map { name throws(Refusal) in try client(named: name) }
    }

    /// A client of the settings, a well-known one, or one of a sign-in in the store. Only for the last one the
    /// store is read.
    package func client(named name: String) throws(Refusal) -> ClientChoice {
        if let choice = settings.choice(named: name) { return choice }
        let known = KnownClients(settings, uses: uses())
        if let choice = known.signedIn(named: name) { return choice }
        return try settings.knownClient(named: name, besides: known.signedIn.map(\.name))
    }

    private func client(id: String, at authority: String?) throws(Refusal) -> ClientChoice {
        let own = settings.clients.filter { ClientID.isSame($0.clientID, id) }
        guard !own.isEmpty else { return settings.choice(id: id) }
        guard let place = (authority ?? self.authority).flatMap({ try? Authority($0) }) else {
            let providers = own.compactMap(\.ownAuthority)
            guard let first = providers.first, providers.allSatisfy({ $0.isOfSameProvider(as: first) }) else {
                throw .ambiguousClient(id, own.map(\.name))
            }
            return settings.choice(id: id)
        }
        // Another provider's client can have this ID.
        return own.first { $0.ownAuthority == place } ?? own.first { $0.isOfProvider(of: place) }
            ?? ClientChoice(name: settings.nameOutside(id), clientID: id)
    }

    fileprivate func askedClient(of query: TokenQuery) throws(Refusal) -> ClientChoice? {
        if let asked = try client(query.asked.client, query.asked.clientID, at: query.asked.authority) { return asked }
        guard let identity = query.identity else { return nil }
        let isConfigured = settings.clients.contains { $0.name == identity || $0.clientID == identity }
        return isConfigured || Client.wellKnown(identity) != nil ? settings.choice(named: identity) : nil
    }

    /// The client's authority from an option, the program's request, the environment or the settings, in that order.
    package func namedAuthority(
        _ client: ClientChoice, _ options: TokenOptions, asked: TokenOptions = TokenOptions()
    ) -> String? {
        options.authority ?? asked.authority ?? authority ?? client.authority
    }

    package func authority(
        of client: ClientChoice, _ options: TokenOptions, asked: TokenOptions = TokenOptions()
    ) throws(Refusal) -> Authority {
        let text = namedAuthority(client, options, asked: asked) ?? Authority.defaultAddress
        do { return try client.defaults.authority(text) } catch {
            throw .badAuthority(text, why: "\(error)")
        }
    }
}

extension KnownClients {
    /// See ``uses(of:recorded:realms:)``.
    package func uses(of account: Account, in snapshot: CacheSnapshot) -> [ClientUse] {
        uses(of: account, recorded: snapshot.uses(of: account.id)) { clientID in
            snapshot.credentials(of: account.id, clientID: clientID).filter { $0.kind != .refreshToken }.map(\.realm)
                .filter { !$0.isEmpty }
        }
    }

    /// The names by which an account has signed in through the ID of a client, the latest first. Nil if it has signed
    /// in by the client itself, or by none of the ID.
    package func otherNames(than client: ClientChoice, of account: Account, in snapshot: CacheSnapshot) -> [String]? {
        let choices = uses(of: account, in: snapshot).filter { $0.isOf(client) }.map(choice(of:))
        guard !choices.isEmpty, !choices.contains(where: { $0.isSameName(as: client) }) else { return nil }
        return choices.map(\.name)
    }
}

extension ClientUse {
    func isOf(_ client: ClientChoice) -> Bool { ClientID.isSame(clientID, client.clientID) }
}

extension [Account] {
    fileprivate var only: Account? { count == 1 ? self[0] : nil }
}

extension ClientChoice {
    fileprivate func hasID(of other: ClientChoice) -> Bool { ClientID.isSame(clientID, other.clientID) }

    /// Whether both are one client by one name; a client without a name in the settings has only its ID.
    func isSameName(as other: ClientChoice) -> Bool {
        name == other.name && ownAuthority.map { other.isOfProvider(of: $0) } ?? false
    }
}

extension Settings {
    /// - Parameter others: names of clients that have signed in without settings.
    package func knownClient(named name: String, besides others: [String] = []) throws(Refusal) -> ClientChoice {
        if let choice = choice(named: name) { return choice }
        throw .unknownClient(name, known: clients.map(\.name) + others + wellKnownNames.prefix(3))
    }

    package func choice(named name: String) -> ClientChoice? {
        if let configured = client(named: name) { return configured }
        if let known = Client.wellKnown(name) { return choice(id: known.id) }
        // FOYER_CLIENT may contain a client ID: a GUID is never a name.
        return name.isGUID || clients.contains { $0.clientID == name } ? choice(id: name) : nil
    }

    package func choice(id: String) -> ClientChoice {
        clients.first { $0.clientID == id } ?? ClientChoice(name: nameOutside(id), clientID: id)
    }

    /// The client IDs for the names in a setting.
    package func clientIDs(_ names: [String]) -> Set<String> { Set(names.map { choice(named: $0)?.clientID ?? $0 }) }

    /// Whether a selection of these settings includes a client. Its names are resolved by these settings, as another
    /// settings file may name the same client differently.
    package func selects(_ client: ClientChoice, _ selection: ClientSelection) -> Bool {
        switch selection {
        case .never: false
        case .always: true
        case .clients(let names): clientIDs(names).contains(client.clientID)
        }
    }
}
