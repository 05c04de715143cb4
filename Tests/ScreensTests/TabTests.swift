import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

/// The views that a digit opens.
@Suite struct TabTests {
    @Test func `A digit opens a view, from any other`() {
        var state = World.state()
        for (key, tab) in [("2", Tab.tokens), ("4", .stores), ("5", .activity), ("3", .consent), ("1", .accounts)] {
            state.type(key)
            #expect(state.app.tab == tab, "\(key)")
            #expect(state.app.stack.count == (tab == .accounts ? 0 : 1))
        }
    }

    @Test func `A call under way is not cancelled by going to another view`() {
        var state = World.state()
        state.press(.enter)
        #expect(state.type("4") == [])
        #expect(state.app.tab == .accounts && state.app.stack.count == 1)
        #expect(state.picture().contains("a request is running"))
    }

    @Test func `A view is opened by a click on its name`() {
        var state = World.state()
        state.type("%")
        let column = state.picture().split(separator: "\n")[0].distance(of: "4 Stores")
        state.send(.key(.mouse(MouseEvent(.click, at: Position(row: 0, column: column + 3)))))
        #expect(state.app.tab == .stores)
    }

    @Test(arguments: [(110, "5 Activity ●2 "), (80, "5 Activity ●2 "), (60, " 5 ●2 ")])
    func `Failures that nobody has looked at are counted behind the name of their view`(columns: Int, words: String) {
        var state = World.state(rows: 24, columns: columns)
        #expect(!state.picture().contains("●2"))
        let use = ProgramsReport.Use(at: World.seconds(-60), refusal: "refused")
        state.send(.programUses(["git", "az"].map { ProgramsReport.Program($0, "", uses: [use]) }))
        let header = state.picture().split(separator: "\n")[0]
        #expect(header.contains(words) && header.contains("plain file"), "\(header)")
        #expect(state.picture(.ascii).contains("*2"))
        // The default theme underlines what is wrong: the blank before it is not part of it.
        let grid = view(state.app, size: state.size, glyphs: .utf8)
        let place = header.distance(of: "●2")
        #expect(grid[0, place].style.role == .danger && grid[0, place - 1].style.role != .danger)
        state.type("5")
        let rule = state.picture().split(separator: "\n")[1]
        if columns >= 80 {
            let count = rule.distance(of: "Failures 2") + "Failures ".count
            let views = view(state.app, size: state.size, glyphs: .utf8)
            #expect([-1, 0, 1].map { views[1, count + $0].style.role == .danger } == [false, true, false])
        }
        #expect(!state.picture().contains("●2"))
    }

    @Test func `The details of an account are a page where they are not beside the list; brackets go on to the next`() {
        var state = World.state()
        state.press(.right)
        #expect(state.place == .accountDetails)
        #expect(state.picture().contains("─ Accounts › ada@example.org ─"))
        state.type("]")
        #expect(state.picture().contains("─ Accounts › grace@example.org ─"))
        state.type("[")
        #expect(state.picture().contains("─ Accounts › ada@example.org ─"))
        state.type("x")
        #expect(state.question != nil, "below it is the list")
        state.press(.escape, .left)
        #expect(state.place == .picker)
    }
}

extension Substring {
    fileprivate func distance(of text: String) -> Int {
        var start = startIndex
        var count = 0
        while start < endIndex, !self[start...].hasPrefix(text) {
            start = index(after: start)
            count += 1
        }
        return count
    }
}
