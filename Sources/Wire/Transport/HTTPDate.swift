import FoundationEssentials

/// The three forms of a date in HTTP, RFC 9110 section 5.6.7.
enum HTTPDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// - Parameter now: for a two-digit year: one more than fifty years ahead is in the previous century.
    /// - Returns: nil for any other form; the weekday is not checked.
    static func parse(_ text: String, now: Date) -> Date? {
        guard text.utf8.count <= 64 else { return nil }
        var words = text.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
        guard !words.isEmpty else { return nil }
        words.removeFirst()
        switch words.count {
        case 5:  // Sun, 06 Nov 1994 08:49:37 GMT
            guard words[4] == "GMT", words[2].utf8.count == 4 else { return nil }
            return date(year: number(words[2]), month: words[1], day: words[0], time: words[3])
        case 3:  // Sunday, 06-Nov-94 08:49:37 GMT
            let parts = words[0].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard words[2] == "GMT", parts.count == 3, parts[2].utf8.count == 2, let short = number(parts[2]) else {
                return nil
            }
            let candidates = [2000 + short, 1900 + short].compactMap {
                date(year: $0, month: parts[1], day: parts[0], time: words[1])
            }
            let limit = now.addingTimeInterval(50 * 365.25 * 86_400)
            return candidates.first { $0 <= limit } ?? candidates.last
        case 4:  // Sun Nov  6 08:49:37 1994
            return date(year: number(words[3]), month: words[0], day: words[1], time: words[2])
        default: return nil
        }
    }

    private static func date(year: Int?, month name: String, day text: String, time: String) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0)) }
        guard let year, (1601...9999).contains(year),
            let month = months.firstIndex(of: name.lowercased()).map({ $0 + 1 }),
            let day = number(text), clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            hour < 24,
            minute < 60, second <= 60
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[month - 1]).contains(day) else { return nil }
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400
        let days = before * 365 + leapDays + lengths[..<(month - 1)].reduce(0, +) + day - 1 - 719_162
        return Date(timeIntervalSince1970: TimeInterval(days * 86_400 + hour * 3600 + minute * 60 + second))
    }

    private static func number(_ text: String) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
