import FoundationEssentials
import Identity
import Keys
import Testing

@testable import AppModel

/// The list of who asked for tokens, and the views of its tab.
@Suite struct ActivityTests {
    private static func ago(_ seconds: Double) -> Date { Sample.now.addingTimeInterval(-seconds) }

    private static func use(
        _ seconds: Double, _ account: String = "ada@example.org", refusal: String? = nil, code: Failure.Code? = nil
    ) -> ProgramsReport.Use {
        ProgramsReport.Use(
            at: ago(seconds), account: account, client: "work", source: refusal == nil ? "cache" : "",
            refusal: refusal, code: code, milliseconds: 3)
    }

    private static let terraform = ProgramsReport.Program(
        "terraform", "", uses: [use(60), use(70), use(80), use(90, "grace@example.org"), use(100)])
    private static let kubectl = ProgramsReport.Program(
        "kubectl", "https://k.example.org",
        uses: [use(75, "", refusal: "2 accounts are signed in", code: .ambiguous), use(200)])

    /// Adds what the looks of the top page find.
    private func told(
        _ state: inout AppState, _ effects: [Effect], _ programs: [ProgramsReport.Program] = [terraform, kubectl],
        agent: [AgentReport.Use] = []
    ) {
        for effect in effects {
            switch effect {
            case .lookAtPrograms(let id, let asksPrograms):
                #expect(!asksPrograms, "git and others would be run for each of their requests")
                state.send(.reply(.programs(ProgramsReport(settingsFile: "", programs: programs)), id))
            case .lookAtAgent(let id):
                var report = AgentReport(.running)
                report.uses = agent
                state.send(.reply(.agent(report), id))
            default: Issue.record("\(effect)")
            }
        }
    }

    private func opened(_ command: Command = .activity, agent: [AgentReport.Use] = []) -> AppState {
        var state = Sample.state()
        told(&state, state.run(command), agent: agent)
        return state
    }

