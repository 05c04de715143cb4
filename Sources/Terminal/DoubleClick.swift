package import Keys

/// Combines two clicks on one cell into a double click.
package struct DoubleClick: Sendable {
    private static let time = Duration.milliseconds(400)

    private var last: (place: Position, at: ContinuousClock.Instant)?

    package init() {}

    package mutating func event(_ event: MouseEvent, at now: ContinuousClock.Instant) -> MouseEvent {
        guard event.action == .click else { return event }
        let isSecond = last.map { $0.place == event.place && now - $0.at < Self.time } ?? false
        last = isSecond ? nil : (event.place, now)
        return isSecond ? MouseEvent(.doubleClick, at: event.place) : event
    }

    /// The click changed the screen, so the next one is for something else.
    package mutating func forget() { last = nil }
}
