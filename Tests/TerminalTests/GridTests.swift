import Keys
import Testing

@testable import Terminal

@Suite struct GridTests {
    private func grid(_ rows: Int, _ columns: Int, _ glyphs: Glyphs = .utf8) -> Grid {
        Grid(size: Size(rows: rows, columns: columns), glyphs: glyphs)
    }

    @Test func `A box with a title looks like this, in UTF-8 and in ASCII`() {
        var one = grid(3, 14)
        one.box(one.bounds, title: "Accounts")
        #expect(one.plainText == "┌─ Accounts ─┐\n│            │\n└────────────┘")
        var two = grid(3, 14, .ascii)
        two.box(two.bounds, title: "Accounts for all")
        #expect(two.plainText == "+- Accou... -+\n|            |\n+------------+")
        #expect(two[0, 0].line == .topLeft)
    }

    @Test func `Text is clipped at the edge and at its width, never half a wide character`() {
        var one = grid(1, 8)
        #expect(one.put("abcdefghij", at: Position(row: 0, column: 2)) == 6)
        #expect(one.plainText == "  abcde…")
        one.fill(one.bounds)
        #expect(one.put("中文字", at: Position(row: 0, column: 3)) == 5)
        #expect(one.plainText == "   中文…")
        #expect(one.put("xyz", at: Position(row: 0, column: 0), width: 2) == 2)
        #expect(one.plainText == "x… 中文…")
    }

    @Test func `Half of an overwritten wide character becomes a space`() {
        var one = grid(1, 6)
        one.put("中文", at: Position(row: 0, column: 0))
        one.put("x", at: Position(row: 0, column: 1))
        #expect(one.plainText == " x文")
        one.put("字", at: Position(row: 0, column: 1))
        #expect(one.plainText == " 字")
        #expect(one[0, 3] == .blank())
    }

    @Test func `Writing outside does nothing`() {
        var one = grid(2, 4)
        let before = one
        for place in [(-1, 0), (0, -1), (2, 0), (0, 4), (Int.max, Int.max)] {
            #expect(one.put("x", at: Position(row: place.0, column: place.1)) == 0)
        }
        one.fill(Rect(row: 5, column: 5, rows: 9, columns: 9), style: .role(.danger))
        one.box(Rect(row: 0, column: 0, rows: 1, columns: 1))
        #expect(one == before)
        var none = grid(0, 0)
        none.box(none.bounds, title: "x")
        #expect(none.plainText == "")
        #expect(grid(-5, 2_000_000_000).size == Size(rows: 0, columns: 1000))
    }

    @Test func `What comes from outside is cleaned on its way into a cell`() {
        var one = grid(1, 30)
        one.put("a\u{1B}[2J\nb", at: Position(row: 0, column: 0))
        #expect(one.plainText == "a‹U+001B›[2J‹U+000A›b")
    }

    @Test func `A bar with something left is not empty, and one with something missing is not full`() {
        var one = grid(4, 4)
        for (row, fraction) in [0, 0.001, 0.999, 1].enumerated() {
            one.bar(at: Position(row: row, column: 0), width: 4, fraction: fraction)
        }
        #expect(one.plainText == "────\n━───\n━━━─\n━━━━")
        one.bar(at: Position(row: 0, column: 0), width: 4, fraction: .nan)
        #expect(one[0, 0].style == .role(.barEmpty))
    }

    @Test(arguments: [
        ("expires in 59 s", true), ("0 s", true), ("12 s, 3 scopes", true), ("5 scopes", false), ("59 min", false),
        ("s 5", false), ("a s", false),
    ])
    func `A number of seconds is found, and no other number`(text: String, isFound: Bool) {
        var grid = grid(2, 20)
        grid.put(text, at: Position(row: 0, column: 0))
        #expect(grid.countsSeconds == isFound)
    }

    @Test func `Text can be right-aligned, and roles can be read`() {
        var one = grid(2, 7)
        one.putRight("ab", at: Position(row: 0, column: 0), style: .role(.muted), width: 7)
        one.put("abc", at: Position(row: 1, column: 2), style: .role(.title), width: 5)
        #expect(one.plainText == "     ab\n  abc")
        #expect(one.styledText == ".....mm\n..TTT")
        one.restyle(Rect(row: 0, column: 0, rows: 1, columns: 2), style: .role(.selection))
        #expect(one.styledText == "SS...mm\n..TTT")
        #expect(Set(Role.allCases.map(\.letter)).count == Role.allCases.count)
    }

    @Test func `Parts of the screen are cut without ever going negative`() {
        let whole = Rect(row: 0, column: 0, rows: 24, columns: 80)
        #expect(whole.splitTop(1).rest == Rect(row: 1, column: 0, rows: 23, columns: 80))
        #expect(whole.splitBottom(2).bottom == Rect(row: 22, column: 0, rows: 2, columns: 80))
        #expect(whole.splitRight(30).right == Rect(row: 0, column: 50, rows: 24, columns: 30))
        #expect(whole.centered(rows: 4, columns: 20) == Rect(row: 10, column: 30, rows: 4, columns: 20))
        #expect(Rect(row: 0, column: 0, rows: 1, columns: 1).inset().isEmpty)
        #expect(whole.splitLeft(200).rest.isEmpty)
    }

    @Test func `A part of the picture stands for the key that it was given last`() {
        var grid = Grid(size: Size(rows: 3, columns: 10))
        grid.setKey(.escape, in: Rect(row: 1, column: 2, rows: 1, columns: 4))
        grid.setKey(.enter, in: Rect(row: 0, column: 4, rows: 3, columns: 1))
        grid.setKey(.tab, in: Rect(row: 0, column: 0, rows: 1, columns: 0))
        #expect(grid.key(at: Position(row: 1, column: 2)) == .escape)
        #expect(grid.key(at: Position(row: 1, column: 4)) == .enter)
        #expect(grid.key(at: Position(row: 1, column: 6)) == nil)
        #expect(grid.key(at: Position(row: 0, column: 0)) == nil)
        grid.forgetKeys()
        #expect(grid.key(at: Position(row: 1, column: 2)) == nil)
    }

    @Test func `The changes of a row are the columns that differ, whatever is drawn elsewhere`() {
        var before = Grid(size: Size(rows: 2, columns: 6))
        before.put("ab e\u{301}", at: Position(row: 0, column: 0))
        var now = Grid(size: before.size)
        // Another text of several scalars comes first, so that the same one has another place in the grid's list.
        now.put("o\u{308}", at: Position(row: 1, column: 0))
        now.put("ab e\u{301}", at: Position(row: 0, column: 0))
        #expect(now.changes(in: 0, since: before).isEmpty)
        #expect(now.changes(in: 1, since: before) == [true, false, false, false, false, false])
        now.put("B", at: Position(row: 0, column: 1), style: .role(.title))
        now.put("a\u{301}", at: Position(row: 0, column: 3))
        #expect(now.changes(in: 0, since: before) == [false, true, false, true, false, false])
        #expect(now.changes(in: 0, since: nil) == Array(repeating: true, count: 6))
        #expect(now.changes(in: 0, since: now).isEmpty)
    }
}
