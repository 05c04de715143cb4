import AppModel
import CommandSupport
import Identity
import Programs

/// One program's setup, or its undoing: what it would change, and what comes of it. The command and the interface ask
/// before they let it change anything.
struct SetupWork: Sendable {
    let setup: Setup
    let wish: Setup.Wish
    let direction: SetupDirection

    struct Outcome {
        let isChanged: Bool
        /// In a few words, after the change.
        let words: String
        let checks: [SetupCheck]
        /// What does not work yet.
        let failure: Failure?
    }

    var name: String { wish.program.name }

    /// Said instead of a change, where setup has made none.
    var nothingToTakeBack: String { "setup has changed nothing for \(name) that could be taken back" }

    /// Whether there is anything that could be undone.
    func isRecorded() throws(Failure) -> Bool { try setup.isRecorded(wish.program) }

    func plan() throws(Failure) -> SetupPlan {
        direction == .setUp ? try setup.plan(wish) : try setup.undoPlan(wish.program)
    }

    /// - Parameter wasShown: whether a person has agreed to exactly this change.
    func carryOut(_ plan: SetupPlan, wasShown: Bool) throws(Failure) -> Outcome {
        guard direction == .setUp else {
            let done = try setup.undo(plan, wasShown: wasShown)
            let state = setup.state(wish.program).state.words
            return Outcome(isChanged: !done.isEmpty, words: "taken back; \(name) is \(state)", checks: [], failure: nil)
        }
        let done = try setup.apply(plan, wasShown: wasShown) { () throws(Failure) in try self.plan() }
        let checks = setup.check(wish)
        let failure = checks.first { !$0.isGood }.map { bad in
            Failure(
                .configuration, "\(name) will not find foyer yet: \(bad.detail)",
                hint: .text("mend that, or take all of it back with: foyer setup \(name) --undo"))
        }
        return Outcome(
            isChanged: !done.isEmpty, words: "\(name) is set up" + (plan.isEmpty ? ", nothing was changed" : ""),
            checks: checks, failure: failure)
    }
}
