package import FoundationEssentials
package import StrictJSON

extension Date {
    /// The seconds since 1970 that a calendar holds: to the end of the year 9999.
    package static var calendarSeconds: ClosedRange<Int64> { 0...253_402_300_799 }

    /// - Returns: nil for seconds that no calendar holds.
    package init?(epochSeconds seconds: Double) {
        guard seconds >= 0, seconds <= Double(Self.calendarSeconds.upperBound) else { return nil }
        self.init(timeIntervalSince1970: seconds)
    }

    /// Whole seconds since 1970, rounded down; the nearest that a calendar holds.
    package var epochSeconds: Int64 {
        let last = Double(Self.calendarSeconds.upperBound)
        return Int64(exactly: min(max(timeIntervalSince1970.rounded(.down), 0), last)) ?? 0
    }

    /// Whether less than a number of seconds have passed since then. A time that is still to come (the clock went back)
    /// is not within them.
    ///
    /// - Parameter ahead: seconds that it may seem to be ahead, as what another process has just noted.
    package func isWithin(_ seconds: TimeInterval, before now: Date, ahead: TimeInterval = 1) -> Bool {
        (-ahead..<seconds).contains(now.timeIntervalSince(self))
    }
}

extension JSONForm where Value == Date {
    /// Whole seconds since 1970.
    package static var time: Self { JSONForm<Int64>.integer.map({ Date(epochSeconds: Double($0)) }, \.epochSeconds) }
}

extension JSONForm where Value == Secret {
    package static func secret(longest: Int) -> Self {
        JSONForm<String>.text(longest: longest).map(Secret.init) { $0.reveal() }
    }
}
