import AppModel
import FoundationEssentials
import Identity
import SilentFirst
import Terminal
import TokenCache

extension PlainInterface {
    private static let mostRows = 40

    /// The account that is meant, by number or by a part of its name; nil when none is.
    private func pickAccount(_ all: [AccountOverview]) async -> AccountOverview? {
        var accounts = all
        while true {
            guard !accounts.isEmpty else {
                say("nobody is signed in; sign in first")
                return nil
            }
            say("")
            let now = Date()
            for (index, overview) in accounts.prefix(Self.mostRows).enumerated() {
                say(" \(index + 1)  " + Self.words(overview, now))
            }
            if accounts.count > Self.mostRows {
                say("    and \(accounts.count - Self.mostRows) more: type a part of the name to see fewer")
            }
            say(" 0  back")
            guard let answer = await ask("account: "), answer != "0", !answer.isEmpty else { return nil }
            if let number = Int(answer), accounts.prefix(Self.mostRows).indices.contains(number - 1) {
                return accounts[number - 1]
            }
            let wanted = answer.lowercased()
            let found = all.filter { $0.account.searchText.contains(wanted) }
            if found.isEmpty { say("no account has \"\(answer)\" in its name") } else { accounts = found }
        }
    }

    func chooseAccount(_ all: [AccountOverview]) async {
        if let overview = await pickAccount(all) {
            await told { () async throws(Failure) in try await visit(overview) }
        }
    }

    func pickClient(of accounts: [AccountOverview]) async -> String? {
        let clients = Set(accounts.flatMap(\.account.clients)).sorted {
            session.clientName($0) < session.clientName($1)
        }
        let number = await choose(clients.map { session.clientName($0) }, zero: "all")
        return number == 0 ? nil : clients[number - 1]
    }

    /// Several leave one after the other; each client of each of them is asked for once, and everything is told before
    /// it happens.
    func chooseSeveral(_ listed: [AccountOverview]) async {
        // What leaves another program's store is asked about one by one.
        let all = listed.filter { $0.store == nil }
        var marked: [AccountOverview] = []
        while true {
            let rest = all.filter { overview in !marked.contains { $0.id == overview.id } }
            if !marked.isEmpty { say("marked: " + marked.map(\.account.label).joined(separator: ", ")) }
            let choice = await choose(
                ["mark an account", "remove the marked ones from this store", "sign the marked ones out"], zero: "back")
            switch choice {
            case 1: if let overview = await pickAccount(rest) { marked.append(overview) }
            case 2, 3:
                guard !marked.isEmpty else {
                    say("none is marked")
                    continue
                }
                for overview in marked {
                    await told { () async throws(Failure) in try await leave(overview.account, andSignOut: choice == 3)
                    }
                }
                return
            default: return
            }
        }
    }

    /// An account of another program's store: looked at, and removed as that program would do it where the person
    /// allowed that.
    private func visit(_ chosen: AccountOverview, in store: OtherStore) async throws(Failure) {
        while true {
            say("")
            describe(chosen)
            say("  store: \(store.place), of \(store.program), \(store.isWritable ? "read and written" : "read-only")")
            let choice = await choose(
                [
                    "look at its tokens", "look at what each client was granted", "sign in here, too",
                    "sign out of \(store.program): remove it from its store",
                ], zero: "back")
            switch choice {
            case 1: await inspect(chosen)
            case 2: await scopes(chosen)
            case 3: await told { () async throws(Failure) in try await signIn(chosen.account) }
            case 4: if try await leave(chosen.account, store) { return }
            default: return
            }
        }
    }

    private func leave(_ account: Account, _ store: OtherStore) async throws(Failure) -> Bool {
        say(
            """
            \(store.program) forgets \(account.label): its tokens and entries go from \(store.place), under the \
            program's own lock.
            """
        )
        if let profile = store.profile { say("Its subscriptions go from \(profile).") }
        say(
            """
            Nothing is revoked and no browser session is ended: \(store.program) does neither when somebody signs \
            out of it.
            """
        )
        guard await choose(["remove it there"], zero: "no, keep it") == 1 else { return false }
        var isGone = false
        await told { () async throws(Failure) in
            let session = try session.readingSettingsAgain()
            let removal = try await log.follow("removal", account.label, store.program, nil) { _ in
                await Result.of { () throws(Failure) in try session.remove(account, fromStore: store.name) }
            } outcome: {
                Self.counted($0.entries, "entry", "entries")
            }
            let more = removal.subscriptions > 0 ? ", \(Self.counted(removal.subscriptions, "subscription"))" : ""
            say("removed from \(store.program), \(Self.counted(removal.entries, "entry", "entries"))\(more)")
            isGone = true
        }
        return isGone
    }

