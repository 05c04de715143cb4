/// What a face can say of how much it shows at once. The model scrolls by it and knows nothing else of rows and
/// columns.
package struct Face: Sendable {
    /// Of a feature's list.
    package struct ListExtent: Equatable, Sendable {
        package var rows: Int
        /// Whether the text of the marked row is shown beside the list.
        package var showsText: Bool

        package init(rows: Int, showsText: Bool) { (self.rows, self.showsText) = (rows, showsText) }
    }

    /// Of a feature's text, broken into rows as the face breaks it.
    package struct TextExtent: Equatable, Sendable {
        package var rows: [String]
        /// How many of them are seen at once.
        package var seen: Int
        /// The rows of each entry.
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

    /// Everything is seen at once: nothing is scrolled.
    package static let unlimited = Face(
        list: { _, _ in ListExtent(rows: 1 << 30, showsText: true) },
        text: { _, _ in TextExtent(rows: [], seen: 1 << 30) })
}
