import AppModel
import CommandSupport
import Identity
import Programs
import TokenCache

// Setup of programs from the interface, by the same calls as `foyer setup`.
extension EffectRunner {
    func planSetup(_ name: String, _ direction: SetupDirection, _ id: RequestID) {
        let send = send
        aside { [self] in
            let session = await changedSession()
            do throws(Failure) {
                let work = try session.setupWork(name, direction)
                let (plan, isRecorded) = try await BlockingExecutor.run { () throws(Failure) in
                    (try work.plan(), try work.isRecorded())
                }
                shownSetup = (id, work, plan)
                send(.reply(.setupPreview(SetupPreview(plan, work, isRecorded: isRecorded)), id))
            } catch { send(.reply(.failed(error), id)) }
        }
    }

    /// Only the previewed change, once. Like other file changes it finishes before the interface ends.
    func carryOutSetup(shown: RequestID, _ id: RequestID) {
        let (send, shownSetup) = (send, shownSetup)
        self.shownSetup = nil
        changeFiles {
            do throws(Failure) {
                guard let shownSetup, shownSetup.id == shown else {
                    throw Failure(.cancelled, "nothing changed: the preview is out of date")
                }
                let (work, plan) = (shownSetup.work, shownSetup.plan)
                let outcome = try await BlockingExecutor.run { () throws(Failure) in
                    try work.carryOut(plan, wasShown: true)
                }
                send(.reply(.setupResult(SetupResult(outcome)), id))
            } catch { send(.reply(.failed(error), id)) }
        }
    }
}

extension CommandContext {
    /// - Throws: `usage`; `configuration` in the demo, which must not change the user's files.
    fileprivate func setupWork(_ name: String, _ direction: SetupDirection) throws(Failure) -> SetupWork {
        guard homeOfPrograms == nil else { throw Failure(.configuration, "setup is not available in the demo") }
        let setup = try Setup(environment)
        var wish = Setup.Wish(try setup.program(named: name))
        if wish.program == .docker, direction == .setUp { wish.registries = settings.registriesOfRules }
        return SetupWork(setup: setup, wish: wish, direction: direction)
    }
}

extension [ProgramConnection] {
    /// The states that `foyer setup` and the doctor show. None in the demo, as they would be the user's.
    static func of(_ session: CommandContext) -> [ProgramConnection] {
        guard session.homeOfPrograms == nil, let setup = try? Setup(session.environment) else { return [] }
        return setup.states().map { state in
            let program = SetupProgram(rawValue: state.name)
            // An unreadable record is reported when it is used.
            let isRecorded = program.map { (try? setup.isRecorded($0)) ?? true } ?? false
            return ProgramConnection(
                state.name, state.state.kind, state.state.words, detail: state.detail, canBeTakenBack: isRecorded)
        }
    }
}

extension Programs.ProgramState.State {
    fileprivate var kind: ProgramConnection.Kind {
        switch self {
        case .setUp: .setUp
        case .half: .half
        case .overshadowed: .overshadowed
        case .notSetUp: .notSetUp
        }
    }
}

extension SetupPreview {
    fileprivate init(_ plan: SetupPlan, _ work: SetupWork, isRecorded: Bool) {
        let isNothingToTakeBack = work.direction == .undo && !isRecorded
        self.init(plan.lines)
        warnings = plan.warnings
        notes = plan.notes + (isNothingToTakeBack ? [work.nothingToTakeBack] : [])
        // Undo is offered even if another program has already undone the setup, to delete the record.
        isOffered = work.direction == .setUp ? !plan.isEmpty : isRecorded
    }
}

extension SetupResult {
    fileprivate init(_ outcome: SetupWork.Outcome) {
        self.init(
            outcome.words, checks: outcome.checks.map { Check(isGood: $0.isGood, $0.detail) }, failure: outcome.failure)
    }
}
