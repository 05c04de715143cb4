import FoundationEssentials
import Identity
import Keys

/// The differences of the two lists of requests.
protocol RequestsKind: Equatable, Sendable {
    static var view: ActivityView { get }
    static var binding: KeyBinding { get }
    static var keys: (list: KeyTable, row: KeyTable) { get }
    static func contains(_ entry: ActivityEntry) -> Bool
}

enum AllRequests: RequestsKind {
    static let view = ActivityView.all
    static let binding = KeyBinding(
        [.character("A")], .activity, "", "activity; who asked for tokens: this session, programs, the agent")
    static let keys = (
        list: KeyTable(
            .activity, "Activity", [.opening("details", "show details and steps"), .undoSetting, again, .copyID]),
        row: KeyTable(.activityDetails, "Activity: one entry", [.answering, .undoSetting, again, .copyID])
    )
    static func contains(_ entry: ActivityEntry) -> Bool { true }
}

enum FailedRequests: RequestsKind {
    static let view = ActivityView.failures
    static let binding = KeyBinding(
        [.character("F")], .failures, "", "failures; what was refused, and how to fix it")
    static let keys = (
        list: KeyTable(
            .failures, "Failures",
            [.opening("read", "show the provider's response and the fix"), .undoSetting, again, .copyID]),
        row: KeyTable(.failureDetails, "Failures: details", [.answering, .undoSetting, again, .copyID])
    )
    static func contains(_ entry: ActivityEntry) -> Bool { entry.isFailure }
}

extension RequestsKind {
    fileprivate static var again: KeyBinding { KeyBinding([.character("r")], .reload, "again", "reload") }
}

typealias ActivityPage = RequestsPage<AllRequests>
typealias FailuresPage = RequestsPage<FailedRequests>

/// Requests for tokens as a list, newest first, and one of them with its details.
struct RequestsPage<Kind: RequestsKind>: RefusalPage {
    private var look: ProgramsLook
    private var agent: AgentLook
    /// Stays on the latest row until a row is selected.
    var chosen = ChosenRow<ActivityEntry.ID>()
    var menu = RuleMenu()
    private var filter = TextField()
    private var isFiltering = false
    var scroll = 0

    static var view: ActivityView { Kind.view }
    static var binding: KeyBinding { Kind.binding }
    static var keys: (list: KeyTable, row: KeyTable) { Kind.keys }
    static var hasFilter: Bool { true }

    var keyContext: KeyContext { isFiltering ? .filter : (chosen.isReading ? Kind.keys.row : Kind.keys.list).context }

    static func opened(in context: Context) -> (RequestsPage, [Action]) {
        let page = RequestsPage(
            look: ProgramsLook(context.nextRequest, asksPrograms: false), agent: AgentLook(in: context))
        return (page, page.looks(in: context))
    }

    /// The demo's programs have no agent; the user's agent is not the demo's.
    private func looks(in context: Context) -> [Action] {
        [.perform(look.effect)] + (context.isDemo ? [] : [.perform(agent.effect)])
    }

    func awaits(_ request: RequestID) -> Bool { request == look.request || request == agent.request }

    private func all(in context: Context) -> [ActivityEntry] { context.activity.entries.filter(Kind.contains) }

    private func entries(in context: Context) -> [ActivityEntry] {
        let all = all(in: context)
        return filter.isEmpty ? all : ActivityQuery(filter.text).matches(among: all)
    }

    func rowIDs(in context: Context) -> [ActivityEntry.ID] { entries(in: context).map(\.id) }

    private func row(in context: Context) -> ActivityEntry? { marked(of: entries(in: context), in: context) }

