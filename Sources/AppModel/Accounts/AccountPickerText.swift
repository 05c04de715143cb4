package import Identity

extension AccountPicker {
    package func page(in context: Context) -> Page {
        Page(
            title: title(in: context), rule: { pageTitle(in: context) }, addText: { addText(in: context, to: &$0) },
            rows: { rows(in: context) }, selectedRow: row(of: selected),
            rowName: accounts.isEmpty ? "way to start" : "account",
            marked: accounts.isEmpty ? .place(firstRun.selected) : nil, copyables: { copyables(in: context) })
    }

    private func title(in context: Context) -> String {
        switch context.store {
        case .loading where accounts.isEmpty: return "accounts"
        case .failed: return "accounts"
        case .loading, .loaded: break
        }
        return countWords(counted(list.accountCount, "account"))
            + (clientInView.map { " of " + $0 } ?? "")
            + (grouping.words.map { ", " + $0 } ?? "")
            + (sorting.words.map { ", " + $0 } ?? "") + (context.store == .loading ? ", loading" : "")
    }

    private func countWords(_ total: String) -> String {
        (marked.isEmpty ? "" : "\(marked.count) marked of ")
            + (matchCount == list.accountCount ? total : "\(matchCount) of \(total)")
    }

    /// Whether there are no accounts, so the menu takes the keys.
    package func isFirstRun(in context: Context) -> Bool { accounts.isEmpty && context.store == .loaded }

    private func pageTitle(in context: Context) -> PageTitle {
        var title = PageTitle(crumbs: ["Accounts"])
        guard !accounts.isEmpty else { return title }
        title.count = countWords("\(list.accountCount)")
        let shown = Set(order)
        let alert = needingSignIn(
            shown.count(where: standings.needSignIn.contains),
            elsewhere: shown.count(where: standings.needSignInElsewhere.contains))
        if !alert.isEmpty { title.alert = (standings.undecided > 0 ? "at least " : "") + alert }
        title.note = [
            clientInView, grouping.words,
            context.store == .loading
                ? "loading"
                : standings.undecided > 0
                    ? "checking accounts" : sorting.words ?? (uses.isEmpty ? nil : "most used first"),
        ].compactMap { $0 }.joined(by: ", ")
        title.aside = selectedAccount?.account.label ?? ""
        return title
    }

    /// Text shown instead of the list; nil if there is a list.
    package func emptyText(in context: Context) -> TextBlock? {
        var block = TextBlock()
        if case .failed(let message, let hint) = context.store {
            block.text("the store cannot be used: " + message, .danger)
            if let hint { block.text(hint) }
            block.text("\(context.name(of: .reload, at: .picker)): retry", .muted)
        } else if accounts.isEmpty, context.store == .loading {
            block.text("loading", .muted)
        } else if accounts.isEmpty {
            firstRun.add(in: context, to: &block)
        } else if order.isEmpty {
            block.text("no account matches", .emphasis)
            block.text("\(context.name(of: .clearFilter, at: keyContext)): show all", .muted)
        } else {
            return nil
        }
        return block
    }

    private func addText(in context: Context, to block: inout TextBlock) {
        if let text = emptyText(in: context) {
            block = text
        } else if let selectedAccount {
            context.addDetails(of: selectedAccount, to: &block)
        }
    }

    /// The accounts that need the user, in the order of the list.
    package var needingYou: [Account] {
        order.filter(standings.needSignIn.contains).map { accounts[$0].account }
    }

    /// The number of listed accounts that need sign-in in another program.
    package var countNeedingElsewhere: Int { order.count(where: standings.needSignInElsewhere.contains) }

    package func next(_ overview: AccountOverview, _ call: PlannedCall?, in context: Context) -> String {
        context.storeWords(overview) ?? call.map { context.name(of: .open, at: .picker) + ": " + $0.words }
            ?? "no client for this account"
    }

    private func rows(in context: Context) -> [String] {
        let clock = context.clock
        return (0..<rowCount).compactMap { row in
            switch self.row(at: row) {
            case .heading(let heading): return groups.groups[heading.group].title
            case .account(let place):
                let overview = accounts[order[place]]
                let status = AccountStatusLabel(status(at: place, in: context).status, clock: clock)
                let mark = marked.contains(overview.id) ? "marked: " : ""
                let use = list.hasSeveralRows(order[place]) ? overview.use.map { " by \($0.shownName)" } : nil
                let client = overview.store.map { " in \($0.program)" } ?? use ?? ""
                return mark + overview.account.label + client + ": " + status.sentence
            case nil: return nil
            }
        }
    }

    package func isHeading(row: Int) -> Bool {
        if case .heading = self.row(at: row) { true } else { false }
    }
}
