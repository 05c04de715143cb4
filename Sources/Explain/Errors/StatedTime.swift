import Identity

// Lengths of time that a provider states in its description, such as "was inactive for 12:00:00". A tenant can set
// them, so the explanations of their numbers name none of their own.

extension ServerCodeMeaning {
    /// A copy with the length of time that the provider's description states; unchanged if it states none, or none that
    /// is plausible.
    package func stating(_ description: String?) -> ServerCodeMeaning {
        guard origin == .entra, let form = Self.timed[number], let description,
            let seconds = StatedTime.seconds(in: description.asciiLowercased, after: form.words)
        else { return self }
        return ServerCodeMeaning(
            number, responsible, form.explanation(TimeSpan.words(seconds)), remedy, origin: origin)
    }

    private struct TimedExplanation: Sendable {
        /// The words before the time in the description.
        let words: String
        let explanation: @Sendable (String) -> String
    }

    private static let timed: [Int: TimedExplanation] = [
        70008: TimedExplanation(words: "inactive for ") { "the refresh token was not used for \($0) and has expired" },
        700_082: TimedExplanation(words: "inactive for ") {
            "the refresh token was not used for \($0) and has expired"
        },
        700_084: TimedExplanation(words: "limited lifetime of ") {
            "the refresh token came from a web page, where it expires after \($0)"
        },
        70043: TimedExplanation(words: "maximum allowed lifetime for this request is ") {
            "the tenant requires a new sign-in every \($0)"
        },
    ]
}

/// A length of time in a description of Entra ID: `12:00:00`, `90.00:00:00` (days first), or seconds alone.
enum StatedTime {
    /// Ten years, in seconds.
    static let longest = 315_576_000

    /// - Returns: the seconds after the first of these words; nil for anything that is not whole and well formed, and
    ///   for less than a second or more than ``longest``.
    static func seconds(in description: String, after words: String) -> Int? {
        guard let place = description.firstRange(of: words)?.upperBound else { return nil }
        let rest = description[place...].utf8
        let text = rest.prefix { (0x30...0x3A).contains($0) || $0 == UInt8(ascii: ".") }
        let isEnd = text.last == UInt8(ascii: ".") || text.count == rest.count
        // A number alone can have a unit behind it, which would change its meaning.
        let after: [UInt8] = text.contains(UInt8(ascii: ":")) ? Array(" ,;".utf8) : []
        guard text.count <= 32, isEnd || rest.dropFirst(text.count).first.map(after.contains) == true else {
            return nil
        }
        let written = String(decoding: text, as: UTF8.self)
        return seconds(written.hasSuffix(".") ? String(written.dropLast()) : written)
    }

    private static func seconds(_ text: String) -> Int? {
        guard text.contains(":") else { return number(text, upTo: longest).flatMap { $0 > 0 ? $0 : nil } }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let first = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        // Fractions of a second are dropped.
        let last = parts[2].split(separator: ".", omittingEmptySubsequences: false)
        guard first.count <= 2, last.count <= 2, last.count == 1 || number(last[1], upTo: 9_999_999) != nil,
            let days = first.count == 2 ? number(first[0], upTo: 3652) : 0,
            let hours = first.last.flatMap({ number($0, upTo: 23) }), let minutes = number(parts[1], upTo: 59),
            let seconds = number(last[0], upTo: 59)
        else { return nil }
        let all = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
        return (1...longest).contains(all) ? all : nil
    }

    private static func number(_ digits: some StringProtocol, upTo most: Int) -> Int? {
        guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int(digits), value <= most
        else { return nil }
        return value
    }
}
