import AppModel
import CommandSupport
import FoundationEssentials
import Helpers
import Identity
import Programs
import TokenCache

extension EffectRunner {
    func lookAtPrograms(_ id: RequestID, asksPrograms: Bool) {
        let send = send
        aside { [self] in
            let session = await changedSession()
            let environment = session.environmentOfPrograms
            await BlockingExecutor.run {
                var report = ProgramsReport.of(environment)
                send(.reply(.programs(report), id))
                guard asksPrograms else { return }
                // Querying the programs themselves takes longer.
                report.states = .of(session)
                send(.reply(.programs(report), id))
            }
        }
    }
}

extension ProgramsReport {
    /// Number of programs to explain: each explanation reads the program's store.
    private static let mostExplained = 30

    private struct Key: Hashable {
        let program: String
        let target: String
    }

    /// Decided like the commands that programs call, which take no options of the interface.
    fileprivate static func of(_ environment: ProcessEnvironment) -> ProgramsReport {
        let session = try? CommandContext.ofPrograms(environment)
        let all = ProgramUses(environment).read()
        var lastUses: [String: ProgramUse] = [:]
        for use in all.reversed() where use.isGiven { lastUses[use.accountID] = use }
        return ProgramsReport(
            settingsFile: session.map { $0.short($0.settings.path) } ?? "the settings file",
            programs: grouped(all).enumerated().map { place, group in
                var program = group.program
                program.explain(group.last, session, lastUses, isWhole: place < mostExplained)
                return program
            }, states: nil)
    }

    /// The record alone, which takes a read of one small file.
    static func uses(_ environment: ProcessEnvironment) -> [Program] {
        grouped(ProgramUses(environment).read()).map(\.program)
    }

    /// By program and target, the most recent request first.
    private static func grouped(_ all: [ProgramUse]) -> [(program: Program, last: ProgramUse)] {
        var order: [Key] = []
        var uses: [Key: [ProgramUse]] = [:]
        for use in all {
            let key = Key(program: use.request.program, target: use.target)
            if uses[key] == nil { order.append(key) }
            uses[key, default: []].append(use)
        }
        return order.compactMap { key in
            guard let uses = uses[key], let last = uses.first else { return nil }
            return (Program(key.program, key.target, uses: uses.map { Use($0) }), last)
        }
    }
}

extension ProgramsReport.Program {
    /// - Parameters:
    ///   - lastUses: the last use of each account, by its home account id.
    ///   - isWhole: whether to read the store as well.
    fileprivate mutating func explain(
        _ last: ProgramUse, _ session: CommandContext?, _ lastUses: [String: ProgramUse], isWhole: Bool
    ) {
        guard let session else {
            explanation = ["cannot read the settings: run the doctor"]
            return
        }
        guard let query = last.query(session.settings, session.environment) else {
            explanation = ["no rule applies: it uses its own options and the settings"]
            return
        }
        let by = try? session.resolvedPlace(query)
        rule = by?.rule.map { rule in
            let written = SettingsFile(session.settings.path).text(of: rule)
            return ProgramsReport.Rule(line: rule.line, text: written.isEmpty ? rule.lines : written)
        }
        guard isWhole else { return }
        do throws(Failure) {
            guard let call = try ProgramCall(query, session, isAsked: false) else {
                explanation = ["no token: no rule matches this host now"]
                ruleToWrite = last.rule?.lines ?? []
                return
            }
            explanation = Array(ProgramExplanation(call, now: Date()).lines.dropFirst())
            offers = call.fittingRules.map { fitting in
                RuleOffer(
                    last, fitting, of: call, last: lastUses.first { fitting.account.isIdentified(by: $0.key) }?.value)
            }
            guard rule == nil else { return }
            let candidates = call.resolution.candidates
            let account = candidates.first { $0.isIdentified(by: last.accountID) } ?? candidates.first
            ruleToWrite = (account.map { try? call.rule(for: $0) } ?? last.rule)?.lines ?? []
        } catch { explanation = [error.message] + (error.hint.map { ["hint: \($0)"] } ?? []) }
    }
}

extension ProgramUse {
    fileprivate var isGiven: Bool { if case .given = outcome { true } else { false } }

    /// The rule that would give the same result again, if no signed-in account is known for it.
    ///
    /// Nil if no rule can name the request's target.
    fileprivate var rule: ProgramRule? {
        guard let conditions = try? request.conditions() else { return nil }
        return ProgramRule(conditions, client: client, account: account.isEmpty ? nil : account)
    }
}

extension ProgramsReport.Use {
    fileprivate init(_ use: ProgramUse) {
        self.init(use.date)
        switch use.outcome {
        case .given(let from): source = from
        case .refused(let code, let why): (refusal, self.code) = (why, Failure.Code(rawValue: code))
        }
        (fitting, milliseconds) = (use.fitting, use.milliseconds)
        (account, accountID) = (use.account, use.accountID)
        (client, tenant, scopes) = (use.client, use.tenant, use.scopes)
    }
}
