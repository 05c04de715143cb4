import AppModel
import Terminal

extension Grid {
    /// Draws a filter with the number of rows that match; the cursor is there while it is typed.
    mutating func draw(_ filter: Page.Filter, in area: Rect) {
        let used = put(" / ", at: area.origin, style: .role(.key))
        let count = "\(filter.count) "
        let width = max(4, area.columns - used - count.count - 1)
        let place = draw(
            filter.field, at: area.at(row: 0, column: used), width: width, placeholder: filter.hint,
            isFocused: filter.isTyping)
        putRight(count, at: area.at(row: 0, column: 0), style: .role(.muted), width: area.columns)
        if filter.isTyping { cursor = place }
    }
}
