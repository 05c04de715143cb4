import FoundationEssentials
import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

/// The agent: what waits for the person, who was given what, what is refreshed next.
@Suite struct AgentScreens {
    static let report = AgentReport(
        state: .running, pid: 4711, since: World.seconds(-7200),
        facts: [
            .init("served", "42 tokens, 3 of them refreshed; 1 refused or failed"),
            .init("socket", "/run/user/1000/foyer/agent.sock"),
        ],
        questions: [
            .init(
                id: "1a2b", asker: "/usr/bin/git (pid 815)", client: "work", account: "ada@example.org",
                scopes: "https://graph.microsoft.com/User.Read", since: World.seconds(-5))
        ],
        uses: [
            .init(
                program: "/usr/bin/kubectl", pid: 99, place: "session-2.scope, for bash", client: "work",
                account: "ada@example.org", last: World.seconds(-90), requests: 12),
            .init(
                program: "/opt/unknown", pid: 100, place: "container 0123abcd", client: "", account: "",
                last: World.seconds(-600), requests: 1),
        ],
        refreshes: [.init(at: World.seconds(1200), client: "work", account: "ada@example.org")])

    private func state(rows: Int, columns: Int) -> State {
        var state = World.state(rows: rows, columns: columns)
        state.type("@")
        state.send(.agent(Self.report, RequestID(1)))
        return state
    }

    @Test func `The agent at 110x30`() throws {
        try expectScreen(
            "agent 110x30", state(rows: 30, columns: 110),
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/to…  ▲ plain file
                ─ Activity ›  All  Programs  Agent 1  Failures 1  Doctor ───┬───────────────────────────────────── 1 pending ─
                    program        state       for                          │ ● the agent: running
                ▌ ● foyer agent    running     42 tokens, 3 of them refres… │ pid           4711
                  ▲ git (pid 815)  pending     work · ada@example.org       │ since         02:00, 2 h ago
                  ✔ kubectl        90 s ago    work · ada@example.org       │ served        42 tokens, 3 of them refreshed;
                  · unknown        10 min ago  refused                      │               1 refused or failed
                  ↻ renewal        in 20 min   work · ada@example.org       │ socket        /run/user/1000/foyer/agent.sock
                                                                            │
                                                                            │ L: lock, e: stop
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                ────────────────────────────────────────────────────────────┴─────────────────────────────────────────────────
                 Enter details  L lock  e stop  Tab view  y copy…  Esc back  ? help
                """#)
    }

    @Test func `A question and its answers at 80x24`() throws {
        var state = state(rows: 24, columns: 80)
        state.press(.down, .enter)
        try expectScreen(
            "agent question 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Activity ›  All  Programs  Agent 1  Failures 1  Doctor ─────────── 1 pending ─
                 /usr/bin/git (pid 815)
                 client    work
                 account   ada@example.org
                 scopes    https://graph.microsoft.com/User.Read
                 waits     since 03:59

                   Allow once
                   Allow until the agent stops
                   Always allow
                 ▌ Refuse
                   Never allow

                 Pending requests are refused.








                 Enter answer  L lock  e stop  Tab view  y copy…  Esc back  ? help
                """#)
    }
}
