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
        let call = try TokenCall(options)
        try call.requireAccessToken()
        if options.dryRun { return try call.showDecision() }
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
        if options.isSilent {
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
        let token = try await CommandLineSignIn(call.context, call.client, options).run(diesOfSignal: true) {
            userAgents, onEvent in
            await Result.of { () throws(Failure) in
                try await application.acquireTokenSilentFirst(
                    request, from: snapshot, userAgents: userAgents, onEvent: onEvent)
            }
        }
        if token.source == .interactive { call.context.noteSignIn(call.client, before: snapshot) }
        return token
    }
}

struct SignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in", abstract: "Sign in interactively",
        aliases: ["login"])
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup(title: "Sign-in options") var interactive: InteractiveOptions
    @Flag(name: .customLong("default"), help: "Make this the default client if the settings have none")
    var isDefault = false

    func run() async throws {
        let session = try CommandContext(shared.adding(interactive).checked())
        let client = try await ClientQuestion(session: session).client()
        let asking = session.shared
        let (cache, note) = try session.storeForSigningIn(client)
        let application = try session.application(client, redirectURI: asking.redirectURI, cache: cache)
        var request = try asking.request(
            session.scopes(client, application.configuration.authority), via: client.behaviour.via,
            tenant: asking.tenant)
        if let named = session.shared.account {
            // The account may be unknown as yet: its name is then the login hint.
            let known = try application.cached.snapshot().accounts(clientID: nil)
            if let account = try? AccountChoice.find(named, among: known, at: application.configuration.authority) {
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
            token = try await CommandLineSignIn(session, client, asking).run { userAgents, onEvent in
                await Result.of { () throws(Failure) in
                    try await application.acquireToken(wish, userAgents: userAgents, onEvent: onEvent)
                }
            }
        } catch { throw error.hinted(signIn: session.signInCommand(client: client)) }
        session.noteSignIn(client, before: before, replaces: isDefault)
        let name = token.account.name.map { " (\($0))" } ?? ""
        session.output.result(
            token.signedInJSON,
            or: ["\(token.account.label)\(name) signed in for \(client.name) at \(token.authority)"])
    }
}
