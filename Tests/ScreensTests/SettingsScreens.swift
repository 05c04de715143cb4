import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct SettingsScreens {
    private static let lines = [
        SettingLine("settings file", "~/.config/foyer/config.toml", .standard),
        SettingLine("client", "work", .file(line: 1), choice: .oneOf(["work", "lab"])),
        SettingLine("theme", "default", .standard, choice: .theme),
        SettingLine("mouse", "off", .standard, choice: .mouse),
        SettingLine("store", "~/tokens.json", .environment("FOYER_STORE")),
        SettingLine("authority", "https://id.example.org/realms/lab", .option("--authority")),
    ]

    private func state(rows: Int = 24, columns: Int = 80) -> State {
        var context = World.context
        context.settings = Self.lines
        var state = World.state(rows: rows, columns: columns, context: context)
        state.type(",")
        return state
    }

    @Test func `What is set stands there with who said so`() throws {
        try expectScreen(
            "settings", state(),
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Settings 6 ───────────────────────────────────────────────────────────────────
                    setting        value                              from
                ▌   settings file  ~/.config/foyer/config.toml        default
                  • client         work                               settings file, line 1
                  • theme          default                            default
                  • mouse          off                                default
                    store          ~/tokens.json                      environment, FOYER_STORE
                    authority      https://id.example.org/realms/lab  option --authority







                ────────────────────────────────────────────────────────────────────────────────
                 settings file: ~/.config/foyer/config.toml
                 default

                 edit it by hand in ~/.config/foyer/config.toml


                 Enter change  → read  y copy…  Esc back  ? help
                """#)
        var small = state(rows: 10, columns: 40)
        small.press(.end)
        try expectScreen(
            "settings, small", small,
            is: #"""
                 foyer  Settings 6         ▲ plain file
                  • theme          default
                      default
                  • mouse          off
                      default
                    store          ~/tokens.json
                      environment, FOYER_STORE
                ▌   authority      https://id.example.…
                ▌     option --authority
                 Enter change  Esc back  ? help
                """#)
    }

    @Test func `A value that is cut in the list is read whole`() throws {
        var state = state(rows: 10, columns: 40)
        state.press(.end, .right)
        #expect(state.place == .settingDetails)
        try expectScreen(
            "one setting, small", state,
            is: #"""
                 foyer  Settings 6         ▲ plain file
                 authority:
                 https://id.example.org/realms/lab
                 from the option --authority

                 --authority overrides the settings
                 file


                 Enter change  Esc back  ? help
                """#)
        state.press(.escape)
        #expect(state.place == .settings)
    }

    @Test func `Enter takes the next client and writes it; what the file then says is what is used`() {
        var state = state()
        state.press(.down)
        #expect(state.press(.enter) == [.keepSetting("client", .text("lab"))])
        var lines = Self.lines
        lines[1].value = "lab"
        state.send(.settings(lines, defaultClient: "lab-cli"))
        #expect(state.picture().contains("client: lab"))
        #expect(state.context.defaultClientID == "lab-cli")
        #expect(state.press(.enter) == [.keepSetting("client", .text("work"))])
    }

    @Test func `The mouse is taken at once and kept`() {
        var state = state()
        state.press(.down, .down, .down)
        #expect(state.press(.enter) == [.mouse(true), .keepSetting("mouse", .flag(true))])
        #expect(state.press(.enter) == [.mouse(false), .keepSetting("mouse", .flag(false))])
    }

    @Test func `The theme opens the chooser, which shows each theme as it is marked`() {
        var state = state()
        state.press(.down, .down, .enter)
        #expect(state.place == .themes)
        guard case .showTheme = state.press(.down).first else {
            Issue.record("no preview")
            return
        }
        state.press(.escape)
        #expect(state.place == .settings)
    }

    @Test func `What an option or the environment says is not written over, and what is written by hand says so`() {
        var state = state()
        state.press(.end)
        #expect(state.press(.enter).isEmpty)
        #expect(state.notice == "--authority overrides the settings file")
        state.press(.home)
        #expect(state.press(.enter).isEmpty)
        #expect(state.notice == "edit it by hand in ~/.config/foyer/config.toml")
    }
}
