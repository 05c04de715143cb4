import ArgumentParser
import CommandSupport
import Glibc
import Helpers
import Identity
import SilentCore
import SilentFirst
import TokenCache
import TokenCalls

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print an access token: cached or refreshed, prompts only if needed",
        discussion: "Prints only the token, for scripts.")
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup(title: "Sign-in options") var interactive: InteractiveOptions
    @OptionGroup var own: TokenCommandOptions

    func run() async throws { try await TokenJob(options: shared.adding(interactive, own).checked()).run() }
}

/// `foyer token`, however its options were parsed.
struct TokenJob: Sendable {
    let options: TokenOptions
    var note: ExecHandover?

    func run() async throws(Failure) {
        if let answer = try ForwardedCall(options)?.answer() { return try answer.show() }
        let first = try TokenCall(options, asksLater: true)
        try first.requireAccessToken()
        if options.dryRun { return try first.showDecision() }
        let call = try allowed(first)
        if note?.hasAskedAgent != true, let answer = askAgent(call) { return try call.show(answer) }
        let token = try await noting(call)
        if let note = call.note { call.context.output.warn(note) }
        if token.source == .refresh { startAgent(call) }
        try call.show(token)
    }

    /// Records the request, unless the token was cached: the caller of that does not wait for a write.
    private func noting(_ call: TokenCall) async throws(Failure) -> AcquiredToken {
        let (program, began) = (ProgramRequest(program: ProgramName.token.rawValue), ContinuousClock.now)
        do throws(Failure) {
            let token = try await acquire(call)
            if token.source != .cache { call.note(.success(IssuedToken(token)), for: program, began: began) }
            return token
        } catch {
            call.note(.failure(error), for: program, began: began)
            throw call.hinted(error)
        }
    }

    /// For a person, or an AI agent's session that may have a token.
    private func allowed(_ call: TokenCall) throws(Failure) -> TokenCall {
        guard let refusal = call.sessionRefusal else { return call }
        let began = ContinuousClock.now
        if !options.silent, case .unanswered(let session, _) = call.session {
            switch DemandQuestion(call).ask(about: session) {
            case .once, .always: return try TokenCall(options)
            case .notNow, .never, nil: break
            }
        }
        call.note(.failure(refusal), for: ProgramRequest(program: ProgramName.token.rawValue), began: began)
        throw refusal
    }

    /// Starts an agent for the next call, if the settings want one and none runs.
    private func startAgent(_ call: TokenCall) {
        guard call.context.settings.startsAgent else { return }
        do throws(AgentConnection.Trouble) { _ = try AgentConnection(AgentPlace(call.context.environment)) } catch {
            // The token is already acquired: a failure does not matter here.
            if error == .notRunning { try? AgentStart(environment: call.context.environment).begin() }
        }
    }

    private func askAgent(_ call: TokenCall) -> AgentAnswer? {
        let line = StatusLine(call.context)
        line?.show(after: 1, counting: "asking the agent")
        defer { line?.stop() }
        return call.answerOfAgent().answer
    }

    private func acquire(_ call: TokenCall) async throws(Failure) -> AcquiredToken {
        let (request, snapshot, application) = (call.request, call.snapshot, call.application)
        if options.isSilent || (request.stepUp != nil && call.session != .person) {
            let output = call.context.output
            let line = StatusLine(call.context)
            line?.show(after: 1, counting: "asking \(application.configuration.authority.address.host)")
            defer { line?.stop() }
            return try await ProcessEnd.minding {
                await Result.of { () throws(Failure) in
                    try await application.acquireTokenSilent(request, from: snapshot, turn: note?.turn) { step in
                        line?.aside()
                        output.step(step)
                    }
                }
            }
        }
        let token = try await CommandLineSignIn(call).run(diesOfSignal: true) {
            userAgents, onEvent in
            await Result.of { () throws(Failure) in
                try await application.acquireTokenSilentFirst(
                    request, from: snapshot, userAgents: userAgents, onEvent: onEvent)
            }
        }
        if token.source == .interactive {
            call.context.noteSignIn(call.client, before: snapshot, in: application.cached.cache)
        }
        return token
    }
}

extension CommandContext {
    /// The client by which the account of `--account` has signed in; nil if a client is named, or if the account has
    /// signed in by the default one or not at all.
    fileprivate func clientOfNamedAccount() throws(Failure) -> ClientChoice? {
        guard shared.account != nil else { return nil }
        let resolved = try resolved()
        // A store that cannot be read ends the sign-in later.
        guard let snapshot = try? cacheForLooking(resolved.client).read() else { return nil }
        do throws(Refusal) {
            let settled = try resolved.settled(in: snapshot)
            return settled.source == .account ? settled.client : nil
        } catch { throw error.failure }
    }
}

