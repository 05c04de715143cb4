/// Width of text in terminal columns: the rules of `wcwidth`, as in terminals and ncurses, plus those of newer
/// terminals: an emoji sequence and a flag are two columns. Text must have gone through `SafeText`.
package enum DisplayWidth {
    /// The content of one or two cells: a spacing scalar and its combining marks.
    package struct Cluster: Equatable, Sendable {
        package let text: String
        /// 1 or 2; 0 only for marks without a base.
        package let width: Int
    }

    package static func columns(_ text: String) -> Int { columns(text[...]) }

    package static func columns(_ text: Substring) -> Int {
        if let columns = simpleColumns(text) { return columns }
        var total = 0
        forEachCluster(text) { _, width in
            total += width
            return true
        }
        return total
    }

    package static func columns(_ character: Character) -> Int { columns(String(character)) }

    /// The columns if all scalars are simple, as nearly always; else nil.
    package static func simpleColumns(_ text: Substring) -> Int? {
        if SafeText.isPlain(text.utf8) { return text.utf8.count }
        var columns = 0
        for scalar in text.unicodeScalars {
            guard isSimple(scalar) else { return nil }
            columns += 1
        }
        return columns
    }

    /// Latin letters, punctuation, arrows, lines and blocks: visible in one column, and never joined with others.
    static func isSimple(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x2FF, 0x2010...0x2027, 0x2190...0x21FF, 0x2500...0x25CF,
            0x2713...0x2718:
            true
        default: false
        }
    }

    package static func columns(_ scalar: Unicode.Scalar) -> Int {
        if isSimple(scalar) { return 1 }
        let value = scalar.value
        if value < 0x7F { return value >= 0x20 ? 1 : 0 }
        if value < 0xA0 { return 0 }
        // Conjoining vowels and final consonants combine with the leading consonant.
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
        default: return WidthTable.isWide(value) ? 2 : 1
        }
    }

    package static func clusters(_ text: String) -> [Cluster] {
        var found: [Cluster] = []
        forEachCluster(text[...]) { scalars, width in
            found.append(Cluster(text: DisplayWidth.text(scalars), width: width))
            return true
        }
        return found
    }

    /// The longest prefix of `text` that fits into `columns`; never half a wide character.
    package static func prefix(_ text: String, columns limit: Int) -> String {
        if simpleColumns(text[...]) != nil { return String(text.unicodeScalars.prefix(max(limit, 0))) }
        var kept = String.UnicodeScalarView()
        var used = 0
        forEachCluster(text[...]) { scalars, width in
            guard used + width <= limit else { return false }
            used += width
            for scalar in scalars { kept.append(scalar) }
            return true
        }
        return String(kept)
    }

    /// `text` if it fits, else its prefix and an ellipsis.
    package static func clip(_ text: String, columns limit: Int, ellipsis: String = "…") -> String {
        guard limit > 0 else { return "" }
        guard columns(text) > limit else { return text }
        let tail = columns(ellipsis)
        guard tail == 1 || tail < limit else { return prefix(text, columns: limit) }
        return prefix(text, columns: limit - tail) + ellipsis
    }

    /// `text` clipped or padded with spaces to exactly `columns`.
    package static func pad(_ text: String, columns limit: Int, ellipsis: String = "…") -> String {
        let clipped = clip(text, columns: limit, ellipsis: ellipsis)
        return clipped + String(repeating: " ", count: max(0, limit - columns(clipped)))
    }

    /// `text` wrapped at spaces into rows of at most `columns`; a longer word is cut.
    package static func wrap(_ text: String, columns limit: Int) -> [String] {
        guard limit > 0 else { return [] }
        var rows: [String] = []
        var row = ""
        var used = 0
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let word = Substring(rest.prefix { $0 != UInt8(ascii: " ") })
            rest = rest[word.endIndex...].dropFirst()
            guard !word.isEmpty else { continue }
            let length = columns(word)
            if used > 0, used + 1 + length <= limit {
                row += " "
                row += String(word)
                used += 1 + length
                continue
            }
            if used > 0 {
                rows.append(row)
                row = ""
                used = 0
            }
            guard length > limit else {
                (row, used) = (String(word), length)
                continue
            }
            forEachCluster(word) { scalars, width in
                if used + width > limit, used > 0 {
                    rows.append(row)
                    row = ""
                    used = 0
                }
                for scalar in scalars { row.unicodeScalars.append(scalar) }
                used += width
                return true
            }
        }
        if used > 0 || rows.isEmpty { rows.append(row) }
        return rows
    }

    /// Visits the clusters until `visit` returns false.
    package static func forEachCluster(_ text: Substring, _ visit: (ArraySlice<Unicode.Scalar>, Int) -> Bool) {
        // An array: each scalar is read three times, and a Substring would search for it each time.
        let scalars = Array(text.unicodeScalars)
        var start = 0
        while start < scalars.endIndex {
            let first = scalars[start]
            var end = start + 1
            var width = columns(first)
            if end < scalars.endIndex, first.value >= 0x20, scalars[end].value >= 0x300 {
                extend(&end, &width, from: first, in: scalars)
            }
            guard visit(scalars[start..<end], width) else { return }
            start = end
        }
    }

    private static func extend(
        _ end: inout Int, _ width: inout Int, from first: Unicode.Scalar, in scalars: [Unicode.Scalar]
    ) {
        if isRegionalIndicator(first), isRegionalIndicator(scalars[end]) {
            end += 1
        }
        var last = first
        while end < scalars.endIndex {
            let next = scalars[end]
            if next.value == 0x200D {
                let after = end + 1
                guard after < scalars.endIndex, isPictograph(last), isPictograph(scalars[after]) else { break }
                last = scalars[after]
                width = 2
                end = after + 1
            } else if next.value == 0xFE0F {
                if last.properties.isEmoji { width = 2 }
                end += 1
            } else if next.properties.isEmojiModifier {
                guard last.properties.isEmojiModifierBase else { break }
                width = 2
                end += 1
            } else if columns(next) == 0, next.value >= 0x300 {
                end += 1
            } else {
                break
            }
        }
    }

    package static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        // One by one, as in SafeText: appending a collection runs generic code.
        for scalar in scalars { view.append(scalar) }
        return String(view)
    }

    package static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
        (0x1F1E6...0x1F1FF).contains(scalar.value)
    }

    /// Can be on either side of a joiner. ASCII digits have the emoji property only for keycaps.
    package static func isPictograph(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0xFF && (scalar.properties.isEmoji || scalar.properties.isEmojiModifier)
    }
}
