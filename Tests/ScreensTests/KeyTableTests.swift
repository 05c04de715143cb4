import Terminal
import Testing

@testable import Screens

@Suite struct KeyTableTests {
    @Test(arguments: KeyTable.Place.allCases)
    func `No key is twice in one table`(place: KeyTable.Place) {
        let keys = KeyTable.of(place).bindings.flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
    }

    @Test(arguments: KeyTable.Place.allCases)
    func `Every table has quit, redraw, suspend and a way to help or back`(place: KeyTable.Place) {
        let table = KeyTable.of(place)
        let commands = Set(table.bindings.map(\.command))
        #expect(commands.isSuperset(of: [.quit, .redraw, .suspend]))
        #expect(!commands.isDisjoint(with: [.back, .no, .clearFilter]))
        #expect(table.bindings.allSatisfy { !$0.help.isEmpty && !$0.keys.isEmpty })
    }

    @Test func `Where text is typed no letter is a command`() {
        for place in [KeyTable.Place.filter, .form, .paste] {
            for key in KeyTable.of(place).bindings.flatMap(\.keys) {
                if case .character = key { Issue.record("\(place): \(key)") }
            }
        }
    }

    @Test func `The footer offers what is valid now, made from the table`() {
        let empty = World.state([])
        #expect(empty.keys.footer(for: empty, glyphs: .utf8).map(\.label) == ["sign in", "filter", "reload", "quit", "help"])
        #expect(empty.keys.binding(for: .character("x"), in: empty) == nil)
    }

    @Test func `A table is rendered for a manual`() {
        let text = KeyTable.of(.picker).markdown
        #expect(text.hasPrefix("| key | what it does |\n|---|---|\n| `Enter` | a token"))
        #expect(KeyTable.markdown.contains("### Sign in: waiting"))
    }
}
