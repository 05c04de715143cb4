import ArgumentParser
import CommandSupport
import Explain
import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import TokenCache
import TokenCalls

struct SignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Revoke tokens, remove the account, end the browser session",
        discussion: """
            Revokes tokens where the provider supports it, removes the account for this client, and ends the browser \
            session where the provider offers that; reports the result of each step. With --from nothing is revoked \
            and no browser session ends.
            """,
        aliases: ["logout"])
    @OptionGroup var removal: RemovalOptions
    @Option(help: ArgumentHelp("Browser command (%s is the URL), or none to only print it", valueName: "command"))
    var browser: String?
    @Flag(name: .customLong("revoke-access-tokens"), help: "Also revoke access tokens, one by one")
    var revokesAccessTokens = false
    @Flag(
        name: .customLong("revoke-as-leaked"),
        help: "Revoke at GitHub as leaked tokens; it sends you mail")
    var revokesAsLeaked = false
    @Flag(name: .customLong("keep-browser-session"), help: "Keep the browser session")
    var keepsBrowserSession = false
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func validate() throws {
        if removal.from != nil,
            removal.wipe || revokesAccessTokens || revokesAsLeaked || keepsBrowserSession || browser != nil
        {
            throw ValidationError(
                "--from can only be combined with --yes and --dry-run: it revokes nothing and opens no browser")
        }
    }

    func run() async throws {
        let session = try CommandContext(shared.choices())
        if try await removal.removeFromOtherStore(session) { return }
        let (client, account) = try await removal.targetOrSweep(session)
        if try await removal.show(session, client, account) { return }
        let application = try session.application(client, cache: session.cache(client).watched)
        try await removal.confirm(session, client, account)
        let options = SignOutOptions(
            wipe: removal.wipe, revokesAccessTokens: revokesAccessTokens, revokesAsLeaked: revokesAsLeaked,
            endsBrowserSession: !keepsBrowserSession)
        let line = StatusLine(session)
        defer { line?.stop() }
        // Reports the reason for a wait, and how to stop it.
        let tellWait: @Sendable (String) -> Void = { words in
            line?.aside()
            session.output.event("waiting", [("detail", words.json)], or: "waiting \(words); Ctrl-C stops waiting")
        }
        let agents = Browser(environment: session.environment, command: browser).signOutUserAgents { tellWait($0) }
        let isGivenUp = AtomicFlag(false)
        let leaving = Task(executorPreference: BlockingExecutor.shared) {
            await Result.of { () throws(Failure) in
                try await application.signOut(account, options: options, userAgents: agents) { step in
                    if step.outcome == .waiting {
                        tellWait(step.detail)
                    } else {
                        line?.aside()
                        session.output.step(step)
                    }
                }
            }
        }
        line?.show(after: 1, counting: "signing out")
        let interrupt = Interrupt.watch { _ in
            isGivenUp.value = true
            leaving.cancel()
        }
        defer { interrupt.cancel() }
        let outcome = try await leaving.value.get()
        await application.close()
        line?.stop()
        let files = await session.removeTokenFiles(of: account)
        session.output.result(
            JSONValue(
                ("account", account.json), ("revoked", outcome.revoked.json),
                ("accessTokensRevoked", outcome.accessTokensRevoked.json), ("removed", outcome.removed.json),
                ("sessionEnded", outcome.sessionEnded.json),
                ("endSessionUrl", outcome.endSessionURL?.text.json ?? .null),
                ("grantPage", (outcome.grantPage?.text).json),
                ("accessTokensDieAt", (outcome.accessTokensExpire?.announced).json),
                ("accessTokensRemain", .bool(outcome.accessTokensExpire != nil)),
                ("tokenFilesRemoved", TokenFileRemoval.json(files))),
            or: ["account: \(account.label)"]
                + outcome.lines(
                    client: removal.wipe ? "every client" : client.name, saysAccessTokens: revokesAccessTokens)
                + TokenFileRemoval.lines(files))
        _ = try files.get()
        guard isGivenUp.value, case .failed = outcome.sessionEnded else { return }
        throw Failure(
            .cancelled,
            "stopped waiting for the browser; the account has been removed here"
                + (outcome.revoked == .done ? " and revoked" : ""),
            hint: outcome.endSessionURL.map { "to end the browser session, open \($0.text)" })
    }
}

extension Browser {
    /// - Parameter onWaiting: called with the reason for a wait.
    func signOutUserAgents(onWaiting: @escaping @Sendable (String) -> Void) -> UserAgents {
        UserAgents(
            automatic: { automaticMethod() },
            openBrowser: { address throws(BrowserProblem) in
                try await openAndWait(address) {
                    onWaiting("for the browser to open the sign-out page")
                }
            })
    }
}

extension SignOutOutcome {
    func lines(client: String, saysAccessTokens: Bool = false) -> [String] {
        ["revoked at the provider: " + revoked.words]
            + (grantPage.map { ["  the grant remains until you end it: " + $0.text] } ?? [])
            + (saysAccessTokens ? ["access tokens revoked: " + accessTokensRevoked.words] : []) + [
                "removed from \(client): " + removed.words,
                "browser session ended: " + sessionEnded.words,
            ]
            + (sessionEnded == .done ? [] : endSessionURL.map { ["  to end it, open " + $0.text] } ?? [])
            + (accessTokensExpire.map { [TimeSpan.tokensWork(until: $0, \.rfc3339)] } ?? [])
    }
}

extension SignOutOutcome.Part {
    var words: String {
        switch self {
        case .done: "yes"
        case .opened: "unknown: see the sign-out page in the browser"
        case .notOffered: "no: not supported by the provider"
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
