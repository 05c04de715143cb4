import FoundationEssentials
import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

/// Other programs: what each was given, and by which rule.
@Suite struct ProgramsScreens {
    private static func use(
        _ seconds: TimeInterval, _ account: String = "ada@contoso.example", source: String = "cache",
        refusal: String? = nil
    ) -> ProgramsReport.Use {
        ProgramsReport.Use(
            at: World.seconds(seconds), account: account, client: "work",
            scopes: ["499b84ac-1321-427f-aa17-267ca6975798/.default"], source: refusal == nil ? source : "",
            refusal: refusal)
    }

    static let report = ProgramsReport(
        settingsFile: "~/.config/foyer/config.toml",
        programs: [
            .init(
                name: "git", target: "dev.azure.com/contoso",
                uses: [use(-90), use(-4000, source: "refresh"), use(-90_000, "", refusal: "a person must sign in")],
                rule: .init(
                    line: 12,
                    text: [
                        "[[rules]]", "host = \"dev.azure.com\"", "organization = \"contoso\"",
                        "account = \"ada@contoso.example\"  # not grace",
                    ]),
                explanation: [
                    "client: Visual Studio, the program's own", "account: ada@contoso.example, the rule names it",
                    "now: a cached token, 42 min left",
                ]),
            .init(
                name: "kubectl", target: "https://cluster.contoso.example:6443",
                uses: [use(-600, "", refusal: "several accounts could be meant")],
                ruleToWrite: [
                    "[[rules]]", "program = \"kubectl\"", "cluster = \"https://cluster.contoso.example:6443\"",
                    "account = \"ada@contoso.example\"",
                ], explanation: ["account: ada or grace, nothing names one"]),
            .init(name: "terraform", target: "https://management.azure.com", uses: [use(-7200)]),
        ],
        states: [
            ProgramConnection("docker", .notSetUp, "not set up"),
            ProgramConnection(
                "kubectl", .half, "half set up", detail: "~/.local/bin is not on PATH", canBeTakenBack: true),
            ProgramConnection("git", .setUp, "set up", canBeTakenBack: true),
        ])

    private func state(rows: Int, columns: Int, _ report: ProgramsReport = report) -> State {
        var state = World.state(rows: rows, columns: columns)
        state.type("P")
        state.send(.programs(report, RequestID(1)))
        return state
    }

