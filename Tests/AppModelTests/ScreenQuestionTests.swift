import FoundationEssentials
import Identity
import Keys
import Testing

@testable import AppModel

/// What the top page asks, which the faces wait to be seen; and rows that stay under the cursor.
@Suite struct ScreenQuestionTests {
    private static func use(_ seconds: Double, refusal: String? = "2 accounts are signed in") -> ProgramsReport.Use {
        ProgramsReport.Use(
            at: Sample.now.addingTimeInterval(-seconds), refusal: refusal, code: .ambiguous, fitting: 2)
    }

    private static func program(_ name: String, _ seconds: Double) -> ProgramsReport.Program {
        var program = ProgramsReport.Program(name, "\(name).example", uses: [use(seconds)])
        program.offers = [
            RuleOffer(
                name, target: program.target, account: Sample.ada.id, username: Sample.ada.username, isForTarget: false,
                lines: ["[[rules]]", "program = \"\(name)\"", "account = \"ada\""], line: 3)
        ]
        return program
    }

    private static func report(_ programs: [ProgramsReport.Program]) -> ProgramsReport {
        ProgramsReport(settingsFile: "~/config.toml", programs: programs)
    }

    private static let views = [Command.activity, .failures, .programs]

    private func opened(_ view: Command) -> AppState {
        var state = Sample.state()
        state.run(view)
        state.send(.reply(.programs(Self.report([Self.program("git", 60)])), RequestID(1)))
        return state
    }

    /// The view looks again, and finds these.
    private func look(_ state: inout AppState, _ programs: [ProgramsReport.Program]) {
        for effect in state.send(.programsChanged) {
            if case .lookAtPrograms(let id, _) = effect {
                state.send(.reply(.programs(Self.report(programs)), id), .programUses(programs))
            }
        }
    }

    @Test(arguments: views)
    func `A refusal that arrives does not slide under the cursor of who is about to open another one`(view: Command) {
        var state = opened(view)
        #expect(state.words.contains("git.example"))
        look(&state, [Self.program("evil", 1), Self.program("git", 60)])
        #expect(state.topPage.selectedRow == 1)
        state.run(.open)
        let effects = state.send(.key(.enter))
        guard case .writeRule(let offer, _)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(offer.program == "git")
    }

    @Test(arguments: views)
    func `An open refusal that is gone closes, and its answer writes no other rule`(view: Command) {
        var state = opened(view)
        state.run(.open)
        #expect(state.question?.form == .choice)
        look(&state, [Self.program("evil", 1)])
        #expect(state.question == nil && !state.topPage.isReadingRow)
        #expect(state.send(.key(.enter)) == [], "it opens the other one")
    }

    @Test(arguments: views) func `A rule that changes under its name is another question`(view: Command) {
        var state = opened(view)
        state.run(.open)
        let before = state.question
        state.run(.down)
        #expect(state.question == before, "another answer to the same question is selected")
        var changed = Self.program("git", 60)
        changed.offers[0].lines[2] = "account = \"grace\""
        look(&state, [changed])
        #expect(state.question != nil && state.question != before)
    }

    @Test(arguments: views) func `The same refusal opened again is looked at again`(view: Command) {
        var state = opened(view)
        state.run(.open, .back)
        #expect(state.question == nil)
        state.run(.open)
        #expect(state.question != nil)
        state.run(.help)
        #expect(state.question == nil, "the help covers it")
    }

    /// Each key's effect at a menu of answers.
    @Test(arguments: [
        (Key.enter, true), (.up, true), (.down, true), (.character("z"), true), (.paste("y"), true),
        (.mouse(MouseEvent(.click, at: Position(row: 1, column: 1))), true), (.alt("x"), true), (.escape, false),
        (.control("c"), false), (.control("l"), false), (.function(1), false), (.control("y"), false),
    ]) func `Only keys that leave a menu of answers are heard before it is seen`(key: Key, mayAnswer: Bool) {
        var state = opened(.failures)
        #expect(!state.mayAnswer(key))
        state.run(.open)
        #expect(state.mayAnswer(key) == mayAnswer)
    }

    @Test func `A line's text can be typed, and only the key that sends it is an answer`() {
        var state = Sample.state()
        state.run(.agent)
        state.send(.reply(.agent(AgentReport(state: .locked(by: ["encrypted:~/store"]), pid: 5)), RequestID(1)))
        state.run(.lockAgent)
        #expect(state.question?.form == .text)
        let keys = [Key.enter, .character("a"), .backspace, .left, .paste("a"), .escape, .control("u")]
        #expect(keys.map(state.mayAnswer) == [true, false, false, false, false, false, false])
    }

    @Test func `A list, its filter and its details ask nothing`() {
        for commands in [[], [Command.filter], [.inspect], [.scopes], [.settings], [.palette], [.help], [.signIn]] {
            var state = Sample.state()
            for command in commands { state.run(command) }
            #expect(state.question == nil, "\(commands)")
        }
    }

    @Test func `A pending request that arrives first keeps the cursor where it was`() {
        func question(_ id: String) -> AgentReport.Question {
            AgentReport.Question(
                id: id, asker: "/usr/bin/\(id)", client: "work", account: "ada@example.org", scopes: "User.Read",
                since: Sample.now)
        }
        var state = Sample.state()
        state.run(.agent)
        state.send(.reply(.agent(AgentReport(state: .running, pid: 5, questions: [question("git")])), RequestID(1)))
        state.run(.down)
        let effects = state.send(.tick(Sample.now.addingTimeInterval(3)))
        guard case .lookAtAgent(let look)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        let both = AgentReport(state: .running, pid: 5, questions: [question("evil"), question("git")])
        state.send(.reply(.agent(both), look))
        state.run(.open)
        #expect(state.words.contains("/usr/bin/git") && !state.words.contains("/usr/bin/evil"))
    }
}
