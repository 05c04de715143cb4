import Identity
import Keys

/// The examination of settings, store, terminal, browser, network and clock, line by line while it runs.
package struct DoctorPage: Page {
    private let id: RequestID
    private(set) var findings: [DoctorFinding] = []
    /// What is being looked at; nil between two things and at the end.
    private var looking: String?
    private var isWaiting = true
    package var scroll = 0

    init(_ id: RequestID) { self.id = id }

    package static let binding = KeyBinding(
        [.character("!")], .doctor, "", "check settings, store, terminal, browser, network and clock")

    package static func opened(in context: Context) -> (DoctorPage, [Action]) {
        (DoctorPage(context.nextRequest), [.perform(.examine(context.nextRequest))])
    }

    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .doctor, "Doctor",
                [KeyBinding([.character("r")], .reload, "again", "check everything again")]
                    + KeyBinding.reading(tools)
                    + KeyBinding.closing + KeyBinding.everywhere)
        ]
    }

    package var keyContext: KeyContext { .doctor }
    package func offers(_ command: Command, in context: Context) -> Bool { command != .reload || !isWaiting }
    package var underWay: RequestID? { isWaiting ? id : nil }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .reply(.examination(let event), _): receive(event)
        case .command(.reload, _):
            let (again, actions) = Self.opened(in: context)
            return [.replace(again)] + actions
        case .command(.back, _): return [.close]
        case .command(let command, _): return [.scroll(command)]
        default: break
        }
        return []
    }

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

    package func title(in context: Context) -> String { "Doctor" }

    package func text(in context: Context) -> TextBlock {
        var block = TextBlock()
        for finding in findings {
            let (sign, tone) = finding.verdict.sign
            block.item(sign, tone, "\(finding.verdict.word) \(finding.subject): \(finding.detail)")
            if let hint = finding.hint { block.text(hint, .emphasis, indent: 2) }
        }
        if let looking { block.item(.half, .info, "checking \(looking)") }
        guard !isWaiting else { return block }
        block.blank()
        let (bad, notes) = (findings.count { $0.verdict == .bad }, findings.count { $0.verdict == .note })
        if bad > 0 {
            block.text("\(counted(bad, "problem"))" + (notes > 0 ? ", \(counted(notes, "note"))" : ""), .danger)
        } else {
            block.text(notes > 0 ? "no problems, \(counted(notes, "note"))" : "no problems", .ok)
        }
        return block
    }
}
