import AppModel
import Console
import Identity
import Keys
import Terminal

/// A text block as rows of a fixed width, wrapped and sanitized.
struct TextRows {
    let width: Int
    /// The number of visible rows: large parts are left out if there is no room.
    private let room: Int
    let glyphs: Glyphs
    /// Whether parts with two forms use the shorter one.
    private let isShort: Bool
    private(set) var rows: [[CellSpan]] = []
    private(set) var entries: [Range<Int>] = []
    /// The columns of every bar with text after it, and of that text with the space before it.
    private var meters = (bar: 0, words: 0)
    /// The maximum number of scalars of external text, so a long name does not displace everything else.
    private static let limit = 600
    /// Below this width, keys have few columns.
    private static let narrow = 44
    private static let shortKeys = 11
    /// The minimum width for a bar before its text.
    private static let barColumns = 40
    private static let leastBar = 4

    init(_ block: TextBlock = TextBlock(), width: Int, room: Int = .max, glyphs: Glyphs) {
        self.init(block, width: width, room: room, glyphs: glyphs, isShort: false)
        guard rows.count > room, block.hasShorterForm else { return }
        self.init(block, width: width, room: room, glyphs: glyphs, isShort: true)
    }

    private init(_ block: TextBlock, width: Int, room: Int, glyphs: Glyphs, isShort: Bool) {
        self.width = max(1, width)
        self.room = room
        self.glyphs = glyphs
        self.isShort = isShort
        meters = meterColumns(block)
        for (paragraph, entry) in zip(block.paragraphs, block.entries) {
            let first = rows.count
            add(paragraph)
            guard let entry else { continue }
            if entries.count == entry { entries.append(first..<first) }
            entries[entry] = entries[entry].lowerBound..<rows.count
        }
    }

    /// Bars are as long as the longest name next to one allows; a name that leaves too little room wraps.
    private func meterColumns(_ block: TextBlock) -> (bar: Int, words: Int) {
        var (name, words, most) = (0, 6, 0)
        for case .meter(let spans, let bar, let said) in block.paragraphs {
            name = max(name, spans.reduce(0) { $0 + DisplayWidth.columns(span($1).text) })
            words = max(words, DisplayWidth.columns(said))
            most = max(most, min(bar.most, width / bar.part))
        }
        guard width >= Self.barColumns else { return (0, words + 1) }
        return (min(most, max(Self.leastBar, width - name - 2 - words - 1)), words + 1)
    }

    mutating func append(_ row: [CellSpan]) { rows.append(row) }

    /// The first visible row, clamped to the text.
    func firstRow(_ scroll: Int, in area: Rect) -> Int { min(max(scroll, 0), max(0, rows.count - area.rows)) }

    private mutating func add(_ paragraph: TextBlock.Paragraph) {
        switch paragraph {
        case .blank: if let last = rows.last, !last.isEmpty { rows.append([]) }
        case .row(let spans): rows.append(spans.map { CellSpan($0, glyphs) })
        case .text(let text, let tone, let indent): add(text, tone.role, indent: indent)
        case .item(let sign, let tone, let text, let textTone, let indent):
            addItem(sign.glyph(glyphs), tone.role, text, textTone.role, indent: indent)
        case .pair(let label, let labelTone, let value, let tone, let labelWidth, let isHalved):
            addPair(
                label, labelTone.role, value, tone.role, labelWidth: isHalved ? min(labelWidth, width / 2) : labelWidth)
        case .keys(let binding):
            let names = binding.keys.map { $0.name(isASCII: glyphs.isASCII) }
            guard width < Self.narrow else {
                return addPair(
                    names.joined(separator: " "), .key, binding.help, .text,
                    labelWidth: width < 60 ? min(14, width / 2) : 26)
            }
            addPair(Self.short(names), .key, binding.help, .text, labelWidth: Self.shortKeys)
        case .bar(let bar, let words, let indent):
            let columns = max(1, min(bar.most, width / bar.part))
            rows.append([CellSpan(spaces(indent))] + cells(of: bar, columns: columns) + [CellSpan(" " + words, .muted)])
        case .meter(let spans, let bar, let words):
            // Aligned, whatever their text.
            let time = CellSpan(spaces(meters.words - DisplayWidth.columns(words)) + words)
            addMeter(spans, meters.bar == 0 ? [time] : cells(of: bar, columns: meters.bar) + [time])
        case .code(let code, let indent): addCode(code, indent: indent)
        case .roomy(let block): if isRoomy { for part in block.paragraphs { add(part) } }
        case .characters(let text, let indent): addCharacters(text, indent: min(indent, width / 2))
        case .secret(let secret): addSecret(secret.reveal())
        case .lifetime(let life): addLifetime(life)
        case .present(let life):
            let (columns, here) = (timeColumns, column(life.now))
            rows.append([CellSpan(spaces(min(max(0, here - 1), max(0, columns - 3)))), CellSpan("now", .emphasis)])
        case .option(let option): add(option)
        case .sides(let left, let right): addSides(left, right)
        case .spans(let spans, let indent): addSpans(spans, indent: min(indent, width / 2))
        case .fact(let fact): add(fact)
        case .either(let long, let short): for part in (isShort ? short : long).paragraphs { add(part) }
        case .views(let names, let marked, let key): addViews(names, marked, key)
        case .menuItem(let name, let nameWidth, let facts, let isMarked):
            addMenuItem(name, nameWidth: nameWidth, facts, isMarked: isMarked)
        }
    }

