import AppModel
import CommandSupport
import Identity
import Programs
import StrictJSON

/// Shows a change, asks, applies it, and reports the checks.
struct SetupJob {
    let work: SetupWork
    let output: Output

    func run(yes: Bool, _ onlyShows: Bool) async throws {
        let plan = try work.plan()
        let takesBack = work.direction == .undo
        guard try !takesBack || work.isRecorded() else {
            report(plan, isChanged: false, [])
            if !output.json { output.note("foyer: \(work.nothingToTakeBack)") }
            return
        }
        show(plan)
        if onlyShows { return leave(plan) }
        if !plan.isEmpty {
            try await agree(
                yes, takesBack ? "Undo this?" : "Apply this change?",
                "foyer setup \(work.name) " + (takesBack ? "--undo --yes" : "--yes"))
        }
        let outcome = try work.carryOut(plan, wasShown: !yes)
        report(plan, isChanged: outcome.isChanged, outcome.checks)
        if !output.json {
            output.lines(outcome.checks.map { ($0.isGood ? "ok   " : "BAD  ") + $0.detail })
            if takesBack || plan.isEmpty { output.note("foyer: \(outcome.words)") }
        }
        if let failure = outcome.failure { throw failure }
    }

    // MARK: Output

    private func show(_ plan: SetupPlan) {
        guard !output.json else { return }
        output.lines(plan.lines)
        for warning in plan.warnings { output.warn("warning: \(warning)") }
        for note in plan.notes { output.note("foyer: \(note)") }
    }

    private func leave(_ plan: SetupPlan) {
        report(plan, isChanged: false, [])
        if plan.isEmpty, !output.json { output.note("foyer: nothing to change") }
        if !plan.isEmpty { output.leave(1) }
    }

    private func report(_ plan: SetupPlan, isChanged: Bool, _ checks: [SetupCheck]) {
        guard output.json else { return }
        output.result(
            JSONValue(
                ("program", work.name.json), ("changes", plan.json), ("changed", .bool(isChanged)),
                ("warnings", .array(plan.warnings.map(\.json))), ("notes", .array(plan.notes.map(\.json))),
                ("checks", .array(checks.map(\.json)))))
    }

    private func agree(_ yes: Bool, _ question: String, _ command: String) async throws {
        if yes { return }
        guard Agreement.canAsk(output) else {
            throw Failure(.usage, "nothing changed: not a terminal (use --yes)", hint: .text("run: \(command)"))
        }
        guard await Agreement.isGiven(to: question, output) else { throw Failure(.cancelled, "nothing was changed") }
    }
}
