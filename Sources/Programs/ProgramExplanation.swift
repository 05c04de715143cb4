import CommandSupport
package import FoundationEssentials
package import Helpers
package import Identity
import SilentCore
package import StrictJSON

/// Explains a program's token: the rule, the client, the account, and what a silent call would do now.
package struct ProgramExplanation: Sendable {
    private let call: ProgramCall
    private let decision: SilentDecision
    private let now: Date

    package init(_ call: ProgramCall, now: Date) {
        self.call = call
        self.now = now
        decision = call.call.cached.decision(on: call.call.request, from: call.call.snapshot)
    }

    private var resolution: Resolution { call.resolution }
    private var context: CommandContext { call.call.context }

    /// The error that the program would get; nil if it gets a token.
    package var failure: Failure? { call.refusal ?? decisionFailure.map(call.call.hinted) }

    private var decisionFailure: Failure? {
        if case .failure(let failure) = decision.outcome { return failure }
        return decision.failure
    }

    private var account: Account? {
        switch resolution.outcome {
        case .resolved(let account): account ?? decision.account
        case .ask(let accounts): accounts.count == 1 ? accounts[0] : nil
        case .signIn, .refuse: nil
        }
    }

    private var accountSource: (name: String, words: String) {
        if case .refuse(let refusal) = resolution.outcome { return ("none", refusal.failure.message) }
        if let name = resolution.absentPerson {
            return ("none", "\(call.request.program) requests \(name), who is not signed in")
        }
        switch resolution.accountSource {
        case .program: return ("program", "set in \(call.request.program)")
        case .option: return ("option", "set by an option")
        case .rule: return ("rule", "set by the rule")
        case .environment: return ("environment", "set by FOYER_ACCOUNT")
        case .settings: return ("settings", "from the settings")
        case .asked: return ("asked", "requested by \(call.request.program)")
        case .person, .nobody: break
        }
        switch resolution.candidates.count {
        case 0: return ("none", "no account signed in")
        case 1: return ("only", "the only one")
        default: return account == nil ? ("several", "none set") : ("current", "the client's current account")
        }
    }

    // MARK: Text

    package var lines: [String] {
        let by = resolution.by
        var lines = ["\(call.request.words): " + (by.rule.map { "rule on line \($0.line)" } ?? "no rule")]
        for passed in by.passedOver {
            lines.append("  rule on line \(passed.rule.line) does not match: \(passed.words)")
        }
        for client in by.passedClients {
            lines.append("  client \(client.name) does not match: different kind of provider")
        }
        lines.append("client: \(resolution.client.name), \(by.source.words)")
        var name = account?.label ?? "none"
        if case .ask(let accounts) = resolution.outcome { name = accounts.map(\.label).joined(separator: " or ") }
        lines.append("account: \(name.isEmpty ? "none" : name), \(accountSource.words)")
        if let tenant = by.tenant { lines.append("tenant: \(tenant)") }
        lines.append("scopes: \(resolution.scopes)")
        if let session = call.call.session.words { lines.append("session: \(session)") }
        guard call.refusal == nil else {
            return lines + (by.isPlaceUnnamed ? ["now: prompts in the terminal; no rule names the cluster"] : [])
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
            JSONValue(
                ProgramRule.Condition.allCases.compactMap { condition in
                    rule.conditions[condition].map { (condition.rawValue, $0.text.json) }
                })
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
            ("tenant", by.tenant.json), ("scopes", resolution.scopes.json), ("agentSession", call.call.session.json),
            ("hasToken", .bool(failure == nil)))
    }
}

extension ResolvedClient.SkippedRule {
    fileprivate var words: String {
        guard let condition else { return "its client has a different kind of provider" }
        switch (condition, rule.conditions[condition]?.text) {
        case (.program, let program?): return "it is for \(program)"
        case (_, let value?): return "its \(condition.rawValue) is \(value)"
        case (_, nil): return "it names no \(condition.rawValue)"
        }
    }
}
