import CommandSupport
import Glibc
import Identity
import Programs
import StrictJSON

/// Shows a change, asks, makes it, and says what was checked.
struct SetupJob {
    private let setup: Setup
    private let wish: Setup.Wish
    private let output: Output
    private let mayAsk: Bool

    init(_ setup: Setup, _ wish: Setup.Wish, _ output: Output, mayAsk: Bool) {
        self.setup = setup
        self.wish = wish
        self.output = output
        self.mayAsk = mayAsk
    }

    private var name: String { wish.program.name }

    func run(yes: Bool, _ onlyShows: Bool) async throws {
        let plan = try setup.plan(wish)
        show(plan)
        if onlyShows { return leave(plan) }
        if !plan.isEmpty { try await agree(yes, "Change this?", "foyer setup \(name) --yes") }
        let done = try setup.apply(plan, wasShown: !yes) { () throws(Failure) in try setup.plan(wish) }
        let checks = setup.check(wish)
        report(plan, isChanged: !done.isEmpty, checks)
        if !output.json {
            output.lines(checks.map { ($0.isGood ? "ok   " : "BAD  ") + $0.detail })
            if plan.isEmpty { output.note("foyer: \(name) is set up, nothing was changed") }
        }
        if let bad = checks.first(where: { !$0.isGood }) {
            throw Failure(
                .configuration, "\(name) will not find foyer yet: \(bad.detail)",
                hint: .text("mend that, or take all of it back with: foyer setup \(name) --undo"))
        }
    }

    func undo(yes: Bool, _ onlyShows: Bool) async throws {
        let plan = try setup.undoPlan(wish.program)
        guard try setup.isRecorded(wish.program) else {
            report(plan, isChanged: false, [])
            if !output.json { output.note("foyer: setup has changed nothing for \(name) that could be taken back") }
            return
        }
        show(plan)
        if onlyShows { return leave(plan) }
        if !plan.isEmpty { try await agree(yes, "Take it back?", "foyer setup \(name) --undo --yes") }
        let done = try setup.undo(plan, wasShown: !yes)
        report(plan, isChanged: !done.isEmpty, [])
        if !output.json {
            let state = setup.state(wish.program)
            output.note("foyer: taken back; \(name) is \(state.state.words)")
        }
    }

    // MARK: What is said

    private func show(_ plan: SetupPlan) {
        guard !output.json else { return }
        output.lines(plan.lines)
        for warning in plan.warnings { output.warn("warning: \(warning)") }
        for note in plan.notes { output.note("foyer: \(note)") }
    }

    private func leave(_ plan: SetupPlan) {
        report(plan, isChanged: false, [])
        if plan.isEmpty, !output.json { output.note("foyer: there is nothing to change") }
        if !plan.isEmpty { output.leave(1) }
    }

    private func report(_ plan: SetupPlan, isChanged: Bool, _ checks: [SetupCheck]) {
        guard output.json else { return }
        output.result(
            JSONValue(
                ("program", name.json), ("changes", plan.json), ("changed", .bool(isChanged)),
                ("warnings", .array(plan.warnings.map(\.json))), ("notes", .array(plan.notes.map(\.json))),
                ("checks", .array(checks.map(\.json)))))
    }

    /// The safe answer is the default.
    private func agree(_ yes: Bool, _ question: String, _ command: String) async throws {
        if yes { return }
        guard mayAsk else {
            throw Failure(.usage, "nothing was changed, as nobody is there to ask", hint: .text("run: \(command)"))
        }
        Output.write("\(question) [y/N] ", to: STDERR_FILENO)
        guard ["y", "yes"].contains(await PlainInput().next()?.lowercased() ?? "") else {
            throw Failure(.cancelled, "nothing was changed")
        }
    }
}
