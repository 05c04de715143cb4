import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct MouseTests {
    private func at(_ row: Int, _ column: Int = 5) -> Position { Position(row: row, column: column) }

    @Test func `The mouse is off until the key for it, which says what it means`() {
        var state = World.state()
        #expect(!state.context.mouse)
        #expect(state.type("%") == [.mouse(true)])
        #expect(state.notice?.contains("wheel") == true)
        #expect(state.type("%") == [.mouse(false)])
        #expect(state.notice?.contains("select text in the terminal") == true)
    }

    @Test func `A click marks the account under it, a double click opens it`() {
        var state = World.state()
        let row = state.listArea.row
        #expect(state.press(.mouse(MouseEvent(.click, at: at(row + 4)))).isEmpty)
        #expect(state.home.selected == 2)
        #expect(state.press(.mouse(MouseEvent(.click, at: at(row + 3)))).isEmpty)
        #expect(state.home.selected == 1)
        #expect(state.press(.mouse(MouseEvent(.click, at: at(row + 2)))).isEmpty)
        #expect(state.home.selected == 1, "a heading is not selected")
        #expect(state.press(.mouse(MouseEvent(.click, at: at(row + 9)))).isEmpty)
        #expect(state.home.selected == 1, "below the last account is nothing")
        guard
            case .acquireSilently(_, _, RequestID(1)) = state.press(.mouse(MouseEvent(.doubleClick, at: at(row + 3))))
                .first
        else {
            Issue.record("a double click opens")
            return
        }
        #expect(state.place == .acquisition)
    }

    @Test(arguments: [80, 120]) func `A click marks a token, a double click reads it, and a heading is nothing`(
        columns: Int
    ) throws {
        var state = World.state(rows: 24, columns: columns)
        state.type("%i")
        let lines = state.picture().split(separator: "\n", omittingEmptySubsequences: false)
        let row = try #require(lines.lastIndex { $0.prefix(30).contains("refresh") })
        let heading = try #require(lines.firstIndex { $0.hasPrefix(" work") })
        state.press(.mouse(MouseEvent(.click, at: Position(row: row, column: 9))))
        let chosen = try #require(state.inspectorScreen.flatMap(state.chosen))
        #expect(chosen.kind == .refreshToken && chosen.clientID == World.work)
        state.press(.mouse(MouseEvent(.click, at: Position(row: heading, column: 9))))
        #expect(state.inspectorScreen.flatMap(state.chosen) == chosen)
        state.press(.mouse(MouseEvent(.doubleClick, at: Position(row: row, column: 9))))
        #expect(state.place == .tokenDetails)
    }

    @Test func `The wheel moves in lists and texts, and nowhere else`() {
        var state = World.state(World.many(100))
        state.press(.mouse(MouseEvent(.wheelDown, at: at(5))))
        #expect(state.home.selected == 3)
        state.press(.mouse(MouseEvent(.wheelUp, at: at(5))))
        #expect(state.home.selected == 0)
        state.type("a")
        let before = state
        state.press(.mouse(MouseEvent(.wheelDown, at: at(5))))
        #expect(state == before)
    }

    @Test func `A click on an answer gives it, and beside the answers nothing is answered`() {
        var state = World.state()
        state.type("x")
        guard state.dialog != nil else {
            Issue.record("no dialog")
            return
        }
        let places = state.layout().buttons
        #expect(state.dialog?.question.isConfirmFocused == false, "the safe one is the default")
        #expect(state.press(.mouse(MouseEvent(.click, at: at(places[1].row, places[1].column - 1)))).isEmpty)
        #expect(state.dialog?.question.isConfirmFocused == false)
        state.press(.mouse(MouseEvent(.click, at: places[0].origin)))
        #expect(state.dialog == nil && state.departure == nil)
        state.type("x")
        state.press(.mouse(MouseEvent(.click, at: places[1].origin)))
        #expect(state.dialog == nil && state.departure != nil)
    }

    @Test(arguments: [40, 80, 110], [Glyphs.utf8, .ascii])
    func `A click on a key of the footer presses it`(columns: Int, glyphs: Glyphs) throws {
        var state = World.state(rows: 24, columns: columns)
        let footer = try #require(state.picture(glyphs).split(separator: "\n").last)
        let help = try #require(footer.firstRange(of: "? help"))
        let column = footer.distance(from: footer.startIndex, to: help.lowerBound)
        for place in [column, column + 5] {
            state.click(at(23, place), glyphs)
            #expect(state.place == .help)
            state.press(.escape)
        }
        state.click(at(23, column - 1), glyphs)
        #expect(state.place == .picker, "between two keys is nothing")
    }

    @Test func `What lies under a dialog has no keys`() {
        var state = World.state()
        let before = view(state.app, size: state.size, glyphs: .utf8)
        state.type("x")
        let after = view(state.app, size: state.size, glyphs: .utf8)
        for row in 0..<23 {
            for column in 0..<80 { #expect(after.key(at: at(row, column)) == nil, "\(row), \(column)") }
        }
        #expect((0..<80).contains { before.key(at: at(23, $0)) != nil })
    }

    @Test func `A click goes to a field of the form, and never sends it`() {
        var state = World.state()
        state.type("a")
        state.press(.mouse(MouseEvent(.doubleClick, at: at(SignInFormView.row(of: .scopes, size: state.size), 20))))
        guard let form = state.form else {
            Issue.record("the form is gone")
            return
        }
        #expect(form.focus == .scopes)
    }

    @Test func `A click in the list of themes shows the theme`() {
        var state = World.state()
        state.type("T")
        let area = state.layout().area
        guard case .showTheme = state.press(.mouse(MouseEvent(.click, at: area.at(row: 2)))).first else {
            Issue.record("no preview")
            return
        }
    }

    @Test func `On a screen that is too small nothing is clicked`() {
        var state = World.state(rows: 5, columns: 20)
        let before = state
        #expect(state.press(.mouse(MouseEvent(.doubleClick, at: at(3)))).isEmpty)
        #expect(state == before)
    }

    @Test func `A double click in the list of commands runs the command`() {
        var state = World.state()
        state.type(":doctor")
        let body = state.body
        let effects = state.press(.mouse(MouseEvent(.doubleClick, at: at(body.endRow - 3))))
        #expect(effects == [.examine(RequestID(1))])
    }

    @Test func `The cursor stands on the row that is marked, for those who follow it`() throws {
        var state = World.state()
        state.type("T")
        state.press(.down, .down)
        let cursor = try #require(view(state.app, size: state.size, glyphs: .utf8).cursor)
        let lines = state.picture().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[cursor.row].contains("│ ▌"))
    }
}
