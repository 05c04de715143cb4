import Identity
import Keys
import Testing

@testable import AppModel
@testable import Screens

@Suite struct CopyMenuTests {
    private static let secret = World.jwt(
        #"{"alg":"RS256"}"#, #"{"preferred_username":"ada@example.org","tid":"t","scp":"User.Read"}"#)

    private func inspector(_ context: Context = World.context) -> State {
        let token = World.credential(.accessToken, World.work, World.ada, ends: 2520, secret: Self.secret)
        var state = World.state(
            [AccountOverview(account: World.ada, credentials: [token])], rows: 24, columns: 80, context: context)
        state.send(.command(.inspect))
        return state
    }

    /// What each entry of the menu copies.
    private func taken(_ state: State) -> [Effect] {
        var effects: [Effect] = []
        for place in 0..<20 {
            var state = state
            state.send(.command(.copyMenu))
            guard state.place == .copyMenu else { return effects }
            for _ in 0..<place { state.press(.down) }
            guard state.app.topPage.entry == place else { return effects }
            effects += state.press(.enter)
        }
        return effects
    }

    @Test func `What can be copied of a token`() throws {
        var state = inspector()
        state.type("y")
        try expectOverlay(
            "copy menu 80x24", state,
            is: #"""
                ┌─ Copy ───────────────────────────────────────────────────────────────────┐
                │ ▌ report without secrets                                                 │
                │   header and claims without the signature                                │
                │   username                                                               │
                │   tenant id                                                              │
                │   client id                                                              │
                │   access token                                                           │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter copy  Esc back  ? help
                """#)
    }

    @Test func `A token is copied as a secret and stands in nothing else that is copied`() {
        var state = inspector()
        // Also while it is shown.
        state.type("R")
        let effects = taken(state)
        #expect(effects.count == 6 && effects.last == .copySecret(Secret(Self.secret)))
        let texts = effects.compactMap { if case .copy(let text) = $0 { text } else { nil } }
        #expect(texts.count == 5)
        let signature = Self.secret.suffix(12)
        for text in texts { #expect(!text.contains(signature), "\(text)") }
        #expect(texts[0].contains("signature not checked") && texts[1].contains("preferred_username"))
        #expect(texts[2...] == ["ada@example.org", "t", World.work])
    }

    @Test func `The clipboard is cleared of a token that came from the menu`() {
        var state = inspector()
        state.type("y")
        state.press(.end, .enter)
        #expect(state.holdsClipboard)
        #expect(state.send(.tick(World.seconds(61))).contains(.clearClipboard))
    }

    @Test func `Where lines are told no token is offered to be copied`() {
        var context = World.context
        context.naming = .names
        let effects = taken(inspector(context))
        #expect(effects.count == 5)
        #expect(!effects.contains { if case .copySecret = $0 { true } else { false } })
    }

    @Test func `Of an account its names and identifiers can be copied, and Escape copies nothing`() {
        var state = World.state()
        let texts = taken(state).compactMap { if case .copy(let text) = $0 { text } else { nil } }
        #expect(texts.prefix(3) == [World.ada.username, World.ada.homeAccountID, World.tenant])
        state.type("y")
        #expect(state.press(.escape).isEmpty && state.stack.isEmpty)
    }

    private func texts(_ state: State) -> [String] {
        taken(state).compactMap { if case .copy(let text) = $0 { text } else { nil } }
    }

    @Test func `Of the doctor the whole report can be copied, and the marked finding`() {
        var state = World.state()
        state.type("!")
        #expect(texts(state).isEmpty)
        state.send(
            .examination(.found(DoctorFinding("store", .good, "~/store.json")), RequestID(1)),
            .examination(.found(DoctorFinding("clock", .bad, "9 min apart", hint: "set it")), RequestID(1)),
            .examination(.over, RequestID(1)))
        #expect(
            texts(state) == [
                "Doctor\nok   store: ~/store.json\nBAD  clock: 9 min apart\n  set it\n1 problem\n",
                "clock: 9 min apart", "set it",
            ])
    }

    @Test func `Of a store its path and its name can be copied`() {
        var state = World.state()
        state.type("W")
        state.send(.stores(StoresScreens.lines, RequestID(1)))
        state.type("j")
        let texts = texts(state)
        #expect(texts.prefix(2) == ["~/.azure/msal_token_cache.json", "azure-cli"] && texts.count == 3)
        #expect(texts[2].contains("2 service principals"))
    }

    @Test func `Of a consent the marked and the selected permissions can be copied, and where to revoke it`() {
        var state = World.state()
        state.type("s")
        let first = texts(state)
        #expect(first.count == 3 && first[0].hasPrefix("https://") && first[1].hasPrefix("https://"))
        state.type(" ")
        #expect(texts(state).count == 4 && texts(state)[1] == first[0], "the mark has moved on")
    }

    @Test func `Of the settings the value and the path of the file can be copied`() {
        var context = World.context
        context.settings = [
            SettingLine("settings file", "~/.config/foyer/config.toml", .standard),
            SettingLine("store", "~/tokens.json", .environment("FOYER_STORE")),
        ]
        var state = World.state(context: context)
        state.type(",")
        #expect(texts(state).first == "~/.config/foyer/config.toml" && texts(state).count == 2)
        state.press(.down)
        #expect(texts(state).prefix(2) == ["~/tokens.json", "~/.config/foyer/config.toml"])
    }

    @Test func `Where there is nothing to copy no menu opens`() {
        var state = World.state([])
        state.type("y")
        #expect(state.stack.isEmpty && !state.labels.contains("copy…"))
    }
}
