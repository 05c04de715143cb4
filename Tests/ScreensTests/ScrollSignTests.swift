import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct ScrollSignTests {
    @Test(arguments: [0, 3, 6]) func `The signs that there is more cover no character`(scroll: Int) {
        var block = TextBlock()
        let secret = String((0..<200).map { Character(Unicode.Scalar(UInt8(0x41 + $0 % 26))) })
        block.add(.characters(secret, indent: 0))
        var grid = Grid(size: Size(rows: 4, columns: 22))
        let text = TextRows(block, width: 20, glyphs: .utf8)
        grid.draw(text, in: Rect(row: 0, column: 1, rows: 4, columns: 20), scroll: scroll)
        let lines = grid.plainText.split(separator: "\n").map { String($0.dropFirst()) }
        for (row, line) in lines.enumerated() {
            let start = (scroll + row) * 20
            #expect(line.prefix(20) == secret.dropFirst(start).prefix(20))
        }
        #expect(lines.contains { $0.hasSuffix("↓") } == (scroll < 6))
        #expect(lines.contains { $0.hasSuffix("↑") } == (scroll > 0))
    }
}
