import AppModel
import Console
import Terminal

// Text in columns: facts, rows with a right-aligned part, and spans that are wrapped and never truncated.
extension TextRows {
    /// The minimum width for a fact in one row.
    private static let factColumns = 60
    /// A GUID and a space.
    private static let identifierColumns = 37
    /// The maximum length of an external value that is shown in full.
    private static let wholeLimit = 2000

    func span(_ span: TextSpan, limit: Int = 600) -> CellSpan {
        CellSpan(
            TextSpan(
                SafeText.line(span.text, glyphs: glyphs, limit: limit), span.tone, sign: span.sign,
                isBold: span.isBold),
            glyphs)
    }

    private static func columns(_ spans: [CellSpan]) -> Int { spans.reduce(0) { $0 + DisplayWidth.columns($1.text) } }

    /// One row if both parts fit, else the right one below.
    mutating func addSides(_ left: [TextSpan], _ right: [TextSpan]) {
        add(left.map { span($0) }, mark: mark(left), atTheRight: right.map { span($0) })
    }

    /// A bar aligned with those above and below, whatever its text.
    mutating func addMeter(_ spans: [TextSpan], _ meter: [CellSpan]) {
        add(spans.map { span($0) }, mark: mark(spans), atTheRight: meter)
    }

    /// The columns of a row's leading sign and its space, as the indent of wrapped text.
    private func mark(_ spans: [TextSpan]) -> Int {
        guard let first = spans.first, first.sign != nil, first.text.allSatisfy({ $0 == " " }) else { return 0 }
        return DisplayWidth.columns(span(first).text)
    }

    private mutating func add(_ first: [CellSpan], mark: Int, atTheRight second: [CellSpan]) {
        let (taken, wanted) = (Self.columns(first), Self.columns(second))
        if taken + (wanted > 0 ? wanted + 2 : 0) <= width {
            append(wanted > 0 ? first + [CellSpan(spaces(width - taken - wanted))] + second : first)
            return
        }
        if mark > 0, mark < width {
            addWords(Array(first.dropFirst()), indent: mark, after: first.first)
        } else {
            addWords(first, indent: 0)
        }
        if wanted > 0 { addWords(second, indent: min(max(2, mark), width - 1)) }
    }

    /// Wraps at spaces if possible.
    ///
    /// - Parameter mark: drawn in the indent of the first row.
    private mutating func addWords(_ spans: [CellSpan], indent: Int, after mark: CellSpan? = nil) {
        var mark = mark
        let room = max(1, width - indent)
        var row: [CellSpan] = []
        var used = 0
        func flushed() -> [CellSpan] {
            defer { mark = nil }
            return [mark ?? CellSpan(spaces(indent))] + row
        }
        for span in spans {
            var piece = span
            piece.text = ""
            func endRow() {
                if !piece.text.isEmpty { row.append(piece) }
                append(flushed())
                (row, used, piece.text) = ([], 0, "")
            }
            var rest = span.text.utf8[...]
            while !rest.isEmpty {
                let blanks = rest.prefix { $0 == UInt8(ascii: " ") }
                let word = rest[blanks.endIndex...].prefix { $0 != UInt8(ascii: " ") }
                rest = rest[word.endIndex...]
                let columns = DisplayWidth.columns(Substring(word))
                if used > 0, used + blanks.count + columns > room { endRow() }
                if used > 0 {
                    piece.text += String(Substring(blanks))
                    used += blanks.count
                }
                guard columns > room else {
                    piece.text += String(Substring(word))
                    used += columns
                    continue
                }
                for part in Self.pieces(String(Substring(word)), columns: room) {
                    let columns = DisplayWidth.columns(part)
                    if used > 0, used + columns > room { endRow() }
                    piece.text += part
                    used += columns
                }
            }
            if !piece.text.isEmpty { row.append(piece) }
        }
        if used > 0 { append(flushed()) }
    }

    /// Splits text into parts of at most `columns` columns.
    private static func pieces(_ text: String, columns: Int) -> [String] {
        guard DisplayWidth.columns(text) > columns else { return text.isEmpty ? [] : [text] }
        var pieces: [String] = []
        var rest = text[...]
        while !rest.isEmpty {
            let fitting = DisplayWidth.prefix(String(rest), columns: columns)
            let piece = fitting.isEmpty ? String(rest.prefix(1)) : fitting
            pieces.append(piece)
            rest = Substring(rest.utf8.dropFirst(piece.utf8.count))
        }
        return pieces
    }

    /// Adds spans in full, whatever their length.
    mutating func addSpans(_ spans: [TextSpan], indent: Int) {
        let room = max(8, width - indent)
        var row = [CellSpan(spaces(indent))]
        var used = 0
        for each in spans {
            var rest = each.text[...]
            while !rest.isEmpty {
                // Sanitizing has a length limit, so text of any length is processed in parts.
                let clean = span(TextSpan(String(rest.prefix(512)), each.tone, isBold: each.isBold), limit: 8192)
                rest = rest.dropFirst(512)
                var piece = clean
                for part in Self.parts(clean.text, first: room - used, columns: room) {
                    if used + DisplayWidth.columns(part) > room {
                        append(row)
                        row = [CellSpan(spaces(indent))]
                        used = 0
                    }
                    piece.text = part
                    row.append(piece)
                    used += DisplayWidth.columns(part)
                }
            }
        }
        if used > 0 || spans.isEmpty { append(row) }
    }

    /// The first part fills a started row.
    private static func parts(_ text: String, first: Int, columns: Int) -> [String] {
        guard first > 0, DisplayWidth.columns(text) > first else { return pieces(text, columns: columns) }
        let head = pieces(text, columns: first).first ?? ""
        return [head] + pieces(String(text.dropFirst(head.count)), columns: columns)
    }

