import FoundationEssentials
import Glibc
import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct ThemeScreens {
    private func chooser() -> State {
        var context = World.context
        context.theme = "nord"
        context.themes = ["default", "nord", "mine"]
        var state = World.state(rows: 14, columns: 60, context: context)
        state.type("T")
        return state
    }

    @Test func `The themes at 60x14`() throws {
        try expectScreen(
            "themes 60x14", chooser(),
            is: #"""
                 foyer  1 Accounts  2  3  4  5                 ▲ plain file
                ─ Accounts 3 ───────────────────────────── 1 needs sign-in ─
                    account                     client        access token
                ┌─ Themes ─────────────────────────────────────────────────┐
                │   default                                                │
                │ ▌ nord                                                   │
                │   mine                                                   │
                │                                                          │
                │ ● 59 min  ◔ 4 min left  ○ needs sign-in                  │
                │ muted  label  link   code                                │
                └──────────────────────────────────────────────────────────┘


                 Enter keep  Esc back  ? help
                """#)
    }

    @Test func `A theme is shown as soon as it is marked, and kept only on purpose`() {
        var state = chooser()
        #expect(update(&state, .key(.down)) == [.showTheme("mine")])
        #expect(update(&state, .key(.down)) == [], "there is none after the last")
        #expect(update(&state, .key(.enter)) == [.keepTheme("mine")])
        #expect(state.stack.isEmpty)
        state.type("T")
        #expect(update(&state, .key(.enter)) == [], "it is the one that is shown already")
    }

    @Test func `Leaving without a choice brings back what was there`() {
        var state = chooser()
        _ = update(&state, .key(.home))
        #expect(update(&state, .key(.escape)) == [.showTheme("nord")])
        #expect(state.stack.isEmpty)
        state.type("T")
        #expect(update(&state, .key(.escape)) == [])
    }

    @Test func `A menu that opens on a small screen shows what is selected`() {
        var context = World.context
        context.theme = Theme.bundledNames.last ?? ""
        context.clients += (1...9).map { ConfiguredClient(name: "client\($0)", clientID: "\($0)", authority: "") }
        context.defaultClient = "client9"
        var state = World.state(rows: 10, columns: 40, context: context)
        state.type("T")
        #expect(state.picture().contains("▌ \(context.theme)"), "\(state.picture())")
        state.press(.escape)
        state.type("a")
        state.press(.function(2))
        #expect(state.picture().contains("▌ client9"), "\(state.picture())")
    }

    @Test func `A theme that is in no list is not lost from it`() {
        var context = World.context
        context.theme = "gone"
        var state = World.state(context: context)
        state.type("T")
        #expect(state.picture().contains("gone"))
    }

    @Test(arguments: Theme.bundledNames)
    func `Every cell of every screen is readable in the theme, at 4.5 to 1 where both colours are set`(name: String)
        throws
    {
        let theme = try Theme.load(name: name)
        let ruled: Set<Role> = [.border, .borderFocus, .barFull, .barEmpty]
        let screens = try World.everyScreen()
        #expect(
            Set(screens.map(\.1.place)) == Set(Registry.keyTables.map(\.context)), "a screen that no theme is tried on")
        for (title, state) in screens {
            let grid = view(state.app, size: state.size, glyphs: .utf8)
            var seen: Set<Style> = []
            for row in 0..<grid.size.rows {
                for column in 0..<grid.size.columns {
                    let cell = grid[row, column]
                    if cell.text != " " { seen.insert(cell.style) }
                }
            }
            #expect(seen.count > 2, "\(title)")
            for style in seen where !ruled.contains(style.role) {
                let look = style.isSelected ? theme.selected(style.role, canFill: true) : theme[style.role]
                guard let front = look.foreground.components, let back = look.background.components else { continue }
                let ratio = contrast(front, back)
                #expect(ratio >= 4.5, "\(title) \(style) \(ratio)")
            }
        }
    }
}

/// WCAG 2.1, relative luminance and contrast ratio.
private func contrast(_ front: (red: Int, green: Int, blue: Int), _ back: (red: Int, green: Int, blue: Int)) -> Double {
    func luminance(_ color: (red: Int, green: Int, blue: Int)) -> Double {
        func linear(_ value: Int) -> Double {
            let share = Double(value) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
    }
    let (one, other) = (luminance(front), luminance(back))
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
}

extension World {
    /// One state of each kind of screen, by name.
    fileprivate static func everyScreen() throws -> [(String, State)] {
        func after(_ keys: String, _ more: Message...) -> State {
            var state = World.state(rows: 30, columns: 120)
            state.type(keys)
            for message in more { _ = update(&state, message) }
            return state
        }
        func waiting(_ event: SignInEvent) -> State {
            var state = after("a")
            state.press(.enter)
            _ = update(&state, .signIn(event, RequestID(1)))
            return state
        }
        var acquired = World.state(rows: 30, columns: 120)
        acquired.press(.enter)
        _ = update(&acquired, .acquired(try World.token(), RequestID(1)))
        var failed = World.state(rows: 30, columns: 120)
        failed.press(.enter)
        _ = update(&failed, .failed(Failure(.interactionRequired, "a person is needed", hint: "sign in"), RequestID(1)))
        func typed(_ keys: String, _ last: Key) -> State {
            var state = after(keys)
            state.press(last)
            return state
        }
        var pasting = waiting(.browser(try World.browserPrompt()))
        pasting.type("p")
        var asked = waiting(.browser(try World.browserPrompt()))
        _ = update(
            &asked, .question(SignInQuestion.password(username: "ada", problem: "it is not right"), RequestID(1)))
        var listed = acquired
        listed.press(.escape)
        listed.type("A")
        var steps = listed
        steps.press(.enter)
        var failures = failed
        failures.press(.escape)
        failures.type("F")
        var failure = failures
        failure.press(.enter)
        var gone = after("x")
        gone.type("y")
        _ = update(&gone, .removed(3, RequestID(1)))
        var store = after("W", .stores(StoresScreens.lines, RequestID(1)))
        store.press(.enter)
        let agent = after("@", .agent(AgentScreens.report, RequestID(1)))
        var agentEntry = agent
        agentEntry.press(.enter)
        let programs = after("P", .programs(ProgramsScreens.report, RequestID(1)))
        var program = programs
        program.press(.enter)
        let doctor = after(
            "!", .examination(.found(DoctorFinding("store", .good, "it is there")), RequestID(1)),
            .examination(.found(DoctorFinding("clock", .note, "not told", hint: "set it")), RequestID(1)),
            .examination(.found(DoctorFinding("network", .bad, "no answer", hint: "plug it in")), RequestID(1)))
        var finding = doctor
        finding.press(.enter)
        var context = World.context
        context.settings = [SettingLine("mouse", "off", .standard, choice: .mouse)]
        var setting = World.state(rows: 30, columns: 120, context: context)
        setting.type(",l")
        return [
            ("details", typed("", .right)),
            ("picker", after("")), ("filter", after("/gr")), ("empty", World.state([])),
            ("broken store", after("", .storeFailed(message: "locked", hint: "wait"))), ("inspector", after("i")),
            ("scopes", after("s")),
            ("form", after("a")), ("device code", waiting(.deviceCode(try World.devicePrompt()))),
            ("browser", waiting(.browser(try World.browserPrompt()))), ("acquired", acquired), ("failed", failed),
            ("dialog", after("x")),
            ("departure", gone), ("help", after("?")), ("themes", after("T")), ("one token", typed("i", .enter)),
            ("paste", pasting),
            ("question", asked), ("activity", listed), ("one activity", steps),
            ("failures", failures), ("one failure", failure), ("settings", after(",")),
            ("palette", after(":")), ("copy menu", after("y")), ("clients", typed("a", .function(2))),
            ("search", after("i/key")), ("help, filtered", after("?key")), ("a line to type", after("p")),
            ("more scopes", after("sm")),
            ("review of a request", after("s a")),
            ("times of tokens", typed("i", .tab)),
            ("grouped", after("zz")),
            ("stores", after("W", .stores(StoresScreens.lines, RequestID(1)))), ("one store", store),
            ("agent", agent), ("one entry of the agent", agentEntry),
            ("programs", programs), ("one program", program), ("a program to set up", SetupScreens.asked()),
            ("several marked", after("  x")),
            ("doctor", doctor), ("one finding", finding), ("one setting", setting),
        ]
    }
}
