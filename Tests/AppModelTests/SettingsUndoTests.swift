import Keys
import Testing

@testable import AppModel

/// Settings that were saved are taken back, and those that others save are adopted.
@Suite struct SettingsUndoTests {
    @Test func `The latest change is undone first, each once`() {
        var state = Sample.state()
        state.send(.command(.settings))
        #expect(!state.isOffered(.undoSetting))
        let (first, second) = (UndoableSetting(1, "client"), UndoableSetting(2, "theme"))
        state.send(.settingSaved(first))
        state.send(.settingSaved(second))
        for change in [second, first] {
            guard case .undoSetting(change)? = state.send(.key(.character("u"))).first else {
                Issue.record("not undone: \(change)")
                return
            }
        }
        #expect(!state.isOffered(.undoSetting))
    }

    @Test func `A theme and the mouse are as the settings say, without an effect if they are so already`() {
        var state = Sample.state()
        func lines(theme: String, mouse: String) -> [SettingLine] {
            [SettingLine("theme", theme, .file(line: 1)), SettingLine("mouse", mouse, .file(line: 2))]
        }
        func effects(_ theme: String, _ mouse: String) -> [String] {
            state.send(.settings(lines(theme: theme, mouse: mouse), defaultClient: nil)).map { "\($0)" }
        }
        #expect(effects("default", "off") == [])
        #expect(effects("nord", "on") == ["showTheme(\"nord\")", "mouse(true)"])
        #expect(state.context.theme == "nord" && state.context.mouse)
        #expect(effects("nord", "on") == [])
        // As this interface leaves them after it saved them itself.
        state.context.theme = "gruvbox"
        #expect(effects("gruvbox", "on") == [])
    }
}
