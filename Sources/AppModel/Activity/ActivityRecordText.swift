import Explain
import FoundationEssentials
import Identity

extension TextBlock {
    /// Adds a request of this session with its steps; if it failed, the provider's response and the fix.
    mutating func add(_ record: ActivityRecord, in context: Context) {
        item(record.outcome.sign, "\(record.kind.rawValue): \(record.outcome.words)", .emphasis)
        if !record.account.isEmpty { field("account", record.account) }
        field("client", context.clientName(record.clientID, of: record.accountID))
        field("began", context.clock.full(record.startedAt))
        if !record.duration.isEmpty { field("took", record.duration) }
        guard case .failed(let failure) = record.outcome else {
            if let id = record.correlationID { field("correlation", id.uuidString.lowercased()) }
            blank()
            add(record.steps)
            if record.steps.isEmpty { text("no steps were recorded", .muted) }
            return
        }
        let said = [failure.codeWords, failure.oauthDescription ?? ""].filter { !$0.isEmpty }
        let explained = said + failure.explanationsLeft.prefix(4)
        if !explained.isEmpty {
            blank()
            heading("What the provider said")
            for words in explained { text(words, .muted) }
        }
        blank()
        heading("What you can do")
        text(failure.advice(in: context), .emphasis)
        for line in context.reportLines(at: .failures) { text(line) }
        add(tried: record.steps, failure)
    }
}

extension Failure {
    /// The hint, else advice for the kind of failure.
    fileprivate func advice(in context: Context) -> String {
        if let hint { return hint.description }
        if let code = explanations.first { return code.remedy.description }
        if code == .interactionRequired {
            return "press \(context.name(of: .open, at: .picker)) on the account to sign in again"
        }
        if mayPass { return "try again later: provider unreachable or throttling" }
        if code == .cancelled { return "try again" }
        return "run the doctor: it checks settings, store, network and clock"
    }
}
