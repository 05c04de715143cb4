/// The only place that makes untrusted text safe to show: on the screen, on standard error, in logs. One line stays one
/// line, and nothing in it can control a terminal or hide from a reader: an invisible character becomes a visible
/// `‹U+202E›`. Cleaning clean text changes nothing.
package enum SafeText {

    /// `text` as one visible line of at most `limit` scalars, ending in `…` if it was cut.
    package static func line(_ text: String, limit: Int = 4096) -> String {
        if let columns = DisplayWidth.simpleColumns(text[...]), columns <= limit { return text }
        var cleaner = Cleaner(limit: max(limit, 1))
        let scalars = text.unicodeScalars
        var index = scalars.startIndex
        while index < scalars.endIndex, !cleaner.isFull {
            let scalar = scalars[index]
            index = scalars.index(after: index)
            let next = index < scalars.endIndex ? scalars[index] : nil
            // A joiner is appended together with the next scalar, so a cut never leaves a joiner at the end.
            if scalar.value == 0x200D, let next, cleaner.joins(next) {
                index = scalars.index(after: index)
                cleaner.append(scalar, next)
            } else {
                cleaner.take(scalar, next: next)
            }
        }
        return cleaner.finish()
    }

    /// Like ``line(_:limit:)``, in printable ASCII for a terminal without UTF-8. Anything else becomes `\u{…}`, so
    /// different names stay different.
    package static func ascii(_ text: String, limit: Int = 4096) -> String {
        if isPlain(text, limit: limit) { return text }
        var spelled = ""
        for scalar in line(text, limit: limit).unicodeScalars {
            if scalar.isASCII {
                spelled.unicodeScalars.append(scalar)
            } else {
                spelled += asciiStandIn(scalar) ?? "\\u{\(hexadecimal(scalar.value))}"
            }
        }
        guard spelled.unicodeScalars.count > limit else { return spelled }
        return limit > 3 ? String(spelled.prefix(limit - 3)) + "..." : String(spelled.prefix(max(limit, 1)))
    }

    /// Nonempty visible ASCII: the condition for printing a token alone on standard output.
    package static func isPrintableToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The common case, checked without scalar properties.
    package static func isPlain(_ text: String, limit: Int = .max) -> Bool {
        guard text.utf8.count <= limit else { return false }
        return isPlain(text[...].utf8)
    }

    static func isPlain(_ text: Substring.UTF8View) -> Bool {
        text.withContiguousStorageIfAvailable(isPlain) ?? text.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Without a branch, so that the compiler checks many bytes at a time: a byte outside of 0x20...0x7E sets the
    /// highest bit.
    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        var union: UInt8 = 0
        var place = 0
        while place < bytes.count {
            let byte = base[place]
            union |= byte | (byte &- 0x20) | (byte &+ 1)
            place &+= 1
        }
        return union < 0x80
    }

    private static func asciiStandIn(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "…": "..."
        case "‹", "«": "<"
        case "›", "»": ">"
        case "‘", "’": "'"
        case "“", "”", "„": "\""
        case "‐", "‑", "–", "—", "·": "-"
        case "•", "●": "*"
        case "\u{A0}", "\u{202F}": " "
        case "→": "->"
        case "←": "<-"
        default: nil
        }
    }

    package static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// Builds the clean line. It remembers only its output, so cleaning the result again changes nothing.
private struct Cleaner {
    let limit: Int
    private var clean = String.UnicodeScalarView()
    private var count = 0
    /// Where the line is cut if it gets too long; leaves room for the ellipsis.
    private var cut: String.UnicodeScalarView.Index
    private(set) var isFull = false
    /// The spacing scalar that the next mark combines with.
    private var base: Unicode.Scalar?
    private var marks = 0
    /// Vietnamese needs two, ncurses has room for four.
    private static let marksPerCharacter = 4

    init(limit: Int) {
        self.limit = limit
        cut = clean.startIndex
    }

    mutating func take(_ scalar: Unicode.Scalar, next: Unicode.Scalar?) {
        if DisplayWidth.isSimple(scalar) { return append(scalar) }
        if scalar.value == 0xFE0F || scalar.value == 0xFE0E {
            return acceptsVariation(next) ? mark(scalar) : escape(scalar)
        }
        guard SafeText.isVisible(scalar) else { return escape(scalar) }
        if scalar.properties.isEmojiModifier { return append(scalar) }
        guard DisplayWidth.columns(scalar) == 0 else { return append(scalar) }
        if acceptsMark(scalar) { mark(scalar) } else { escape(scalar) }
    }

    /// A joiner is visible only as part of an emoji sequence.
    func joins(_ next: Unicode.Scalar) -> Bool {
        guard let base else { return false }
        return DisplayWidth.isPictograph(base) && DisplayWidth.isPictograph(next)
    }

    /// - Parameter joined: appended together with the scalar, or not at all.
    mutating func append(_ scalar: Unicode.Scalar, _ joined: Unicode.Scalar? = nil) {
        base = joined ?? scalar
        marks = 0
        write(joined == nil ? 1 : 2) {
            $0.append(scalar)
            if let joined { $0.append(joined) }
        }
    }

    mutating func finish() -> String {
        if isFull {
            clean.removeSubrange(cut...)
            clean.append("…")
        }
        return String(clean)
    }

    private mutating func mark(_ scalar: Unicode.Scalar) {
        marks += 1
        write(1) { $0.append(scalar) }
    }

    private mutating func escape(_ scalar: Unicode.Scalar) {
        base = nil
        marks = 0
        let spelled = "‹U+\(SafeText.hexadecimal(scalar.value))›".unicodeScalars
        write(spelled.count) { clean in for scalar in spelled { clean.append(scalar) } }
    }

    /// A mark needs a base; a conjoining letter needs Hangul.
    private func acceptsMark(_ scalar: Unicode.Scalar) -> Bool {
        guard let base, marks < Self.marksPerCharacter else { return false }
        let value = scalar.value
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) {
            return (0x1100...0x115E).contains(base.value) || (0xA960...0xA97C).contains(base.value)
                || (0xAC00...0xD7A3).contains(base.value)
        }
        return true
    }

    /// Selects the text or emoji form of a scalar that has both. On a digit it is invisible unless a keycap follows.
    private func acceptsVariation(_ next: Unicode.Scalar?) -> Bool {
        guard let base, marks == 0, base.properties.isEmoji else { return false }
        return base.value > 0x7F || next?.value == 0x20E3
    }

    /// Appends that number of scalars together, or marks the line full. One by one: appending a collection runs generic
    /// code, which costs ten times as much.
    private mutating func write(_ scalars: Int, _ write: (inout String.UnicodeScalarView) -> Void) {
        guard !isFull else { return }
        count += scalars
        if count > limit {
            isFull = true
            return
        }
        write(&clean)
        if count < limit { cut = clean.endIndex }
    }
}

extension SafeText {
    /// Visible to a reader as itself. Not: controls, line and paragraph separators, formats (bidi, joiners, tags, BOM),
    /// default ignorables (soft hyphen, fillers, CGJ, variation selectors), private use, and unassigned scalars.
    package static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value == 0x2800 { return false }  // a Braille pattern without dots
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
        default: return !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
