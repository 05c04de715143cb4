/// Parses durations in the settings.
package enum SettingsTime {
    /// A week, in seconds: long enough for a forwarded connection that is still in use.
    private static let longest = 7 * 86_400

    /// - Parameter text: a number and `m`, `h` or `d`.
    /// - Returns: nil for other text, and for less than a minute or more than a week.
    package static func duration(_ text: String) -> Duration? {
        let units: [Character: Int] = ["m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            text.utf8.dropLast().allSatisfy({ (0x30...0x39).contains($0) }),
            case let (seconds, isTooMuch) = count.multipliedReportingOverflow(by: unit), !isTooMuch,
            (60...longest).contains(seconds)
        else { return nil }
        return .seconds(seconds)
    }
}
