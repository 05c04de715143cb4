import AppModel
import CommandSupport
import FoundationEssentials
import Helpers
import Identity
import Programs
import TokenCache

extension EffectRunner {
    func write(_ offer: RuleOffer) {
        changeFiles { [weak self, session, send] in
            do throws(Failure) {
                let change = try await BlockingExecutor.run { () throws(Failure) in try offer.written(session) }
                self?.noteSaved(change, "rule for \(offer.program)")
                send(.notice("rule saved in \(session.short(change.path)), line \(offer.line)"))
            } catch { send(.notice("rule not saved: \(error.message)")) }
            await self?.useSettingsNow()
        }
    }

    /// For programs, and without waiting for the watch of the file, which plain mode does not have.
    func useSettingsNow() async {
        if let (now, defaultClient) = try? await BlockingExecutor.run({ [session] in try session.withSettingsNow() }) {
            use(now, defaultClient)
        }
        send(.programsChanged)
    }
}

extension RuleOffer {
    /// Resolves the refused request again, as the settings and the store may have changed since the offer.
    fileprivate func written(_ session: CommandContext) throws(Failure) -> SettingsChange {
        let environment = session.environmentOfPrograms
        let context = try CommandContext.ofPrograms(environment)
        let use = ProgramUses(environment).read().first { $0.request.program == program && $0.target == target }
        guard let query = use?.query(context.settings, context.environment),
            let call = try ProgramCall(query, context, isAsked: false),
            let fitting = call.fittingRules.first(where: { $0.account.id == account && $0.rule.lines == lines })
        else { throw Failure(.configuration, "accounts or rules have changed") }
        return try SettingsFile(context.settings.path).add(rule: fitting.rule, before: call.resolution.by.rule)
    }

    init(_ use: ProgramUse, _ fitting: FittingRule, of call: ProgramCall, last: ProgramUse?) {
        let line = SettingsFile(call.call.context.settings.path)
            .line(ofAdding: fitting.rule, before: call.resolution.by.rule)
        self.init(
            use.request.program, target: use.target, account: fitting.account.id, username: fitting.account.label,
            isForTarget: fitting.isForTarget, lines: fitting.rule.lines, line: line)
        (lastProgram, lastUse) = (last?.request.program ?? "", last?.date)
    }
}

extension CommandContext {
    /// For requests of programs, which take no options of the interface.
    static func ofPrograms(_ environment: ProcessEnvironment) throws(Failure) -> CommandContext {
        try CommandContext(TokenOptions { $0.neverAsks = true }, environment: environment)
    }
}
