import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

/// Rows with something at their right end.
@Suite struct SidesTests {
    private func rows(_ width: Int, _ fill: (inout TextBlock) -> Void) -> [String] {
        var block = TextBlock()
        fill(&block)
        return TextRows(block, width: width, glyphs: .utf8).rows.map { $0.map(\.text).joined() }
    }

    @Test func `Blanks around what is wrong are not underlined with it`() {
        var grid = Grid(size: Size(rows: 1, columns: 10))
        let span = CellSpan(" not ok  ", .danger)
        grid.put([span, CellSpan("x", .danger)], at: Position(row: 0, column: 0), width: 10)
        #expect(grid.plainText == " not ok  x")
        #expect((0..<10).filter { grid[0, $0].style.role == .danger } == [1, 2, 3, 4, 5, 6, 9])
    }

    @Test func `What wraps stays right of the sign, and so does what stood at the right`() {
        for sign in [Sign.warning, .none] {
            let mark = sign == .warning ? "▲" : " "
            let rows = rows(20) {
                $0.sides([TextSpan(" ", sign: sign), TextSpan("reads and sends your mail")], [TextSpan("Mail.Send")])
            }
            #expect(rows == [mark + " reads and sends", "  your mail", "  Mail.Send"])
        }
    }

    @Test func `What has no sign begins at the edge, and what stood at the right is below it`() {
        #expect(
            rows(12) { $0.sides([TextSpan("Ada Lovelace")], [TextSpan("personal")]) } == ["Ada Lovelace", "  personal"])
    }

    private func meters(_ width: Int, _ tenants: [String]) -> [String] {
        rows(width) { block in
            for tenant in tenants {
                block.meter(
                    [TextSpan(" ", .ok, sign: .full), TextSpan("access"), TextSpan("  " + tenant)], 0.7, "59 min")
            }
        }
    }

    @Test func `Bars stand on one axis from 40 columns on, as long as the longest name allows`() {
        #expect(
            meters(44, ["contoso.example", "fabrikam.example"]) == [
                "● access  contoso.example   ━━━━━━─── 59 min", "● access  fabrikam.example  ━━━━━━─── 59 min",
            ])
        #expect(meters(40, ["contoso.example"]) == ["● access  contoso.example  ━━━━── 59 min"])
        #expect(meters(39, ["contoso.example"]) == ["● access  contoso.example        59 min"])
        #expect(meters(60, ["a"])[0].hasSuffix("━━━━━━━─── 59 min"))
    }

    @Test func `A long name wraps and takes no other bar away`() {
        let rows = meters(40, ["a-tenant-with-a-long-name.onmicrosoft.example", "a.example"])
        #expect(rows.first == "● access" && rows.contains("  ━━━─ 59 min"))
        #expect(rows.last == "● access  a.example          ━━━─ 59 min")
    }

    @Test func `At 110 columns the panel of an account has bars`() {
        let picture = World.state(rows: 30, columns: 110).picture()
        #expect(picture.contains("● access  Graph") && picture.contains("─ 42 min"))
    }
}
