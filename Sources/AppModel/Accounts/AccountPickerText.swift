import FoundationEssentials
package import Identity

// What is told of the accounts.
extension AccountPicker {
    /// All about one account.
    package func details(_ overview: AccountOverview, in context: Context) -> TextBlock {
        var block = TextBlock()
        let clock = context.clock
        let account = overview.account
        block.heading(account.label)
        if let name = account.name, !name.isEmpty { block.text(name) }
        let status = AccountStatusLabel(overview, clientID: clientMeant, clock: clock)
        let expires = status.expires.isEmpty ? "" : ", expires " + status.expires
        block.item(status.sign, status.tone, status.word + expires)
        if account.origin == .adal { block.text("from an old ADAL cache: the first refresh moves it over", .attention) }
        block.blank()
        if let words = Self.storeWords(overview, in: context) {
            block.text(words, .info)
            block.blank()
        } else if let call = plannedCall(overview, in: context) {
            block.field(context.name(of: .open, at: .picker), call.words, labelWidth: 9)
            block.field("client", context.clientName(call.clientID), labelWidth: 9)
            block.field("scopes", call.request.scopes.description, .muted, labelWidth: 9)
            block.blank()
        }
        Self.addTenants(account, to: &block)
        block.blank()
        if let used = context.uses.use(of: overview.account.id)?.at {
            block.field("used", "here \(clock.relative(used)), \(clock.time(used))", labelWidth: 9)
        }
        if let renewed = overview.credentials.compactMap(\.cachedAt).filter({ $0 <= context.now }).max() {
            block.field("renewed", "\(clock.relative(renewed)), \(clock.time(renewed))", labelWidth: 9)
        }
        let place = overview.store?.place ?? context.storeLabel + (context.storeBadge.map { " [\($0)]" } ?? "")
        block.field("store", place, labelWidth: 9)
        for client in account.clients {
            block.blank()
            block.heading(context.clientName(client))
            let mine = overview.credentials.filter { $0.clientID == client }.sorted {
                $0.kind.rawValue < $1.kind.rawValue
            }
            if mine.isEmpty { block.text("no token of its own", .muted) }
            for credential in mine { Self.add(credential, of: account, context, to: &block) }
        }
        return block
    }

    /// What can be done with an account of another program's store; nil for one of foyer's own.
    package static func storeWords(_ overview: AccountOverview, in context: Context) -> String? {
        overview.store.map {
            "in \($0.program)'s store, "
                + ($0.isWritable
                    ? "where \(context.name(of: .remove, at: .picker)) removes it as that program would" : "read-only")
        }
    }

    private static func addTenants(_ account: Account, to block: inout TextBlock) {
        block.field("provider", account.provider, labelWidth: 9)
        for profile in account.tenantProfiles.prefix(8) {
            let name =
                profile.username != account.username && !profile.username.isEmpty ? " as " + profile.username : ""
            let tenant = profile.tenantID.isEmpty ? "no tenant" : profile.tenantID
            block.field(profile.isHome ? "tenant" : "guest in", tenant + name, labelWidth: 9)
        }
        let more = account.tenantProfiles.count - 8
        if more > 0 { block.field("", "and \(counted(more, "tenant")) more", .muted, labelWidth: 9) }
    }

    private static func add(
        _ credential: CachedCredential, of account: Account, _ context: Context, to block: inout TextBlock
    ) {
        let clock = context.clock
        switch credential.kind {
        case .idToken: block.text("ID token" + realmWords(credential, account), .muted)
        case .refreshToken:
            let family = credential.familyID?.isEmpty == false ? "family " : ""
            let age = credential.cachedAt.map { ", stored \(clock.time($0))" } ?? ""
            block.text(family + "refresh token" + age)
        case .accessToken:
            block.text("access token" + realmWords(credential, account))
            if let end = credential.expiresOn {
                let left = Double(clock.seconds(until: end))
                let life = credential.cachedAt.map { end.timeIntervalSince($0) } ?? 3600
                let words = left > 0 ? "expires " + clock.relative(end) : "expired " + clock.relative(end)
                block.bar(left > 0 && life > 0 ? left / life : 0, part: 3, most: 14, words, indent: 2)
            }
            block.text(credential.scopes.description, .muted, indent: 2)
        }
    }

    /// The home tenant by the username's domain, as the list has it.
    private static func realmWords(_ credential: CachedCredential, _ account: Account) -> String {
        guard !credential.realm.isEmpty else { return "" }
        let home = credential.realm == account.homeTenantID ? account.domain : nil
        return ", " + (home ?? shortened(credential.realm))
    }
}

extension AccountPicker {
    package func title(in context: Context) -> String {
        let total = accounts.count
        let marks = marked.isEmpty ? "" : "\(marked.count) marked of "
        let count =
            marks + (matchCount == total ? counted(total, "account") : "\(matchCount) of \(counted(total, "account"))")
        switch context.store {
        case .loading where total == 0: return "accounts"
        case .failed: return "accounts"
        case .loading, .loaded: break
        }
        return count + (clientInView.map { " of " + context.clientName($0) } ?? "")
            + (grouping.words.map { ", " + $0 } ?? "")
            + (sorting.words.map { ", " + $0 } ?? "") + (context.store == .loading ? ", reading the store" : "")
    }

    /// What stands where the list would be; nil where there is a list.
    package func emptyText(in context: Context) -> TextBlock? {
        var block = TextBlock()
        if case .failed(let message, let hint) = context.store {
            block.text("the store cannot be used: " + message, .danger)
            if let hint { block.text(hint) }
            block.text("\(context.name(of: .reload, at: .picker)) tries again", .muted)
        } else if accounts.isEmpty, context.store == .loading {
            block.text("reading the store", .muted)
        } else if accounts.isEmpty {
            block.text("nobody is signed in here", .emphasis)
            block.text("\(context.name(of: .signIn, at: .picker)) signs in")
            block.text("\"foyer demo\" shows everything with made-up accounts", .muted)
        } else if order.isEmpty {
            block.text("no account matches", .emphasis)
            block.text("\(context.name(of: .clearFilter, at: keyContext)) shows all", .muted)
        } else {
            return nil
        }
        return block
    }

    package func text(in context: Context) -> TextBlock {
        emptyText(in: context) ?? selectedAccount.map { details($0, in: context) } ?? TextBlock()
    }

    /// What opening the account does.
    package func next(_ overview: AccountOverview, _ call: PlannedCall?, in context: Context) -> String {
        Self.storeWords(overview, in: context) ?? call.map { context.name(of: .open, at: .picker) + ": " + $0.words }
            ?? "no client is known for this account"
    }

    package func rows(in context: Context) -> [String]? {
        let clock = context.clock
        return (0..<rowCount).compactMap { row in
            switch self.row(at: row) {
            case .heading(let heading): return groups.groups[heading.group].title
            case .account(let place):
                let overview = accounts[order[place]]
                let status = AccountStatusLabel(overview, clientID: client(at: place), clock: clock)
                let name = overview.account.name.map { $0 == overview.account.label ? "" : " (\($0))" } ?? ""
                let mark = marked.contains(overview.id) ? "marked: " : ""
                return mark + overview.account.label + name + (overview.store.map { " in \($0.program)" } ?? "") + ": "
                    + status.word
                    + (status.expires.isEmpty ? "" : ", expires " + status.expires)
            case nil: return nil
            }
        }
    }

    package func isHeading(row: Int) -> Bool {
        if case .heading = self.row(at: row) { true } else { false }
    }

    package func selectedRow(in context: Context) -> Int { row(of: selected) }
    package var rowName: String { "account" }
}
