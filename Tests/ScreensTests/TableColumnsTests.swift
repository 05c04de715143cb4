import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct TableColumnsTests {
    private static func table(_ name: String, _ cause: String) -> ListTable {
        ListTable(
            [.flexible("name"), "state", .spare("more")], cause: "cause",
            [ListTable.Row((.check, .ok), [TextSpan(name), TextSpan("usable"), TextSpan("spare")], cause: cause)])
    }

    private static func columns(
        _ width: Int, hasText: Bool = false, _ name: String = "a name of twenty-two c", _ cause: String = "because"
    ) -> TableColumns {
        TableColumns(table(name, cause), width: width, hasText: hasText, glyphs: .utf8)
    }

    @Test func `With room every column is as wide as what stands in it, and the cause has the rest`() {
        let columns = Self.columns(80)
        #expect(columns.places.map(\.start) == [4, 28, 36] && columns.places.map(\.width) == [22, 6, 5])
        #expect(columns.cause?.start == 43 && columns.cause?.width == 36 && !columns.isStacked)
    }

    @Test func `With less room a spare column goes first, then the name is cut, then the cause goes below`() {
        let some = Self.columns(60)
        #expect(some.places.map(\.column) == [0, 1] && some.places[0].width == 22 && some.cause != nil)
        let less = Self.columns(50)
        #expect(less.places[0].width < 22 && less.cause != nil && !less.isStacked)
        let least = Self.columns(40)
        #expect(least.cause == nil && least.isStacked && least.places[0].width == 22)
    }

    @Test func `With the text beside the list the name is whole, and the cause is there alone`() {
        let columns = Self.columns(50, hasText: true)
        #expect(columns.places.map(\.column) == [0, 1, 2] && columns.places[0].width == 22)
        #expect(columns.cause == nil && !columns.isStacked)
    }

    @Test func `Without a cause nothing is kept for it, and nothing is below a row`() {
        let columns = Self.columns(42, "a name of twenty-two c", "")
        #expect(columns.cause == nil && !columns.isStacked && columns.places.map(\.column) == [0, 1, 2])
    }

    @Test(arguments: [(80, 60), (70, 50), (200, 70)]) func `A long value has the room that is left`(
        width: Int, columns: Int
    ) {
        let name = String(repeating: "x", count: 70)
        #expect(Self.columns(width, hasText: true, name, "").places[0].width == columns)
        let wide = Self.columns(120, hasText: true, name)
        #expect(wide.places[0].width == 70 && wide.cause?.width == 28)
    }

    @Test(arguments: [1, 4, 12, 20, 40]) func `A name without end leaves the others their place`(width: Int) {
        let columns = Self.columns(width, String(repeating: "\u{202E}x花", count: 5000), "y")
        #expect(columns.places.allSatisfy { $0.width > 0 && $0.width <= 40 })
    }
}
