import CommandSupport
package import FoundationEssentials
package import Identity
import SilentFirst
package import StrictJSON

/// Why a program gets the token that it gets: the rule, the client, the account, and what a silent call would do now.
package struct ProgramExplanation: Sendable {
    private let call: ProgramCall
    private let decision: SilentDecision
    private let candidates: [Account]
    private let now: Date

    package init(_ call: ProgramCall, now: Date) {
        self.call = call
        self.now = now
        decision = call.call.application.decision(on: call.call.request, from: call.call.snapshot)
        candidates = call.candidates
    }

    /// What the program would be refused with; nil where it gets a token.
    package var failure: Failure? { call.failureOfUser ?? decisionFailure.map(call.hinted) }

    private var decisionFailure: Failure? {
        if case .failure(let failure) = decision.outcome { return failure }
        return decision.failure
    }

    private var account: Account? {
        guard call.failureOfUser == nil else { return nil }
        return call.call.request.account ?? decision.account
    }
    private var session: CommandContext { call.call.session }

    private var accountSource: (name: String, words: String) {
        if call.hasUser { return ("program", "\(call.request.program) is set to it") }
        if let failure = call.failureOfUser { return ("none", failure.message) }
        if call.choice.account != nil {
            let isRule = call.choice.rule?.account == call.choice.account
            return isRule ? ("rule", "the rule names it") : ("option", "an option names it")
        }
        switch candidates.count {
        case 0: return ("none", "nobody is signed in")
        case 1: return ("only", "the only one")
        default: return account == nil ? ("several", "nothing names one") : ("current", "the current one of the client")
        }
    }

    // MARK: Text

    package var lines: [String] {
        let choice = call.choice
        var lines = ["\(call.request.words): " + (choice.rule.map { "rule of line \($0.line)" } ?? "no rule")]
        for passed in choice.passedOver {
            let wanted = passed.rule.conditions[passed.condition].map { "it is for \($0)" } ?? "it names none"
            lines.append("  rule of line \(passed.rule.line) does not apply: \(passed.condition.rawValue), \(wanted)")
        }
        lines.append("client: \(call.call.client.name), \(choice.clientSource.words)")
        let hasNone = candidates.isEmpty || call.failureOfUser != nil
        let name = account?.label ?? (hasNone ? "none" : candidates.map(\.label).joined(separator: " or "))
        lines.append("account: \(name), \(accountSource.words)")
        if let tenant = choice.tenant { lines.append("tenant: \(tenant)") }
        lines.append("scopes: \(call.call.request.scopes)")
        guard call.failureOfUser == nil else { return lines }
        lines.append(
            "now: "
                + decision.words(at: now, clientID: call.call.client.clientID, clientName: { session.clientName($0) }))
        return lines
    }

    // MARK: JSON

    package var json: JSONValue {
        let choice = call.choice
        let conditions = choice.rule.map { rule in
            JSONValue.object(
                JSONObject(
                    ProgramRule.Condition.allCases.compactMap { condition in
                        rule.conditions[condition].map { JSONMember(name: condition.rawValue, value: $0.json) }
                    }))
        }
        return JSONValue(
            ("program", call.request.program.json),
            (
                "rule",
                choice.rule.map {
                    JSONValue(("line", JSONValue(integer: $0.line)), ("conditions", conditions ?? .null))
                } ?? .null
            ),
            (
                "passedOver",
                .array(
                    choice.passedOver.map {
                        JSONValue(
                            ("line", JSONValue(integer: $0.rule.line)), ("condition", $0.condition.rawValue.json))
                    })
            ), ("client", call.call.client.name.json), ("clientId", call.call.client.clientID.json),
            ("clientSource", choice.clientSource.rawValue.json), ("account", account?.json ?? .null),
            ("accountSource", accountSource.name.json), ("candidates", .array(candidates.map(\.json))),
            ("tenant", choice.tenant.json), ("scopes", call.call.request.scopes.json),
            ("hasToken", .bool(failure == nil)))
    }
}

extension ProgramChoice.Source {
    fileprivate var words: String {
        switch self {
        case .option: "an option names it"
        case .rule: "the rule names it"
        case .provider: "its provider is this host"
        case .settings: "the environment or the settings name it"
        case .program: "the program's own"
        case .nobody: "the only one in the store"
        }
    }
}
