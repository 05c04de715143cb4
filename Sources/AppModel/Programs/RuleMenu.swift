import FoundationEssentials
import Identity
import Keys

/// The selected answer to a refusal: one of the rules that would end it, or a report.
struct RuleMenu: Equatable, Sendable {
    enum Item: Hashable, Sendable {
        case rule(AccountID, isForTarget: Bool)
        case report
    }

    private var chosen = ChosenRow<Item>()

    static func items(_ offers: [RuleOffer]) -> [Item] {
        offers.isEmpty ? [] : offers.map { .rule($0.account, isForTarget: $0.isForTarget) } + [.report]
    }

    /// Keeps the selected answer while others come and go; the first one if none was selected.
    mutating func settle(_ offers: [RuleOffer]) {
        if chosen.id == nil { select(0, offers) }
    }

    mutating func select(_ place: Int, _ offers: [RuleOffer]) { chosen.select(place, in: Self.items(offers)) }

    func selected(_ offers: [RuleOffer]) -> Int { chosen.place(in: Self.items(offers)) }

    /// Nil if the selected answer is gone.
    func item(_ offers: [RuleOffer]) -> Item? { chosen.id.flatMap { Self.items(offers).contains($0) ? $0 : nil } }

    func offer(_ offers: [RuleOffer]) -> RuleOffer? {
        offers.first { .rule($0.account, isForTarget: $0.isForTarget) == item(offers) }
    }
}

/// A view with requests of programs. The open row of a refused one has a menu of the rules that would end the refusal.
protocol RefusalPage: ActivityViewPage {
    var menu: RuleMenu { get set }
    /// The selected row's program, if its last request was refused.
    func refused(in context: Context) -> ProgramsReport.Program?
    /// The path of the settings file, as displayed.
    var settingsFile: String { get }
}

extension RefusalPage {
    /// The rules that can be written now; none unless the row is open.
    func offers(in context: Context) -> [RuleOffer] {
        chosen.isReading ? context.ranked(refused(in: context)?.offers ?? []) : []
    }

    func entry(in context: Context) -> Int? {
        let offers = offers(in: context)
        return offers.isEmpty ? nil : menu.selected(offers)
    }

    mutating func selectEntry(_ place: Int, in context: Context) -> Bool {
        let offers = offers(in: context)
        if !offers.isEmpty { menu.select(place, offers) }
        return !offers.isEmpty
    }

    /// The answers of the open row, and what each would write.
    func answers(in context: Context) -> MarkedEntry? {
        entry(in: context).map { entry in
            .answer(entry, of: offers(in: context).flatMap { [$0.program, $0.target] + $0.lines })
        }
    }

    /// Opens the row with its first answer selected.
    mutating func openRefusal(in context: Context) -> [Action] {
        menu = RuleMenu()
        menu.settle(offers(in: context))
        return entry(in: context) == nil ? [] : [.showEntry]
    }

    /// - Returns: nil for commands that are not about a refusal.
    mutating func performOnRefusal(_ command: Command, in context: Context) -> [Action]? {
        let offers = offers(in: context)
        switch command {
        case .undoSetting: return context.undoSetting
        case .yes:
            if let offer = menu.offer(offers) { return [.perform(.writeRule(offer, context.nextRequest))] }
            return menu.item(offers) == .report ? pageReport(in: context).actions(in: context) : []
        case .up, .down, .pageUp, .pageDown, .halfUp, .halfDown, .first, .last:
            return offers.isEmpty ? nil : [.moveEntry(command)]
        default: return nil
        }
    }

    /// - Returns: nil for commands that are not about a refusal.
    func offersOnRefusal(_ command: Command, in context: Context) -> Bool? {
        switch command {
        case .yes: menu.item(offers(in: context)) != nil
        case .undoSetting: !context.undoableSettings.isEmpty
        default: nil
        }
    }

    func labelOnRefusal(_ command: Command, in context: Context) -> String? {
        command == .yes && menu.item(offers(in: context)) == .report ? "copy report" : nil
    }

    /// Adds the answers, and the rule that the selected one writes.
    func addAnswers(in context: Context, to block: inout TextBlock) {
        let offers = context.ranked(refused(in: context)?.offers ?? [])
        guard !offers.isEmpty else { return }
        let selected = entry(in: context)
        block.blank()
        block.heading("What you can do")
        guard selected != nil || context.hasMenus else {
            return block.text("\(context.name(of: .open, at: keyContext)): choose an account", .muted)
        }
        let names = offers.map { $0.words(among: offers) } + [Remedy.report.name]
        let facts = offers.map { context.lastUse(of: $0)?.words ?? "" } + [""]
        block.menu(
            Array(zip(names, facts)), nameWidth: 2 + (names.map(\.count).max() ?? 0), marked: selected)
        guard selected != nil, let offer = menu.offer(offers) else { return }
        block.blank()
        let write = context.name(of: .yes, at: Self.keys.row.context)
        block.text("\(write) writes to \(settingsFile), line \(offer.line):", .muted)
        block.add(toml: offer.lines)
    }
}

extension KeyBinding {
    static let answering = KeyBinding(
        [.enter], .yes, "write rule", "write the selected rule to the settings, or copy the report")
}

extension Context {
    /// Rules for any target first, the most recently used account first.
    fileprivate func ranked(_ offers: [RuleOffer]) -> [RuleOffer] {
        let keys = offers.map { (offer: $0, at: lastUse(of: $0)?.at ?? .distantPast) }
        return keys.enumerated().sorted { left, right in
            let (first, second) = (left.element, right.element)
            if first.offer.isForTarget != second.offer.isForTarget { return second.offer.isForTarget }
            return first.at == second.at ? left.offset < right.offset : first.at > second.at
        }.map(\.element.offer)
    }

    /// The account's last use by a program or in the interface.
    fileprivate func lastUse(of offer: RuleOffer) -> (at: Date, words: String)? {
        let own = uses.use(of: offer.account)?.at
        guard let last = [own, offer.lastUse].compactMap(\.self).max() else { return nil }
        let who = last == offer.lastUse ? offer.lastProgram : "you"
        return (last, "used by \(who), \(clock.time(last))")
    }
}

extension RuleOffer {
    /// Such as `Always use ada for kubectl`, with the whole username if another one begins alike.
    fileprivate func words(among offers: [RuleOffer]) -> String {
        func short(_ name: String) -> Substring { name.prefix { $0 != "@" } }
        let isClear = offers.allSatisfy { $0.account == account || short($0.username) != short(username) }
        let name = isClear ? String(short(username)) : username
        guard isForTarget else { return "Always use \(name) for \(program)" }
        let place = target.firstRange(of: "://").map { String(target[$0.upperBound...]) } ?? target
        return "Use \(name) only for \(place)"
    }
}
