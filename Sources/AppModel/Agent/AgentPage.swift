import FoundationEssentials
import Identity
import Keys

/// The agent: its state, pending requests, recent uses, and upcoming refreshes.
struct AgentPage: ActivityViewPage {
    static let view = ActivityView.agent

    /// Identifies a row, so the selection stays on it while others come and go.
    enum RowID: Hashable, Sendable {
        case agent
        case question(String)
        case forwarding(String)
        case refresh(client: String, account: String)
        case use(AgentReport.UseID)
    }

    private var look: AgentLook
    private(set) var report: AgentReport?
    var chosen = ChosenRow<RowID>()
    private var prompt: TextPrompt?
    /// Position among the answers to the open entry. The initial one gives no token and closes nothing.
    private var answer = ListCursor()
    var scroll = 0

    private static let refusal = AgentPermission.allCases.firstIndex(of: .refuse) ?? 0

    static let binding = KeyBinding(
        [.character("@")], .agent, "", "agent; status, pending requests, tokens given")

    static func opened(in context: Context) -> (AgentPage, [Action]) {
        let page = AgentPage(look: AgentLook(in: context))
        return (page, [.perform(page.look.effect)])
    }

    private static let changes = [
        KeyBinding([.character("L")], .lockAgent, "lock", "lock or unlock"),
        KeyBinding([.character("e")], .endAgent, "stop", "start or stop the agent"),
    ]
    static let keys = (
        list: KeyTable(.agent, "Agent", [.opening("details", "answer the request, or show details")] + changes),
        row: KeyTable(
            .agentDetails, "Agent: one entry",
            [KeyBinding([.enter], .yes, "answer", "send the selected answer")] + changes)
    )

    var keyContext: KeyContext { prompt != nil ? .line : chosen.isReading ? .agentDetails : .agent }
    func awaits(_ request: RequestID) -> Bool { request == look.request }

    private var rowIDs: [RowID] {
        guard let report else { return [] }
        return [.agent] + report.questions.map { .question($0.id) }
            + report.forwardings.map { .forwarding($0.id) }
            + report.uses.map { .use($0.id) }
            + report.refreshes.map { .refresh(client: $0.client, account: $0.account) }
    }

    private var marked: RowID? { chosen.row(in: rowIDs) }

    private var question: AgentReport.Question? {
        guard case .question(let id) = marked else { return nil }
        return report?.questions.first { $0.id == id }
    }

    var choices: [AgentChoice] {
        if let question { return AgentChoice.of(question) }
        guard case .forwarding(let id) = marked else { return [] }
        return report?.forwardings.first { $0.id == id }.map(AgentChoice.of) ?? []
    }

    private var isRunning: Bool {
        switch report?.state {
        case .running, .locked: true
        case .absent, .unusable, nil: false
        }
    }

    private var isLocked: Bool { if case .locked = report?.state { true } else { false } }

    func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .open: marked != nil || prompt != nil
        case .yes: !choices.isEmpty
        case .lockAgent: isRunning
        case .endAgent: isRunning || report?.state == .absent
        default: true
        }
    }

    func label(of command: Command, in context: Context) -> String? {
        switch command {
        case .open where question != nil: "answer…"
        case .lockAgent where isLocked: "unlock"
        case .endAgent where !isRunning: "start"
        default: nil
        }
    }

    mutating func update(_ event: Event, in context: Context) -> [Action] {
        if let next = look.receive(event, in: context) { return [.perform(next)] }
        switch event {
        case .select(let place) where entry != nil:
            answer.select(place, count: choices.count)
        case .select(let row): chosen.select(row, in: rowIDs)
        case .text(let key), .command(.edit, let key): prompt?.field.handle(key)
        case .reply(.agent(let report), _): self.report = report
        case .command(let command, _): return perform(command, in: context)
        default: break
        }
        return []
    }

    func rowIDs(in context: Context) -> [RowID] { rowIDs }

    mutating func perform(_ command: Command, in context: Context) -> [Action] {
        switch command {
        case .open where prompt != nil:
            let passphrase = prompt?.field.text ?? ""
            prompt = nil
            return passphrase.isEmpty ? [] : [.perform(.orderAgent(.unlock(Secret(passphrase))))]
        case .back where prompt != nil: prompt = nil
        case .open:
            // It stays open, whatever other entries come and go.
            if let marked { chosen.choose(marked) }
            chosen.isReading = true
            answer = ListCursor(question == nil ? 0 : Self.refusal)
            scroll = 0
        case .yes:
            guard choices.indices.contains(answer.selected) else { break }
            let order = choices[answer.selected].order
            chosen.isReading = false
            // Removed here so it disappears before the next update.
            if let question { report?.questions.removeAll { $0.id == question.id } }
            return order.map { [.perform(.orderAgent($0))] } ?? []
        case .lockAgent:
            guard case .locked(let stores) = report?.state else { return [.perform(.orderAgent(.lock))] }
            guard let store = stores.first else { return [.perform(.orderAgent(.unlock(nil)))] }
            prompt = TextPrompt("passphrase:", hint: "of \(store)", isMasked: true)
        case .endAgent: return [.perform(.orderAgent(isRunning ? .stop : .start))]
        case .nextView, .previousView: return turned(by: command) ?? []
        case _ where entry != nil && command != .back: return [.moveEntry(command)]
        default: return performInList(command, in: context)
        }
        return []
    }

    // MARK: What it shows

    var entry: Int? { chosen.isReading && !choices.isEmpty ? answer.selected : nil }

    /// A question and its answers; those of an entry that took its place are others.
    private var answers: MarkedEntry? {
        entry.map { .answer($0, of: ["\(marked ?? .agent)"] + choices.map(\.name)) }
    }

    func content(in context: Context) -> Page {
        let waiting = report?.questions.count ?? 0
        var page = viewPage(
            in: context, alert: (waiting, "\(waiting) pending"),
            note: look.isWaiting && report == nil ? "loading" : "")
        page.addText = { addText(in: context, to: &$0) }
        page.table = { table(in: context) }
        page.rowName = entry == nil ? "entry" : "answer"
        (page.marked, page.prompt) = (answers, prompt)
        page.copyables = { report == nil || prompt != nil ? [] : [pageReport(in: context)] }
        return page
    }
}
