import FoundationEssentials
import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct ActivityScreens {
    private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    /// A token, a sign-in that was given up, and a removal.
    private func busy(rows: Int = 24, columns: Int = 80) throws -> State {
        var state = World.state(rows: rows, columns: columns)
        state.press(.enter)
        state.send(
            .began(at: World.now, correlationID: Self.id, RequestID(1)),
            .step(Step(.accessToken, .failed, "expired"), RequestID(1)),
            .step(Step(.refresh, .done, "login.microsoftonline.com"), RequestID(1)),
            .acquired(try World.token(), RequestID(1)), .ended(milliseconds: 412, RequestID(1)))
        state.press(.enter)
        state.send(.tick(World.seconds(60)))
        state.type("a")
        state.press(.enter)
        state.send(.began(at: World.seconds(61), correlationID: TokenRequest.unnumbered, RequestID(2)))
        state.press(.escape, .escape)
        state.send(.failed(Failure(.cancelled, "cancelled"), RequestID(2)), .ended(milliseconds: 65_000, RequestID(2)))
        state.type("xy")
        state.send(.removed(3, RequestID(3)))
        state.press(.enter)
        return state
    }

    @Test func `A sign-in that ends with the wrong person has that person's name`() throws {
        var state = World.state()
        state.type("a")
        state.press(.enter)
        var failure = Failure(.interactionRequired, "somebody else has signed in")
        failure.result = try World.token()
        state.send(.failed(failure, RequestID(1)))
        let record = try #require(state.activity.records.last)
        #expect(record.account == "ada@example.org")
        guard case .failed(let kept) = record.outcome else {
            Issue.record("it has failed")
            return
        }
        #expect(kept.result == nil, "the log keeps no token")
    }

    @Test func `A sign-in of which nobody has come says so`() throws {
        var state = World.state()
        state.type("a")
        state.press(.enter)
        #expect(state.activity.records.last?.accountWords == "")
        state.send(.failed(Failure(.interactionRequired, "the code expired"), RequestID(1)))
        #expect(state.activity.records.last?.accountWords == "no account")
        state.press(.escape, .escape)
        state.type("A")
        #expect(state.picture().contains("no account"))
    }

    @Test func `What was asked for is a list, the latest first, with its outcome and duration`() throws {
        var state = try busy()
        state.type("A")
        #expect(state.place == .activity)
        try expectScreen(
            "activity", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Activity ›  All  Programs  Agent  Failures  Doctor ───────────────── loading ─
                    at     who asked  for account      answer             took
                ▌ · 04:01  foyer      no account       cancelled          65 s
                  ✔ 04:01  foyer      ada@example.org  3 entries removed
                  ✔ 04:00  foyer      ada@example.org  from refresh       412 ms










                ────────────────────────────────────────────────────────────────────────────────
                 · sign-in: cancelled
                 client        work
                 began         2026-11-21 04:01 UTC
                 took          65 s
                 correlation   00000000-0000-0000-0000-000000000000
                                                                                               ↓
                 Enter details  c copy id  Tab view  / filter  y copy…  Esc back  ? help
                """#)
        var small = try busy(rows: 10, columns: 40)
        small.type("A")
        try expectScreen(
            "activity, small", small,
            is: #"""
                 foyer  Activity           ▲ plain file
                ▌ · 04:01  foyer      no account
                  ✔ 04:01  foyer      ada@example.org
                  ✔ 04:00  foyer      ada@example.org





                 Enter details  Esc back  ? help
                """#)
    }

    @Test func `Enter tells the steps, and c copies the correlation identifier`() throws {
        var state = try busy()
        state.type("A")
        state.press(.end, .enter)
        #expect(state.place == .activityDetails)
        try expectScreen(
            "activity, one entry", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Activity ›  All  Programs  Agent  Failures  Doctor ───────────────── loading ─
                 ✔ token: from refresh
                 account       ada@example.org
                 client        work
                 began         2026-11-21 04:00 UTC
                 took          412 ms
                 correlation   01020304-0506-0708-090a-0b0c0d0e0f10

                 ○ cached token  expired
                 ✔ refresh       login.microsoftonline.com












                 c copy id  Tab view  y copy…  Esc back  ? help
                """#)
        #expect(state.type("c") == [.copy("01020304-0506-0708-090a-0b0c0d0e0f10")])
        state.press(.escape)
        #expect(state.place == .activity)
        state.press(.escape)
        #expect(state.place == .picker)
    }

    @Test func `A wide screen shows the steps beside the list`() throws {
        var state = try busy(rows: 16, columns: 130)
        state.type("AG")
        try expectScreen(
            "activity, wide", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity            ~/.local/share/foyer/token_cache.json  ▲ plain file
                ─ Activity ›  All  Programs  Agent  Failures  Doctor ───────── loading ─┬─────────────────────────────────────────────────────────
                    at     who asked  for account      answer             took          │ ✔ token: from refresh
                  · 04:01  foyer      no account       cancelled          65 s          │ account       ada@example.org
                  ✔ 04:01  foyer      ada@example.org  3 entries removed                │ client        work
                ▌ ✔ 04:00  foyer      ada@example.org  from refresh       412 ms        │ began         2026-11-21 04:00 UTC
                                                                                        │ took          412 ms
                                                                                        │ correlation   01020304-0506-0708-090a-0b0c0d0e0f10
                                                                                        │
                                                                                        │ ○ cached token  expired
                                                                                        │ ✔ refresh       login.microsoftonline.com
                                                                                        │
                                                                                        │
                                                                                        │
                                                                                        │
                 Enter details  c copy id  Tab view  / filter  y copy…  Esc back  ? help
                """#)
    }

    @Test func `Without anything asked for it says so`() {
        var state = World.state()
        state.type("A")
        #expect(state.picture().contains("no requests yet"))
        #expect(state.press(.enter).isEmpty)
        #expect(state.place == .activity)
    }

    @Test func `Only the latest two hundred are kept, each with at most two hundred steps`() {
        var activity = ActivityLog()
        for number in 1...500 {
            activity.note(
                [.acquireSilently(UpdateTests.request, World.use(World.work), RequestID(number))], at: World.now)
        }
        #expect(activity.records.count == 200)
        #expect(activity.records.first?.id == RequestID(301))
        for number in 0..<1000 { activity.note(.step(Step(.lock, .done, "\(number)")), of: RequestID(500)) }
        #expect(activity.records.last?.steps.count == 200)
    }

    @Test func `What comes late for a screen that is gone is still noted, and no token is kept`() throws {
        var state = World.state()
        state.press(.enter, .escape)
        #expect(state.activity.records.first?.outcome == .givenUp)
        state.send(.acquired(try World.token(), RequestID(1)))
        #expect(state.activity.records.first?.outcome == .done("from refresh"))
        #expect(!String(describing: state.activity).contains("very-secret-access-token"))
    }

    /// Two programs, one of them refused because no rule chooses an account.
    private func refused(rows: Int, columns: Int) -> State {
        var state = World.state(rows: rows, columns: columns)
        state.type("A")
        func use(_ seconds: Double, _ source: String = "cache") -> ProgramsReport.Use {
            ProgramsReport.Use(
                at: World.seconds(-seconds), account: "ada@example.org", client: "work", source: source,
                milliseconds: 3)
        }
        let refusal = ProgramsReport.Use(
            at: World.seconds(-60), client: "work", scopes: ["6dae42f8-4368-4678-94ff-3960e28e3630/.default"],
            refusal: "2 accounts are signed in: ada@example.org, grace@example.org", code: .ambiguous, fitting: 2,
            milliseconds: 2)
        var git = ProgramsReport.Program("git", "dev.azure.com/contoso", uses: [refusal, use(900)])
        git.offers = [World.grace, World.ada].map { account in
            var offer = RuleOffer(
                "git", target: git.target, account: account.id, username: account.username, isForTarget: false,
                lines: ["[[rules]]", "program = \"git\"", "account = \"\(account.username)\""], line: 51)
            if account == World.ada { (offer.lastProgram, offer.lastUse) = ("terraform", World.seconds(-300)) }
            return offer
        }
        git.explanation = ["client: work, from the settings", "account: ada@example.org or grace@example.org"]
        let terraform = ProgramsReport.Program("terraform", "", uses: (0..<14).map { use(300 + 60 * Double($0)) })
        let report = ProgramsReport(settingsFile: "~/.config/foyer/config.toml", programs: [git, terraform])
        state.send(.programs(report, RequestID(1)), .agent(AgentReport(.absent), RequestID(1)))
        state.press(.enter)
        return state
    }

    @Test func `A refusal with the rules that would end it at 110x30`() throws {
        try expectScreen(
            "refusal 110x30", refused(rows: 30, columns: 110),
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/to…  ▲ plain file
                ─ Activity ›  All  Programs  Agent  Failures 1  Doctor ─────────────────┬─────────────────────────────────────
                    at     who asked      for account        answer      took           │ ✖ git for dev.azure.com/contoso
                ▌ ✖ 03:59  git            2 fit, none named  refused     2 ms           │ refused       2 accounts are
                  ✔ 03:55  terraform ×14  ada@example.org    from cache  3 ms           │               signed in:
                  ✔ 03:45  git            ada@example.org    from cache  3 ms           │               ada@example.org,
                                                                                        │               grace@example.org
                                                                                        │
                                                                                        │ What you can do
                                                                                        │ ▌ Always use ada for git
                                                                                        │   Always use grace for git
                                                                                        │   Copy a report
                                                                                        │
                                                                                        │ Enter writes to
                                                                                        │ ~/.config/foyer/config.toml, line
                                                                                        │ 51:
                                                                                        │   [[rules]]
                                                                                        │   program = "git"
                                                                                        │   account = "ada@example.org"
                                                                                        │
                                                                                        │ account       2 fit, none named
                                                                                        │ client        work
                                                                                        │ scopes        6dae42f8-4368-4678-9
                                                                                        │               4ff-3960e28e3630/.de
                                                                                        │               fault
                                                                                        │ last          03:59, 60 s ago
                                                                                        │ took          2 ms
                                                                                        │ rule          no matching rule    ↓
                ────────────────────────────────────────────────────────────────────────┴─────────────────────────────────────
                 Enter write rule  r again  Tab view  y copy…  Esc back  ? help
                """#)
    }

    @Test func `A refusal with the rules that would end it at 80x24`() throws {
        try expectScreen(
            "refusal 80x24", refused(rows: 24, columns: 80),
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Activity ›  All  Programs  Agent  Failures 1  Doctor ─────────────────────────
                 ✖ git for dev.azure.com/contoso
                 refused       2 accounts are signed in: ada@example.org, grace@example.org

                 What you can do
                 ▌ Always use ada for git    used by terraform, 03:55
                   Always use grace for git
                   Copy a report

                 Enter writes to ~/.config/foyer/config.toml, line 51:
                   [[rules]]
                   program = "git"
                   account = "ada@example.org"

                 account       2 fit, none named
                 client        work
                 scopes        6dae42f8-4368-4678-94ff-3960e28e3630/.default
                 last          03:59, 60 s ago
                 took          2 ms
                 rule          no matching rule

                 What it would get now                                                         ↓
                 Enter write rule  r again  Tab view  y copy…  Esc back  ? help
                """#)
    }

    @Test func `A refusal with the rules that would end it at 40x10`() throws {
        try expectScreen(
            "refusal 40x10", refused(rows: 10, columns: 40),
            is: #"""
                 foyer  Activity           ▲ plain file
                 ✖ git for dev.azure.com/contoso
                 refused       2 accounts are signed
                               in: ada@example.org,
                               grace@example.org

                 What you can do
                 ▌ Always use ada for git
                   Always use grace for git            ↓
                 Enter write rule  Esc back  ? help
                """#)
    }

    @Test func `A filter stands above the list, and what it leaves below`() throws {
        var state = refused(rows: 16, columns: 80)
        state.press(.escape)
        state.type("/who:terra")
        try expectScreen(
            "activity filter", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Activity ›  All  Programs  Agent  Failures 1  Doctor ─────────────────────────
                 / who:terra                                                                  1
                    at     who asked      for account      answer      took
                ▌ ✔ 03:55  terraform ×14  ada@example.org  from cache  3 ms










                 Enter keep  Esc clear  F1 help
                """#)
        state.type("x")
        try expectScreen(
            "activity filter, nothing", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Activity ›  All  Programs  Agent  Failures 1  Doctor ─────────────────────────
                 / who:terrax                                                                 0

                  no request matches
                  Esc: show all









                 Enter keep  Esc clear  F1 help
                """#)
    }
}
