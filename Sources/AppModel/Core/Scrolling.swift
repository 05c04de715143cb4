// The scroll position, the one number that a face cannot keep, clamped to the text as the face wraps it.
extension AppState {
    mutating func scroll(_ command: Command, _ face: Face) {
        guard !stack.isEmpty else { return }
        let extent = face.text(top, context)
        let last = max(0, extent.rows.count - extent.seen)
        var cursor = ListCursor(min(top.scroll, last))
        cursor.move(command, count: last + 1, page: max(1, extent.seen - 1))
        stack[stack.count - 1].scroll = cursor.selected
    }

    /// Scrolls a row near the top, but not past the end of the text.
    mutating func scroll(to row: Int, _ face: Face) {
        guard !stack.isEmpty else { return }
        let extent = face.text(top, context)
        let last = max(0, extent.rows.count - extent.seen)
        let shown = min(top.scroll, last)
        guard row < shown || row >= shown + extent.seen else { return }
        stack[stack.count - 1].scroll = min(max(0, row - 1), last)
    }

    /// Moves the selection between entries; above the first and below the last it scrolls.
    mutating func moveEntry(_ command: Command, _ face: Face) -> [Effect] {
        let extent = face.text(top, context)
        guard let marked = topPage.entry, !extent.entries.isEmpty else {
            scroll(command, face)
            return []
        }
        let last = extent.entries.count - 1
        switch command {
        case .up, .down:
            let next = marked + (command == .up ? -1 : 1)
            guard (0...last).contains(next) else {
                scroll(command, face)
                return []
            }
            let effects = send(.select(next), to: stack.count, face)
            showEntry(face)
            return effects
        case .first, .last:
            let effects = send(.select(command == .first ? 0 : last), to: stack.count, face)
            scroll(command, face)
            return effects
        default:
            scroll(command, face)
            let shown = top.scroll..<(top.scroll + extent.seen)
            guard !shown.contains(extent.entries[min(marked, last)].lowerBound),
                let near = extent.entries.firstIndex(where: { shown.contains($0.lowerBound) })
            else { return [] }
            return send(.select(near), to: stack.count, face)
        }
    }

    mutating func showEntry(_ face: Face) {
        let extent = face.text(top, context)
        guard let marked = topPage.entry, extent.entries.indices.contains(marked), !stack.isEmpty else { return }
        let place = extent.entries[marked]
        var scroll = top.scroll
        if place.lowerBound < scroll { scroll = place.lowerBound }
        // Include the rows above if there is room.
        if place.upperBound > scroll + extent.seen { scroll = min(place.lowerBound, place.upperBound - extent.seen) }
        stack[stack.count - 1].scroll = scroll
    }
}
