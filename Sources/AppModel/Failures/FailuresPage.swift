import Explain
import FoundationEssentials
import Identity
import Keys

/// Failed sign-ins and refreshes of this session, newest first: time, account, provider's response, and fix.
struct FailuresPage: ListPage {
    var chosen = ChosenRow<RequestID>()
    var scroll = 0

    static let binding = KeyBinding(
        [.character("F")], .failures, "", "errors in this session and how to fix them")

    static func opened(in context: Context) -> (FailuresPage, [Action]) { (FailuresPage(), []) }

    static let keys = (
        list: KeyTable(.failures, "Failures", [.opening("read", "show the provider's response and the fix"), .copyID]),
        row: KeyTable(.failureDetails, "Failures: details", [.copyID])
    )

    private func failures(in context: Context) -> [(record: ActivityRecord, failure: Failure)] {
        context.activity.records.reversed().compactMap { record in
            guard [.silent, .renewal, .signIn].contains(record.kind), case .failed(let failure) = record.outcome
            else { return nil }
            return (record, failure)
        }
    }

    func rowIDs(in context: Context) -> [RequestID] { failures(in: context).map(\.record.id) }

    private func marked(in context: Context) -> (record: ActivityRecord, failure: Failure)? {
        marked(of: failures(in: context), in: context)
    }

    func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .open: marked(in: context) != nil
        case .copy: marked(in: context)?.record.correlationID != nil
        default: true
        }
    }

    private func copyables(in context: Context) -> [Copyable] {
        guard let (record, failure) = marked(in: context) else { return [] }
        let report = FailureReport(
            failure: failure, account: record.account, clientID: record.clientID, at: record.startedAt,
            steps: failure.trail.steps)
        return [
            Copyable("correlation id", record.correlationID?.uuidString.lowercased()), report.copyable(in: context),
        ]
    }

    // MARK: What it shows

    func content(in context: Context) -> Page {
        Page(
            title: "Failures of this session", addText: { addText(in: context, to: &$0) },
            table: { table(in: context) }, rows: { rows(in: context) }, rowName: "failure",
            copyables: { copyables(in: context) })
    }

    private func table(in context: Context) -> ListTable {
        ListTable(
            ["at", "what", .flexible("account")], cause: "cause",
            failures(in: context).map { record, failure in
                ListTable.Row(
                    record.outcome.sign,
                    [
                        TextSpan(context.clock.time(record.startedAt), .muted), TextSpan(record.kind.rawValue),
                        TextSpan(record.account.isEmpty ? "no account" : record.account),
                    ], cause: failure.message)
            })
    }

    private func rows(in context: Context) -> [String] {
        failures(in: context).map { record, failure in
            [
                context.clock.time(record.startedAt), record.kind.rawValue,
                record.account.isEmpty ? "no account" : record.account, failure.message,
            ].joined(separator: "  ")
        }
    }

    private func addText(in context: Context, to block: inout TextBlock) {
        guard let (record, failure) = marked(in: context) else {
            return block.text("no failures in this session", .muted)
        }
        block.item(record.outcome.sign, "\(record.kind.rawValue): \(failure.message)", .emphasis)
        if !record.account.isEmpty { block.field("account", record.account) }
        block.field("client", context.clientName(record.clientID))
        block.field("at", "\(context.clock.full(record.startedAt)), \(context.clock.relative(record.startedAt))")
        let said = [failure.codeWords, failure.oauthDescription ?? ""].filter { !$0.isEmpty }
        let explained = said + failure.explanationsLeft.prefix(4)
        if !explained.isEmpty {
            block.blank()
            block.heading("What the provider said")
            for words in explained { block.text(words, .muted) }
        }
        block.blank()
        block.heading("What you can do")
        block.text(Self.advice(failure, in: context), .emphasis)
        for line in context.reportLines(at: .failures) { block.text(line) }
        block.add(tried: failure.trail.steps, failure)
    }

    /// The hint, else advice for the kind of failure.
    private static func advice(_ failure: Failure, in context: Context) -> String {
        if let hint = failure.hint { return hint.description }
        if let code = failure.explanations.first { return code.remedy.description }
        if failure.code == .interactionRequired {
            let open = context.name(of: .open, at: .picker)
            return "to sign in again: \(open) on the account, then \(open) again"
        }
        if failure.mayPass { return "try again later: provider unreachable or throttling" }
        if failure.code == .cancelled { return "try again" }
        return "run the doctor: it checks settings, store, network and clock"
    }
}
