/// The extents of a face. The model scrolls by them and needs no other knowledge of rows and columns.
package struct Face: Sendable {
    /// The visible extent of a feature's list.
    package struct ListExtent: Equatable, Sendable {
        package var rows: Int
        /// Whether the text of the selected row is shown next to the list.
        package var showsText: Bool

        package init(rows: Int, showsText: Bool) { (self.rows, self.showsText) = (rows, showsText) }
    }

    /// The extent of a feature's text, as the face wraps it.
    package struct TextExtent: Equatable, Sendable {
        package var rows: [String]
        package var seen: Int
        package var entries: [Range<Int>]

        package init(rows: [String], seen: Int, entries: [Range<Int>] = []) {
            (self.rows, self.seen, self.entries) = (rows, seen, entries)
        }
    }

    package let list: @Sendable (any Feature, Context) -> ListExtent
    package let text: @Sendable (any Feature, Context) -> TextExtent

    package init(
        list: @escaping @Sendable (any Feature, Context) -> ListExtent,
        text: @escaping @Sendable (any Feature, Context) -> TextExtent
    ) {
        (self.list, self.text) = (list, text)
    }

    /// Everything is visible: nothing scrolls.
    package static let unlimited = Face(
        list: { _, _ in ListExtent(rows: 1 << 30, showsText: true) },
        text: { _, _ in TextExtent(rows: [], seen: 1 << 30) })
}