    /// As many names as fit, with `^` for the control key.
    private static func short(_ names: [String]) -> String {
        names.map { $0.hasPrefix("Ctrl-") ? "^" + $0.dropFirst(5) : $0 }.reduce("") { line, name in
            let longer = line.isEmpty ? name : line + " " + name
            return line.isEmpty || DisplayWidth.columns(longer) < shortKeys ? longer : line
        }
    }

    private mutating func add(_ text: String, _ role: Role, indent: Int) {
        let indent = min(indent, max(2, width / 4))
        for line in wrapped(text, columns: width - indent, role) {
            rows.append([CellSpan(spaces(indent)), CellSpan(line, role)])
        }
    }

    /// A glyph, and text indented to the right of it.
    private mutating func addItem(_ glyph: String, _ role: Role, _ text: String, _ textRole: Role, indent: Int) {
        let mark = DisplayWidth.columns(glyph) + 1
        for (index, line) in wrapped(text, columns: width - mark - indent).enumerated() {
            let lead =
                index == 0
                ? [CellSpan(spaces(indent)), CellSpan(glyph, role), CellSpan(" ")] : [CellSpan(spaces(indent + mark))]
            rows.append(lead + [CellSpan(line, textRole)])
        }
    }

    /// A label with its value next to it, or below if there is no room.
    private mutating func addPair(_ label: String, _ labelRole: Role, _ value: String, _ role: Role, labelWidth: Int) {
        let label = clean(label)
        let room = width - labelWidth
        // A wrapped URL can neither be clicked nor copied, so it gets its own line if it fits there.
        let columns = DisplayWidth.columns(clean(value))
        let isLongLink = role == .link && columns > room
        // So does an identifier.
        let isLongWord = columns > room && columns <= width - 2 && !value.contains(" ")
        if room < 16 || isLongLink || isLongWord || DisplayWidth.columns(label) >= labelWidth {
            let labels = DisplayWidth.columns(label) <= width ? [label] : DisplayWidth.wrap(label, columns: width)
            for line in labels { rows.append([CellSpan(line, labelRole)]) }
            let indent = isLongLink ? 0 : min(2, width - 1)
            for line in wrapped(value, columns: width - indent, role) {
                rows.append([CellSpan(spaces(indent)), CellSpan(line, role)])
            }
            return
        }
        for (index, line) in wrapped(value, columns: room, role).enumerated() {
            rows.append([
                CellSpan(DisplayWidth.pad(index == 0 ? label : "", columns: labelWidth), labelRole),
                CellSpan(line, role),
            ])
        }
    }

    /// A remainder is never drawn as empty, and a missing part never as full.
    private func cells(of bar: TextBlock.Bar, columns: Int) -> [CellSpan] {
        let share = bar.fraction.isFinite ? min(max(bar.fraction, 0), 1) : 0
        var filled = Int((share * Double(columns)).rounded())
        if filled == 0, share > 0 { filled = 1 }
        if filled == columns, share < 1 { filled = columns - 1 }
        return [
            CellSpan(String(repeating: glyphs.barFull, count: filled), .barFull),
            CellSpan(String(repeating: glyphs.barEmpty, count: columns - filled), .barEmpty),
        ]
    }

    private mutating func add(_ option: TextBlock.Option) {
        // The row keeps its colors.
        func cell(_ text: String, _ role: Role) -> CellSpan { CellSpan(text, role, isSelected: option.isMarked) }
        let marks = [
            cell(option.isMarked ? glyphs.edge + " " : "  ", .key),
            cell(
                DisplayWidth.pad(option.isChosen.map { $0 ? glyphs.checkboxOn : glyphs.checkboxOff } ?? "", columns: 4),
                option.isChosen == true ? .emphasis : .muted),
            cell(option.sign.glyph(glyphs) + " ", option.tone.role),
        ]
        let name = SafeText.line(option.name, glyphs: glyphs, limit: 200)
        guard let columns = OptionColumns(width: width) else { return add(option, name, marks, cell) }
        // A name is not truncated in favor of the explanation: it distinguishes the rows.
        let room = columns.name + columns.explanation
        let named = DisplayWidth.clip(name, columns: room - 1, ellipsis: glyphs.ellipsis)
        let used = max(columns.name, DisplayWidth.columns(named) + 1)
        let explanation = DisplayWidth.clip(
            clean(option.explanation), columns: room - used - 1, ellipsis: glyphs.ellipsis)
        rows.append(
            marks + [
                cell(DisplayWidth.pad(named, columns: used), .text),
                cell(DisplayWidth.pad(explanation, columns: room - used), .muted),
                cell(option.risk, option.riskTone.role),
                cell(spaces(columns.risk - DisplayWidth.columns(option.risk)), .text),
                cell(DisplayWidth.pad(option.consent, columns: columns.consent), .muted),
            ])
    }

