package import FoundationEssentials
package import StrictJSON

extension Date {
    /// The supported seconds since 1970, until the end of the year 9999.
    package static var calendarSeconds: ClosedRange<Int64> { 0...253_402_300_799 }

    /// - Returns: nil for seconds outside ``calendarSeconds``.
    package init?(epochSeconds seconds: Double) {
        guard seconds >= 0, seconds <= Double(Self.calendarSeconds.upperBound) else { return nil }
        self.init(timeIntervalSince1970: seconds)
    }

    /// Whole seconds since 1970, rounded down and clamped to ``calendarSeconds``.
    package var epochSeconds: Int64 {
        let last = Double(Self.calendarSeconds.upperBound)
        return Int64(exactly: min(max(timeIntervalSince1970.rounded(.down), 0), last)) ?? 0
    }

    /// Whether this time is less than some seconds ago. A future time (after the clock was set back) is not.
    ///
    /// - Parameter ahead: tolerance for slightly future times, such as those another process just recorded.
    package func isWithin(_ seconds: TimeInterval, before now: Date, ahead: TimeInterval = 1) -> Bool {
        (-ahead..<seconds).contains(now.timeIntervalSince(self))
    }
}

extension JSONForm where Value == Date {
    package static var time: Self { JSONForm<Int64>.integer.map({ Date(epochSeconds: Double($0)) }, \.epochSeconds) }
}

extension JSONForm where Value == Secret {
    package static func secret(longest: Int) -> Self {
        JSONForm<String>.text(longest: longest).map(Secret.init) { $0.reveal() }
    }
}
