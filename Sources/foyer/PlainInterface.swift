import FoundationEssentials
import Glibc
import Identity
import SilentFirst
import Terminal
import TokenCache

/// The screens' jobs as numbered questions: text is only ever added, nothing is drawn again, so that screen readers, dumb terminals and scripts
/// can follow.
struct PlainInterface: Sendable {
    let session: Session
    let store: TokenCache
    let input = PlainInput()

    /// Whether the person asked for it, or the terminal cannot do more.
    static func isWanted(_ choices: CommonChoices, _ environment: Environment) -> Bool {
        if choices.plain { return true }
        if let accessible = environment["ACCESSIBLE"], accessible != "0" { return true }
        return environment["TERM"] == "dumb"
    }

    init(_ session: Session) throws(Failure) {
        self.session = session
        store = try session.storeForSigningIn(try session.clientIfAny()).cache
    }

    /// Ends when the person leaves, or at the end of input.
    func run() async throws(Failure) {
        say("foyer, plain mode. Answer with a number and Enter; Ctrl-C gives up what is under way.")
        let watch = PlainTask.watchInterrupt()
        defer { watch.cancel() }
        while true {
            let accounts = try overviews()
            say("")
            say("Store \(session.label(store)): \(accounts.isEmpty ? "nobody is signed in" : Self.counted(accounts.count, "account"))")
            let choice = await choose(["sign in", "choose an account", "read the store again"], zero: "quit")
            switch choice {
            case 1: await told { () async throws(Failure) in try await signIn(nil) }
            case 2: try await chooseAccount(accounts)
            case 3: continue
            default: return
            }
        }
    }

    // MARK: Accounts

    private static let mostRows = 40

    private func chooseAccount(_ all: [AccountOverview]) async throws(Failure) {
        var accounts = all
        while true {
            guard !accounts.isEmpty else {
                say("nobody is signed in; sign in first")
                return
            }
            say("")
            let now = Date()
            for (index, overview) in accounts.prefix(Self.mostRows).enumerated() { say(" \(index + 1)  " + Self.words(overview, now)) }
            if accounts.count > Self.mostRows {
                say("    and \(accounts.count - Self.mostRows) more: type a part of the name to see fewer")
            }
            say(" 0  back")
            guard let answer = await ask("account: ") else { return }
            if answer == "0" || answer.isEmpty { return }
            if let number = Int(answer), accounts.prefix(Self.mostRows).indices.contains(number - 1) {
                try await visit(accounts[number - 1])
                return
            }
            let wanted = answer.lowercased()
            let found = all.filter { $0.account.searchText.contains(wanted) }
            if found.isEmpty { say("no account has \"\(answer)\" in its name") } else { accounts = found }
        }
    }

    private func visit(_ overview: AccountOverview) async throws(Failure) {
        var overview = overview
        while true {
            say("")
            describe(overview)
            let account = overview.account
            let choice = await choose(
                ["get a token silently", "look at its tokens", "sign in again", "sign out", "remove from this store"], zero: "back")
            switch choice {
            case 1: await told { () async throws(Failure) in try await acquire(account) }
            case 2: await inspect(overview)
            case 3: await told { () async throws(Failure) in try await signIn(account) }
            case 4: await told { () async throws(Failure) in try await leave(account, andSignOut: true) }
            case 5: await told { () async throws(Failure) in try await leave(account, andSignOut: false) }
            default: return
            }
            guard let still = try overviews().first(where: { $0.id == overview.id }) else { return }
            overview = still
        }
    }

    private func describe(_ overview: AccountOverview) {
        let account = overview.account
        say(Self.words(overview, Date()))
        say("  identifier: \(account.homeAccountID)")
        say("  provider: \(account.environment)")
        for profile in account.tenantProfiles where !profile.tenantID.isEmpty {
            say("  tenant: \(profile.tenantID)" + (profile.isHome ? " (home)" : " (guest)"))
        }
        for client in account.clients { say("  client: \(session.clientName(client))") }
    }

    private static func words(_ overview: AccountOverview, _ now: Date) -> String {
        let standing = overview.standing(at: now)
        var words = overview.account.label
        if let name = overview.account.name, name != words { words += " (\(name))" }
        words += ": \(standing.word)"
        if case .valid(let end) = standing { words += " for \(Span.words(end.timeIntervalSince(now)))" }
        return words
    }

    // MARK: Tokens

    private func inspect(_ overview: AccountOverview) async {
        while true {
            let now = Date()
            let tokens = overview.credentials
            say("")
            for (index, token) in tokens.enumerated() {
                let end = token.expiresOn.map { $0 > now ? ", ends in " + Span.words($0.timeIntervalSince(now)) : ", expired" } ?? ""
                let scopes = token.scopes.isEmpty ? "" : ": \(token.scopes)"
                say(" \(index + 1)  \(token.kind.rawValue) of \(session.clientName(token.clientID))\(end)\(scopes)")
            }
            say(" 0  back")
            guard let answer = await ask("token: "), let number = Int(answer), tokens.indices.contains(number - 1) else { return }
            let token = tokens[number - 1]
            guard let jwt = try? DecodedJWT(token.secret) else {
                say("an opaque token of \(token.secret.reveal().utf8.count) bytes: only who it is for can read it")
                continue
            }
            InspectCommand.words(jwt, .notChecked, now: now).forEach(say)
        }
    }

