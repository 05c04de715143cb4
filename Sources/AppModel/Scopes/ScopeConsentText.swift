import Explain
import Identity

// The text about scopes: current ones, the result of a request, a comparison of two clients.
extension ScopeConsent {
    package func page(in context: Context) -> Page {
        Page(
            title: review == nil ? "Consent of " + context.name(of: account) : "Review the request", tab: .consent,
            addText: { if let review { review.add(in: context, to: &$0) } else { addList(in: context, to: &$0) } },
            rowName: "permission", marked: entry.map { .place($0) },
            prompt: prompt, confirmation: review?.question, copyables: { copyables(in: context) })
    }

    /// The page without the summary.
    private func addList(in context: Context, to block: inout TextBlock) {
        guard let overview = context.overview(of: account) else {
            return block.text("this account is no longer in the store", .muted)
        }
        if let asked { addOutcome(asked, overview, in: context, to: &block) }
        if let comparison {
            return addComparison(comparison, overview, in: context, to: &block)
        }
        let listing = listing(in: context)
        var count = 0
        for section in listing.present {
            if section.groups.isEmpty {
                block.blank()
                Self.addHeading("", section, overview, in: context, to: &block)
                block.text("no cached access token: granted permissions unknown", .muted)
            }
            add(section, overview, in: context, counting: &count, to: &block)
        }
        addMore(listing, overview, in: context, counting: &count, to: &block)
        if !filter.isEmpty, listing.more.isEmpty {
            block.text("no other permission matches \"\(filter.text)\"", .attention)
        }
        addEnd(overview, in: context, to: &block)
    }

    private func addMore(
        _ listing: Listing, _ overview: AccountOverview, in context: Context, counting count: inout Int,
        to block: inout TextBlock
    ) {
        guard listing.moreCount > 0 else { return }
        block.blank()
        let words =
            if !filter.isEmpty { "riskiest last, filter: \(filter.text)" } else if showsMore { "riskiest last" } else {
                (offers(.more, in: context) ? "\(context.name(of: .more, at: .scopes)): show, " : "")
                    + "\(context.name(of: .filter, at: .scopes)): filter"
            }
        let found = filter.isEmpty ? "" : "\(listing.more.reduce(0) { $0 + $1.count }) of "
        block.row([
            TextSpan("More permissions \(found)\(listing.moreCount)", .title, isBold: true),
            TextSpan("  " + words, .muted),
        ])
        for section in listing.more { add(section, overview, in: context, counting: &count, to: &block) }
    }

    private func add(
        _ section: ConsentSection, _ overview: AccountOverview, in context: Context, counting count: inout Int,
        to block: inout TextBlock
    ) {
        let hasChoices = offers(.choose, in: context)
        for group in section.groups {
            block.blank()
            Self.addHeading(group.resource, section, overview, in: context, to: &block)
            for entry in group.entries {
                let isChosen = hasChoices ? chosen.contains(entry.choice) : nil
                block.entry(count) {
                    $0.add(.option(option(entry, isMarked: count == selected, isChosen: isChosen)))
                }
                count += 1
            }
        }
    }

    private static func addHeading(
        _ resource: String, _ section: ConsentSection, _ overview: AccountOverview, in context: Context,
        to block: inout TextBlock
    ) {
        let home = overview.account.homeTenantID
        let tenant =
            switch section.realm {
            case "": ""
            case home: context.tenantName(section.realm, of: overview.account) + " (home)"
            default: context.tenantName(section.realm, of: overview.account) + (home == nil ? "" : " (guest)")
            }
        let client = context.clientName(section.clientID, of: overview.account.id, in: section.realm)
        let parts = [resource, client, tenant].filter { !$0.isEmpty }
        block.text(parts.joined(separator: " · "), .emphasis)
    }

    private func option(_ scope: ConsentSection.Scope, isMarked: Bool, isChosen: Bool?) -> TextBlock.Option {
        let (sign, word, tone) = scope.standing.sign
        return TextBlock.Option(
            isMarked: isMarked, isChosen: isChosen, sign: sign, word: word, tone: tone,
            name: ScopeNames.short(scope.choice.scope), risk: scope.meaning?.risk.word ?? "unknown",
            riskTone: scope.meaning?.risk.tone ?? .muted,
            consent: scope.meaning.map { $0.needsAdministrator ? "admin" : "you" } ?? "",
            explanation: scope.meaning?.sentence ?? "no description; see the provider's page")
    }

