package import Identity
package import TokenCache

/// The account, authority and scopes for a request; nothing else decides them. A pure function of the query, the
/// settings and the store. ``SilentFirst/SilentDecision`` then plans the silent call.
package struct Resolution: Sendable {
    package enum AccountSource: String, Hashable, Sendable {
        case option, rule
        /// The usual account of the shell, by `FOYER_ACCOUNT`, or of the settings.
        case environment, settings
        /// Named in the program's request.
        case asked
        /// Set in the program's own settings.
        case program
        /// Chosen by the user, at a prompt or on a screen.
        case person
        case nobody
    }

    package enum Outcome: Hashable, Sendable {
        /// Nil if no account is signed in, which the decision reports, or if a user's own command leaves it to the
        /// client's current account.
        case resolved(Account?)
        /// Accounts for the user to choose from; may be a single one if no rule names the destination yet.
        case ask([Account])
        /// The program names a person who is not signed in, and whose account no other replaces.
        case signIn(String)
        /// No token, though client and store exist.
        case refuse(Refusal)
    }

    package let by: ResolvedClient
    package let client: ClientChoice
    /// The client's own, unless the account belongs to another.
    package let authority: Authority
    package private(set) var account: Account?
    package private(set) var accountSource: AccountSource
    package let scopes: ScopeSet
    /// Possible accounts if none is named; empty for a user's own command.
    package let candidates: [Account]
    /// The person of ``Outcome/signIn(_:)``.
    package let absentPerson: String?
    private let current: Account?
    private let hasAnswer: Bool
    private let refusal: Refusal?

    /// - Parameters:
    ///   - by: with a client; see ``ResolvedClient/settled(by:)``.
    ///   - answer: the user's choice for this request.
    package init(
        _ by: ResolvedClient, _ client: ClientChoice, in snapshot: CacheSnapshot, answer: Account? = nil,
        isOfProvider: (Account) -> Bool
    ) throws(Refusal) {
        self.by = by
        self.client = client
        let own = try by.authority(of: client)
        let isProgram = by.query.request != nil
        // A usual account that is signed out is to sign in again.
        let mayComeLater = isProgram || by.usual?.account != nil
        var refusal: Refusal?
        func find(_ name: String?) throws(Refusal) -> Account? {
            guard let name else { return nil }
            do throws(Refusal) {
                return try Self.find(
                    name, by.world, client, own, snapshot, signIn: mayComeLater, isOfProvider: isOfProvider)
            } catch {
                guard isProgram, case .noAccount = error else { throw error }
                refusal = error
                return nil
            }
        }
        let bound = try find(by.account)
        let asked = try find(by.requestedAccount)
        if let bound, let asked, !bound.id.isSamePerson(as: asked.id) {
            throw .outOfBound(by.boundOfAccount, what: "account", asked: asked.label, bound: bound.label)
        }
        let person = try Self.match(by, client, snapshot, isOfProvider)
        let agreed = try Self.agreed(person, by, bound: bound, asked: asked)
        if agreed.absent != nil { refusal = nil }
        absentPerson = agreed.absent
        let named = agreed.account
        let fitting =
            isProgram && named == nil && refusal == nil && absentPerson == nil
            ? snapshot.accounts(clientID: client.clientID).filter(isOfProvider) : []
        switch (named, answer, by.query.user) {
        case (let named?, _, _):
            account = named
            accountSource = bound == nil ? .asked : by.accountSource
        case (nil, let answer?, _): (account, accountSource) = (answer, .person)
        case (nil, nil, let user?) where refusal == nil:
            account = try Self.account(of: user, among: fitting)
            accountSource = .program
        case (nil, nil, _): (account, accountSource) = (nil, .nobody)
        }
        candidates = fitting
        current = fitting.implied(current: snapshot.currentAccount(clientID: client.clientID))
        hasAnswer = answer != nil
        if let user = by.query.user, refusal == nil, accountSource == .program, account == nil {
            refusal = .otherUser(user, client: client.name)
        }
        self.refusal = refusal
        authority = try Self.authority(for: account, own, by, client)
        scopes = try by.scopes(
            client, at: authority, legacy: account.flatMap { snapshot.scopesOfLegacy($0, clientID: client.clientID) })
    }

    /// For an account that the user selected.
    package init(
        pointing account: Account, _ by: ResolvedClient, _ client: ClientChoice, at authority: Authority,
        in snapshot: CacheSnapshot
    ) throws(Refusal) {
        self.by = by
        self.client = client
        (self.account, accountSource, candidates, current, hasAnswer) = (account, .person, [], nil, true)
        (refusal, absentPerson) = (nil, nil)
        self.authority = authority
        scopes = try by.scopes(
            client, at: authority, legacy: snapshot.scopesOfLegacy(account, clientID: client.clientID))
    }

    package func pointing(at account: Account, in snapshot: CacheSnapshot) throws(Refusal) -> Resolution {
        let authority = try Self.authority(for: account, by.authority(of: client), by, client)
        return try Resolution(pointing: account, by, client, at: authority, in: snapshot)
    }

    package var outcome: Outcome {
        // Not even the user's own choice gives a person's name to another account.
        if let absentPerson { return by.isPlaceUnnamed ? .ask([]) : .signIn(absentPerson) }
        guard by.query.request != nil, !hasAnswer else { return .resolved(account) }
        if let refusal { return .refuse(refusal) }
        if by.isPlaceUnnamed { return .ask(account.map { [$0] } ?? candidates) }
        if let account = account ?? current { return .resolved(account) }
        return candidates.count > 1 ? .ask(candidates) : .resolved(candidates.first)
    }

    package func request(_ request: TokenRequest) -> TokenRequest {
        var request = request
        request.account = account
        request.authority = authority
        request.scopes = scopes
        request.loginHint = absentPerson ?? request.loginHint
        return request
    }

    /// A configured authority is never overridden: a script for one provider must not get another's token.
    private static func authority(
        for account: Account?, _ own: Authority, _ by: ResolvedClient, _ client: ClientChoice
    ) throws(Refusal) -> Authority {
        let isWritten = by.world.namedAuthority(client, by.query.options, asked: by.query.asked) != nil
        guard let account, !isWritten else { return own }
        return Authority.toAsk(for: account, configured: own, issuer: own.issuer)
    }

    private static func find(
        _ name: String, _ world: ResolutionWorld, _ client: ClientChoice, _ authority: Authority,
        _ snapshot: CacheSnapshot, signIn: Bool, isOfProvider: (Account) -> Bool
    ) throws(Refusal) -> Account {
        var elsewhere: [Account] = []
        // The account may be signed in through another client only: the silent call then reports that it needs sign-in.
        for clientID in [client.clientID, nil] {
            let matches = snapshot.accounts(clientID: clientID).filter { $0.matches(by: name) }
            let here = matches.filter(isOfProvider).meant(by: name)
            if here.count > 1 { throw .ambiguousAccount(name, here) }
            if let account = here.first { return account }
            elsewhere = matches
        }
        guard !elsewhere.isEmpty, !signIn else { throw .noAccount(name, client: client.name, signIn: signIn) }
        let known = KnownClients(world.settings, uses: snapshot.allUses)
        throw .ofOtherProvider(
            name, client: client.name, provider: authority.provider, others: elsewhere.map(\.provider),
            clients: elsewhere.compactMap { known.uses(of: $0, in: snapshot).first }.map(known.name(of:)))
    }

    /// The person that the program names by a username.
    private static func match(
        _ by: ResolvedClient, _ client: ClientChoice, _ snapshot: CacheSnapshot, _ isOfProvider: (Account) -> Bool
    ) throws(Refusal) -> NamedPerson.Match {
        guard let name = by.person.name else { return .nobody }
        return try by.person.match(
            snapshot.accounts(clientID: nil).filter { $0.isNamedInFull(by: name) && isOfProvider($0) },
            own: snapshot.accounts(clientID: client.clientID).filter(isOfProvider))
    }

    /// The account on which the named person, the limits and the rest of the request agree.
    ///
    /// - Returns: also the person who has to sign in first.
    private static func agreed(
        _ person: NamedPerson.Match, _ by: ResolvedClient, bound: Account?, asked: Account?
    ) throws(Refusal) -> (account: Account?, absent: String?) {
        let fixed = bound ?? asked
        func refuse(_ name: String, _ other: String) -> Refusal {
            .outOfBound(by.boundOfAccount, what: "account", asked: name, bound: other)
        }
        switch person {
        case .nobody:
            // A requested name with @ is a username and no prefix of an account's identifier.
            guard fixed == nil, by.account == nil, by.query.request != nil, let name = by.requestedAccount,
                name.contains("@")
            else { return (fixed, nil) }
            return (nil, name)
        case .account(let account):
            let other = fixed.map { $0.id.isSamePerson(as: account.id) ? nil : $0.label } ?? by.account
            if let other { throw refuse(by.person.name ?? account.label, other) }
            return (account, nil)
        case .absent(let name):
            let other = fixed?.label ?? by.account
            if let other, fixed != nil || other.lowercased() != name.lowercased() { throw refuse(name, other) }
            return (nil, name)
        }
    }

    /// No fallback to another account: its token would act with other rights than the program's user has. Usernames are
    /// case-insensitive, as in Azure CLI.
    private static func account(of user: ProgramUser, among accounts: [Account]) throws(Refusal) -> Account? {
        guard case .person(let name) = user else { return nil }
        let found = accounts.named(by: name)
        guard found.count < 2 else { throw .ambiguousAccount(name, found) }
        return found.first
    }
}

