package import CommandSupport
package import Helpers
package import Identity
import SilentCore

/// A rule that gives the program one of the accounts that fit.
package struct FittingRule: Hashable, Sendable {
    package let account: Account
    package let rule: ProgramRule
    /// Whether the rule names the target of this request.
    package let isForTarget: Bool
}

extension ProgramCall {
    /// The number of accounts with rules.
    private static let mostFitting = 20

    /// Rules that would each end the refusal, those for any target first; empty if no rule would.
    package var fittingRules: [FittingRule] {
        guard case .ask(let accounts) = resolution.outcome else { return [] }
        var rules: [FittingRule] = []
        for isForTarget in [false, true] {
            for account in accounts.prefix(Self.mostFitting) {
                guard let rule = try? rule(for: account, isForTarget: isForTarget) else { continue }
                let fitting = FittingRule(account: account, rule: rule, isForTarget: isForTarget)
                if rule.conditions.count > 1 || !isForTarget, isEnough(fitting) { rules.append(fitting) }
            }
        }
        return rules
    }

    /// Whether the program would get the account if the rule came before all others.
    private func isEnough(_ fitting: FittingRule) -> Bool {
        let (by, cached, snapshot) = (resolution.by, call.cached, call.snapshot)
        var settings = by.world.settings
        settings.rules.insert(fitting.rule, at: 0)
        let world = ResolutionWorld(
            settings, client: by.world.client, authority: by.world.authority, remembered: by.world.remembered)
        guard let first = try? ResolvedClient(by.query, world),
            let settled = try? first.settled(by: world.onlyClient(in: snapshot)), let client = settled.client,
            client.clientID == resolution.client.clientID, let authority = try? settled.authority(of: client),
            let again = try? Resolution(
                settled, client, in: snapshot,
                isOfProvider: { cached.isOfProvider($0, at: authority, in: snapshot) }),
            case .resolved(let account?) = again.outcome
        else { return false }
        return account.id.isSamePerson(as: fitting.account.id)
    }
}
