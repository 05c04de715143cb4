package import Keys

/// Tells the second of two clicks on one cell, and makes a double click of it.
package struct DoubleClick: Sendable {
    /// Two presses within this time are a double click, as on most desktops.
    private static let time = Duration.milliseconds(400)

    private var last: (place: Position, at: ContinuousClock.Instant)?

    package init() {}

    /// - Returns: the same event, or the double click that it is the second part of.
    package mutating func event(_ event: MouseEvent, at now: ContinuousClock.Instant) -> MouseEvent {
        guard event.action == .click else { return event }
        let isSecond = last.map { $0.place == event.place && now - $0.at < Self.time } ?? false
        last = isSecond ? nil : (event.place, now)
        return isSecond ? MouseEvent(.doubleClick, at: event.place) : event
    }

    /// The click has done something: the next one is for what has come in its place.
    package mutating func forget() { last = nil }
}
