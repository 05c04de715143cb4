package import FoundationEssentials
import Identity

package enum TimeSpan {
    /// `119 s`, `59 min`, `1 h 20 min`, `1 day 3 h`, `12 days`; at least `0 s` and at most a thousand years.
    package static func words(_ seconds: TimeInterval) -> String {
        let span = seconds.isNaN ? 0 : Int(min(max(seconds.rounded(.down), 0), 31_556_952_000))
        func parts(_ unit: String, _ rest: Int, _ smaller: String) -> String {
            rest == 0 ? unit : "\(unit) \(rest) \(smaller)"
        }
        switch span {
        case ..<120: return "\(span) s"
        case ..<3600: return "\(span / 60) min"
        case ..<86_400: return parts("\(span / 3600) h", span / 60 % 60, "min")
        case ..<172_800: return parts("1 day", span / 3600 % 24, "h")
        default: return "\(span / 86_400) days"
        }
    }

    package static func words(_ seconds: Int) -> String { words(TimeInterval(seconds)) }

    /// The expiry of a token in `words`, unless the server announced none (``Date/noAnnouncedEnd``).
    package static func end(_ end: Date, _ words: (Date) -> String) -> String {
        end == .noAnnouncedEnd ? "no announced end" : words(end)
    }

    /// A sentence about access tokens that a sign-out does not end.
    ///
    /// - Parameter time: formats the expiry of the last one.
    package static func tokensWork(until end: Date, _ time: (Date) -> String) -> String {
        "issued access tokens may work" + (end == .noAnnouncedEnd ? ": " : " ")
            + Self.end(end) { "until " + time($0) }
    }
}
