import AppModel
import CommandSupport
import Identity
import Programs

/// One program's setup or its undo. The command and the interface ask the user before any change.
struct SetupWork: Sendable {
    let setup: Setup
    let wish: Setup.Wish
    let direction: SetupDirection

    struct Outcome {
        let isChanged: Bool
        let words: String
        let checks: [SetupCheck]
        /// The problem that remains.
        let failure: Failure?
    }

    var name: String { wish.program.name }

    var nothingToTakeBack: String { "nothing to undo for \(name)" }

    func isRecorded() throws(Failure) -> Bool { try setup.isRecorded(wish.program) }

    func plan() throws(Failure) -> SetupPlan {
        direction == .setUp ? try setup.plan(wish) : try setup.undoPlan(wish.program)
    }

    /// - Parameter wasShown: whether the user agreed to exactly this change.
    func carryOut(_ plan: SetupPlan, wasShown: Bool) throws(Failure) -> Outcome {
        guard direction == .setUp else {
            let done = try setup.undo(plan, wasShown: wasShown)
            let state = setup.state(wish.program).state.words
            return Outcome(isChanged: !done.isEmpty, words: "undone; \(name) is \(state)", checks: [], failure: nil)
        }
        let done = try setup.apply(plan, wasShown: wasShown) { () throws(Failure) in try self.plan() }
        let checks = setup.check(wish)
        let failure = checks.first { !$0.isGood }.map { bad in
            Failure(
                .configuration, "\(name) cannot find foyer yet: \(bad.detail)",
                hint: .text("fix that, or undo the setup: foyer setup \(name) --undo"))
        }
        return Outcome(
            isChanged: !done.isEmpty, words: "\(name) is set up" + (plan.isEmpty ? ", nothing was changed" : ""),
            checks: checks, failure: failure)
    }
}
