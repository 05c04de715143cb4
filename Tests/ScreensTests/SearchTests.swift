import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct SearchTests {
    /// All about an account, in a window that shows a part of it.
    private func reading(rows: Int = 10) -> State {
        var state = World.state(rows: rows, columns: 60)
        state.press(.right)
        return state
    }

    @Test func `In the list of tokens a slash goes to the token that is meant, n to the next, and its entry is read`()
        throws
    {
        var state = World.state(rows: 30, columns: 120)
        state.type("i")
        state.press(.tab, .tab, .tab)
        let effects = state.type("/refresh")
        let found = try #require(state.inspectorScreen.flatMap(state.chosen))
        #expect(found.kind == .refreshToken && found.clientID == World.azureCLI)
        let read = effects.compactMap { if case .readEntry(let credential, nil, _) = $0 { credential } else { nil } }
        #expect(read.last == found)
        state.press(.enter)
        state.type("n")
        let next = try #require(state.inspectorScreen.flatMap(state.chosen))
        #expect(next.kind == .refreshToken && next.clientID == World.work)
        #expect(state.place == .inspector)
        #expect(state.press(.escape).isEmpty && state.place == .inspector, "first the search ends")
    }

    @Test func `In one token a slash looks through its claims`() {
        var state = World.state(rows: 24, columns: 80)
        state.type("iG")
        state.press(.enter)
        state.type("/issued")
        #expect(state.search?.row != nil)
    }

    @Test func `A slash looks for text while it is typed; n and N go on, around the end`() throws {
        var state = reading()
        state.type("/inspect")
        #expect(state.place == .search)
        let first = try #require(state.search?.row)
        #expect(state.picture().contains("inspect"))
        state.press(.enter)
        #expect(state.place == .accountDetails)
        state.type("n")
        let second = try #require(state.search?.row)
        #expect(second > first)
        state.type("N")
        #expect(state.search?.row == first)
        state.type("N")
        #expect(try #require(state.search?.row) >= second)
        try expectScreen(
            "found in the details", state,
            is: #"""
                 foyer  ada@example.org                        ▲ plain file
                                                                          ↑
                  Tokens of Azure CLI                            i inspect
                  ○ access  Azure                       expired 10 min ago
                  ↻ family refresh

                  Tokens of work                                 i inspect
                  ● access  Graph                        ━━━━━━━─── 42 min
                 /inspect                                n next, N previous
                 Enter token  a sign in  i inspect  Esc back  ? help
                """#)
    }

    @Test func `Esc ends the search first, and the screen with the next`() {
        var state = reading()
        state.type("/user")
        state.press(.enter, .escape)
        #expect(state.search == nil && state.place == .accountDetails)
        state.press(.escape)
        #expect(state.place == .picker)
    }

    @Test func `What is nowhere is said, and nothing moves`() {
        var state = reading()
        state.type("/zebra")
        #expect(state.picture().contains("not found"))
        #expect(state.top.scroll == 0)
        state.press(.escape)
        #expect(state.search == nil)
    }

    @Test func `Letters that a search takes are no commands; n means nothing without one`() {
        var state = reading()
        state.type("n")
        #expect(state.place == .accountDetails)
        state.type("/q?")
        #expect(state.search?.field.text == "q?")
        state.press(.backspace)
        #expect(state.search?.field.text == "q")
    }

    @Test func `Wide and combining characters keep letters and columns in step`() {
        #expect(Grid.columns(of: AccountFilter.fold("花"), in: "林 花子") == [3..<5])
        #expect(Grid.columns(of: AccountFilter.fold("ab"), in: "xABab") == [1..<3, 3..<5])
        #expect(Grid.columns(of: [], in: "anything").isEmpty)
    }

    @Test func `Half pages move by half of what a page moves`() {
        var state = reading(rows: 12)
        state.press(.pageDown)
        let page = state.top.scroll
        state.press(.home, .control("d"))
        #expect(state.top.scroll == max(1, page / 2))
        state.press(.control("u"))
        #expect(state.top.scroll == 0)
        var list = World.state(World.many(100))
        list.press(.control("d"))
        #expect(list.picker.selected > 1)
        list.press(.control("u"))
        #expect(list.picker.selected == 0)
    }
}
