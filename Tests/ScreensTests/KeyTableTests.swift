import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct KeyTableTests {
    @Test(arguments: Registry.keyTables.map(\.context))
    func `No key is twice in one table`(place: KeyContext) {
        let keys = KeyTable.of(place).bindings.flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
    }

    @Test(arguments: Registry.keyTables.map(\.context))
    func `Every table has quit, redraw, suspend and a way to help or back`(place: KeyContext) {
        let table = KeyTable.of(place)
        let commands = Set(table.bindings.map(\.command))
        #expect(commands.isSuperset(of: [.quit, .redraw, .suspend]))
        #expect(!commands.isDisjoint(with: [.back, .no, .clearFilter, .clearSearch]))
        #expect(table.bindings.allSatisfy { !$0.help.isEmpty && !$0.keys.isEmpty })
    }

    @Test func `Where text is typed no letter is a command`() {
        for place in [KeyContext.filter, .form, .paste] {
            for key in KeyTable.of(place).bindings.flatMap(\.keys) {
                if case .character = key { Issue.record("\(place): \(key)") }
            }
        }
    }

    @Test func `The footer offers what is valid now, made from the table`() {
        let empty = World.state([])
        #expect(empty.labels == ["open", "add", "reload", "quit", "help"])
        #expect(!empty.app.offered.contains { $0.keys.contains(.character("x")) })
    }

    @Test(arguments: ["i", "s", "a", "A", "!", ",", ":", "?"])
    func `The footer of the smallest screen keeps Esc and help`(page: String) throws {
        var state = World.state(rows: 10, columns: 40)
        state.type(page)
        let footer = try #require(state.picture().split(separator: "\n", omittingEmptySubsequences: false).last)
        let helps = page == "?" || footer.contains("help")
        #expect(footer.contains("Esc") && helps, "\(footer)")
    }

    @Test func `The tables are rendered for a manual, and what most of them share is told once`() {
        let text = KeyTable.markdown(Registry.keyTables)
        #expect(
            text.hasPrefix(
                """
                ### Accounts

                In the settings file: `[keys.picker]`.

                | key | command | what it does |
                |---|---|---|
                | `Enter` | `open` | get a token
                """))
        #expect(text.contains("### Sign in: waiting"))
        #expect(text.split(separator: "| suspend |").count == 2)
        for row in Registry.keyTables.map(\.context).flatMap({ KeyTable.of($0).bindings }) {
            #expect(text.contains("| \(row.help) |"))
        }
    }

    private func change(_ place: KeyContext, _ command: Command, _ keys: [Key], line: Int = 1) -> KeyChanges.Change {
        KeyChanges.Change(context: place, command: command, keys: keys, line: line)
    }

    @Test func `A key of one's own works, is in footer and help, and the usual one does nothing any more`() throws {
        var context = World.context
        context.keyChanges = try KeyChanges(
            [change(.picker, .remove, [.character("D"), .function(8)])], of: Registry.keyTables)
        var state = World.state(context: context)
        state.type("x")
        #expect(state.place == .picker)
        #expect(state.app.offered.contains { $0.keys.first?.name == "D" && $0.label == "remove" })
        state.type("?")
        #expect(state.picture().contains("D F8"))
        state.press(.escape)
        state.press(.function(8))
        #expect(state.place == .dialog)
    }

    @Test func `Two commands that want one key are refused with both lines`() {
        let taken = change(.picker, .remove, [.character("D")], line: 3)
        let other = change(.picker, .signOut, [.character("D")], line: 4)
        #expect(throws: KeyChanges.Problem.taken(.character("D"), taken, by: .signOut, line: 4)) {
            try KeyChanges([taken, other], of: Registry.keyTables)
        }
        let usual = change(.picker, .remove, [.character("a")], line: 7)
        #expect(throws: KeyChanges.Problem.taken(.character("a"), usual, by: .signIn, line: nil)) {
            try KeyChanges([usual], of: Registry.keyTables)
        }
        // Two that change places are no conflict.
        #expect(throws: Never.self) {
            try KeyChanges(
                [change(.picker, .remove, [.character("o")]), change(.picker, .signOut, [.character("x")])],
                of: Registry.keyTables)
        }
    }

    @Test func `Ctrl-C always quits, letters stay text where text is typed`() {
        let stolen = change(.picker, .remove, [.control("c")])
        #expect(throws: KeyChanges.Problem.taken(.control("c"), stolen, by: .quit, line: nil)) {
            try KeyChanges([stolen], of: Registry.keyTables)
        }
        let letter = change(.form, .start, [.character("s")])
        #expect(throws: KeyChanges.Problem.letter(.character("s"), letter)) {
            try KeyChanges([letter], of: Registry.keyTables)
        }
        let missing = change(.help, .remove, [.function(2)])
        #expect(throws: KeyChanges.Problem.noSuchCommand(missing)) { try KeyChanges([missing], of: Registry.keyTables) }
        let everywhere = change(.scopes, .suspend, [.function(2)])
        #expect(throws: KeyChanges.Problem.noSuchCommand(everywhere)) {
            try KeyChanges([everywhere], of: Registry.keyTables)
        }
    }

    @Test func `Keys are named as the help names them`() {
        for key in Registry.keyTables.map(\.context).flatMap({ KeyTable.of($0).bindings.flatMap(\.keys) }) {
            #expect(Key(named: key.name(isASCII: true)) == key, "\(key)")
        }
        for wrong in ["", "Ctrl-", "Ctrl-C-D", "Ctrl-M", "F13", "F0", "\u{1B}", "ä", "Hyper-x", "xx"] {
            #expect(Key(named: wrong) == nil, "\(wrong)")
        }
    }
}
