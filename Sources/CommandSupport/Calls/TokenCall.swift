import FoundationEssentials
import Glibc
package import Identity
package import SilentCore
package import TokenCache

/// A prepared `foyer token` call, before anything is sent: client, account, request, and a snapshot of the store.
package struct TokenCall: Sendable {
    package enum PreparationNotice: Sendable {
        case warning(String)
        case step(Step)
        case reading(StoreSpec)
        /// The next step may prompt for a passphrase or write the store.
        case preparing
    }

    /// From the command line, plus the fields of a program's request.
    package let options: TokenOptions
    package let context: CommandContext
    package let resolution: Resolution
    package let cached: CachedClient
    package private(set) var request: TokenRequest
    package let snapshot: CacheSnapshot
    /// Scopes that a program's server demands and only the person can grant; the request is without them.
    package private(set) var demand: ScopeDemand?
    /// The token that an AI agent's session gets.
    package let session: SessionAccess
    /// A notice for the user about a store created for this sign-in.
    package let note: String?

    package var client: ClientChoice { resolution.client }

    /// The server that issues the token, if it is known.
    package var server: KnownServer? { cached.configuration.knownServer(of: resolution.authority) }

    /// - Parameters:
    ///   - environment: of the requesting process.
    ///   - keys: see ``CommandContext``.
    ///   - usual: whether the usual account of the shell, folder or settings is used if none is named.
    ///   - isIDToken: whether the caller wants the sign-in's ID token.
    ///   - asksLater: whether the caller handles ``sessionRefusal``, which is thrown otherwise.
    ///   - aside: called with each event; nil prints to standard error. An error that it throws ends the call.
    package init(
        _ options: TokenOptions, environment: ProcessEnvironment = ProcessEnvironment(), keys: StoreKeys? = nil,
        usual: Bool = true, isIDToken: Bool = false, asksLater: Bool = false,
        aside: ((PreparationNotice) throws(Failure) -> Void)? = nil
    ) throws(Failure) {
        var options = try options.checked()
        options.neverAsks = options.silent || aside != nil
        let context = try CommandContext(options, environment: environment, keys: keys)
        var query = TokenQuery(options)
        query.takesUsualAccount = usual
        query.isIDToken = isIDToken
        try self.init(try context.resolved(query), context, aside: aside)
        if !asksLater, !options.dryRun, let sessionRefusal { throw sessionRefusal }
    }

    /// For ``init(_:environment:keys:aside:)``: ends a call that needs more than a file to read.
    package static func readingOnly(_ notice: PreparationNotice) throws(Failure) {
        if case .reading(let store) = notice, store.kind != .keyring { return }
        throw Failure(.cancelled, "for the whole program")
    }

    /// - Parameters:
    ///   - first: the half of the resolution that needs no store.
    ///   - answer: the account that the user chose for this request; looked up again.
    package init(
        _ first: ResolvedClient, _ context: CommandContext, answer: AccountID? = nil,
        aside: ((PreparationNotice) throws(Failure) -> Void)? = nil
    ) throws(Failure) {
        let options = first.query.effective
        let tell =
            aside ?? { aside in
                switch aside {
                case .warning(let text): context.output.warn(text)
                case .step(let step): context.output.step(step)
                case .reading, .preparing: break
                }
            }
        let named = first.client
        try tell(.reading(try context.storeSpec(named)))
        if !options.dryRun, !options.isSilent { try tell(.preparing) }
        let (cache, note) =
            options.dryRun
            ? (try context.cacheForLooking(named), nil)
            : options.isSilent ? (try context.cache(named), nil) : try context.storeForSigningIn(named)
        var snapshot: CacheSnapshot
        // Reading only the entries of a named account is faster for a cached token.
        let only: String? =
            if aside != nil, !options.dryRun, let named { Self.onlyAccounts(first, named) } else { nil }
        do {
            snapshot = if let only { try cache.read(onlyAccountsMeantBy: only) } else { try cache.read() }
        } catch { throw Failure(error) }
        for warning in cache.warnings() { try tell(.warning(warning)) }
        let settled: ResolvedClient
        do throws(Refusal) {
            settled = try first.settled(in: snapshot)
        } catch { throw error.failure }
        guard let client = settled.client else { throw Refusal.noClient(settings: context.settings.path).failure }
        if context.settings.selects(client, context.settings.familyOfOtherStores) { try tell(.preparing) }
        let wanted = first.account ?? first.requestedAccount ?? first.person.address
        let borrowed = try context.borrowingFamily(snapshot, cache, client, isLooking: options.dryRun) { account in
            wanted.map { $0.isEmpty || account.matches(by: $0) } ?? true
        }
        snapshot = borrowed.snapshot
        if let step = borrowed.step { try tell(.step(step)) }
        if let claims = options.claims, !ClaimsRequest.isValid(claims) {
            throw Failure(
                .usage, "--claims is not a JSON object",
                hint: "pass the claims exactly as received, in single quotes")
        }
        do throws(Refusal) {
            let authority = try settled.authority(of: client)
            do throws(Failure) {
                cached = try context.cachedClient(client, at: authority, redirectURI: options.redirectURI, cache: cache)
            } catch { throw Refusal.failed(error) }
            let (cached, found) = (cached, snapshot)
            let answer = answer.flatMap { id in
                found.accounts(clientID: client.clientID).first { $0.id.isSamePerson(as: id) }
            }
            resolution = try Resolution(settled, client, in: found, answer: answer) { account in
                cached.isOfProvider(account, at: authority, in: found)
            }
        } catch {
            throw error.failure.hinted(
                legacy: LegacySources(context.environment), named: first.query.request == nil ? first.account : nil)
        }
        var request = resolution.request(
            try options.request(resolution.scopes, via: client.behaviour.via, tenant: settled.tenant))
        request.forceRefresh = options.forceRefresh
        request.claims = options.claims
        let (asked, known, found) = (request, cached, snapshot)
        session = try resolution.sessionAccess { asked.account ?? known.decision(on: asked, from: found).account }
        request.agentSession = session.ownID
        request.isForPlace = settled.query.request != nil
        request.proof = try options.resourceRequest()
        if !options.challenge.isEmpty {
            demand = try settled.apply(options.challenge, to: &request, at: resolution.authority.kind)
        }
        var resolved = options
        resolved.agentSession = session.ownID
        self.options = resolved
        self.context = context
        self.request = request
        self.snapshot = snapshot
        self.note = note
    }

    /// - Throws: `serverError` if the request can never yield an access token, to avoid a useless prompt.
    package func requireAccessToken() throws(Failure) {
        let kind = (request.authority ?? cached.configuration.authority).kind
        if kind == .b2c, request.scopes.withoutReserved.isEmpty { throw .noAccessToken() }
    }

    /// This call with a forced refresh, for a rejected token.
    package var renewing: TokenCall {
        var call = self
        call.request.forceRefresh = true
        return call
    }

    /// The name of the only relevant accounts for a client at Entra ID; nil if others may be relevant.
    private static func onlyAccounts(_ first: ResolvedClient, _ client: ClientChoice) -> String? {
        guard first.requestedAccount == nil, first.person == .nobody, let authority = try? first.authority(of: client),
            authority.issuer == nil
        else { return nil }
        return first.account
    }

    /// The account of the request, if it is determined.
    package var meantAccount: Account? { request.account ?? cached.decision(on: request, from: snapshot).account }

    /// The cached access token, if the silent call would return it without sending, writing or waiting.
    package func cachedToken() throws(Failure) -> AcquiredToken? {
        let output = context.output
        return try cached.cachedToken(for: request, from: snapshot) { output.step($0) }
    }

    /// If the silent call would refresh, waits for the token of another process that is refreshing it, else returns the
    /// note for the process that will run the call. Does not wait with --verbose, which shows each step.
    package func tokenRenewedByAnother() throws(Failure) -> (token: AcquiredToken?, note: ExecHandover) {
        guard !context.output.verbose else { return (nil, ExecHandover()) }
        switch try cached.tokenRenewedByAnother(for: request, from: snapshot, onStep: { _ in }) {
        case .token(let token): return (token, ExecHandover())
        case .none(let turn): return (nil, ExecHandover(turn: turn))
        }
    }

    /// Whether ``showDecision()`` ends without a failure.
    package var isDecisionGood: Bool {
        let decision = cached.decision(on: request, from: snapshot)
        if case .failure = decision.outcome { return false }
        return decision.failure == nil && sessionRefusal == nil
    }

    package func showDecision() throws(Failure) {
        let dryRun = TokenDryRun(
            decision: cached.decision(on: request, from: snapshot), request: request, clientID: client.clientID,
            clientName: { context.clientName($0) }, session: session, now: Date())
        do throws(Failure) { try dryRun.print(to: context.output) } catch {
            throw sessionRefusal ?? hinted(error)
        }
        if let sessionRefusal { throw sessionRefusal }
    }

    /// Adds the command to sign in, if a sign-in fixes the failure.
    package func hinted(_ failure: Failure) -> Failure {
        let command = context.signInCommand(account: request.account, resolution: resolution, steppingUp: request)
        var failure = failure.hinted(signIn: command)
        if failure.code == .serverError, let account = request.account,
            let names = KnownClients(context.settings, uses: snapshot.allUses).otherNames(
                than: client, of: account, in: snapshot)
        {
            failure.hint = .text("\(account.label) signed in by \(Refusal.choices(names))")
        }
        if failure.wantsDevice, context.settings.broker == .never {
            failure.hint = """
                requires a broker with a registered device; if one runs, set use = "device" in [broker] of the \
                settings
                """
        }
        return failure
    }

    package func show(_ token: AcquiredToken) throws(Failure) {
        if let warning = token.warning { context.output.warn(warning) }
        if context.output.json {
            context.output.result(token.json)
        } else if let proof = token.proof {
            try context.output.fields(proof.fields)
        } else {
            try context.output.token(token.accessToken)
        }
    }
}

