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
        if !token.tenantID.isEmpty { field("tenant", token.tenantID, labelWidth: 10) }
        field("scopes", token.scopes.description, labelWidth: 10)
        if !token.declined.isEmpty { field("declined", token.declined.description, .attention, labelWidth: 10) }
    }

    mutating func add(_ failure: Failure) {
        item(.cross, .danger, failure.message, .danger)
        if let hint = failure.hint { text(hint.description, .emphasis, indent: 2) }
        if !failure.declinedScopes.isEmpty {
            field("granted", failure.grantedScopes.description, labelWidth: 12)
            field("declined", failure.declinedScopes.description, .attention, labelWidth: 12)
        }
        let error = ([failure.oauthError, failure.suberror].compactMap { $0 } + failure.serverCodeNames.prefix(4))
            .joined(separator: ", ")
        if !error.isEmpty { field("provider", error, .muted, labelWidth: 12) }
        if let id = failure.correlationID { field("correlation", id.uuidString.lowercased(), .muted, labelWidth: 12) }
    }
}