    @Test func `Programs at 110x30`() throws {
        try expectScreen(
            "programs 110x30", state(rows: 30, columns: 110),
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/to…  ▲ plain file
                ─ Activity ›  All  Programs 1  Agent  Failures 2  Doctor ─── 1 refused ─┬─────────────────────────────────────
                    program                                        last         rule    │ ✔ git for dev.azure.com/contoso
                ▌ ✔ git for dev.azure.com/contoso                  90 s ago     line 12 │ account       ada@contoso.example
                  ✖ kubectl for https://cluster.contoso.example:…  10 min ago   no rule │ client        work
                  ✔ terraform for https://management.azure.com     2 h ago      no rule │ scopes        499b84ac-1321-427f-a
                  ● git                                            set up               │               a17-267ca6975798/.de
                  ◐ kubectl                                        half set up          │               fault
                  ○ docker                                         not set up           │ last          03:58, 90 s ago
                                                                                        │ from          cache
                                                                                        │ rule          line 12 of
                                                                                        │               ~/.config/foyer/conf
                                                                                        │               ig.toml
                                                                                        │ Enter: show the rule
                                                                                        │
                                                                                        │ What it would get now
                                                                                        │ client: Visual Studio, the
                                                                                        │ program's own
                                                                                        │ account: ada@contoso.example, the
                                                                                        │ rule names it
                                                                                        │ now: a cached token, 42 min left
                                                                                        │
                                                                                        │ Before
                                                                                        │ · 02:53 · ada@contoso.example ·
                                                                                        │   work · refresh
                                                                                        │ ✖ 2026-11-20 03:00 · work ·
                                                                                        │   refused: a person must sign in
                                                                                        │
                ────────────────────────────────────────────────────────────────────────┴─────────────────────────────────────
                 Enter rule  r again  Tab view  y copy…  Esc back  ? help
                """#)
    }

    @Test func `Programs at 200x60`() throws {
        try expectScreen(
            "programs 200x60", state(rows: 60, columns: 200),
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity                                                                                  ~/.local/share/foyer/token_cache.json  ▲ plain file
                ─ Activity ›  All  Programs 1  Agent  Failures 2  Doctor ─────────────────────────────── 1 refused ─┬───────────────────────────────────────────────────────────────────────────────────────────────────
                    program                                   last         rule     from     account                │ ✔ git for dev.azure.com/contoso
                ▌ ✔ git for dev.azure.com/contoso             90 s ago     line 12  cache    ada@contoso.example    │ account       ada@contoso.example
                  ✖ kubectl for https://cluster.contoso.exa…  10 min ago   no rule  refused  several accounts coul… │ client        work
                  ✔ terraform for https://management.azure.…  2 h ago      no rule  cache    ada@contoso.example    │ scopes        499b84ac-1321-427f-aa17-267ca6975798/.default
                  ● git                                       set up                                                │ last          03:58, 90 s ago
                  ◐ kubectl                                   half set up                    ~/.local/bin is not o… │ from          cache
                  ○ docker                                    not set up                                            │ rule          line 12 of ~/.config/foyer/config.toml
                                                                                                                    │ Enter: show the rule
                                                                                                                    │
                                                                                                                    │ What it would get now
                                                                                                                    │ client: Visual Studio, the program's own
                                                                                                                    │ account: ada@contoso.example, the rule names it
                                                                                                                    │ now: a cached token, 42 min left
                                                                                                                    │
                                                                                                                    │ Before
                                                                                                                    │ · 02:53 · ada@contoso.example · work · refresh
                                                                                                                    │ ✖ 2026-11-20 03:00 · work · refused: a person must sign in
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
                                                                                                                    │
                                                                                                                    │
                                                                                                                    │
                ────────────────────────────────────────────────────────────────────────────────────────────────────┴───────────────────────────────────────────────────────────────────────────────────────────────────
                 Enter rule  r again  Tab view  y copy…  Esc back  ? help
                """#)
    }

    @Test func `Programs at 80x24`() throws {
        try expectScreen(
            "programs 80x24", state(rows: 24, columns: 80),
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Activity ›  All  Programs 1  Agent  Failures 2  Doctor ─────────── 1 refused ─
                    program                                 last         account
                ▌ ✔ git for dev.azure.com/contoso           90 s ago     ada@contoso.example
                  ✖ kubectl for https://cluster.contoso.e…  10 min ago   several accounts coul…
                  ✔ terraform for https://management.azur…  2 h ago      ada@contoso.example
                  ● git                                     set up
                  ◐ kubectl                                 half set up  ~/.local/bin is not o…
                  ○ docker                                  not set up







                ────────────────────────────────────────────────────────────────────────────────
                 ✔ git for dev.azure.com/contoso
                 account       ada@contoso.example
                 client        work
                 scopes        499b84ac-1321-427f-aa17-267ca6975798/.default
                 last          03:58, 90 s ago
                 from          cache                                                           ↓
                 Enter rule  r again  Tab view  y copy…  Esc back  ? help
                """#)
    }

    @Test func `Programs at 40x10`() throws {
        try expectScreen(
            "programs 40x10", state(rows: 10, columns: 40),
            is: #"""
                 foyer  Programs 3         ▲ plain file
                ▌ ✔ git for dev.azure.com…  90 s ago
                ▌     ada@contoso.example
                  ✖ kubectl for https://c…  10 min ago
                      several accounts could be meant
                  ✔ terraform for https:/…  2 h ago
                      ada@contoso.example
                  ● git                     set up
                  ◐ kubectl                 half set up
                 Enter rule  r again  Esc back  ? help
                """#)
    }

    @Test func `The rule of a program at 80x24`() throws {
        var state = state(rows: 24, columns: 80)
        state.press(.enter)
        try expectScreen(
            "programs rule 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Activity ›  All  Programs 1  Agent  Failures 2  Doctor ─────────── 1 refused ─
                 ~/.config/foyer/config.toml, line 12
                   [[rules]]
                   host = "dev.azure.com"
                   organization = "contoso"
                   account = "ada@contoso.example"  # not grace

                 ✔ git for dev.azure.com/contoso
                 account       ada@contoso.example
                 client        work
                 scopes        499b84ac-1321-427f-aa17-267ca6975798/.default
                 last          03:58, 90 s ago
                 from          cache
                 rule          line 12 of ~/.config/foyer/config.toml

                 What it would get now
                 client: Visual Studio, the program's own
                 account: ada@contoso.example, the rule names it
                 now: a cached token, 42 min left

                 Before
                 · 02:53 · ada@contoso.example · work · refresh                                ↓
                 r again  Tab view  y copy…  Esc back  ? help
                """#)
    }

    @Test func `The rule to write, where there is none, at 40x10`() throws {
        var state = state(rows: 10, columns: 40)
        state.press(.down, .enter)
        try expectScreen(
            "programs rule to write 40x10", state,
            is: #"""
                 foyer  Programs 3         ▲ plain file
                 No matching rule. Add to ~/.config/fo…
                   [[rules]]
                   program = "kubectl"
                   cluster = "https://cluster.contoso.e
                   xample:6443"
                   account = "ada@contoso.example"

                 ✖ kubectl for                         ↓
                 r again  Tab view  Esc back  ? help
                """#)
    }

    @Test func `No program yet at 80x24`() throws {
        try expectScreen(
            "programs none 80x24", state(rows: 24, columns: 80, ProgramsReport(settingsFile: "", programs: [])),
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Activity ›  All  Programs  Agent  Failures  Doctor ───────────────────────────

                  No program has requested a token yet.

                  git, kubectl, docker, az and Azure SDKs can use foyer: set them up, see "foyer
                  help programs".
                  "foyer why git https://dev.azure.com/contoso/x" shows which account a program
                  would get, and why.














                 r again  Tab view  y copy…  Esc back  ? help
                """#)
    }

    @Test func `A question at the agent is told on any page`() throws {
        var state = state(rows: 10, columns: 40)
        state.send(.waiting(["1a2b"]))
        try expectScreen(
            "programs question 40x10", state,
            is: #"""
                 foyer  Programs 3         ▲ plain file
                ▌ ✔ git for dev.azure.com…  90 s ago
                ▌     ada@contoso.example
                  ✖ kubectl for https://c…  10 min ago
                      several accounts could be meant
                  ✔ terraform for https:/…  2 h ago
                      ada@contoso.example
                  ● git                     set up
                  ◐ kubectl                 half set up
                             1 pending request: open @
                """#)
    }
}
