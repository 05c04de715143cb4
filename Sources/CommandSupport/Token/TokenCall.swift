import FoundationEssentials
import Glibc
package import Identity
package import SilentFirst
package import TokenCache

/// `foyer token` as it is worked out before anything is sent: the client, the account, the request, and the store as
/// it was read.
package struct TokenCall: Sendable {
    /// What has to be done or said on the way to it.
    package enum Aside: Sendable {
        case warning(String)
        case step(Step)
        /// This store is read next.
        case reading(StoreSpec)
        /// A passphrase may be asked for, or the store written.
        case preparing
    }

    package let choices: TokenOptions
    package let session: CommandContext
    package let client: ClientChoice
    package let application: PublicClientApplication
    package let request: TokenRequest
    package let snapshot: CacheSnapshot
    /// What the person should know of a store that is made for a sign-in.
    package let note: String?

    /// - Parameters:
    ///   - environment: of whoever asks for the token.
    ///   - aside: called with what has to be done or said on the way; nil says it on standard error. What it throws
    ///     ends the call.
    package init(
        _ choices: TokenOptions, environment: ProcessEnvironment = ProcessEnvironment(),
        aside: ((Aside) throws(Failure) -> Void)? = nil
    ) throws(Failure) {
        var common = try choices.common.checked()
        common.neverAsks = choices.silent || aside != nil
        let session = try CommandContext(common, environment: environment)
        let tell =
            aside ?? { aside in
                switch aside {
                case .warning(let text): session.output.warn(text)
                case .step(let step): session.output.step(step)
                case .reading, .preparing: break
                }
            }
        let named = try session.clientIfAny()
        try tell(.reading(try session.storeSpec(named)))
        if !choices.dryRun, !choices.isSilent { try tell(.preparing) }
        let (cache, note) =
            choices.dryRun
            ? (try session.cacheForLooking(named), nil)
            : choices.isSilent ? (try session.cache(named), nil) : try session.storeForSigningIn(named)
        var snapshot: CacheSnapshot
        // Who only looks for a cached token, and says of whom, needs no other entries.
        let only: String? =
            if aside != nil, !choices.dryRun, let named { try session.onlyAccounts(of: named) } else { nil }
        do {
            snapshot = if let only { try cache.read(onlyAccountsMeantBy: only) } else { try cache.read() }
        } catch { throw Failure(error) }
        for warning in cache.warnings() { try tell(.warning(warning)) }
        let client = if let named { named } else { try session.onlyClient(in: snapshot) }
        if session.settings.familyOfOtherStores.serves(client) { try tell(.preparing) }
        let borrowed = try session.borrowingFamily(snapshot, cache, client, isLooking: choices.dryRun) { account in
            session.shared.account.map { $0.isEmpty || account.isMeant(by: $0) } ?? true
        }
        snapshot = borrowed.snapshot
        if let step = borrowed.step { try tell(.step(step)) }
        let application = try session.application(client, redirectURI: choices.asking.redirectURI, cache: cache)
        if let claims = choices.claims, !ClaimsRequest.isValid(claims) {
            throw Failure(
                .usage, "--claims is not a JSON object",
                hint: "pass it on exactly as the resource gave it, in single quotes")
        }
        var request = try choices.asking.request(session, client, at: application.configuration.authority)
        request.forceRefresh = choices.forceRefresh
        request.claims = choices.claims
        let account = try session.account(in: snapshot, client)
        request = session.request(
            request, for: account,
            at: session.authority(client, own: application.configuration.authority, for: account), client, in: snapshot)
        request.proof = try choices.resourceRequest()
        self.choices = choices
        self.session = session
        self.client = client
        self.application = application
        self.request = request
        self.snapshot = snapshot
        self.note = note
    }

    /// Whose token is asked for, as far as that is clear.
    package var meantAccount: Account? { request.account ?? application.decision(on: request, from: snapshot).account }

    /// The accounts that could be meant, where none is named.
    package var candidates: [Account] {
        guard request.account == nil else { return [] }
        return snapshot.accounts(clientID: client.clientID).filter { account in
            var request = request
            request.account = account
            if case .interaction(.otherProvider) = application.decision(on: request, from: snapshot).outcome {
                return false
            }
            return true
        }
    }

    /// The cached access token, where the silent call would hand one out and nothing has to be sent, written or waited
    /// for; nil otherwise.
    package func cachedToken() throws(Failure) -> AcquiredToken? {
        let output = session.output
        return try application.cachedToken(for: request, from: snapshot) { output.step($0) }
    }

    /// Where the silent call would refresh: the token that another process stores, which is waited for; else what has
    /// to be handed over to whoever carries the call out. Nobody waits here who wants to see each step.
    package func tokenRenewedByAnother() throws(Failure) -> (token: AcquiredToken?, note: HandOverNote) {
        guard !session.output.verbose else { return (nil, HandOverNote()) }
        switch try application.tokenRenewedByAnother(for: request, from: snapshot, onStep: { _ in }) {
        case .token(let token): return (token, HandOverNote())
        case .none(let turn): return (nil, HandOverNote(turn: turn))
        }
    }

    /// Whether ``showDecision()`` ends without a failure.
    package var isDecisionGood: Bool {
        let decision = application.decision(on: request, from: snapshot)
        if case .failure = decision.outcome { return false }
        return decision.failure == nil
    }

    /// Prints what a silent call would do, and nothing more.
    package func showDecision() throws(Failure) {
        let dryRun = TokenDryRun(
            decision: application.decision(on: request, from: snapshot), request: request, clientID: client.clientID,
            clientName: { session.clientName($0) }, now: Date())
        do throws(Failure) { try dryRun.print(to: session.output) } catch {
            throw hinted(error)
        }
    }

    /// The same with the command that mends it, where that is a sign-in.
    package func hinted(_ failure: Failure) -> Failure {
        var command = session.signInCommand(account: request.account, client: client)
        if let tenant = choices.asking.tenant { command += " --tenant " + tenant.shellWord }
        var failure = failure.hinted(signIn: command)
        if failure.wantsDevice, session.settings.broker == .never {
            failure.hint = """
                only a broker that has registered this device can answer; where one runs, write [broker] and \
                use = "device" into the settings
                """
        }
        return failure
    }

    /// Prints the token as the options want it.
    package func show(_ token: AcquiredToken) throws(Failure) {
        if let warning = token.warning { session.output.warn(warning) }
        if session.output.json {
            session.output.result(token.json)
        } else if let proof = token.proof {
            try session.output.fields(proof.fields)
        } else {
            try session.output.token(token.accessToken)
        }
    }
}