    private func acquire(_ account: Account) async throws(Failure) {
        guard let client = await client(of: account) else { return }
        let application = try application(client)
        let authority = try session.authority(client)
        let request = TokenRequest(scopes: session.scopes(client, authority), account: account)
        let token = try await PlainTask.run {
            await Result.of { () throws(Failure) in try await application.acquireTokenSilent(request) { say(Self.words($0)) } }
        }
        say("a token until \(token.expiresOn.rfc3339), from \(token.source.rawValue), for: \(token.scopes)")
    }

    static func words(_ step: Step) -> String { "  \(step.name.words): \(step.outcome.rawValue) (\(step.detail))" }

    // MARK: Leaving

    private func leave(_ account: Account, andSignOut: Bool) async throws(Failure) {
        guard let client = await client(of: account) else { return }
        say(
            andSignOut
                ? "This revokes what \(account.environment) lets it revoke, removes \(account.label) from \(client.name), and ends the browser's session where that is offered."
                : "This removes \(account.label) from \(client.name): no network; other clients and the browser keep theirs.")
        guard await choose([andSignOut ? "sign out" : "remove"], zero: "no, keep it") == 1 else { return }
        let application = try application(client)
        guard andSignOut else {
            let count = try await application.remove(account)
            say("removed, \(Self.counted(count, "entry", "entries"))")
            return
        }
        let browser = Browser(session.environment, command: nil)
        let agents = browser.agentsForLeaving()
        let outcome = try await PlainTask.run {
            await Result.of { () throws(Failure) in try await application.signOut(account, userAgents: agents) { say(Self.words($0)) } }
        }
        outcome.lines(client: client.name).forEach(say)
    }

    // MARK: Signing in

    private func signIn(_ account: Account?) async throws(Failure) {
        let all = session.choices
        let picked: ClientChoice?
        if let account { picked = await client(of: account) } else { picked = await pick(all) }
        guard let client = picked else { return }
        let methods = SignInMethod.allCases
        guard let method = await choose(methods.map { "\($0.rawValue): \($0.plainWords)" }, zero: "back"), method > 0 else { return }
        let authority = try session.authority(client)
        let request = TokenRequest(
            scopes: session.scopes(client, authority), account: account, method: methods[method - 1],
            loginHint: account.flatMap { $0.username.isEmpty ? nil : $0.username })
        let application = try application(client)
        let conversation = Conversation(session, client, AskingChoices(via: request.method), input: input)
        let token = try await PlainTask.run {
            await conversation.result { agents, onEvent in
                await Result.of { () throws(Failure) in
                    try await application.acquireToken(request, userAgents: agents, onEvent: onEvent)
                }
            }
        }
        say("\(token.account.label) signed in for \(client.name); the token lives until \(token.expiresOn.rfc3339)")
    }

    private func pick(_ clients: [ClientChoice]) async -> ClientChoice? {
        guard clients.count != 1 else { return clients[0] }
        say("Which client?")
        guard let number = await choose(clients.map { "\($0.name) at \($0.authority ?? "")" }, zero: "back"), number > 0 else { return nil }
        return clients[number - 1]
    }

    /// The client that a job is for: the account's only one, or one of them by number.
    private func client(of account: Account) async -> ClientChoice? {
        let known = account.clients.map { id in
            session.choices.first { $0.clientID == id } ?? ClientChoice(name: session.clientName(id), clientID: id)
        }
        return known.isEmpty ? await pick(session.choices) : await pick(known)
    }

    private func application(_ client: ClientChoice) throws(Failure) -> PublicClientApplication {
        var here = client
        here.store = store.spec?.description ?? store.path
        return try session.application(here)
    }

    // MARK: Questions

    /// - Returns: the number, zero for the last one and at the end of input.
    private func choose(_ answers: [String], zero: String) async -> Int? {
        while true {
            for (index, answer) in answers.enumerated() { say(" \(index + 1)  \(answer)") }
            say(" 0  \(zero)")
            guard let answer = await ask("number: ") else { return 0 }
            if let number = Int(answer), (0...answers.count).contains(number) { return number }
            say("write a number from 0 to \(answers.count)")
        }
    }

    private func ask(_ question: String) async -> String? {
        Output.write(question, to: STDOUT_FILENO)
        let answer = await input.next()
        return answer.map { String($0.split(whereSeparator: \.isWhitespace).joined(separator: " ")) }
    }

    private func say(_ line: String) { session.output.lines([line]) }

    /// A failure ends the job, not the program.
    private func told(_ job: () async throws(Failure) -> Void) async {
        do throws(Failure) { try await job() } catch {
            say("it did not work: \(error.message)")
            if let hint = error.nextStep { say("what to do: \(hint)") }
        }
    }

    private func overviews() throws(Failure) -> [AccountOverview] {
        do { return try store.read().overviews(clientID: nil) } catch { throw Failure(error) }
    }

    private static func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count) " + (count == 1 ? one : many ?? one + "s")
    }
}

extension Account {
    /// What a part of a name is looked for in.
    fileprivate var searchText: String { [username, name ?? "", homeAccountID, environment].joined(separator: " ").lowercased() }
}

extension SignInMethod {
    fileprivate var plainWords: String {
        switch self {
        case .automatic: "what suits this machine"
        case .browser: "a browser on this machine"
        case .privateWindow: "a private window of a browser on this machine"
        case .native: "questions here, without a browser (Entra External ID only)"
        case .device: "a code to type on any device"
        case .text: "a text browser in this terminal"
        }
    }
}