    func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .open: row(in: context) != nil
        case .copy: row(in: context)?.record?.correlationID != nil
        case .reload: !look.isWaiting
        case .filter: !all(in: context).isEmpty
        default: offersOnRefusal(command, in: context) ?? true
        }
    }

    func label(of command: Command, in context: Context) -> String? {
        command == .open && refused(in: context)?.offers.isEmpty == false
            ? "answer…" : labelOnRefusal(command, in: context)
    }

    func refused(in context: Context) -> ProgramsReport.Program? {
        guard let entry = row(in: context), entry.isFailure, case .program(let program, _) = entry.source else {
            return nil
        }
        return look.program(program.name, target: program.target)
    }

    var settingsFile: String { look.report?.settingsFile ?? "" }

    mutating func receive(_ event: Event, in context: Context) -> [Action] {
        if case .text(let key) = event, isFiltering { filter.handle(key) }
        let isOutdated = look.receive(event)
        menu.settle(offers(in: context))
        if isOutdated { return lookAgain(in: context) }
        return context.isDemo ? [] : agent.receive(event, in: context).map { [.perform($0)] } ?? []
    }

    private mutating func lookAgain(in context: Context) -> [Action] {
        _ = look.again(in: context)
        agent = AgentLook(in: context)
        return looks(in: context)
    }

    mutating func perform(_ command: Command, in context: Context) -> [Action] {
        switch command {
        case .reload: return lookAgain(in: context)
        case .filter, .keepFilter: isFiltering = command == .filter
        case .clearFilter: clearFilter()
        case .back where !chosen.isReading && !filter.isEmpty: clearFilter()
        case .complete:
            if let text = ActivityQuery.completed(filter.text, in: all(in: context)) { filter = TextField(text) }
        default: return performInRows(command, in: context)
        }
        return []
    }

    private mutating func clearFilter() { (filter, isFiltering) = (TextField(), false) }

    private mutating func performInRows(_ command: Command, in context: Context) -> [Action] {
        if command == .open, let entry = row(in: context) {
            // It stays open, whatever other rows come and go.
            chosen.choose(entry.id)
            return performInList(command, in: context) + openRefusal(in: context)
        }
        return performOnRefusal(command, in: context) ?? turned(by: command) ?? performInList(command, in: context)
    }

    // MARK: What it shows

    func content(in context: Context) -> Page {
        var page = viewPage(in: context, note: look.report == nil && look.isWaiting ? "loading" : "")
        page.addText = { addText(in: context, to: &$0) }
        page.table = { table(in: context) }
        page.rows = { table(in: context).rows.map(\.words) }
        page.listColumns = 72
        if isFiltering || !filter.isEmpty {
            page.filter = Page.Filter(
                field: filter, isTyping: isFiltering, count: entries(in: context).count, hint: ActivityQuery.hint)
        }
        page.marked = answers(in: context)
        page.rowName = page.entry != nil ? "answer" : Kind.view == .failures ? "failure" : "entry"
        page.copyables = { copyables(in: context) }
        return page
    }

    private func copyables(in context: Context) -> [Copyable] {
        guard let entry = row(in: context) else { return [] }
        guard let record = entry.record else {
            return [Copyable("account", entry.account), pageReport(in: context)]
        }
        let id = Copyable("correlation id", record.correlationID?.uuidString.lowercased())
        guard case .failed(let failure) = record.outcome else { return [id, pageReport(in: context)] }
        let report = FailureReport(
            failure: failure, account: record.account, clientID: record.clientID, at: record.startedAt,
            steps: failure.trail.steps)
        return [id, report.copyable(in: context)]
    }

    private func table(in context: Context) -> ListTable {
        ListTable(
            ["at", "who asked", .flexible("for account"), .spare("answer"), .spare("took")], cause: "",
            entries(in: context).map { entry in
                ListTable.Row(
                    (entry.sign, entry.tone),
                    [
                        TextSpan(context.clock.time(entry.at), .muted),
                        TextSpan(entry.who + (entry.count > 1 ? " ×\(entry.count)" : "")), TextSpan(entry.account),
                        TextSpan(entry.answer, entry.isFailure ? entry.tone : .text), TextSpan(entry.took, .muted),
                    ], cause: "")
            })
    }

    private func addText(in context: Context, to block: inout TextBlock) {
        switch row(in: context)?.source {
        case .session(let record): block.add(record, in: context)
        case .program(let program, let uses):
            guard let last = uses.first, let oldest = uses.last else { return }
            block.add(last, of: program, in: context) { addAnswers(in: context, to: &$0) }
            if uses.count > 1 { block.field("equal", "\(uses.count) requests since \(context.clock.time(oldest.at))") }
            guard let known = look.program(program.name, target: program.target), let report = look.report else {
                return
            }
            block.field("rule", report.ruleWords(of: known))
            block.add(outlookOf: known)
        case .agent(let use): block.add(use, in: context)
        case nil where !filter.isEmpty:
            block.text("no request matches", .emphasis)
            let clear: Command = isFiltering ? .clearFilter : .back
            block.text("\(context.name(of: clear, at: keyContext)): show all", .muted)
        case nil where Kind.view == .failures: block.text("no failures", .muted)
        case nil:
            let open = context.name(of: .open, at: .picker)
            block.text("no requests yet: \(open) on an account gets a token", .muted)
        }
    }
}

extension ActivityEntry {
    fileprivate var record: ActivityRecord? { if case .session(let record) = source { record } else { nil } }
}