extension TokenOptions {
    /// Whether nobody is asked: by the options, or because nobody is there.
    package var isSilent: Bool { silent || dryRun || !asking.mayAsk }
}

extension TokenOptions {
    /// The request of `--pop METHOD:URL`.
    package func resourceRequest() throws(Failure) -> ResourceRequest? {
        guard let pop else {
            guard popNonce == nil else { throw Failure(.usage, "--pop-nonce goes with --pop METHOD:URL") }
            return nil
        }
        let hint: Failure.Hint = "write --pop GET:https://api.example.org/things"
        guard let colon = pop.firstIndex(of: ":") else { throw Failure(.usage, "--pop takes METHOD:URL", hint: hint) }
        let address: WebAddress
        do { address = try WebAddress(String(pop[pop.index(after: colon)...])) } catch {
            throw Failure(.usage, "--pop: \(error)", hint: hint)
        }
        guard let request = ResourceRequest(method: String(pop[..<colon]), address: address, nonce: popNonce) else {
            throw Failure(.usage, "--pop: the method or the nonce cannot stand in a request", hint: hint)
        }
        return request
    }
}

extension SignInOptions {
    /// - Parameter authority: the client's own, for which scopes are asked where none are named.
    package func request(_ session: CommandContext, _ client: ClientChoice, at authority: Authority) throws(Failure)
        -> TokenRequest
    {
        if let maxAge, !(0...31_536_000).contains(maxAge) {
            throw Failure(.usage, "--max-age takes seconds, up to a year")
        }
        return TokenRequest(
            scopes: session.scopes(client, authority), tenant: tenant,
            method: via ?? client.behaviour.via ?? .automatic, prompt: prompt,
            loginHint: loginHint,
            domainHint: domainHint, extraScopes: ScopeSet(extraScopes), extraQueryParameters: try extraParameters(),
            responseMode: responseMode ?? .query, maxAge: maxAge, acrValues: acrValues)
    }

    private func extraParameters() throws(Failure) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in extraQuery {
            guard let equals = pair.firstIndex(of: "="), equals != pair.startIndex else {
                throw Failure(.usage, "\"\(pair)\" is no parameter", hint: "write --extra-query name=value")
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

    /// A person can be asked when one is at the terminal, or when the command says how (a script that shows the code
    /// elsewhere).
    package var mayAsk: Bool { via != nil || paste || (isatty(STDERR_FILENO) == 1 && isatty(STDIN_FILENO) == 1) }
}

extension CommandContext {
    /// What names the only accounts that matter to a client at Entra ID; nil when others may.
    fileprivate func onlyAccounts(of client: ClientChoice) throws(Failure) -> String? {
        guard let named = shared.account, try authority(client).issuer == nil else { return nil }
        return named
    }

    /// The account of `--account`, looked up without a server; nil when none is named.
    package func account(in snapshot: CacheSnapshot, _ client: ClientChoice) throws(Failure) -> Account? {
        guard let named = shared.account else { return nil }
        let authority = try authority(client)
        do throws(Failure) {
            return try AccountChoice.find(named, among: snapshot.accounts(clientID: client.clientID), at: authority)
        } catch {
            // An account that this client does not hold may be there through another: silent then says that a person is
            // needed.
            guard error.code == .notFound else { throw error }
            do throws(Failure) {
                return try AccountChoice.find(named, among: snapshot.accounts(clientID: nil), at: authority)
            } catch {
                throw error.hinted(legacy: LegacySources(environment), named: named)
            }
        }
    }
}

extension Result where Failure == Identity.Failure {
    package static func of(_ body: () async throws(Failure) -> Success) async -> Result {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
}
