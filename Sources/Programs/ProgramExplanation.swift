import CommandSupport
package import FoundationEssentials
package import Identity
import SilentFirst
package import StrictJSON

/// Why a program gets the token that it gets: the rule, the client, the account, and what a silent call would do now.
package struct ProgramExplanation: Sendable {
    private let call: ProgramCall
    private let decision: SilentDecision
    private let now: Date

    package init(_ call: ProgramCall, now: Date) {
        self.call = call
        self.now = now
        decision = call.call.application.decision(on: call.call.request, from: call.call.snapshot)
    }

    private var resolution: Resolution { call.resolution }
    private var context: CommandContext { call.call.context }

    /// What the program would be refused with; nil where it gets a token.
    package var failure: Failure? { call.refusal ?? decisionFailure.map(call.call.hinted) }

    private var decisionFailure: Failure? {
        if case .failure(let failure) = decision.outcome { return failure }
        return decision.failure
    }

    private var account: Account? {
        switch resolution.outcome {
        case .resolved(let account): account ?? decision.account
        case .ask(let accounts): accounts.count == 1 ? accounts[0] : nil
        case .refuse: nil
        }
    }

    private var accountSource: (name: String, words: String) {
        if case .refuse(let refusal) = resolution.outcome { return ("none", refusal.failure.message) }
        switch resolution.accountSource {
        case .program: return ("program", "\(call.request.program) is set to it")
        case .option: return ("option", "an option names it")
        case .rule: return ("rule", "the rule names it")
        case .asked: return ("asked", "\(call.request.program) asks for it")
        case .person, .nobody: break
        }
        switch resolution.candidates.count {
        case 0: return ("none", "nobody is signed in")
        case 1: return ("only", "the only one")
        default: return account == nil ? ("several", "nothing names one") : ("current", "the current one of the client")
        }
    }

    // MARK: Text

    package var lines: [String] {
        let by = resolution.by
        var lines = ["\(call.request.words): " + (by.rule.map { "rule of line \($0.line)" } ?? "no rule")]
        for passed in by.passedOver {
            lines.append("  rule of line \(passed.rule.line) does not apply: \(passed.words)")
        }
        for client in by.passedClients {
            lines.append("  client \(client.name) does not apply: its provider is of another kind")
        }
        lines.append("client: \(resolution.client.name), \(by.source.words)")
        var name = account?.label ?? "none"
        if case .ask(let accounts) = resolution.outcome { name = accounts.map(\.label).joined(separator: " or ") }
        lines.append("account: \(name.isEmpty ? "none" : name), \(accountSource.words)")
        if let tenant = by.tenant { lines.append("tenant: \(tenant)") }
        lines.append("scopes: \(resolution.scopes)")
        guard call.refusal == nil else {
            return lines + (by.isPlaceUnnamed ? ["now: asks at the terminal; no rule names the cluster"] : [])
        }
        lines.append(
            "now: "
                + decision.words(at: now, clientID: resolution.client.clientID, clientName: { context.clientName($0) }))
        return lines
    }

    // MARK: JSON

    package var json: JSONValue {
        let by = resolution.by
        let conditions = by.rule.map { rule in
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
                by.rule.map {
                    JSONValue(("line", JSONValue(integer: $0.line)), ("conditions", conditions ?? .null))
                } ?? .null
            ),
            (
                "passedOver",
                .array(
                    by.passedOver.map {
                        JSONValue(
                            ("line", JSONValue(integer: $0.rule.line)),
                            ("condition", ($0.condition?.rawValue ?? "client").json))
                    })
            ), ("client", resolution.client.name.json), ("clientId", resolution.client.clientID.json),
            ("clientSource", by.source.rawValue.json), ("account", account?.json ?? .null),
            ("accountSource", accountSource.name.json), ("candidates", .array(resolution.candidates.map(\.json))),
            ("tenant", by.tenant.json), ("scopes", resolution.scopes.json), ("hasToken", .bool(failure == nil)))
    }
}

extension ResolvedClient.PassedOver {
    fileprivate var words: String {
        guard let condition else { return "its client is of another kind of provider" }
        let wanted = rule.conditions[condition].map { "it is for \($0)" } ?? "it names none"
        return "\(condition.rawValue), \(wanted)"
    }
}

extension ResolvedClient.Source {
    fileprivate var words: String {
        switch self {
        case .option: "an option names it"
        case .asked: "the program asks for it"
        case .environment: "FOYER_CLIENT names it"
        case .rule: "the rule names it"
        case .provider: "its provider is this host"
        case .settings: "the settings name it"
        case .program: "the program's own"
        case .remembered: "the first that signed in"
        case .nobody: "the only one in the store"
        }
    }
}