extension ResolvedClient {
    /// - Returns: the scopes that a program's server demands beyond those of its place; nothing is applied then.
    /// - Throws: `usage` if the command line has no challenge that a request can meet; `configuration` if the scopes of
    ///   a program's challenge exceed its limits.
    fileprivate func apply(_ challenge: [String], to request: inout TokenRequest, at kind: Authority.Kind)
        throws(Failure) -> ScopeDemand?
    {
        var challenged = request
        let isUsed = challenged.apply(challenge: challenge)
        guard query.request != nil else {
            guard isUsed else {
                throw Failure(
                    .usage, "--challenge demands no claims, scopes or authentication",
                    hint: "pass the WWW-Authenticate field exactly as received, in single quotes")
            }
            request = challenged
            return nil
        }
        if let refusal = self.refusal(ofScopes: challenged.scopes) { throw refusal.failure }
        let demanded = challenged.stepUp?.scopes ?? []
        if boundScopes.isEmpty, let demand = ScopeDemand(has: request.scopes, demanded: demanded, kind: kind) {
            guard !demand.wants.isEmpty, demand.wants.isSubset(of: query.agreed) else { return demand }
            challenged.scopes = request.scopes.union(demand.wants)
            challenged.stepUp = StepUpChallenge(scopes: demand.wants, acrValues: [], maxAge: nil)
        }
        request = challenged
        return nil
    }
}