    @Test func `Requests of programs and of this session are one list, newest first; equal ones in a row are one`()
        throws
    {
        var state = Sample.state()
        state.run(.open)
        state.send(
            .reply(.began(at: Self.ago(65), correlationID: nil), RequestID(1)),
            .reply(.acquired(try Sample.token()), RequestID(1)), .reply(.ended(milliseconds: 412), RequestID(1)))
        state.run(.back)
        told(&state, state.run(.activity))
        #expect(
            state.topPage.rows() == [
                "03:59, terraform ×3, ada@example.org, from cache, 3 ms",
                "03:58, foyer, ada@example.org, from refresh, 412 ms", "03:58, kubectl, refused, 3 ms",
                "03:58, terraform, grace@example.org, from cache, 3 ms",
                "03:58, terraform, ada@example.org, from cache, 3 ms",
                "03:56, kubectl, ada@example.org, from cache, 3 ms",
            ])
    }

    @Test func `What the agent gave is in the list, unless the program's own record has it`() {
        func use(_ program: String, _ seconds: Double, client: String = "work") -> AgentReport.Use {
            AgentReport.Use(
                program: program, pid: 7, client: client, account: client.isEmpty ? "" : "ada@example.org",
                last: Self.ago(seconds), requests: 2)
        }
        let state = opened(
            agent: [use("/usr/bin/foyer", 30), use("/usr/bin/foyer", 61), use("/opt/x", 40, client: "")])
        #expect(
            state.topPage.rows()?.prefix(3) == [
                "03:59, foyer ×2, ada@example.org, from agent", "03:59, x ×2, refused",
                "03:59, terraform ×3, ada@example.org, from cache, 3 ms",
            ])
    }

    @Test func `What went to another host is in the list with its program there, and is found by the host`() {
        func use(_ program: String, _ seconds: Double) -> AgentReport.Use {
            AgentReport.Use(
                program: "/usr/bin/ssh", pid: 8, host: "ssh build.example.org", remoteProgram: program,
                client: "work", account: "ada@example.org", last: Self.ago(seconds), requests: 1)
        }
        var state = opened(agent: [use("git", 59), use("", 50)])
        #expect(
            state.topPage.rows()?.prefix(3) == [
                "03:59, ssh build.example.org, ada@example.org, from agent",
                "03:59, git via ssh build.example.org, ada@example.org, from agent",
                "03:59, terraform ×3, ada@example.org, from cache, 3 ms",
            ], "terraform's own record is of another request")
        state.send(.select(1))
        #expect(state.words.contains("from: ssh build.example.org"))
        #expect(state.words.contains("for: git, as reported from there"))
        state.run(.filter)
        for letter in "host:build" { state.send(.key(.character(letter))) }
        #expect(state.topPage.rows()?.count == 2)
    }

    @Test func `The agent is asked again while the list is open, one look at a time`() {
        var state = opened()
        #expect(state.send(.tick(Self.ago(-1))).isEmpty)
        let effects = state.send(.tick(Self.ago(-2)))
        #expect(effects.count == 1 && state.send(.tick(Self.ago(-9))).isEmpty)
        told(&state, effects, agent: [AgentReport.Use(program: "/opt/x", pid: 7, last: Self.ago(0), requests: 1)])
        #expect(state.topPage.rows()?.first == "04:00, x, refused")
    }

    @Test func `The mark stays on its row while equal requests are added to it and others come`() {
        var state = opened()
        state.send(.select(1))
        #expect(state.words.contains("kubectl for https://k.example.org"))
        state.send(.select(0))
        var terraform = Self.terraform
        terraform.uses.insert(Self.use(10), at: 0)
        let git = ProgramsReport.Program("git", "git.example.org", uses: [Self.use(1)])
        told(&state, state.send(.programsChanged), [git, terraform])
        #expect(state.topPage.selectedRow == 1 && state.words.contains("equal: 4 requests since"))
    }

    @Test func `Failures are those of everybody, and are counted in the title of each view`() {
        for view in ActivityView.allCases {
            var state = opened()
            if view != .all { state.run(view.command) }
            let views = state.topPage.pageTitle.views
            #expect(views.map(\.title) == ["All", "Programs", "Agent", "Failures", "Doctor"])
            #expect(views.map(\.alert) == ["", "", "", "1", ""] && views.filter(\.isOpen).map(\.title) == [view.title])
        }
        let state = opened(.failures)
        #expect(state.topPage.rows() == ["03:58, kubectl, refused, 3 ms"])
        #expect(state.words.contains("refused: 2 accounts are signed in"))
    }

    @Test func `Each view is the tab Activity; Tab goes around them, and one replaces another`() {
        var state = Sample.state()
        state.send(.key(.character("A")))
        for view in ActivityView.allCases {
            #expect(state.tab == .activity && state.stack.count == 1)
            #expect(state.topPage.pageTitle.views.first { $0.isOpen }?.title == view.title)
            state.send(.key(.tab))
        }
        #expect(state.top is ActivityPage)
        #expect(state.send(.key(.backTab)).contains { if case .examine = $0 { true } else { false } })
        #expect(state.send(.key(.character("@"))).contains { if case .cancel = $0 { true } else { false } })
        state.send(.key(.character("5")))
        #expect(state.top is ActivityPage && state.stack.count == 1)
        state.run(.back)
        #expect(state.stack.isEmpty && state.tab == .accounts)
    }

    @Test func `A view opened on another tab goes back to it`() {
        var state = Sample.state()
        state.run(.stores, .programs)
        #expect(state.tab == .activity && state.stack.count == 2)
        state.run(.failures, .back)
        #expect(state.tab == .stores && state.stack.count == 1)
    }

    @Test func `The demo does not ask the agent of its user`() {
        var context = Sample.context
        context.isDemo = true
        var state = AppState(context: context, now: Sample.now)
        #expect(state.run(.activity) == [.lookAtPrograms(RequestID(1), asksPrograms: false)])
    }

    @Test func `Failures that nobody has looked at are counted, and are not once the activity is open`() {
        var state = Sample.state()
        #expect(state.context.activity.unread == 0)
        state.send(.programUses([Self.terraform, Self.kubectl]))
        state.send(.agentUses([AgentReport.Use(program: "/opt/x", pid: 7, last: Self.ago(40), requests: 1)]))
        #expect(state.context.activity.unread == 2)
        let effects = state.run(.activity)
        #expect(state.context.activity.unread == 0)
        #expect(effects.last == .keepActivityRead(until: Self.ago(40)))
        state.run(.back)
        var later = Self.kubectl
        later.uses.insert(Self.use(5, "", refusal: "2 accounts are signed in", code: .ambiguous), at: 0)
        state.send(.programUses([Self.terraform, later]))
        #expect(state.context.activity.unread == 1, "an equal refusal is a new one")
        state.run(.agent)
        #expect(state.context.activity.unread == 0, "every view of the tab shows the number of failures")
    }

    @Test func `What was seen in an earlier session is not counted again, and a wrong clock hides nothing`() {
        var state = Sample.state()
        state.send(.programUses([Self.kubectl]), .activityRead(until: Self.ago(75)))
        #expect(state.context.activity.unread == 0)
        state = Sample.state()
        state.send(.activityRead(until: Self.ago(-1_000_000)))
        let later = ProgramsReport.Program("git", "", uses: [Self.use(-5, "", refusal: "refused")])
        state.send(.programUses([later]))
        #expect(state.context.activity.unread == 1)
    }

    @Test func `A failure of this session is counted, and read where it is shown`() {
        var state = Sample.state()
        state.run(.open)
        state.send(.reply(.failed(Failure(.unavailable, "no network")), RequestID(1)))
        state.run(.back)
        #expect(state.context.activity.unread == 1)
        state.run(.failures)
        #expect(state.context.activity.unread == 0)
    }

    private func found(_ text: String) -> [String] {
        var state = opened()
        state.run(.filter)
        for letter in text { state.send(.key(.character(letter))) }
        return state.topPage.rows()?.map { String($0.dropFirst(7).prefix { $0 != "," && $0 != " " }) } ?? []
    }

    @Test func `Requests are filtered by words and by conditions, and stay in their order`() {
        #expect(found("") == ["terraform", "kubectl", "terraform", "terraform", "kubectl"])
        #expect(found("who:kube") == ["kubectl", "kubectl"])
        #expect(found("who:kubectl is:f") == ["kubectl"])
        #expect(found("account:grace") == ["terraform"])
        #expect(found("host:k.example") == ["kubectl", "kubectl"])
        #expect(found("grc") == ["terraform"])
        #expect(found("work").count == 5, "the client")
        #expect(found("!grace terra") == ["terraform", "terraform"])
        #expect(found("is:nonsense").isEmpty && found("who:nobody").isEmpty)
    }

    @Test func `Tab completes a condition and its value; Enter keeps the filter, Esc clears it before it leaves`() {
        var state = opened()
        state.run(.filter)
        #expect(state.keyContext == .filter)
        for letter in "wh" { state.send(.key(.character(letter))) }
        state.send(.key(.tab))
        state.send(.key(.character("k")), .key(.tab))
        #expect(state.topPage.filter?.field.text == "who:kubectl" && state.topPage.filter?.count == 2)
        state.send(.key(.enter))
        #expect(state.keyContext == .activity && state.topPage.rows()?.count == 2)
        state.send(.key(.enter))
        #expect(state.words.contains("kubectl for https://k.example.org"))
        state.send(.key(.escape), .key(.escape))
        #expect(state.stack.count == 1 && state.topPage.filter == nil && state.topPage.rows()?.count == 5)
        state.send(.key(.escape))
        #expect(state.stack.isEmpty)
    }

    @Test func `Where nothing matches, a key shows all`() {
        var state = opened()
        state.run(.filter)
        for letter in "xyz" { state.send(.key(.character(letter))) }
        #expect(state.words.contains("no request matches") && state.words.contains("Esc: show all"))
        state.send(.key(.escape))
        #expect(state.topPage.rows()?.count == 5)
    }
}