    mutating func add(_ fact: TextBlock.Fact) {
        if let sign = fact.sign, width > 8 {
            var rest = TextRows(width: width - 2, glyphs: glyphs)
            rest.addWords(fact)
            for (place, row) in rest.rows.enumerated() {
                append(
                    (place == 0 ? [CellSpan(span(sign).text, sign.tone.role), CellSpan(" ")] : [CellSpan("  ")]) + row)
            }
            return
        }
        let limit = fact.isWhole ? Self.wholeLimit : 600
        let name = span(fact.name)
        let (value, meaning) = (span(fact.value, limit: limit), span(fact.meaning))
        let nameWidth = min(fact.nameWidth, width / 2)
        let isCut = fact.value.text.unicodeScalars.count > limit
        guard width >= Self.factColumns else {
            add(name, value, nameWidth: nameWidth)
            let indent = min(nameWidth, width / 4)
            if isCut { addCut(fact, indent: indent) }
            if !meaning.text.isEmpty { addWords([meaning], indent: indent) }
            return
        }
        let taken = max(nameWidth, DisplayWidth.columns(name.text) + 1)
        let valueEnd = nameWidth + (fact.valueWidth ?? max((width - nameWidth) * 3 / 5, Self.identifierColumns))
        let room = max(8, (meaning.text.isEmpty ? width + 1 : valueEnd) - taken)
        let isWide = DisplayWidth.columns(value.text) >= room || isCut
        let left = width - max(valueEnd, taken + 9)
        if fact.isWhole, isWide || DisplayWidth.columns(meaning.text) > left {
            add(name, value, nameWidth: nameWidth)
            if isCut { addCut(fact, indent: nameWidth) }
            if !meaning.text.isEmpty { addWords([meaning], indent: nameWidth) }
            return
        }
        var (label, shown, said) = (name, value, meaning)
        label.text = DisplayWidth.pad(name.text, columns: taken)
        shown.text = DisplayWidth.clip(value.text, columns: room - 1, ellipsis: glyphs.ellipsis)
        if !meaning.text.isEmpty { shown.text = DisplayWidth.pad(shown.text, columns: room) }
        said.text = DisplayWidth.clip(meaning.text, columns: max(0, width - taken - room), ellipsis: glyphs.ellipsis)
        append([label, shown, said])
    }

    /// The name, and the value on the right, or below if there is no room; wrapped between words.
    private mutating func addWords(_ fact: TextBlock.Fact) {
        var (name, value) = (span(fact.name), span(fact.value))
        let nameWidth = min(fact.nameWidth, width / 2)
        guard width - nameWidth >= 16, DisplayWidth.columns(name.text) < nameWidth else {
            addWords([name], indent: 0)
            return addWords([value], indent: min(2, width - 1))
        }
        name.text = DisplayWidth.pad(name.text, columns: nameWidth)
        if value.text.isEmpty { value.text = " " }
        addWords([value], indent: nameWidth, after: name)
    }

    /// The whole value, on the right of its name.
    private mutating func add(_ name: CellSpan, _ value: CellSpan, nameWidth: Int) {
        let isBeside = width - nameWidth >= 16 && DisplayWidth.columns(name.text) < nameWidth
        let indent = isBeside ? nameWidth : min(2, width - 1)
        var label = name
        label.text = isBeside ? DisplayWidth.pad(name.text, columns: nameWidth) : name.text
        if !isBeside { addWords([label], indent: 0) }
        for (index, line) in Self.pieces(value.text, columns: width - indent).enumerated() {
            var piece = value
            piece.text = line
            append([index == 0 && isBeside ? label : CellSpan(spaces(indent)), piece])
        }
    }

    private mutating func addCut(_ fact: TextBlock.Fact, indent: Int) {
        let count = fact.value.text.unicodeScalars.count
        addWords([CellSpan("truncated (\(count) characters); see the raw view", .attention)], indent: indent)
    }

    /// A row with the background of a list row. Without room, the facts are left out first.
    mutating func addMenuItem(_ name: TextSpan, nameWidth: Int, _ facts: TextSpan, isMarked: Bool) {
        let (name, facts) = (span(name, limit: 64), span(facts))
        let room = max(1, width - 2)
        let isBeside = !facts.text.isEmpty && room - nameWidth >= 12
        func padded(_ text: String, _ columns: Int) -> String {
            DisplayWidth.pad(text, columns: columns, ellipsis: glyphs.ellipsis)
        }
        let cells =
            isBeside
            ? [(padded(name.text, nameWidth), name), (padded(facts.text, room - nameWidth), facts)]
            : [(padded(name.text, room), name)]
        append(
            [CellSpan(isMarked ? glyphs.edge + " " : "  ", .key, isSelected: isMarked)]
                + cells.map { text, span in
                    CellSpan(text, span.style.role, bold: span.style.bold, isSelected: isMarked)
                })
    }

    /// Adds the names of views on a rule, with the current one highlighted.
    mutating func addViews(_ names: [String], _ marked: Int, _ key: String) {
        let line = LineDrawing.horizontal.text(glyphs)
        var row = [CellSpan(line, .border)]
        for (index, name) in names.enumerated() {
            row.append(CellSpan(" " + name + " ", index == marked ? .tab : .muted))
        }
        let end = [CellSpan(" " + key + " ", .key), CellSpan(line, .border)]
        let left = width - Self.columns(row) - Self.columns(end)
        if left >= 0 { row += [CellSpan(String(repeating: line, count: left), .border)] + end }
        append(row)
    }
}

extension TextBlock {
    var hasShorterForm: Bool { paragraphs.contains { if case .either = $0 { true } else { false } } }
}
