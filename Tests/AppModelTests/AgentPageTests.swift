import FoundationEssentials
import Identity
import Keys
import Testing

@testable import AppModel

/// The page of the agent.
@Suite struct AgentPageTests {
    private static func question(_ id: String = "1a2b") -> AgentReport.Question {
        AgentReport.Question(
            id: id, asker: "/usr/bin/git (pid 7)", client: "work", account: "ada@example.org", scopes: "User.Read",
            since: Sample.now)
    }

    private static let use = AgentReport.Use(
        program: "/usr/bin/git", pid: 7, place: "user@1000.service", client: "work", account: "ada@example.org",
        last: Sample.now, requests: 3)

    private func opened(_ report: AgentReport) -> AppState {
        var state = Sample.state()
        #expect(state.run(.agent) == [.lookAtAgent(RequestID(1))])
        state.send(.reply(.agent(report), RequestID(1)))
        return state
    }

    private func orders(_ effects: [Effect]) -> [AgentOrder] {
        effects.compactMap { if case .orderAgent(let order) = $0 { order } else { nil } }
    }

    @Test func `Enter on what waits leads to the answers, and gives nothing away by itself`() {
        var state = opened(AgentReport(state: .running, pid: 5, questions: [Self.question()], uses: [Self.use]))
        #expect(state.topPage.pageTitle.alert == "1 pending")
        state.send(.select(1))
        #expect(state.run(.open) == [] && state.question?.form == .choice)
        #expect(state.words.contains("> Refuse: "))
        #expect(orders(state.send(.key(.enter))) == [.answer(id: "1a2b", .refuse)])
    }

    @Test(arguments: Array(AgentPermission.allCases.enumerated().map { ($0.offset, $0.element) }))
    func `Each answer is given as it is marked`(place: Int, permission: AgentPermission) {
        var state = opened(AgentReport(state: .running, pid: 5, questions: [Self.question()]))
        state.send(.select(1))
        state.run(.open)
        state.send(.select(place))
        #expect(orders(state.send(.key(.enter))) == [.answer(id: "1a2b", permission)])
    }

    @Test func `An answer never goes to another question than the one that is read`() {
        var state = opened(
            AgentReport(state: .running, pid: 5, questions: [Self.question("1a2b"), Self.question("3c4d")]))
        state.send(.select(1))
        state.run(.open)
        state.send(.select(0))
        // It was answered elsewhere meanwhile; the other one takes its row.
        let effects = state.send(.tick(Sample.now.addingTimeInterval(3)))
        guard case .lookAtAgent(let look) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        state.send(.reply(.agent(AgentReport(state: .running, pid: 5, questions: [Self.question("3c4d")])), look))
        #expect(orders(state.send(.key(.enter))) == [])
    }

    @Test func `An encrypted store's passphrase unlocks it, typed unseen; without one a key does`() {
        var state = opened(AgentReport(state: .locked(by: ["encrypted:~/store"]), pid: 5))
        #expect(state.words.contains("unlocked by: the passphrase of encrypted:~/store"))
        state.run(.lockAgent)
        #expect(state.topPage.prompt?.isMasked == true)
        for letter in "secret" { state.send(.key(.character(letter))) }
        #expect(orders(state.send(.key(.enter))) == [.unlock(Secret("secret"))])
        #expect(state.topPage.prompt == nil)
        state = opened(AgentReport(state: .locked(by: []), pid: 5))
        #expect(orders(state.run(.lockAgent)) == [.unlock(nil)])
        state = opened(AgentReport(state: .running, pid: 5))
        #expect(orders(state.run(.lockAgent)) == [.lock])
    }

    @Test func `It is started where there is none, and stopped where there is one`() {
        var state = opened(AgentReport(.absent))
        #expect(!state.isOffered(.lockAgent))
        #expect(orders(state.run(.endAgent)) == [.start])
        state = opened(AgentReport(state: .running, pid: 5))
        #expect(orders(state.run(.endAgent)) == [.stop])
        state = opened(AgentReport(.unusable("the agent does not answer")))
        #expect(!state.isOffered(.endAgent) && state.words.contains("the agent does not answer"))
    }

    @Test func `It looks again while it is open, one look at a time`() {
        var state = opened(AgentReport(state: .running, pid: 5))
        #expect(state.send(.tick(Sample.now.addingTimeInterval(1))).isEmpty)
        #expect(state.send(.tick(Sample.now.addingTimeInterval(2))) == [.lookAtAgent(RequestID(2))])
        #expect(state.send(.tick(Sample.now.addingTimeInterval(9))).isEmpty)
        state.send(.reply(.agent(AgentReport(.absent)), RequestID(2)))
        #expect(state.words.contains("not running"))
    }

    private static func forwarding(isEnded: Bool = false) -> AgentReport.Forwarding {
        AgentReport.Forwarding(
            id: "815", words: "build.example.org, forwarded by ssh (pid 815)", program: "git", since: Sample.now,
            last: Sample.now, tokens: 2, failures: 1, isEnded: isEnded)
    }

    @Test func `Who is forwarded is seen, and ended by an answer that has to be chosen`() {
        let report = AgentReport(
            state: .running, pid: 5, questions: [Self.question()], forwardings: [Self.forwarding()])
        var state = opened(report)
        state.send(.select(2))
        #expect(state.words.contains("build.example.org, forwarded by ssh (pid 815)"))
        #expect(state.run(.open) == [] && state.question?.form == .choice)
        #expect(state.words.contains("> Keep open: ") && state.words.contains("2 tokens, 1 refused"))
        #expect(orders(state.send(.key(.enter))) == [])
        state.run(.open)
        state.send(.select(1))
        #expect(orders(state.send(.key(.enter))) == [.endForwarding(id: "815")])
        // What waits is still there.
        #expect(state.topPage.pageTitle.alert == "1 pending")
    }

    @Test func `One that is ended cannot be ended again`() {
        var state = opened(AgentReport(state: .running, pid: 5, forwardings: [Self.forwarding(isEnded: true)]))
        state.send(.select(1))
        state.run(.open)
        #expect(!state.isOffered(.yes) && state.words.contains("Closed: gets no more tokens"))
    }
}
