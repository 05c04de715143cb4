import ArgumentParser
import FoundationEssentials
import Glibc
import Identity
import SilentFirst
import TokenCache

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print an access token: cached or refreshed, prompts only if needed",
        discussion: """
            The token is printed alone, so that a script can take it.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup(title: "Sign-in options") var interactive: InteractiveOptions
    @Flag(help: "Never prompt")
    var silent = false
    @Flag(name: .customLong("force-refresh"), help: "Ignore cached tokens and refresh")
    var forceRefresh = false
    @Option(help: ArgumentHelp("Claims request, as the resource gave it", valueName: "json"))
    var claims: String?

    @Option(
        help: ArgumentHelp(
            "Print header fields for one request: a token bound to a key, and its proof",
            valueName: "method:url"))
    var pop: String?
    @Option(
        name: .customLong("pop-nonce"), help: ArgumentHelp("Nonce that the resource asked for", valueName: "nonce")
    )
    var popNonce: String?
    @Flag(
        name: .customLong("dry-run"),
        help: "Say what a silent call would do, and why each cached credential would do or not; nothing is sent.")
    var dryRun = false

    func run() async throws {
        try await TokenJob(
            choices: TokenOptions(
                common: shared.choices(), asking: interactive.choices, silent: silent, forceRefresh: forceRefresh,
                claims: claims, pop: pop,
                popNonce: popNonce, dryRun: dryRun)
        ).run()
    }
}

/// `foyer token`, however its choices were read.
struct TokenJob: Sendable {
    let choices: TokenOptions

    func run() async throws(Failure) {
        var common = try choices.common.checked()
        common.neverAsks = choices.silent
        let session = try CommandContext(common)
        let named = try session.clientIfAny()
        let isSilent = choices.silent || choices.dryRun || !choices.asking.mayAsk
        let (cache, note) =
            choices.dryRun
            ? (try session.cacheForLooking(named), nil)
            : isSilent ? (try session.cache(named), nil) : try session.storeForSigningIn(named)
        var snapshot: CacheSnapshot
        do { snapshot = try cache.read() } catch { throw Failure(error) }
        for warning in cache.warnings() { session.output.warn(warning) }
        let client = if let named { named } else { try session.onlyClient(in: snapshot) }
        let borrowed = try session.borrowingFamily(snapshot, cache, client, isLooking: choices.dryRun) { account in
            session.shared.account.map { $0.isEmpty || account.isMeant(by: $0) } ?? true
        }
        snapshot = borrowed.snapshot
        if let step = borrowed.step { session.output.step(step) }
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
        if choices.dryRun {
            try show(request, snapshot, session, client, application)
            return
        }
        let token: AcquiredToken
        do throws(Failure) {
            token = try await acquire(request, snapshot, session, client, application)
        } catch {
            throw error.hinted(account: request.account)
        }
        if let note { session.output.warn(note) }
        if let warning = token.warning { session.output.warn(warning) }
        if session.output.json {
            session.output.result(token.json)
        } else if let proof = token.proof {
            try session.output.fields(proof.fields)
        } else {
            try session.output.token(token.accessToken)
        }
    }

    private func show(
        _ request: TokenRequest, _ snapshot: CacheSnapshot, _ session: CommandContext, _ client: ClientChoice,
        _ application: PublicClientApplication
    ) throws(Failure) {
        let dryRun = TokenDryRun(
            decision: application.decision(on: request, from: snapshot), request: request, clientID: client.clientID,
            clientName: { session.clientName($0) }, now: Date())
        do throws(Failure) { try dryRun.print(to: session.output) } catch {
            throw error.hinted(account: request.account)
        }
    }

    private func acquire(
        _ request: TokenRequest, _ snapshot: CacheSnapshot, _ session: CommandContext, _ client: ClientChoice,
        _ application: PublicClientApplication
    ) async throws(Failure) -> AcquiredToken {
        if choices.silent || !choices.asking.mayAsk {
            return try await ProcessEnd.minding {
                await Result.of { () throws(Failure) in
                    try await application.acquireTokenSilent(request, from: snapshot) { session.output.step($0) }
                }
            }
        }
        return try await CommandLineSignIn(session, client, choices.asking).run(diesOfSignal: true) {
            userAgents, onEvent in
            await Result.of { () throws(Failure) in
                try await application.acquireTokenSilentFirst(
                    request, from: snapshot, userAgents: userAgents, onEvent: onEvent)
            }
        }
    }
}

extension TokenOptions {
    /// The request of `--pop METHOD:URL`.
    func resourceRequest() throws(Failure) -> ResourceRequest? {
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

extension Failure {
    /// The command that mends it, with the account in it.
    fileprivate func hinted(account: Account?) -> Failure {
        guard code == .interactionRequired, hint == nil, let account else { return self }
        var failure = self
        failure.hint = "run \"foyer sign-in --account \(account.label.shellWord)\""
        return failure
    }
}

struct SignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in", abstract: "Sign in interactively",
        aliases: ["login"])
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup(title: "Sign-in options") var interactive: InteractiveOptions

    func run() async throws {
        let session = try CommandContext(shared.choices())
        let client = try session.client()
        let asking = interactive.choices
        let (cache, note) = try session.storeForSigningIn(client)
        let application = try session.application(client, redirectURI: asking.redirectURI, cache: cache)
        var request = try asking.request(session, client, at: application.configuration.authority)
        if let named = session.shared.account {
            // The account need not be known yet: what was named then is the hint for the provider's page.
            let known = try application.snapshot().accounts(clientID: nil)
            if let account = try? AccountChoice.find(named, among: known, at: application.configuration.authority) {
                request.account = account
                request.loginHint = request.loginHint ?? (account.username.isEmpty ? nil : account.username)
            } else {
                request.loginHint = request.loginHint ?? named
            }
        }
        if let note { session.output.warn(note) }
        let wish = request
        let token = try await CommandLineSignIn(session, client, asking).run { userAgents, onEvent in
            await Result.of { () throws(Failure) in
                try await application.acquireToken(wish, userAgents: userAgents, onEvent: onEvent)
            }
        }
        if session.output.json {
            session.output.result(token.signedInJSON)
        } else {
            let name = token.account.name.map { " (\($0))" } ?? ""
            session.output.lines(["\(token.account.label)\(name) signed in for \(client.name) at \(token.authority)"])
        }
    }
}

extension SignInOptions {
    /// - Parameter authority: the client's own, for which scopes are asked where none are named.
    func request(_ session: CommandContext, _ client: ClientChoice, at authority: Authority) throws(Failure)
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
    var mayAsk: Bool { via != nil || paste || (isatty(STDERR_FILENO) == 1 && isatty(STDIN_FILENO) == 1) }
}

extension CommandContext {
    /// The account of `--account`, looked up without a server; nil when none is named.
    func account(in snapshot: CacheSnapshot, _ client: ClientChoice) throws(Failure) -> Account? {
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
    static func of(_ body: () async throws(Failure) -> Success) async -> Result {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
}
