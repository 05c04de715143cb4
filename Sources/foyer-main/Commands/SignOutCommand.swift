import AppModel
import ArgumentParser
import CommandSupport
import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON

struct SignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Revoke tokens, remove accounts, end the browser session",
        discussion: """
            Revokes tokens where the provider supports it, removes the accounts for this client, and ends the browser \
            session where the provider offers that; reports the result of each step. If the provider cannot be \
            reached, the refresh token is kept only to be revoked (state signingOut, status 6): the agent, or the next \
            sign-out of the account, tries again. With --from nothing is revoked and no browser session ends.
            """,
        aliases: ["logout"])
    @Argument(help: "Usernames, home account ids, or unambiguous prefixes", completion: .known(.accounts))
    var names: [String] = []
    @Flag(help: "Every account that the other options select")
    var all = false
    @OptionGroup var selection: SelectionOptions
    @OptionGroup var removal: RemovalOptions
    @Flag(name: .customLong("local"), help: "Give up on a provider that cannot be reached: its tokens stay valid")
    var givesUp = false
    @Option(
        help: ArgumentHelp("Write what was revoked, kept and left to a new file", valueName: "file"),
        completion: .file())
    var receipt: String?
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

    /// Whether accounts are selected by more than their names.
    private var selects: Bool {
        all || !selection.isEmpty || names.isEmpty && (shared.client != nil || shared.clientID != nil)
    }

    func validate() throws {
        guard !names.isEmpty || selects else {
            throw ValidationError("name an account, or select accounts with --tenant, --client, --state or --all")
        }
        guard removal.from != nil else { return }
        if removal.wipe || revokesAccessTokens || revokesAsLeaked || keepsBrowserSession || browser != nil || givesUp
            || receipt != nil
        {
            throw ValidationError(
                "--from can only be combined with --yes and --dry-run: it revokes nothing and opens no browser")
        }
        guard names.count == 1, !all, selection.isEmpty else {
            throw ValidationError("--from takes one account by its name")
        }
    }

    func run() async throws {
        let session = try CommandContext(shared.choices())
        if let name = names.first, try await removal.removeFromOtherStore(name, session) { return }
        let job = SignOutJob(
            session: session,
            options: SignOutOptions(
                wipe: removal.wipe, revokesAccessTokens: revokesAccessTokens, revokesAsLeaked: revokesAsLeaked,
                givesUpOnProvider: givesUp, endsBrowserSession: !keepsBrowserSession),
            browser: Browser(environment: session.environment, command: browser), receipt: receipt)
        guard selects || names.count > 1 else {
            let target = try await removal.targetOrSweep(names[0], session)
            if try await removal.show(session, target) { return }
            try await removal.confirm(names[0], session, target)
            return try await job.runOne(target, place: removal.place(target.client))
        }
        let targets = try selects ? selected(session) : named(session)
        if removal.onlyShows { return show(targets, session) }
        try await confirm(targets, session)
        try await job.run(targets, place: removal.place)
    }

    // MARK: Whom

    private func named(_ session: CommandContext) throws(Failure) -> [RemovalTarget] {
        var targets: [RemovalTarget] = []
        for name in names { targets.append(try removal.target(name, session)) }
        return once(targets)
    }

    /// By the rows that `foyer accounts` lists.
    private func selected(_ session: CommandContext) throws(Failure) -> [RemovalTarget] {
        let list = try SignInList(session)
        let rows = try list.places(selection.selection(session), nil, at: Date()).map { list.rows[$0] }
        var kept = rows.filter { $0.store == nil && $0.use != nil }
        if !names.isEmpty {
            let accounts = kept.map(\.account)
            var meant: Set<AccountID> = []
            for name in names { meant.insert(try AccountChoice.find(name, amongStores: accounts).id) }
            kept = kept.filter { meant.contains($0.account.id) }
        }
        let targets = kept.compactMap { row in
            row.use.map { RemovalTarget(client: list.clients.choice(of: $0), account: row.account) }
        }
        guard !targets.isEmpty else {
            throw Failure(.notFound, "no account matches", hint: "\"foyer accounts\" lists them")
        }
        return once(targets)
    }

    /// Names of one client share their tokens; a wipe ends all clients of an account.
    private func once(_ targets: [RemovalTarget]) -> [RemovalTarget] {
        var signIns: Set<SignIn> = []
        var accounts: Set<AccountID> = []
        return targets.filter {
            removal.wipe ? accounts.insert($0.account.id).inserted : signIns.insert($0.signIn).inserted
        }
    }

    // MARK: Before

    private func line(_ target: RemovalTarget) -> String {
        "\(target.account.label), \(removal.place(target.client))"
    }

    private func show(_ targets: [RemovalTarget], _ session: CommandContext) {
        session.output.result(
            JSONValue(
                ("dryRun", true),
                (
                    "signOuts",
                    .array(
                        targets.map {
                            JSONValue(
                                ("account", $0.account.json), ("client", $0.client.name.json),
                                ("clientId", $0.client.clientID.json))
                        })
                )),
            or: targets.map { "to sign out: " + line($0) } + ["nothing was changed"])
    }

    /// - Throws: `cancelled` if the person declines; `usage` for more than can be meant without a word.
    private func confirm(_ targets: [RemovalTarget], _ session: CommandContext) async throws(Failure) {
        guard !removal.yes else { return }
        let many = targets.count > BulkConfirmation.mostByKey
        guard Agreement.canAsk(session.output) else {
            guard !many else {
                throw Failure(.usage, "\(targets.count) accounts would be signed out", hint: "add --yes to agree")
            }
            return
        }
        for target in targets { session.output.note("  " + line(target)) }
        let words = counted(targets.count, "sign-in")
        let isAgreed =
            many
            ? await Agreement.isTyped(BulkConfirmation.signOut, to: "Sign out \(words)?", session.output)
            : await Agreement.isGiven(to: "Sign out \(words)?", session.output)
        guard isAgreed else { throw Failure(.cancelled, "nothing was changed") }
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
