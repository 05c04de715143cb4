import Explain
package import FoundationEssentials
import Identity

/// Formats times: relative, of day, and durations.
package struct Clock: Sendable {
    package let now: Date
    package let secondsFromGMT: Int

    package init(now: Date, secondsFromGMT: Int) { (self.now, self.secondsFromGMT) = (now, secondsFromGMT) }

    /// Whole seconds until `date`, negative if past; clamped to a thousand years to prevent overflow.
    package func seconds(until date: Date) -> Int {
        let span = date.timeIntervalSince(now).rounded()
        return Int(exactly: min(max(span, -31_556_952_000), 31_556_952_000)) ?? 0
    }

    /// `in 42 min`, `3 h 5 min ago`, `now`.
    package func relative(_ date: Date) -> String {
        let seconds = seconds(until: date)
        if seconds == 0 { return "now" }
        return seconds > 0 ? "in " + TimeSpan.words(seconds) : TimeSpan.words(-seconds) + " ago"
    }

    /// `42 minutes`, `1 hour 5 minutes`: units in full, to be read aloud.
    static func spoken(_ seconds: Int) -> String {
        let parts = TimeSpan.words(seconds).split(separator: " ")
        let units: [Substring: String] = ["s": "second", "min": "minute", "h": "hour"]
        return parts.indices.map { place in
            guard let unit = units[parts[place]] else { return String(parts[place]) }
            return parts[max(0, place - 1)] == "1" ? unit : unit + "s"
        }.joined(separator: " ")
    }

    /// `0.4 s`, `12 s`; nil below 0.05 s.
    static func duration(_ seconds: Double) -> String? {
        guard seconds.isFinite, seconds >= 0.05 else { return nil }
        guard seconds < 9.95 else { return TimeSpan.words(seconds) }
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// `412 ms`, `2.0 s`, `65 s`; empty for nil.
    static func duration(milliseconds: Int?) -> String {
        guard let milliseconds else { return "" }
        if milliseconds >= 1000, let seconds = duration(Double(milliseconds) / 1000) { return seconds }
        return "\(milliseconds) ms"
    }

    /// `14:59`: minutes and seconds left. Rounded down, as ``now`` can be a second old: rounded up, 15 minutes would
    /// begin at 15:01.
    package func countdown(to date: Date) -> String {
        let left = Int(exactly: min(max(date.timeIntervalSince(now), 0), 31_556_952_000).rounded(.down)) ?? 0
        return Self.twoDigits(left / 60) + ":" + Self.twoDigits(left % 60)
    }

    /// `1:45`: minutes and seconds since then.
    package func elapsed(since date: Date) -> String {
        let seconds = max(0, -seconds(until: date))
        return "\(seconds / 60):" + Self.twoDigits(seconds % 60)
    }

    /// `04:42` on the same day, `2026-11-22 04:42` on another.
    package func time(_ date: Date) -> String {
        guard let there = civil(date), let here = civil(now) else { return "unknown time" }
        let time = Self.twoDigits(there.minute / 60) + ":" + Self.twoDigits(there.minute % 60)
        return there.day == here.day ? time : "\(there.day) \(time)"
    }

    /// `2026-11-21 04:42 +01:00`.
    package func full(_ date: Date) -> String {
        guard let there = civil(date) else { return "unknown time" }
        let offset = min(abs(secondsFromGMT), 86_400) / 60
        let sign = secondsFromGMT < 0 ? "-" : "+"
        let zone = offset == 0 ? "UTC" : sign + Self.twoDigits(offset / 60) + ":" + Self.twoDigits(offset % 60)
        return "\(there.day) \(Self.twoDigits(there.minute / 60)):\(Self.twoDigits(there.minute % 60)) \(zone)"
    }

    /// Gregorian date from a day number, counted from March so that leap days come last; years 1970 to 9999.
    private func civil(_ date: Date) -> (day: String, minute: Int)? {
        guard Date(epochSeconds: date.timeIntervalSince1970.rounded(.down)) != nil else { return nil }
        let seconds = Int(date.epochSeconds)
        let local = max(0, seconds + min(max(secondsFromGMT, -86_400), 86_400))
        let days = local / 86_400 + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return ("\(year)-\(Self.twoDigits(month))-\(Self.twoDigits(day))", local % 86_400 / 60)
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