    private func visit(_ chosen: AccountOverview) async throws(Failure) {
        if let store = chosen.store { return try await visit(chosen, in: store) }
        var overview = chosen
        while true {
            say("")
            describe(overview)
            let account = overview.account
            let choice = await choose(
                [
                    "get a token silently", "look at its tokens", "sign in again", "sign out", "remove from this store",
                    "get a new token from the provider", "look at what each client was granted",
                ], zero: "back")
            switch choice {
            case 1: await told { () async throws(Failure) in try await acquire(account, anew: false) }
            case 2: await inspect(overview)
            case 3: await told { () async throws(Failure) in try await signIn(account) }
            case 4: await told { () async throws(Failure) in try await leave(account, andSignOut: true) }
            case 5: await told { () async throws(Failure) in try await leave(account, andSignOut: false) }
            case 6: await told { () async throws(Failure) in try await acquire(account, anew: true) }
            case 7: await scopes(overview)
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
        say("  provider: \(account.provider)")
        for profile in account.tenantProfiles where !profile.tenantID.isEmpty {
            say("  tenant: \(profile.tenantID)" + (profile.isHome ? " (home)" : " (guest)"))
        }
        for client in account.clients { say("  client: \(session.clientName(client))") }
    }

    private static func words(_ overview: AccountOverview, _ now: Date) -> String {
        let standing = overview.standing(at: now)
        var words = overview.account.label
        if let name = overview.account.name, name != words { words += " (\(name))" }
        if let store = overview.store { words += " in \(store.program)" }
        words += ": \(standing.word)"
        if case .valid(let end) = standing { words += " for \(Span.words(end.timeIntervalSince(now)))" }
        return words
    }

    private func acquire(_ account: Account, anew: Bool) async throws(Failure) {
        guard let client = await client(of: account) else { return }
        let application = try application(client)
        let authority = try session.authority(client)
        let request = TokenRequest(scopes: session.scopes(client, authority), account: account, forceRefresh: anew)
        let token = try await log.follow(
            anew ? "new token" : "token", account.label, client.name, request.correlationID
        ) { onStep in
            await Result.of { () throws(Failure) in
                try await application.acquireTokenSilent(request) { step in
                    onStep(step)
                    say(Self.words(step))
                }
            }
        } outcome: {
            $0.source.rawValue
        }
        say("a token until \(token.expiresOn.rfc3339), from \(token.source.rawValue), for: \(token.scopes)")
        if let warning = token.warning { say(warning) }
    }

    static func words(_ step: Step) -> String { "  \(step.name.words): \(step.outcome.rawValue) (\(step.detail))" }

    // MARK: Leaving

    private func leave(_ account: Account, andSignOut: Bool) async throws(Failure) {
        guard let client = await client(of: account) else { return }
        var options = SignOutOptions()
        while true {
            let whose = options.wipe ? "every client" : client.name
            say(
                andSignOut
                    ? """
                    This revokes what \(account.provider) lets it revoke, removes \(account.label) from \(whose), \
                    and ends the browser's session where that is offered.
                    """
                    : "This removes \(account.label) from \(whose): no network; "
                        + (options.wipe
                            ? "the browser keeps its session." : "other clients and the browser keep theirs."))
            var answers = [
                andSignOut ? "sign out" : "remove",
                "from \(options.wipe ? "this client only" : "every client"), instead",
            ]
            if andSignOut {
                answers.append(
                    options.revokesAccessTokens
                        ? "leave access tokens that are out alone" : "revoke access tokens that are out, too")
                answers.append(
                    options.endsBrowserSession ? "keep the browser's session" : "end the browser's session, too")
            }
            switch await choose(answers, zero: "no, keep it") {
            case 1: return try await leave(account, client, andSignOut: andSignOut, options)
            case 2: options.wipe.toggle()
            case 3: options.revokesAccessTokens.toggle()
            case 4: options.endsBrowserSession.toggle()
            default: return
            }
        }
    }

    private func leave(_ account: Account, _ client: ClientChoice, andSignOut: Bool, _ options: SignOutOptions)
        async throws(Failure)
    {
        let application = try application(client)
        guard andSignOut else {
            let count = try await log.follow("removal", account.label, client.name, nil) { _ in
                await Result.of { () throws(Failure) in try await application.remove(account, wipe: options.wipe) }
            } outcome: {
                Self.counted($0, "entry", "entries")
            }
            say("removed, \(Self.counted(count, "entry", "entries"))")
            return
        }
        let browser = Browser(session.environment, command: nil)
        let agents = browser.agentsForLeaving { say("  waiting \($0); Ctrl-C stops waiting") }
        let outcome = try await log.follow("sign-out", account.label, client.name, nil) { onStep in
            await Result.of { () throws(Failure) in
                try await application.signOut(account, options: options, userAgents: agents) { step in
                    onStep(step)
                    say(Self.words(step))
                }
            }
        } outcome: {
            "revoked: \($0.revoked.words), removed: \($0.removed.words)"
        }
        outcome.lines(
            client: options.wipe ? "every client" : client.name, saysAccessTokens: options.revokesAccessTokens
        ).forEach(say)
        guard case .failed = outcome.sessionEnded,
            let page = outcome.endSessionURLWithHint.flatMap({ try? WebAddress($0.reveal()) })
        else { return }
        guard await choose(["open the page that ends the browser's session"], zero: "leave it") == 1 else { return }
        do throws(BrowserProblem) { try await browser.open(page) } catch { say("no browser opened: \(error.message)") }
    }

    // MARK: Clients

    func pick(_ clients: [ClientChoice]) async -> ClientChoice? {
        guard clients.count != 1 else { return clients[0] }
        say("Which client?")
        let number = await choose(clients.map { "\($0.name) at \($0.authority ?? "")" }, zero: "back")
        return number > 0 ? clients[number - 1] : nil
    }

    /// The client that a job is for: the account's only one, or one of them by number.
    func client(of account: Account) async -> ClientChoice? {
        let known = account.clients.map { id in
            session.choices.first { $0.clientID == id } ?? ClientChoice(name: session.clientName(id), clientID: id)
        }
        return known.isEmpty ? await pick(session.choices) : await pick(known)
    }

    func application(_ client: ClientChoice) throws(Failure) -> PublicClientApplication {
        var here = client
        here.store = store.spec?.description ?? store.path
        return try session.application(here)
    }
}

extension Account {
    /// What a part of a name is looked for in.
    fileprivate var searchText: String {
        ([username, name ?? "", homeAccountID, provider] + tenantProfiles.map(\.tenantID) + clients).joined(
            separator: " "
        ).lowercased()
    }
}
