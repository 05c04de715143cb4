// What every list does: where a key leads, and which part of the list is seen.
extension Command {
    /// The place that a key for moving leads to, within the list; any other command stays.
    func moved(from place: Int, last: Int, page: Int) -> Int {
        let next =
            switch self {
            case .up: place - 1
            case .down: place + 1
            case .pageUp: place - page
            case .pageDown: place + page
            case .halfUp: place - max(1, page / 2)
            case .halfDown: place + max(1, page / 2)
            case .first: 0
            case .last: last
            default: place
            }
        return min(max(next, 0), last)
    }
}

extension Array {
    /// The first row that is seen when so many fit and the marked one must be among them.
    func firstRow(showing marked: Int, rows: Int) -> Int {
        Swift.min(Swift.max(0, marked - rows + 1), Swift.max(0, count - rows))
    }
}
