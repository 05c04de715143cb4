import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct PickerEdgeScreens {
    @Test func `The picker before the store has been read`() throws {
        let state = World.state(nil)
        try expectScreen(
            "picker loading", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Accounts ─────────────────────────────────────────────────────────────────────


                  loading


















                 a add  r reload  q quit  ? help
                """#)
    }

    @Test func `An empty store says what to do at 80x24`() throws {
        let state = World.state([], rows: 24, columns: 80)
        try expectScreen(
            "picker empty 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Accounts ─────────────────────────────────────────────────────────────────────


                  Welcome. No accounts yet.

                  ▌ work                          from your settings
                    Work or school account        Microsoft Entra ID, any tenant
                    Personal Microsoft account    Outlook, Xbox, Live
                    Another provider              AD FS, B2C, External ID, OpenID Connect
                    GitHub or another git host    GitLab, Gitea and others, your own client
                    Google                        your own client
                    Already on this machine       accounts of Azure CLI and other programs
                    Demo                          sample accounts, nothing is saved

                  work
                  asks          login.microsoftonline.com
                    low         User.Read
                  by            device code: no display here
                  stores in     ~/.local/share/foyer/token_cache.json, plain file
                  client        work
                  then          foyer token --client work                                     ↓

                 Enter open  a add  r reload  q quit  ? help
                """#)
    }

    @Test func `An empty store says what to do at 40x10`() throws {
        let state = World.state([], rows: 10, columns: 40)
        try expectScreen(
            "picker empty 40x10", state,
            is: #"""
                 foyer  Accounts           ▲ plain file

                  Welcome. No accounts yet.

                  ▌ work
                    Work or school account
                    Personal Microsoft account
                    Another provider                  ↓

                 Enter open  a add  q quit  ? help
                """#)
    }

    @Test func `A store that cannot be read says why and what to do`() throws {
        var state = World.state(nil)
        state.send(.storeFailed(message: "the file is not JSON", hint: "move it away and sign in again"))
        try expectScreen(
            "picker store error", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Accounts ─────────────────────────────────────────────────────────────────────


                  the store cannot be used: the file is not JSON
                  move it away and sign in again
                  r: retry
















                 a add  r reload  q quit  ? help
                """#)
    }

    @Test func `A terminal that is too small says so`() throws {
        let state = World.state(rows: 9, columns: 39)
        try expectScreen(
            "too small", state,
            is: #"""
                terminal too small: needs 40x10, has
                39x9







                """#)
    }

    @Test func `The help of the picker`() throws {
        var state = World.state()
        state.type("?")
        try expectOverlay(
            "help 80x24", state,
            is: #"""
                ┌─ Keys: Accounts ─────────────────────────────────────────────────────────────┐
                │ type to find a key                                                           │
                │                                                                              │
                │ This account                           ^U ^D      half a page up, down       │
                │ Enter      get a token silently        Home End g first row, last row        │
                │ → l        account details                                                   │
                │ a          add an account              Everywhere                            │
                │ d          by device code              p          paste a token              │
                │ u          undo the last removal       q          quit                       │
                │ n          next that needs you         ? F1       show keys                  │
                │ i          its tokens                  :          commands                   │
                │ s          consent                     A          activity                   │
                │ x          remove                      F          failures                   │
                │ o          sign out                    !          doctor                     │
                │ r          reload                      ,          settings                   │
                │ 1 2 3 4 5  accounts, tokens,           W          token stores               │
                │            consent, stores, activity   @          agent                      │
                │                                        P          programs                   │
                │ Several accounts                       T          themes                     │
                │ Space      mark or unmark              %          mouse on or off           ↓│
                └──────────────────────────────────────────────────────────────────────────────┘
                Esc close
                """#)
    }

    @Test func `The help stands in two columns where there is room`() throws {
        var state = World.state(rows: 30, columns: 110)
        state.type("?")
        try expectOverlay(
            "help 110x30", state,
            is: #"""
                ┌─ Keys: Accounts ───────────────────────────────────────────────────────────────────────────────────────────┐
                │ type to find a key                                                                                         │
                │                                                                                                            │
                │ This account                        List                                ,          settings                │
                │ Enter      get a token silently     /          filter by words          W          token stores            │
                │ → l        account details          t          one client               @          agent                   │
                │ a          add an account           S          sort                     P          programs                │
                │ d          by device code           z          group                    T          themes                  │
                │ u          undo the last removal    Esc        show all                 %          mouse on or off         │
                │ n          next that needs you                                          y          copy                    │
                │ i          its tokens               Moving and searching                ^L         redraw the screen       │
                │ s          consent                  ↑ ↓ k j    up, down                 ^Z         suspend                 │
                │ x          remove                   PgUp PgDn  page up, down            ^C         quit immediately        │
                │ o          sign out                 ^U ^D      half a page up, down                                        │
                │ r          reload                   Home End g first row, last row      Symbols                            │
                │ 1 2 3 4 5  accounts, tokens,                                            ● 59 min: cached token             │
                │            consent, stores,         Everywhere                          ◔ 4 min left: expires soon         │
                │            activity                 p          paste a token            ◐ renews on use: refresh token     │
                │                                     q          quit                     ○ needs sign-in: no usable token   │
                │ Several accounts                    ? F1       show keys                ✖ rejected: provider wants         │
                │ Space      mark or unmark           :          commands                   sign-in                          │
                │ v          mark the range           A          activity                 ▲ blocked: by settings or the      │
                │ U          clear marks              F          failures                   store                            │
                │                                     !          doctor                                                      │
                └────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
                Esc close
                """#)
    }

    @Test(arguments: [80, 110]) func `What is typed in the help leaves the keys that fit`(columns: Int) {
        var state = World.state(rows: 76, columns: columns)
        state.type("?")
        #expect(state.picture().contains("redraw the screen") && state.picture().contains("This account"))
        #expect(state.picture().contains("type to find a key"))
        let height = state.layout().area
        state.type("mark")
        #expect(state.picture().contains("Several accounts") && !state.picture().contains("redraw the screen"))
        #expect(state.picture().contains("│ mark "))
        #expect(state.layout().area == height, "nothing jumps")
        state.press(.escape)
        #expect(state.picture().contains("redraw the screen"))
        #expect(state.place == .help)
        state.press(.escape)
        #expect(state.place == .picker)
    }

    @Test func `In the help every letter is typed, Backspace deletes it, and a question mark closes only at first`() {
        var state = World.state()
        state.type("?q?")
        #expect(state.place == .helpFilter && state.picture().contains("│ q? "))
        state.press(.backspace, .backspace)
        #expect(state.place == .help)
        state.press(.backspace)
        #expect(state.place == .help)
        state.type("?")
        #expect(state.place == .picker)
        state.press(.function(1))
        state.type("jk")
        state.press(.function(1))
        #expect(state.place == .picker)
    }

    @Test func `The help moves by arrows, pages, Home and End, and begins at the top for what is typed`() {
        var state = World.state(rows: 14, columns: 60)
        state.type("?")
        state.press(.down, .down)
        #expect(state.top.scroll == 2)
        state.press(.end)
        let last = state.top.scroll
        state.press(.pageUp)
        #expect((1..<last).contains(state.top.scroll))
        state.press(.pageDown)
        #expect(state.top.scroll == last)
        state.press(.home, .down)
        state.type("e")
        #expect(state.top.scroll == 0)
        state.press(.pageDown)
        #expect(state.top.scroll > 0)
    }

    @Test(arguments: [(30, 110, 1), (24, 80, 2)])
    func `All keys of the accounts fit on one page, or on two`(rows: Int, columns: Int, pages: Int) {
        var state = World.state(rows: rows, columns: columns)
        state.type("?")
        for _ in 1..<pages { state.press(.pageDown) }
        let scroll = state.top.scroll
        state.press(.pageDown, .end)
        #expect(state.top.scroll == scroll && (scroll > 0) == (pages > 1))
    }

    @Test func `What no key fits is said, and every key stays`() throws {
        var state = World.state(rows: 14, columns: 60)
        state.type("?zebra")
        try expectScreen(
            "help, nothing found", state,
            is: #"""
                 foyer  1 Accounts  2  3  4  5                 ▲ plain file
                ─ Accounts 3 ───────────────────────────── 1 needs sign-in ─
                ┌─ Keys: Accounts ─────────────────────────────────────────┐
                │ zebra                                           no match │
                │ This account                                             │
                │ Enter         get a token silently; shows the steps, or  │
                │               another program's tokens                   │
                │ → l           account details                            │
                │ a             add an account; Enter signs the selected   │
                │               one in again                               │
                │ d             by device code; signs in again             │
                │ u             undo the last removal; until foyer ends   ↓│
                └──────────────────────────────────────────────────────────┘
                 Enter close  Esc all keys
                """#)
    }

    @Test func `The help in a narrow terminal scrolls`() throws {
        var state = World.state(rows: 10, columns: 40)
        state.type("?")
        state.press(.pageDown)
        try expectScreen(
            "help 40x10", state, glyphs: .ascii,
            is: #"""
                 foyer  Accounts 3         ! plain file
                +- Keys: Accounts ---------------------+
                | type to find a key                   |
                | Right l    account details          ^|
                | a          add an account; Enter     |
                |            signs the selected one in |
                |            again                     |
                | d          by device code; signs in v|
                +--------------------------------------+
                 Esc close
                """#)
    }
}
