import Explain
import FoundationEssentials
import Identity
import Keys

/// The activity of this session as a list, newest first, and one record with its steps.
struct ActivityPage: ListPage {
    /// Stays on the latest row until a row is selected.
    var chosen = ChosenRow<RequestID>()
    var scroll = 0

    static let binding = KeyBinding(
        [.character("A")], .activity, "", "token requests of this session, with steps and correlation ids")

    static func opened(in context: Context) -> (ActivityPage, [Action]) { (ActivityPage(), []) }

    static let keys = (
        list: KeyTable(.activity, "Activity", [.opening("steps", "show steps"), .copyID]),
        row: KeyTable(.activityDetails, "Activity: one entry", [.copyID])
    )

    func records(in context: Context) -> [ActivityRecord] { context.activity.records.reversed() }

    func rowIDs(in context: Context) -> [RequestID] { records(in: context).map(\.id) }

    func record(in context: Context) -> ActivityRecord? { marked(of: records(in: context), in: context) }

    func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .open: !context.activity.records.isEmpty
        case .copy: record(in: context)?.correlationID != nil
        default: true
        }
    }

    // MARK: What it shows

    func content(in context: Context) -> Page {
        Page(
            title: "Activity of this session", tab: .activity, addText: { addText(in: context, to: &$0) },
            table: { table(in: context) }, rows: { rows(in: context) }, rowName: "entry",
            copyables: {
                guard let record = record(in: context) else { return [] }
                return [
                    Copyable("correlation id", record.correlationID?.uuidString.lowercased()),
                    pageReport(in: context),
                ]
            })
    }

    private func table(in context: Context) -> ListTable {
        ListTable(
            ["at", "what", .flexible("account"), .spare("took"), .spare("client")], cause: "result",
            records(in: context).map { record in
                ListTable.Row(
                    record.outcome.sign,
                    [
                        TextSpan(context.clock.time(record.startedAt), .muted), TextSpan(record.kind.rawValue),
                        TextSpan(record.accountWords), TextSpan(record.duration, .muted),
                        TextSpan(context.clientName(record.clientID), .muted),
                    ], cause: record.outcome.words)
            })
    }

    private func rows(in context: Context) -> [String] {
        records(in: context).map {
            [
                $0.kind.rawValue, $0.accountWords, context.clientName($0.clientID), $0.outcome.words,
                $0.correlationID?.uuidString.lowercased() ?? "",
            ].joined(separator: " ")
        }
    }

    /// One record: kind, account, time, duration, and each step.
    private func addText(in context: Context, to block: inout TextBlock) {
        guard let record = record(in: context) else {
            let open = context.name(of: .open, at: .picker)
            return block.text("no requests yet: \(open) on an account gets a token", .muted)
        }
        block.item(record.outcome.sign, "\(record.kind.rawValue): \(record.outcome.words)", .emphasis)
        if !record.account.isEmpty { block.field("account", record.account) }
        block.field("client", context.clientName(record.clientID))
        block.field("began", context.clock.full(record.startedAt))
        if !record.duration.isEmpty { block.field("took", record.duration) }
        if let id = record.correlationID { block.field("correlation", id.uuidString.lowercased()) }
        block.blank()
        block.add(record.steps)
        if record.steps.isEmpty { block.text("no steps were recorded", .muted) }
    }
}

extension ActivityRecord {
    /// The account, or a note if a sign-in ended without one.
    package var accountWords: String {
        account.isEmpty && kind == .signIn && outcome != .waiting ? "no account" : account
    }

    package var duration: String {
        guard let milliseconds else { return outcome == .waiting ? "waiting" : "" }
        return milliseconds < 10_000 ? "\(milliseconds) ms" : TimeSpan.words(milliseconds / 1000)
    }
}

extension ActivityRecord.Outcome {
    var words: String {
        switch self {
        case .waiting: "running"
        case .done(let what): what
        case .failed(let failure): failure.message
        case .givenUp: "cancelled"
        }
    }

    package var sign: (Sign, Tone) {
        switch self {
        case .waiting: (.half, .info)
        case .done: (.check, .ok)
        case .failed(let failure) where failure.code == .interactionRequired: (.warning, .attention)
        case .failed: (.cross, .danger)
        case .givenUp: (.separator, .muted)
        }
    }
}
