import Explain
import Identity

// The text about scopes: what was granted, the result of a request, two clients side by side.
extension ScopeConsent {
    package func title(in context: Context) -> String { "scopes of " + context.name(of: account) }

    package func text(in context: Context) -> TextBlock {
        var block = TextBlock()
        guard let overview = context.overview(of: account) else {
            block.text("this account is no longer in the store", .muted)
            return block
        }
        if let asked { addOutcome(asked, overview, in: context, to: &block) }
        if let comparison {
            addComparison(comparison, overview, in: context, to: &block)
            return block
        }
        var count = 0
        let sections = sections(in: context)
        for section in sections {
            block.blank()
            let isOnly = sections.count { $0.clientID == section.clientID } == 1
            block.heading(context.clientName(section.clientID) + (isOnly ? "" : " in tenant " + section.realm))
            if !section.groups.flatMap(\.entries).contains(where: { $0.standing == .granted }) {
                block.text("no access token in the store shows what was granted", .muted)
            }
            for group in section.groups {
                block.text(group.resource, .emphasis)
                for entry in group.entries {
                    block.entry(count) { $0.add(.option(option(entry, isMarked: count == selected))) }
                    count += 1
                }
            }
        }
        Self.addEnd(overview, to: &block)
        return block
    }

    private func option(_ scope: ConsentSection.Scope, isMarked: Bool) -> TextBlock.Option {
        let (sign, word, tone) = scope.standing.sign
        let facts =
            scope.meaning.map {
                "\($0.risk.word) risk" + ($0.needsAdministrator ? ", admin consent required" : "")
            } ?? ""
        return TextBlock.Option(
            isMarked: isMarked, isChosen: chosen.contains(scope.choice), sign: sign, word: word, tone: tone,
            name: ScopeNames.short(scope.choice.scope), facts: facts, factsTone: scope.meaning?.risk.tone ?? .muted,
            explanation: scope.meaning?.sentence ?? "no description; see the provider's page")
    }

    private static func addEnd(_ overview: AccountOverview, to block: inout TextBlock) {
        block.blank()
        block.text("Only tokens in this store are counted; consent itself is kept by the provider.", .muted)
        let page = ConsentPage.of(overview.account)
        block.blank()
        block.heading("To revoke consent")
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
        block.heading("Result for " + context.clientName(asked.clientID))
        for name in added.names { block.item(.letter("+"), .ok, "\(ScopeNames.short(name)): newly granted") }
        for name in gone.names {
            block.item(.letter("-"), .attention, "\(ScopeNames.short(name)): no longer in any token")
        }
        for name in missing.names {
            block.item(
                .cross, .danger,
                "\(ScopeNames.short(name)): " + (declined.contains(name) ? "declined" : "not granted so far"))
        }
        if added.isEmpty, gone.isEmpty, missing.isEmpty {
            block.text("already granted", .muted)
        }
    }

    // MARK: Two clients beside each other

    private func addComparison(
        _ comparison: Comparison, _ overview: AccountOverview, in context: Context, to block: inout TextBlock
    ) {
        let names = [comparison.base, comparison.other].map(context.clientName)
        let compared = ScopeComparison(
            Self.granted(overview, clientID: comparison.base), Self.granted(overview, clientID: comparison.other))
        block.heading("\(names[0]) and \(names[1])")
        let parts = [
            ("both were granted", compared.both, Sign.letter("=")),
            ("only \(names[0])", compared.onlyFirst, .letter("-")),
            ("only \(names[1])", compared.onlySecond, .letter("+")),
        ]
        for (title, scopes, sign) in parts {
            block.blank()
            block.text(title, .emphasis)
            if scopes.isEmpty { block.text("nothing", .muted, indent: 2) }
            for name in scopes.names {
                let meaning = ScopeNames.meaning(of: name, isMicrosoft: overview.isMicrosoft)
                block.item(
                    sign, .muted,
                    ScopeNames.short(name) + " of " + ScopeNames.resource(of: name, isMicrosoft: overview.isMicrosoft))
                if let meaning {
                    block.text("\(meaning.sentence) (\(meaning.risk.word) risk)", meaning.risk.tone, indent: 2)
                }
            }
        }
        block.blank()
        let compare = context.name(of: .compare, at: .scopes)
        block.text("\(compare) compares with the next client, and after the last one goes back", .muted)
    }
}

extension Optional where Wrapped == ScopeStatus {
    fileprivate var sign: (Sign, String, Tone) {
        switch self {
        case .granted: (.check, "granted", .ok)
        case .declined: (.cross, "declined", .danger)
        case .requested: (.half, "requested", .attention)
        case nil: (.empty, "optional", .muted)
        }
    }
}