    /// The selection, or details of the row under the cursor. Stays in view while the list scrolls.
    package func request(in context: Context) -> TextBlock {
        var block = TextBlock()
        let scopes = scopes(in: context)
        if let first = chosen.first {
            let wanted = scopes.filter { chosen.contains($0.choice) }
            block.row(
                wanted.flatMap { scope in
                    [
                        TextSpan("+ \(ScopeNames.short(scope.choice.scope)) ", .emphasis),
                        TextSpan(
                            (scope.meaning?.risk.word ?? "unknown") + "  ", scope.meaning?.risk.tone ?? .attention),
                    ]
                })
            let client = context.clientName(first.clientID, of: account.account, in: first.realm)
            let account = context.overview(of: account)?.account
            let tenant = first.realm.isEmpty ? "" : " at " + context.tenantName(first.realm, of: account)
            block.text(
                "\(client)\(tenant) as \(account?.label ?? ""); existing consent is kept", .muted)
            block.text("\(context.name(of: .ask, at: .scopes)): review, then sign in", .muted)
        } else if scopes.indices.contains(selected) {
            let marked = scopes[selected]
            let who = marked.meaning.map { $0.needsAdministrator ? "admin consent required" : "user consent" }
            let included = marked.meaning?.includes ?? []
            let with = included.isEmpty ? nil : "includes " + included.joined(separator: ", ")
            block.text(marked.choice.scope, .emphasis)
            block.text(
                [marked.meaning.map { "\($0.risk.word) risk" }, who, marked.meaning?.sentence, with].compactMap(\.self)
                    .joined(separator: "; "), .muted)
            if offers(.choose, in: context) {
                block.text("\(context.name(of: .choose, at: .scopes)): select", .muted)
            }
        }
        return block
    }

    private func addEnd(_ overview: AccountOverview, in context: Context, to block: inout TextBlock) {
        block.blank()
        block.text("From the tokens in this store; the provider keeps the consent itself.", .muted)
        let page = consentPage(of: overview, in: context)
        block.blank()
        block.heading("Revoke consent")
        if let address = page.address { block.text(address.text, .link) }
        block.text(page.words, .muted)
        if let administrator = page.administrator { block.text(administrator, .muted) }
    }

    // MARK: What came of asking

    private func addOutcome(_ asked: Asked, _ overview: AccountOverview, in context: Context, to block: inout TextBlock)
    {
        let now = Self.granted(overview, clientID: asked.clientID, realm: asked.realm)
        let added = now.subtracting(asked.before)
        let gone = asked.before.subtracting(now)
        let missing = asked.wanted.declined(granted: now)
        let declined =
            overview.consent.first { $0.clientID == asked.clientID && $0.realm == asked.realm }?.declined ?? []
        block.blank()
        block.heading("Result for " + context.clientName(asked.clientID, of: account.account, in: asked.realm))
        for name in added.names { block.item(.letter("+"), .ok, "\(ScopeNames.short(name)): newly granted") }
        for name in gone.names {
            block.item(.letter("-"), .attention, "\(ScopeNames.short(name)): no longer in any token")
        }
        for name in missing.names {
            block.item(
                .cross, .danger,
                "\(ScopeNames.short(name)): " + (declined.contains(name) ? "declined" : "not granted yet"))
        }
        if added.isEmpty, gone.isEmpty, missing.isEmpty {
            block.text("already granted", .muted)
        }
    }

    // MARK: Two clients beside each other

    private func addComparison(
        _ comparison: Comparison, _ overview: AccountOverview, in context: Context, to block: inout TextBlock
    ) {
        let names = [comparison.base, comparison.other].map { context.clientName($0, of: overview.account.id) }
        let issuer = context.scopeIssuer(of: overview.account)
        let compared = ScopeComparison(
            Self.granted(overview, clientID: comparison.base), Self.granted(overview, clientID: comparison.other))
        block.heading("\(names[0]) and \(names[1])")
        let parts = [
            ("granted to both", compared.both, Sign.letter("=")),
            ("only \(names[0])", compared.onlyFirst, .letter("-")),
            ("only \(names[1])", compared.onlySecond, .letter("+")),
        ]
        for (title, scopes, sign) in parts {
            block.blank()
            block.text(title, .emphasis)
            if scopes.isEmpty { block.text("nothing", .muted, indent: 2) }
            for name in scopes.names {
                let meaning = ScopeMeaning.of(name, at: issuer)
                block.item(
                    sign, .muted, ScopeNames.short(name) + " of " + ScopeNames.resource(of: name, at: issuer))
                if let meaning {
                    block.text("\(meaning.sentence) (\(meaning.risk.word) risk)", meaning.risk.tone, indent: 2)
                }
            }
        }
        block.blank()
        let compare = context.name(of: .compare, at: .scopes)
        block.text("\(compare): next client, then back", .muted)
    }
}

extension Optional where Wrapped == ScopeStatus {
    fileprivate var sign: (Sign, String, Tone) {
        switch self {
        case .granted: (.check, "granted", .ok)
        case .declined: (.cross, "declined", .danger)
        case .requested: (.half, "requested", .attention)
        case nil: (.letter("+"), "not granted", .muted)
        }
    }
}
