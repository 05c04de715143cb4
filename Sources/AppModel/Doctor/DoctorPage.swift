import Identity
import Keys

/// Checks of settings, store, terminal, browser, network and clock, as a list that grows while they run.
struct DoctorPage: ActivityViewPage {
    static let view = ActivityView.doctor

    private let id: RequestID
    private(set) var findings: [DoctorFinding] = []
    /// The current check; nil between two checks and at the end.
    private var looking: String?
    private var isWaiting = true
    /// By index, as two findings can have the same subject.
    var chosen = ChosenRow<Int>()
    var scroll = 0

    init(_ id: RequestID) { self.id = id }

    static let binding = KeyBinding(
        [.character("!")], .doctor, "", "doctor; checks settings, store, terminal, browser, network, clock")

    static func opened(in context: Context) -> (DoctorPage, [Action]) {
        (DoctorPage(context.nextRequest), [.perform(.examine(context.nextRequest))])
    }

    private static let again = KeyBinding([.character("r")], .reload, "again", "check everything again")
    static let keys = (
        list: KeyTable(.doctor, "Doctor", [.opening("read", "show details and fix"), again]),
        row: KeyTable(.doctorDetails, "Doctor: one finding", [again])
    )
    var underWay: RequestID? { isWaiting ? id : nil }

    func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        // Plain mode has already printed everything.
        case .open: marked != nil && context.naming == .keys
        case .reload: !isWaiting
        default: true
        }
    }

    mutating func receive(_ event: Event, in context: Context) -> [Action] {
        if case .reply(.examination(let event), _) = event { receive(event) }
        return []
    }

    mutating func perform(_ command: Command, in context: Context) -> [Action] {
        guard command == .reload else { return turned(by: command) ?? performInList(command, in: context) }
        let (again, actions) = Self.opened(in: context)
        return [.replace(again)] + actions
    }

    func rowIDs(in context: Context) -> [Int] { Array(findings.indices) }

    /// Until a row is selected, the first problem.
    private var place: Int {
        chosen.id ?? findings.firstIndex { $0.verdict == .bad } ?? findings.firstIndex { $0.verdict == .note } ?? 0
    }

    private var marked: DoctorFinding? { findings.indices.contains(place) ? findings[place] : nil }

    mutating func receive(_ event: DoctorEvent) {
        guard isWaiting else { return }
        switch event {
        case .looking(let subject): looking = subject
        case .found(let finding):
            looking = nil
            if findings.count < 200 { findings.append(finding) }
        case .over:
            looking = nil
            isWaiting = false
        }
    }

    // MARK: What it shows

    func content(in context: Context) -> Page {
        let (bad, notes) = (count(.bad), count(.note))
        let end = isWaiting ? "checking" : bad == 0 ? "no problems" : ""
        var page = viewPage(
            in: context, alert: (bad, counted(bad, "problem")),
            note: [end, notes > 0 ? counted(notes, "note") : ""].filter { !$0.isEmpty }.joined(separator: ", "))
        (page.addText, page.addWhole, page.rowName) = (addText, addWhole, "finding")
        page.table = { table }
        page.copyables = {
            guard let marked else { return [] }
            return [
                pageReport(in: context), Copyable("finding", "\(marked.subject): \(marked.detail)"),
                Copyable("fix", marked.hint),
            ]
        }
        return page
    }

    private func count(_ verdict: DoctorFinding.Verdict) -> Int { findings.count { $0.verdict == verdict } }

    func selectedRow(in context: Context) -> Int { place }

    /// Nothing: findings come in a fixed order, and until a row is selected the first problem is the one to read.
    mutating func hold(in context: Context) {}

    private var table: ListTable {
        var rows = findings.map { finding in
            let tone = finding.verdict == .good ? .muted : finding.verdict.sign.1
            return ListTable.Row(
                finding.verdict.sign, [TextSpan(finding.subject), TextSpan(finding.verdict.state, tone)],
                cause: finding.detail)
        }
        if let looking {
            rows.append(ListTable.Row((.half, .info), [TextSpan(looking), TextSpan("checking", .info)], cause: ""))
        }
        return ListTable([.flexible("checked"), "result"], cause: "finding", rows)
    }

    private func addText(to block: inout TextBlock) {
        guard let marked else { return }
        block.item(marked.verdict.sign, "\(marked.subject): \(marked.verdict.state)", .emphasis)
        block.text(marked.detail)
        if let hint = marked.hint {
            block.blank()
            block.text(hint, .emphasis)
        }
    }

    private func addWhole(to block: inout TextBlock) {
        for finding in findings {
            block.item(finding.verdict.sign, finding.line)
            if let hint = finding.hint { block.text(hint, .emphasis, indent: 2) }
        }
        if let looking { block.item(.half, .info, "checking \(looking)") }
        guard !isWaiting else { return }
        block.blank()
        let (bad, notes) = (count(.bad), count(.note))
        if bad > 0 {
            block.text("\(counted(bad, "problem"))" + (notes > 0 ? ", \(counted(notes, "note"))" : ""), .danger)
        } else {
            block.text(notes > 0 ? "no problems, \(counted(notes, "note"))" : "no problems", .ok)
        }
    }
}
