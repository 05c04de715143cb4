import Explain
import FoundationEssentials
import Identity

// What every outcome shows: the steps that were taken, the token, the failure.
extension TextBlock {
    mutating func add(_ step: Step) {
        let (sign, tone): (Sign, Tone) =
            switch step.outcome {
            case .done: (.check, .ok)
            case .missing: (.empty, .muted)
            case .failed: (.cross, .danger)
            case .skipped: (.separator, .muted)
            case .waiting: (.half, .info)
            }
        item(sign, tone, step.words)
    }

    mutating func add(_ token: TokenSummary, in context: Context) {
        let clock = context.clock
        field("client", context.clientName(token.clientID), labelWidth: 10)
        field("from", token.source.words, labelWidth: 10)
        field("expires", "\(clock.relative(token.expiresOn)), \(clock.full(token.expiresOn))", labelWidth: 10)
        if !token.tenantID.isEmpty {
            field("tenant", context.tenantName(token.tenantID, of: token.account), labelWidth: 10)
        }
        field("scopes", token.scopes.description, labelWidth: 10)
        if !token.declined.isEmpty { field("declined", token.declined.description, .attention, labelWidth: 10) }
    }

    /// What happened, and what can be done about it.
    ///
    /// - Parameter next: keys and what they do, after the hint.
    mutating func add(_ failure: Failure, next: [String] = []) {
        item(.cross, .danger, failure.message, .danger)
        if !failure.codeWordsLeft.isEmpty { text(failure.codeWordsLeft, .muted, indent: 2) }
        for words in failure.explanationsLeft.prefix(2) { text(words, .muted, indent: 2) }
        if !failure.declinedScopes.isEmpty {
            field("granted", failure.grantedScopes.description, labelWidth: 12)
            field("declined", failure.declinedScopes.description, .attention, labelWidth: 12)
        }
        blank()
        heading("What you can do")
        if let hint = failure.hint { text(hint.description, .emphasis, indent: 2) }
        for line in next { text(line, indent: 2) }
    }

    /// The steps, and by what name the provider's logs have the call.
    mutating func add(tried steps: [Step], _ failure: Failure) {
        blank()
        if !steps.isEmpty { heading("What was tried") }
        for step in steps { add(step) }
        if let id = failure.correlationID {
            blank()
            field("correlation id", id.uuidString.lowercased(), .muted, labelWidth: 16)
        }
    }
}
