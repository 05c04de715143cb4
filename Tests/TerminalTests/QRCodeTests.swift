import FoundationEssentials
import Testing

@testable import Console
@testable import Terminal

@Suite struct QRCodeTests {
    @Test func `A code has its three finder patterns and its timing pattern`() throws {
        let code = try #require(QRCode("https://microsoft.com/devicelogin"))
        let finder = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]
        for (top, left) in [(0, 0), (0, code.side - 7), (code.side - 7, 0)] {
            for row in 0..<7 {
                let drawn = (0..<7).map { code.isDark(row: top + row, column: left + $0) ? "#" : "." }.joined()
                #expect(drawn == finder[row])
            }
        }
        for column in 8..<code.side - 8 { #expect(code.isDark(row: 6, column: column) == column.isMultiple(of: 2)) }
        #expect(!code.isDark(row: -1, column: 0))
    }

    @Test func `A code is drawn whole or not at all`() throws {
        let code = try #require(QRCode("https://example.org/"))
        let size = code.size(.utf8)
        #expect(code.lines(fitting: Size(rows: size.rows - 1, columns: size.columns)) == nil)
        let lines = try #require(code.lines(fitting: size))
        #expect(lines.count == size.rows)
        #expect(lines.allSatisfy { DisplayWidth.columns($0) == size.columns })
        #expect(lines.first?.allSatisfy { $0 == "█" } == true)
        var grid = Grid(size: Size(rows: 5, columns: 5))
        let before = grid
        #expect(!code.draw(in: &grid, rect: grid.bounds))
        #expect(grid == before)
    }

    @Test func `Without UTF-8 a module is two coloured spaces`() throws {
        let code = try #require(QRCode("https://example.org/"))
        var grid = Grid(size: code.size(.ascii), glyphs: .ascii)
        #expect(code.draw(in: &grid, rect: grid.bounds))
        #expect(grid.plainText.utf8.allSatisfy { $0 == 0x20 || $0 == 0x0A })
        #expect(grid[0, 0].style == Style(role: .qr))
        #expect(grid[QRCode.quietZone, 2 * QRCode.quietZone].style == Style(role: .qr, reverse: true))
    }

    @Test func `Nothing and too much make no code`() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "x", count: 1025)) == nil)
    }

    @Test func `The clipboard sequence carries the text and nothing of it raw`() throws {
        #expect(Clipboard.sequence(copying: "hello") == "\u{1B}]52;c;aGVsbG8=\u{7}")
        let inside = try #require(Clipboard.sequence(copying: "hello", insideTmux: true))
        #expect(inside.hasSuffix("\u{1B}Ptmux;\u{1B}\u{1B}]52;c;aGVsbG8=\u{7}\u{1B}\\"))
        #expect(Clipboard.sequence(copying: "") == nil)
        // A terminal that does not know how to clear has a space instead of the token.
        #expect(Clipboard.clearing() == "\u{1B}]52;c;IA==\u{7}\u{1B}]52;c;!\u{7}")
        #expect(Clipboard.sequence(copying: String(repeating: "x", count: 56_244)) != nil)
        #expect(Clipboard.sequence(copying: String(repeating: "x", count: 56_247)) == nil)
    }
}
