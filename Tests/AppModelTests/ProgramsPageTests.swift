import FoundationEssentials
import Identity
import Keys
import Testing

@testable import AppModel

/// The page of programs, and what is told of questions on the others.
@Suite struct ProgramsPageTests {
    private static func program(
        _ name: String, _ target: String = "", rule: ProgramsReport.Rule? = nil, refusal: String? = nil,
        uses count: Int = 1
    ) -> ProgramsReport.Program {
        ProgramsReport.Program(
            name: name, target: target,
            uses: (0..<count).map {
                ProgramsReport.Use(
                    at: Sample.now.addingTimeInterval(-60 * Double($0)), account: "ada\($0)@example.org",
                    client: "work", scopes: ["User.Read"], source: "cache", refusal: refusal)
            }, rule: rule, ruleToWrite: rule == nil ? ["[[rules]]", "program = \"\(name)\""] : [],
            explanation: ["account: ada@example.org, the only one"])
    }

    private static let rule = ProgramsReport.Rule(line: 7, text: ["[[rules]]", "host = \"git.example.org\" # ours"])

    private func opened(_ programs: [ProgramsReport.Program], _ states: [ProgramConnection] = []) -> AppState {
        var state = Sample.state()
        #expect(state.run(.programs) == [.lookAtPrograms(RequestID(1), asksPrograms: true)])
        state.send(
            .reply(
                .programs(ProgramsReport(settingsFile: "~/config.toml", programs: programs, states: states)),
                RequestID(1)))
        return state
    }

    @Test func `Enter shows the rule as it is written, with its file and line, and goes back`() {
        var state = opened([Self.program("git", "git.example.org", rule: Self.rule)])
        #expect(!state.words.contains("# ours"))
        state.run(.open)
        #expect(
            state.words.contains("~/config.toml, line 7") && state.words.contains("host = \"git.example.org\" # ours"))
        state.run(.back)
        #expect(!state.words.contains("# ours") && !state.stack.isEmpty)
    }

    @Test func `Without a rule there is one to write, which can be copied`() {
        var state = opened([Self.program("kubectl", "https://k")])
        state.run(.open)
        #expect(state.words.contains("No matching rule") && state.words.contains("program = \"kubectl\""))
        let copied = state.topPage.copyables().first
        #expect(copied?.name == "suggested rule" && copied?.content() == .text("[[rules]]\nprogram = \"kubectl\""))
    }

    @Test func `The mark stays on its program while others come before it`() {
        var state = opened([Self.program("git"), Self.program("az")])
        state.send(.select(1))
        guard case .lookAtPrograms(let look, _) = state.send(.programsChanged).first else {
            Issue.record("it does not look again")
            return
        }
        let report = ProgramsReport(
            settingsFile: "", programs: [Self.program("docker"), Self.program("git"), Self.program("az")])
        state.send(.reply(.programs(report), look))
        #expect(state.topPage.selectedRow == 2)
    }

    @Test func `It looks when something changes, once at a time`() {
        var state = opened([Self.program("git")])
        #expect(state.send(.tick(Sample.now.addingTimeInterval(60))).isEmpty)
        guard case .lookAtPrograms(let first, _) = state.send(.programsChanged).first else {
            Issue.record("it does not look again")
            return
        }
        #expect(state.send(.programsChanged).isEmpty && state.send(.programsChanged).isEmpty)
        let report = ProgramsReport(settingsFile: "", programs: [Self.program("git")], states: nil)
        #expect(state.send(.reply(.programs(report), first)).isEmpty, "the states are still to come")
        let whole = ProgramsReport(settingsFile: "", programs: [Self.program("git")], states: [])
        guard case .lookAtPrograms(let second, _) = state.send(.reply(.programs(whole), first)).first else {
            Issue.record("what changed during the look is not looked at")
            return
        }
        #expect(state.send(.reply(.programs(whole), second)).isEmpty)
    }

    @Test func `What was refused says why, and is counted above`() {
        let state = opened([Self.program("git", refusal: "a person must sign in"), Self.program("az")])
        #expect(state.words.contains("refused: a person must sign in"))
        #expect(state.topPage.pageTitle.alert == "1 refused")
    }

    @Test func `What was given before is told, the latest first`() {
        let state = opened([Self.program("git", uses: 3)])
        let places = ["ada0@", "ada1@", "ada2@"].map { state.words.firstRange(of: $0)?.lowerBound }
        #expect(places.allSatisfy { $0 != nil } && places.compactMap { $0 } == places.compactMap { $0 }.sorted())
    }

    @Test func `Programs that nobody has used yet stand below, with what is missing`() {
        var state = opened(
            [Self.program("git")], [ProgramConnection("docker", .half, "partly set up", detail: "not on PATH")])
        state.send(.select(1))
        #expect(state.words.contains("docker: partly set up") && state.words.contains("not on PATH"))
    }

    @Test func `States come after the rest, in their order, and stay while they are looked at anew`() {
        var state = opened(
            [Self.program("git")],
            [
                ProgramConnection("az", .notSetUp, "not set up"), ProgramConnection("docker", .setUp, "set up"),
                ProgramConnection("uv", .half, "partly set up"),
            ])
        func rows() -> [String] {
            state.topPage.rows()?.compactMap { $0.split(separator: ",").first.map(String.init) } ?? []
        }
        #expect(rows() == ["git", "docker", "uv", "az"])
        guard case .lookAtPrograms(let look, _) = state.run(.reload).first else {
            Issue.record("it does not look again")
            return
        }
        let report = ProgramsReport(settingsFile: "", programs: [Self.program("git")], states: nil)
        state.send(.reply(.programs(report), look))
        #expect(rows() == ["git", "docker", "uv", "az"] && !state.isOffered(.reload), "they are still to come")
        state.send(.reply(.programs(ProgramsReport(settingsFile: "", programs: [], states: [])), look))
        #expect(rows().isEmpty && state.isOffered(.reload))
    }

    @Test func `With nothing to show it says what to do`() {
        let state = opened([])
        #expect(state.words.contains("foyer why") && state.words.contains("foyer help programs"))
        #expect(!state.isOffered(.open))
    }

    @Test func `A question is told once on any page, and not on the agent's own`() {
        var state = Sample.state()
        state.send(.waiting(["a"]))
        #expect(state.notice == "1 pending request: open @")
        state.send(.key(.down))
        state.send(.waiting(["a"]))
        #expect(state.notice == nil)
        state.send(.waiting(["a", "b"]))
        #expect(state.notice == "2 pending requests: open @")
        state.send(.key(.down))
        state.send(.waiting([]))
        #expect(state.notice == nil)
        state.run(.agent)
        state.send(.waiting(["c"]))
        #expect(state.notice == nil)
    }
}
