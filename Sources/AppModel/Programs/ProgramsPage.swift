import Identity
import Keys

/// Other programs: each one's recent requests and matching rules, and which programs are set up.
struct ProgramsPage: RefusalPage {
    static let view = ActivityView.programs

    /// Identifies a row, so the selection stays on it while others come and go.
    enum RowID: Hashable, Sendable {
        case program(String, target: String)
        case state(String)
    }

    private var look: ProgramsLook
    var chosen = ChosenRow<RowID>()
    var menu = RuleMenu()
    var scroll = 0

    static let binding = KeyBinding([.character("P")], .programs, "", "programs; tokens given to them, and why")

    static func opened(in context: Context) -> (ProgramsPage, [Action]) {
        let page = ProgramsPage(look: ProgramsLook(context.nextRequest, asksPrograms: true))
        return (page, [.perform(page.look.effect)])
    }

    private static let again = KeyBinding([.character("r")], .reload, "again", "reload")
    static let keys = (
        list: KeyTable(
            .programs, "Programs",
            [
                .opening("rule", "show the rule or suggest one; for setup, preview the change"),
                KeyBinding([.character("x")], .undo, "", "undo a program's setup"), .undoSetting, again,
            ]),
        row: KeyTable(.programDetails, "Programs: one program", [.answering, .undoSetting, again])
    )

    func rowIDs(in context: Context) -> [RowID] { rowIDs }
    func awaits(_ request: RequestID) -> Bool { request == look.request }
    var report: ProgramsReport? { look.report }
    var isWaiting: Bool { look.isWaiting }

    private var rowIDs: [RowID] {
        guard let report else { return [] }
        return report.programs.map { .program($0.name, target: $0.target) }
            + (report.states ?? []).map { .state($0.name) }
    }

    private var marked: RowID? { chosen.row(in: rowIDs) }

    /// Nil if another kind of row is selected.
    var program: ProgramsReport.Program? {
        guard case .program(let name, let target) = marked else { return nil }
        return look.program(name, target: target)
    }

    /// Nil if another kind of row is selected.
    var state: ProgramConnection? {
        guard case .state(let name) = marked else { return nil }
        return report?.states?.first { $0.name == name }
    }

    func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .open: marked != nil
        case .reload: !isWaiting
        case .undo: state?.canBeTakenBack ?? false
        default: offersOnRefusal(command, in: context) ?? true
        }
    }

    func label(of command: Command, in context: Context) -> String? {
        switch command {
        case .open where state == nil && refused(in: context)?.offers.isEmpty == false: "answer…"
        case .open: state?.next.verb
        default: labelOnRefusal(command, in: context)
        }
    }

    func refused(in context: Context) -> ProgramsReport.Program? {
        program.flatMap { $0.uses.first?.refusal == nil ? nil : $0 }
    }

    var settingsFile: String { report?.settingsFile ?? "" }

    mutating func receive(_ event: Event, in context: Context) -> [Action] {
        let isOutdated = look.receive(event)
        menu.settle(offers(in: context))
        return isOutdated ? [.perform(look.again(in: context))] : []
    }

    mutating func perform(_ command: Command, in context: Context) -> [Action] {
        switch command {
        case .open where state != nil: return change(state?.next, in: context)
        case .undo: return change(.undo, in: context)
        case .open:
            // It stays open, whatever other rows come and go.
            if let marked { chosen.choose(marked) }
            return performInList(command, in: context) + openRefusal(in: context)
        case .reload: return [.perform(look.again(in: context))]
        // The text next to the list begins differently.
        case .back where chosen.isReading: scroll = 0
        default: break
        }
        return performOnRefusal(command, in: context) ?? turned(by: command) ?? performInList(command, in: context)
    }

    private func change(_ direction: SetupDirection?, in context: Context) -> [Action] {
        guard let state, let direction else { return [] }
        let change = SetupChange(state, direction, in: context)
        return [.open(change), .perform(change.look)]
    }

    // MARK: What it shows

    func content(in context: Context) -> Page {
        let refused = report?.programs.count { $0.uses.first?.refusal != nil } ?? 0
        var page = viewPage(
            in: context, count: report.map { $0.programs.isEmpty ? "" : String($0.programs.count) } ?? "",
            alert: (refused, "\(refused) refused"), note: isWaiting && report == nil ? "loading" : "")
        page.addText = { addText(in: context, to: &$0) }
        page.table = { table(in: context) }
        page.rows = { table(in: context)?.rows.map(\.words) }
        page.marked = answers(in: context)
        page.rowName = page.entry == nil ? "program" : "answer"
        page.copyables = { copyables(in: context) }
        return page
    }

    private func copyables(in context: Context) -> [Copyable] {
        guard report != nil else { return [] }
        let rule = program.map { ($0.rule?.text ?? $0.ruleToWrite).joined(separator: "\n") }
        return [
            Copyable(program?.rule == nil ? "suggested rule" : "rule", rule),
            Copyable("account", program?.uses.first?.account), pageReport(in: context),
        ]
    }
}