extension ResolutionWorld {
    /// The store's only client, used if none is named, so another program's file works without settings.
    package func onlyClient(in snapshot: CacheSnapshot) -> ClientChoice? {
        let credentials = snapshot.credentials(clientID: nil)
        guard let first = credentials.first, credentials.allSatisfy({ $0.clientID == first.clientID }) else {
            return nil
        }
        return choice(of: credentials, first)
    }

    /// The client of the settings, else one with the authority that its credentials imply.
    package func choice(id: String, in snapshot: CacheSnapshot) -> ClientChoice {
        let credentials = snapshot.credentials(clientID: id)
        return credentials.first.map { choice(of: credentials, $0) } ?? settings.choice(id: id)
    }

    private func choice(of credentials: [CachedCredential], _ first: CachedCredential) -> ClientChoice {
        var choice = settings.client(of: first) ?? settings.choice(id: first.clientID)
        if choice.authority == nil, let issuer = first.issuer {
            guard credentials.allSatisfy({ $0.issuer == issuer }) else { return choice }
            choice.authority = issuer
            choice.kind = Authority.kind(ofIssuer: issuer)
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
}

extension Settings {
    /// The client that got a token, at the provider that issued it: another provider may know the same client ID.
    package func client(of credential: CachedCredential) -> ClientChoice? {
        let named = clients.filter { ClientID.isSame($0.clientID, credential.clientID, issuer: credential.issuer) }
        let found = named.first { client in
            guard let authority = client.ownAuthority else { return false }
            return authority.issuer == credential.issuer
                && Cloud.isSame(authority.environment, credential.environment)
        }
        return found ?? (named.count == 1 ? named.first : nil)
    }
}
