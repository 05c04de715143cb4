import Identity
import Keys

extension AccountPicker: Feature {
    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(.picker, "Accounts", list + tools),
            KeyTable(.filter, "Filter", filter),
        ]
    }

    private static let list =
        [
            KeyBinding(
                [.enter], .open, "token",
                "get a token silently; shows the steps, or another program's tokens"),
            KeyBinding([.right, .character("l")], .details, "", "account details"),
            KeyBinding([.character("a")], .signIn, "add", "add an account; Enter signs the selected one in again"),
            KeyBinding([.character("d")], .deviceCode, "", "by device code; signs in again"),
            KeyBinding(
                [.character("/")], .filter, "filter",
                "filter by words ('exact, ^start, !not), or is:signin, is:expiring, client:, tenant:, store:, who:"
            ),
            KeyBinding([.character("u")], .undo, "undo", "undo the last removal; until foyer ends"),
            KeyBinding([.character("n")], .nextNeedingYou, "next", "next that needs you"),
            KeyBinding([.character("i")], .inspect, "inspect", "its tokens"),
            KeyBinding([.character("s")], .scopes, "consent", "consent; what each client was granted"),
            KeyBinding([.character("p")], .pasteToken, "", "paste a token; to inspect it, it is not stored"),
            KeyBinding(
                [.character("x")], .remove, "remove",
                "remove (the account or all marked) from one client; asks first"),
            KeyBinding(
                [.character("o")], .signOut, "sign out",
                "sign out (one or all marked): revoke, remove, end browser session; asks first"),
            KeyBinding([.character("t")], .cycleClient, "client", "one client; cycles through the clients"),
            KeyBinding([.character("S")], .cycleSorting, "sort", "sort: most used, name, last used, expiring first"),
            KeyBinding(
                [.character("z")], .cycleGrouping, "group", "group: by cloud, tenant, client, store or none"
            ),
            KeyBinding([.character(" ")], .mark, "", "mark or unmark; for bulk remove and sign-out"),
            KeyBinding([.character("v")], .markRange, "", "mark the range"),
            KeyBinding([.character("U")], .unmark, "unmark", "clear marks"),
            KeyBinding([.character("r")], .reload, "reload", "reload"),
        ] + KeyBinding.listing + [
            KeyBinding([.escape], .clearFilter, "all", "show all; clears the filter and the client"),
            KeyBinding([.character("q")], .quit, "quit", "quit"),
            KeyBinding([.character("?"), .function(1)], .help, "help", "show keys"),
        ]

    private static let filter =
        [
            KeyBinding([.enter], .keepFilter, "keep", "keep the filter and go to the list"),
            KeyBinding([.escape], .clearFilter, "clear", "clear the filter"),
            KeyBinding([.tab], .complete, "", "complete a condition, such as is:, and its value"),
        ] + KeyBinding.arrows + [KeyBinding([.function(1)], .help, "help", "show keys")] + KeyBinding.editing

    func copyables(in context: Context) -> [Copyable] {
        guard let account = selectedAccount?.account else { return [] }
        return [
            Copyable("username", account.username), Copyable("home account id", account.homeAccountID),
            Copyable("tenant id", account.homeTenantID), Copyable("provider", account.issuer ?? account.environment),
            Copyable(
                "client id",
                selectedAccount?.use?.clientID ?? (account.clients.count == 1 ? account.clients.first : nil)),
            pageReport(in: context),
        ]
    }

    package var keyContext: KeyContext { isFiltering ? .filter : .picker }

    package func label(of command: Command, in context: Context) -> String? {
        switch command {
        case .open:
            guard let selectedAccount else { return "open" }
            return context.labelOfOpening(selectedAccount, status(at: selected, in: context).status)
        case .remove where !marked.isEmpty: return "remove \(marked.count)…"
        case .undo: return "undo remove"
        case .signOut where !marked.isEmpty: return "sign out \(marked.count)…"
        case .markRange where !marked.isEmpty: return "mark to here"
        // With marks, the footer is about them.
        case .signIn, .inspect, .scopes, .pasteToken, .cycleClient, .cycleSorting, .cycleGrouping, .reload:
            return marked.isEmpty ? nil : ""
        default: return nil
        }
    }

    package func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .open: selectedAccount != nil || isFirstRun(in: context)
        case .filter: !accounts.isEmpty
        case .nextNeedingYou:
            // Looking for it in a long list would delay every key.
            [standings.needSignIn, standings.needSignInElsewhere].contains {
                $0.contains { !order.indices.contains(selected) || $0 != order[selected] }
            }
        case .deviceCode: selectedAccount.map { $0.store == nil } ?? false
        case .unmark: !marked.isEmpty
        case .undo: !context.undoable.isEmpty
        case .cycleClient: clients.count > 1
        case .clearFilter: isFiltering || isNarrowed
        case .up, .down, .pageUp, .pageDown, .halfUp, .halfDown, .first, .last:
            isFiltering || selectedAccount != nil || isFirstRun(in: context)
        case .remove, .signOut, .details, .inspect, .scopes, .cycleSorting, .cycleGrouping, .mark, .markRange:
            selectedAccount != nil
        default: true
        }
    }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .command(.edit, let key), .text(let key): if isFiltering { editFilter(key) }
        case .command(let command, _): return perform(command, in: context)
        case .select(let row):
            if isFirstRun(in: context) { firstRun.select(row, in: context) } else { choose(row: row) }
        case .storeChanged:
            show(context.accounts, in: context)
            if isFirstRun(in: context) { return firstRun.findStores(in: context) }
            return decideSome(in: context)
        case .signedIn(let id): want(id)
        case .show(let id):
            if context.store == .loaded { show(id) }
            if selectedAccount?.isMeant(by: id) != true { want(id) }
        case .removed(let id): unmark(id)
        case .tick: return decideSome(in: context)
        case .decided(let request, let statuses): return take(statuses, of: request, in: context)
        case .reply(let reply, _): firstRun.receive(reply)
        case .fill, .methodChanged, .clientChosen, .signInCancelled, .programsChanged: break
        }
        return []
    }

    private mutating func perform(_ command: Command, in context: Context) -> [Action] {
        if command != .markRange { confirmedRange = nil }
        switch command {
        case .filter, .keepFilter: isFiltering = command == .filter
        case .complete: completeFilter()
        case .clearFilter: clear()
        case .cycleClient:
            cycleClient()
            return decideSome(in: context)
        case .cycleSorting: cycleSorting()
        case .cycleGrouping: cycleGrouping()
        case .nextNeedingYou: selectNextNeedingYou()
        case .mark:
            if let store = selectedAccount?.store {
                move(.down, page: 1)
                let key = context.name(of: .remove, at: keyContext)
                return [.notice("an account of \(store.program) cannot be marked: \(key) removes it there")]
            }
            mark()
        case .markRange:
            guard markRange() else {
                let key = context.name(of: .markRange, at: keyContext)
                return [.notice("this marks \(rangeToMark.count) accounts: press \(key) again")]
            }
        case .unmark: unmark()
        case .undo: return context.undoable.last.map { [.perform(.restore($0, context.nextRequest))] } ?? []
        case .reload: return [.perform(.load)]
        case .open where isFirstRun(in: context): return [firstRun.open(in: context)]
        case .open: return selectedAccount.map { open($0, in: context) } ?? []
        case .details:
            let position = "\(selected + 1) of \(order.count)"
            return selectedAccount.map {
                [.open(AccountDetails($0.id, position: position))]
            } ?? []
        case .deviceCode:
            return selectedAccount.flatMap { SignInForm.startByDevice(context, again: $0) } ?? []
        case .signIn: return [.open(SignInForm(context, clientName: clientInView))]
        case .inspect: return selectedAccount.map { [.open(TokenInspector(account: $0.id))] } ?? []
        case .scopes: return selectedAccount.map { [.open(ScopeConsent(account: $0.id))] } ?? []
        case .pasteToken: return [.open(TokenInspector.forPasting)]
        case .remove: return ask(.remove, in: context)
        case .signOut: return ask(.signOut, in: context)
        case _ where isFirstRun(in: context): firstRun.move(command, in: context)
        default: move(command, page: context.list.rows - 1)
        }
        return []
    }

    /// Gets a token for the account from its client; for another program's account, opens its tokens.
    private func open(_ overview: AccountOverview, in context: Context) -> [Action] {
        guard overview.store == nil else { return [.open(TokenInspector(account: overview.id))] }
        guard let call = context.plannedCall(overview) else {
            return [.notice("no client for this account; add one to the settings")]
        }
        let acquisition = Acquisition(call, in: context)
        return [.open(acquisition), .perform(acquisition.effect)]
    }

    /// Opens the question.
    private func ask(_ kind: RemovalKind, in context: Context) -> [Action] {
        guard marked.isEmpty else { return askForMarked(kind, in: context) }
        guard let overview = selectedAccount else { return [] }
        if let other = overview.store {
            guard other.isWritable else {
                return [
                    .notice(
                        "\(other.program)'s store is read-only; to allow changes: "
                            + "\(context.name(of: .stores, at: keyContext)), then "
                            + context.name(of: .allowWriting, at: .stores))
                ]
            }
            return [.open(RemovalConfirmation(kind, overview, from: other, in: context))]
        }
        guard let use = context.use(of: overview) else { return [] }
        return [.open(RemovalConfirmation(kind, overview, use, in: context))]
    }

    private func askForMarked(_ kind: RemovalKind, in context: Context) -> [Action] {
        let targets = markedAccounts.compactMap { overview in
            context.use(of: overview).map { BulkRemoval.Target(overview, $0, in: context) }
        }
        guard !targets.isEmpty else { return [] }
        return [.open(BulkRemoval(kind, targets))]
    }

    package func awaits(_ request: RequestID) -> Bool { request == firstRun.look }
}
