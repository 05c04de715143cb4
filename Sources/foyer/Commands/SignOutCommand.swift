import ArgumentParser
import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import TokenCache

struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an account from one client, without a network",
        discussion: """
            Other clients and the browser keep theirs. No server is asked.
            """)
    @Argument(help: "Username, home account id, or an unambiguous beginning")
    var name: String
    @Flag(help: "From all clients, with everything saved about the account")
    var wipe = false
    @Option(
        help: ArgumentHelp(
            "From another program's store, as that program would; see \"foyer stores\"",
            valueName: "store"))
    var from: String?
    @Flag(help: "With --from: do not ask")
    var yes = false
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func validate() throws {
        if from == nil, yes { throw ValidationError("--yes goes with --from") }
        if from != nil, wipe { throw ValidationError("--from and --wipe exclude each other") }
    }

    func run() async throws {
        let session = try CommandContext(shared.choices())
        if let from {
            return try await OtherStoreRemoval(session: session, store: from, name: name, isAgreed: yes).run()
        }
        let client = try session.client()
        let application = try session.application(client)
        let known = wipe ? try session.snapshot(client).accounts(clientID: nil) : try await application.allAccounts()
        let account = try AccountChoice.find(name, among: known, at: application.configuration.authority)
        let count = try await application.remove(account, wipe: wipe)
        if shared.json {
            session.output.result(
                JSONValue(
                    ("removed", account.json), ("clientId", client.clientID.json),
                    ("entries", JSONValue(integer: count))))
        } else {
            session.output.lines([
                wipe
                    ? "removed \(account.label) from every client (\(count) entries); the browser keeps its sign-in"
                    : """
                    removed \(account.label) from \(client.name) (\(count) entries); other clients and the \
                    browser keep theirs
                    """
            ])
        }
    }
}

struct SignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Revoke tokens, remove the account, end the browser session",
        discussion: """
            Revokes what the provider lets it revoke, removes the account for this client, and ends the browser \
            session where the provider offers that; says which of the three happened.
            """,
        aliases: ["logout"])
    @Argument(help: "Username, home account id, or an unambiguous beginning")
    var name: String
    @Option(help: ArgumentHelp("Browser command, %s is the URL; none only prints it", valueName: "command"))
    var browser: String?
    @Flag(help: "Remove the account from all clients")
    var wipe = false
    @Flag(name: .customLong("revoke-access-tokens"), help: "Revoke access tokens one by one, too")
    var revokesAccessTokens = false
    @Flag(name: .customLong("keep-browser-session"), help: "Keep the browser session")
    var keepsBrowserSession = false
    @Option(
        help: ArgumentHelp(
            "From another program's store, as that program would: nothing is revoked, no browser session ends",
            valueName: "store"))
    var from: String?
    @Flag(help: "With --from: do not ask")
    var yes = false
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func validate() throws {
        if from == nil, yes { throw ValidationError("--yes goes with --from") }
        if from != nil, wipe || revokesAccessTokens || keepsBrowserSession || browser != nil {
            throw ValidationError(
                "--from goes with --yes alone: the program's own sign-out revokes nothing and opens no browser")
        }
    }

    func run() async throws {
        let session = try CommandContext(shared.choices())
        if let from {
            return try await OtherStoreRemoval(session: session, store: from, name: name, isAgreed: yes).run()
        }
        let client = try session.client()
        let application = try session.application(client)
        let known = wipe ? try session.snapshot(client).accounts(clientID: nil) : try await application.allAccounts()
        let account = try AccountChoice.find(name, among: known, at: application.configuration.authority)
        let options = SignOutOptions(
            wipe: wipe, revokesAccessTokens: revokesAccessTokens, endsBrowserSession: !keepsBrowserSession)
        let agents = Browser(session.environment, command: browser).agentsForLeaving { session.output.tellWait($0) }
        let isGivenUp = Atomically(false)
        let leaving = Task {
            await Result.of { () throws(Failure) in
                try await application.signOut(account, options: options, userAgents: agents) { step in
                    if step.outcome == .waiting {
                        session.output.tellWait(step.detail)
                    } else {
                        session.output.step(step)
                    }
                }
            }
        }
        let interrupt = Interrupt.watch { _ in
            isGivenUp.value = true
            leaving.cancel()
        }
        defer { interrupt.cancel() }
        let outcome = try await leaving.value.get()
        await application.close()
        if shared.json {
            session.output.result(
                JSONValue(
                    ("account", account.json), ("revoked", outcome.revoked.json),
                    ("accessTokensRevoked", outcome.accessTokensRevoked.json), ("removed", outcome.removed.json),
                    ("sessionEnded", outcome.sessionEnded.json),
                    ("endSessionUrl", outcome.endSessionURL?.text.json ?? .null),
                    ("accessTokensDieAt", outcome.accessTokensDieAt.json)))
        } else {
            session.output.lines(
                outcome.lines(client: wipe ? "every client" : client.name, saysAccessTokens: revokesAccessTokens))
        }
        guard isGivenUp.value, case .failed = outcome.sessionEnded else { return }
        throw Failure(
            .cancelled,
            "the browser is no longer waited for; the account has been removed here"
                + (outcome.revoked == .done ? " and revoked" : ""),
            hint: outcome.endSessionURL.map { "to end the browser's session, open \($0.text)" })
    }
}

extension Output {
    /// Who waits says for what, and how to stop waiting.
    fileprivate func tellWait(_ words: String) {
        if json {
            event("waiting", [("detail", words.json)])
        } else {
            note("foyer: waiting \(words); Ctrl-C stops waiting")
        }
    }
}

extension Browser {
    /// The page that ends a session is opened where a browser is, and only named elsewhere.
    ///
    /// - Parameter onWaiting: told, for a person, what is waited for.
    func agentsForLeaving(onWaiting: @escaping @Sendable (String) -> Void) -> UserAgents {
        UserAgents(
            automatic: { automaticMethod() },
            openBrowser: { address throws(BrowserProblem) in
                try await openAndWait(address) {
                    onWaiting("for the browser to ask for the page that ends its session")
                }
            })
    }
}

extension SignOutOutcome {
    func lines(client: String, saysAccessTokens: Bool = false) -> [String] {
        ["revoked at the provider: " + revoked.words]
            + (saysAccessTokens ? ["access tokens revoked: " + accessTokensRevoked.words] : []) + [
                "removed from \(client): " + removed.words,
                "browser session ended: " + sessionEnded.words,
            ]
            + (sessionEnded == .done ? [] : endSessionURL.map { ["  to end it, open " + $0.text] } ?? [])
            + (accessTokensDieAt.map { ["access tokens that are out may live until " + $0.rfc3339] } ?? [])
    }
}

extension SignOutOutcome.Part {
    var words: String {
        switch self {
        case .done: "yes"
        case .opened: "the page that ends it was opened, and tells whether it is done"
        case .notOffered: "no, not offered here"
        case .failed(let why): "no: \(why)"
        }
    }

    var json: JSONValue {
        switch self {
        case .done: JSONValue(("outcome", "done"))
        case .opened: JSONValue(("outcome", "opened"))
        case .notOffered: JSONValue(("outcome", "notOffered"))
        case .failed(let why): JSONValue(("outcome", "failed"), ("detail", why.json))
        }
    }
}