    /// Without room for a table, the explanation is below.
    private mutating func add(
        _ option: TextBlock.Option, _ name: String, _ marks: [CellSpan],
        _ cell: (String, Role) -> CellSpan
    ) {
        let used = OptionColumns.marks
        let room = max(8, width - used)
        let risk = option.risk + (option.consent == "admin" ? ", admin" : "")
        let isBeside = DisplayWidth.columns(name) + 2 + DisplayWidth.columns(risk) <= room
        let named = DisplayWidth.clip(name, columns: room, ellipsis: glyphs.ellipsis)
        let beside = DisplayWidth.pad(isBeside ? "  " + risk : "", columns: room - DisplayWidth.columns(named))
        rows.append(marks + [cell(named, .text), cell(beside, option.riskTone.role)])
        let indent = min(used, width / 4)
        if !isBeside { add(risk, option.riskTone.role, indent: indent) }
        add(option.explanation, .muted, indent: indent)
    }

    // MARK: Codes, secrets and times

    private var isRoomy: Bool { room >= 16 }

    /// In large letters if they fit.
    private mutating func addCode(_ code: String, indent: Int) {
        if isRoomy, let letters = BigText.draw(code), let columns = letters.first?.count, columns <= width {
            add(.blank)
            for row in letters {
                rows.append([
                    CellSpan(spaces(columns + indent <= width ? indent : 0)),
                    CellSpan(String(row.map { $0 == "#" ? Character(glyphs.block) : $0 }), .code, bold: true),
                ])
            }
            add(.blank)
        } else {
            let spaced = code.count <= 16 ? code.map(String.init).joined(separator: " ") : code
            rows.append([CellSpan(" " + spaced + " ", .code, bold: true)])
        }
    }

    /// In parts, because the length of one text is limited.
    private mutating func addCharacters(_ text: String, indent: Int) {
        var rest = text[...]
        let room = max(8, width - indent)
        while !rest.isEmpty {
            for line in wrapped(String(rest.prefix(room)), columns: width - indent) {
                rows.append([CellSpan(spaces(indent)), CellSpan(line)])
            }
            rest = rest.dropFirst(room)
        }
    }

    /// The whole secret, row by row: a truncated one would be useless.
    private mutating func addSecret(_ secret: String) {
        guard SafeText.isPrintableToken(secret) else {
            return add("invalid characters in the token, not shown", .danger, indent: 2)
        }
        var rest = secret[...]
        let room = max(8, width - 2)
        while !rest.isEmpty {
            rows.append([CellSpan("  "), CellSpan(String(rest.prefix(room)), .code)])
            rest = rest.dropFirst(room)
        }
    }

    private var timeColumns: Int { max(8, min(width - 2, 100)) }

    private func column(_ share: Double) -> Int {
        let place = (share * Double(timeColumns - 1)).rounded()
        return min(max(Int(exactly: place) ?? 0, 0), timeColumns - 1)
    }

    /// The past is light, the rest is solid, and a line marks the current time.
    private mutating func addLifetime(_ life: TextBlock.LifetimeBar) {
        let (start, here) = (column(life.start), column(life.now))
        let whole = start...max(start, column(life.end))
        rows.append(
            (0..<timeColumns).map { column in
                if column == here { return CellSpan(glyphs.present, .emphasis) }
                guard whole.contains(column) else { return CellSpan(" ") }
                return column < here ? CellSpan(glyphs.barEmpty, .barEmpty) : CellSpan(glyphs.barFull, .barFull)
            })
    }

    private func clean(_ text: String) -> String { SafeText.line(text, glyphs: glyphs, limit: Self.limit) }
    private func wrapped(_ text: String, columns: Int, _ role: Role = .text) -> [String] {
        // A truncated link leads elsewhere, so its limit is the maximum length of a URL.
        let limit = role == .link ? WebAddress.maximumLength : Self.limit
        return DisplayWidth.wrap(SafeText.line(text, glyphs: glyphs, limit: limit), columns: max(1, columns))
    }
    func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