struct SignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in", abstract: "Sign in interactively",
        discussion: """
            With the host of a known server, such as github.com, no settings are needed: the client is saved in the \
            settings after the sign-in. See "foyer help providers".
            """,
        aliases: ["login"])
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup(title: "Sign-in options") var interactive: InteractiveOptions
    @Flag(name: .customLong("default"), help: "Make this the default client if the settings have none")
    var isDefault = false
    @Option(
        help: ArgumentHelp("Product at a host of your own, such as github", valueName: "name"),
        completion: .list(KnownServer.all.map(\.name)))
    var server: String?
    @Argument(
        help: "Host of a known server, such as github.com",
        completion: .list(KnownServer.all.flatMap(\.hosts).filter { !$0.hasPrefix("*") }))
    var host: String?

    func run() async throws {
        var session = try CommandContext(shared.adding(interactive).checked())
        let (client, isNew) = try await self.client(&session)
        let asking = session.shared
        let (store, note) = try session.storeForSigningIn(client)
        let cache = store.watched
        let application = try session.application(client, redirectURI: asking.redirectURI, cache: cache)
        var request = try asking.request(
            session.scopes(client, application.configuration.authority), via: client.behaviour.via,
            tenant: asking.tenant)
        if let named = session.shared.account {
            // The account may be unknown as yet: its name is then the login hint.
            let snapshot = try application.cached.snapshot()
            let known = snapshot.accounts(clientID: nil).filter {
                application.cached.isOfProvider($0, at: application.configuration.authority, in: snapshot)
            }
            if let account = try? AccountChoice.find(named, among: known) {
                request.account = account
                request.loginHint = request.loginHint ?? (account.username.isEmpty ? nil : account.username)
            } else {
                request.loginHint = request.loginHint ?? named
            }
        }
        if let note { session.output.warn(note) }
        let wish = request
        let before = try? application.cached.snapshot()
        let token: AcquiredToken
        do throws(Failure) {
            let signIn = CommandLineSignIn(
                session, client, asking, wish, at: application.configuration.authority)
            token = try await signIn.run { userAgents, onEvent in
                await Result.of { () throws(Failure) in
                    try await application.acquireToken(wish, userAgents: userAgents, onEvent: onEvent)
                }
            }
        } catch { throw error.hinted(signIn: isNew ? commandLine(session) : session.signInCommand(client: client)) }
        session.noteSignIn(client, before: before, in: cache, replaces: isDefault)
        if isNew { save(client, session) }
        // A name that no account had yet was only a suggestion to the provider.
        if wish.account == nil, let asked = wish.person, !token.account.matches(by: asked) {
            session.output.warn("\(token.account.label) signed in, but \(asked) was requested")
        }
        let name = token.account.name.map { " (\($0))" } ?? ""
        session.output.result(
            token.signedInJSON,
            or: ["\(token.account.label)\(name) signed in for \(client.name) at \(token.authority)"])
    }

    /// The client of the host, else of the options and settings; the host's authority becomes the session's.
    private func client(_ session: inout CommandContext) async throws(Failure) -> (ClientChoice, isNew: Bool) {
        guard let host else {
            guard server == nil else {
                throw Failure(
                    .usage, "--server needs a host", hint: "write foyer sign-in git.example.org --server github")
            }
            if let client = try session.clientOfNamedAccount() { return (client, false) }
            return (try await ClientQuestion(session: session).client(), false)
        }
        let options = session.shared
        guard options.client == nil, options.authority == nil else {
            throw Failure(
                .usage, "a host cannot be combined with --client or --authority", hint: "leave out the host")
        }
        let found = try ServerClient(at: host, server: server, clientID: options.clientID, session.settings)
        var client = found.choice
        if found.isNew {
            client.redirectURI = options.redirectURI
            if !options.scopes.isEmpty { client.scopes = ScopeSet(options.scopes).names }
        }
        session = try CommandContext(
            found.options(options), environment: session.environment, settings: session.settings)
        return (client, found.isNew)
    }

    /// For a client that is not in the settings.
    private func commandLine(_ session: CommandContext) -> String {
        let options = [("--server", server), ("--client-id", session.shared.clientID)].compactMap { name, value in
            value.map { "\(name) \($0.shellWord)" }
        }
        return (["foyer sign-in", (host ?? "").shellWord] + options).joined(separator: " ") + session.storeOptions
    }

    /// The account is signed in, so a failure is only a warning.
    private func save(_ client: ClientChoice, _ session: CommandContext) {
        do throws(Failure) {
            _ = try session.save(client)
            let path = session.settings.path
            session.output.event(
                "clientSaved", [("name", client.name.json), ("settings", path.json)],
                or: "client \"\(client.name)\" saved in \(session.short(path))")
        } catch {
            session.output.warn("client \"\(client.name)\" not saved: \(error.messageAndStep)")
        }
    }
}