extension TokenOptions {
    package func resourceRequest() throws(Failure) -> ResourceRequest? {
        guard let pop else {
            guard popNonce == nil else { throw Failure(.usage, "--pop-nonce requires --pop METHOD:URL") }
            return nil
        }
        let hint: Failure.Hint = "write --pop GET:https://api.example.org/things"
        guard let colon = pop.firstIndex(of: ":") else { throw Failure(.usage, "--pop takes METHOD:URL", hint: hint) }
        let address: WebAddress
        do { address = try WebAddress(String(pop[pop.index(after: colon)...])) } catch {
            throw Failure(.usage, "--pop: \(error)", hint: hint)
        }
        guard let request = ResourceRequest(method: String(pop[..<colon]), address: address, nonce: popNonce) else {
            throw Failure(.usage, "--pop: invalid method or nonce", hint: hint)
        }
        return request
    }
}

extension TokenOptions {
    /// - Parameter via: the client's sign-in method, used if no option sets one.
    package func request(_ scopes: ScopeSet, via usual: SignInMethod?, tenant: String?) throws(Failure)
        -> TokenRequest
    {
        if let maxAge, !(0...31_536_000).contains(maxAge) {
            throw Failure(.usage, "--max-age takes seconds, up to a year")
        }
        return TokenRequest(
            scopes: scopes, tenant: tenant, resource: resource, method: via ?? usual ?? .automatic, prompt: prompt,
            loginHint: loginHint,
            domainHint: domainHint, extraScopes: ScopeSet(extraScopes), extraQueryParameters: try extraParameters(),
            responseMode: responseMode ?? .query, maxAge: maxAge, acrValues: acrValues)
    }

    private func extraParameters() throws(Failure) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in extraQuery {
            guard let equals = pair.firstIndex(of: "="), equals != pair.startIndex else {
                throw Failure(.usage, "invalid parameter \"\(pair)\"", hint: "write --extra-query name=value")
            }
            guard
                parameters.updateValue(String(pair[pair.index(after: equals)...]), forKey: String(pair[..<equals]))
                    == nil
            else {
                throw Failure(.usage, "the query parameter \(pair[..<equals]) is given twice")
            }
        }
        return parameters
    }

    /// At a terminal, or if the command sets a method, as a script does that shows the code elsewhere.
    package var mayAsk: Bool { via != nil || paste || (isatty(STDERR_FILENO) == 1 && isatty(STDIN_FILENO) == 1) }
}

extension Result where Failure == Identity.Failure {
    package static func of(_ body: () async throws(Failure) -> Success) async -> Result {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
}
