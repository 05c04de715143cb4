import Explain
import FoundationEssentials
import Identity

// Parts of every result: steps, token, failure.
extension TextBlock {
    mutating func add(_ steps: [Step]) {
        let width = 2 + (steps.map(\.name.words.count).max() ?? 0)
        for step in steps {
            let (sign, tone) = step.sign
            let fact = Fact(
                name: TextSpan(step.name.words, tone == .danger ? .danger : .text), nameWidth: width,
                value: TextSpan(step.result, tone == .danger ? .danger : .muted), isWhole: true,
                sign: TextSpan("", tone, sign: sign))
            add(.fact(fact))
        }
    }

    mutating func add(_ token: TokenSummary, in context: Context) {
        let clock = context.clock
        field("client", context.clientName(token.clientID), labelWidth: 10)
        field("from", token.source.words, labelWidth: 10)
        let expiry = TimeSpan.end(token.expiresOn) { "\(clock.relative($0)), \(clock.full($0))" }
        field("expires", expiry, labelWidth: 10)
        if !token.tenantID.isEmpty {
            field("tenant", context.tenantName(token.tenantID, of: token.account), labelWidth: 10)
        }
        if !token.scopes.isEmpty { field("scopes", token.scopes.description, labelWidth: 10) }
        if !token.declined.isEmpty { field("declined", token.declined.description, .attention, labelWidth: 10) }
    }

    /// Adds a failure and its fix, for a page without a menu of remedies.
    mutating func add(_ failure: Failure) {
        addCause(of: failure)
        guard let hint = failure.hint else { return }
        blank()
        heading("What you can do")
        text(hint.description, .emphasis, indent: 2)
    }

    /// Adds the steps, their duration, and the correlation ID that the provider's logs have.
    ///
    /// - Parameter took: seconds; nil if unknown.
    mutating func add(tried steps: [Step], _ failure: Failure, took: TimeInterval? = nil, at end: String = "") {
        if !steps.isEmpty {
            blank()
            let time = took.flatMap(Clock.duration).map { [TextSpan("took " + $0, .muted)] } ?? []
            sides([TextSpan("What was tried", .title, isBold: true)], time)
            // The failure's message is above them.
            add(steps.map { $0.result == failure.message ? Step($0.name, $0.outcome, "") : $0 })
        }
        if let id = failure.correlationID {
            blank()
            field("correlation id", id.uuidString.lowercased(), .muted, labelWidth: 16)
            if !end.isEmpty { field("at", end, .muted, labelWidth: 16) }
        }
    }
}

extension Step {
    fileprivate var sign: (Sign, Tone) {
        switch outcome {
        case .done: (.check, .ok)
        case .missing: (.empty, .muted)
        // An expired token is not an error.
        case .failed where name == .accessToken: (.empty, .muted)
        case .failed: (.cross, .danger)
        case .skipped: (.separator, .muted)
        case .waiting: (.half, .info)
        }
    }

    fileprivate var result: String {
        let more = detail.isEmpty ? "" : " " + detail
        return switch outcome {
        case .done, .failed: detail.isEmpty ? outcome.rawValue : detail
        case .missing: "none" + more
        case .skipped: "skipped" + (detail.isEmpty ? "" : ": " + detail)
        case .waiting: "waiting" + more
        }
    }
}
