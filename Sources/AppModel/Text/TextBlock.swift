package import Identity

/// What a piece of text means; a face gives each meaning its colour, or none.
package enum Tone: Hashable, Sendable {
    case text, muted, emphasis, title, label, key
    case ok, attention, danger, info
    case code, link, selection
}

/// A sign before a text. A face has its own for each; what it says is also in the words beside it.
package enum Sign: Hashable, Sendable {
    case none, full, half, quarter, empty, renewal, warning, check, cross, pointer, bullet, separator, arrowRight
    /// Something is under way since so many seconds.
    case busy(Int)
    /// `+`, `-`, `~` or `=`, the same everywhere.
    case letter(String)
    /// A box that is ticked or not.
    case checkbox(Bool)
    /// The same behind the key that ticks it.
    case toggle(key: String, Bool)
}

/// A piece of a row in one tone.
package struct TextSpan: Hashable, Sendable {
    package let sign: Sign?
    package let text: String
    package let tone: Tone
    package let isBold: Bool

    package init(_ text: String, _ tone: Tone = .text, sign: Sign? = nil, isBold: Bool = false) {
        (self.sign, self.text, self.tone, self.isBold) = (sign, text, tone, isBold)
    }
}

/// A text as every face shows it: paragraphs by their meaning, before anybody has broken them into rows. Texts from
/// outside are in it as they came; the face that shows them cleans them.
package struct TextBlock: Equatable, Sendable {
    package enum Paragraph: Equatable, Sendable {
        /// An empty row, unless there is one already.
        case blank
        /// One row, cut where it does not fit.
        case row([TextSpan])
        case text(String, Tone, indent: Int)
        /// A sign, and text that stays right of it.
        case item(Sign, Tone, String, Tone, indent: Int)
        /// A label and its value beside it, or below it where there is no room.
        case pair(String, Tone, String, Tone, labelWidth: Int, isHalved: Bool)
        /// A bar with words after it.
        case bar(Bar, String, indent: Int)
        /// One row with a bar at its right end and words after it; without the bar where there is no room for it.
        case meter([TextSpan], Bar, String)
        /// A code that is read from across the room and typed on a telephone; the indent is left out where there is
        /// no room for it.
        case code(String, indent: Int)
        /// Left out where there is little room.
        case roomy(TextBlock)
        /// A text of which nothing may be missing, broken anywhere.
        case characters(String, indent: Int)
        /// A token that is shown on purpose, whole.
        case secret(Secret)
        /// A piece of time among others, and the present in it.
        case lifetime(LifetimeBar)
        /// The column of the present above lifetimes.
        case present(LifetimeBar)
        case option(Option)
        /// Keys, by the names that the face has for them, and what they do.
        case keys(KeyBinding)
        /// One row with something at its right end, which goes below where there is no room for both.
        case sides([TextSpan], [TextSpan])
        /// Spans of which nothing may be missing, broken anywhere.
        case spans([TextSpan], indent: Int)
        case fact(Fact)
        /// The longer one where the whole text is seen at once with it.
        case either(TextBlock, TextBlock)
        /// The ways to look at something, the present one marked, and what turns them.
        case views([String], marked: Int, key: String)
        /// A line of a menu: its name, what is to be known of it where there is room, and whether it is marked.
        case menuItem(TextSpan, nameWidth: Int, TextSpan, isMarked: Bool)
    }

    /// How much of something is left.
    package struct Bar: Equatable, Sendable {
        package let fraction: Double
        /// It takes at most one of so many parts of the width.
        package let part: Int
        /// And at most so many columns.
        package let most: Int
    }

    /// `start` to `end` within `from` to `to`, as shares of one.
    package struct LifetimeBar: Equatable, Sendable {
        package var start = 0.0
        package var end = 0.0
        package let now: Double
    }

    /// Something that can be chosen, with what is known of it.
    package struct Option: Equatable, Sendable {
        package var isMarked: Bool
        /// Nil where it is only shown.
        package var isChosen: Bool?
        package var sign: Sign
        package var word: String
        package var tone: Tone
        package var name: String
        package var risk: String
        package var riskTone: Tone
        /// Who can consent to it: `you`, `admin`, or nothing where that is not known.
        package var consent: String
        /// Beside the name, or below it where there is no room.
        package var explanation: String
    }

    /// A name, its value and what that means: in one row where there is room, else one below the other.
    package struct Fact: Equatable, Sendable {
        package var name: TextSpan
        /// Columns for the name, with the space after it.
        package var nameWidth: Int
        package var value: TextSpan
        /// Columns for the value, with the space after it; nil for more than half of what the name leaves.
        package var valueWidth: Int?
        package var meaning = TextSpan("")
        /// Whether nothing of it is cut, in as many rows as that takes.
        package var isWhole = false
        /// Before the name.
        package var sign: TextSpan?
    }

    package private(set) var paragraphs: [Paragraph] = []
    /// For each paragraph the entry that it belongs to: entries are what can be marked in a text.
    package private(set) var entries: [Int?] = []
    /// Paragraphs that change by themselves as time goes by: a face that only adds text does not tell them again.
    package private(set) var moving: Set<Int> = []
    private var entry: Int?

    package init() {}

    package var isEmpty: Bool { paragraphs.isEmpty }

    /// What `body` adds belongs to the entry with this number.
    mutating func entry(_ number: Int, _ body: (inout TextBlock) -> Void) {
        entry = number
        body(&self)
        entry = nil
    }

    /// What `body` adds changes by itself.
    mutating func moving(_ body: (inout TextBlock) -> Void) {
        let first = paragraphs.count
        body(&self)
        moving.formUnion(first..<paragraphs.count)
    }

    mutating func add(_ paragraph: Paragraph) {
        paragraphs.append(paragraph)
        entries.append(entry)
    }

    /// A line of a menu, of its name alone.
    mutating func add(menuItem name: String, isMarked: Bool) {
        add(.menuItem(TextSpan(name), nameWidth: 0, TextSpan(""), isMarked: isMarked))
    }

    mutating func blank() { add(.blank) }
    mutating func row(_ spans: [TextSpan]) { add(.row(spans)) }
    mutating func sides(_ left: [TextSpan], _ right: [TextSpan]) { add(.sides(left, right)) }
    /// A heading, with a key at the right for what can be done about it.
    mutating func heading(_ text: String, key: String, does action: String) {
        sides([TextSpan(text, .title, isBold: true)], [TextSpan(key, .key), TextSpan(" " + action, .muted)])
    }
    mutating func heading(_ text: String) { add(.row([TextSpan(text, .title, isBold: true)])) }
    mutating func text(_ text: String, _ tone: Tone = .text, indent: Int = 0) { add(.text(text, tone, indent: indent)) }

    mutating func item(_ sign: Sign, _ tone: Tone, _ text: String, _ textTone: Tone = .text, indent: Int = 0) {
        add(.item(sign, tone, text, textTone, indent: indent))
    }

    mutating func field(_ label: String, _ value: String, _ tone: Tone = .text, labelWidth: Int = 14) {
        pair(label, .label, value, tone, labelWidth: labelWidth)
    }

    mutating func pair(
        _ label: String, _ labelTone: Tone, _ value: String, _ tone: Tone = .text, labelWidth: Int,
        isHalved: Bool = false
    ) {
        add(.pair(label, labelTone, value, tone, labelWidth: labelWidth, isHalved: isHalved))
    }

    /// - Parameter fraction: how much is left.
    mutating func meter(_ spans: [TextSpan], _ fraction: Double, _ words: String) {
        moving { $0.add(.meter(spans, Bar(fraction: fraction, part: 4, most: 10), words)) }
    }

    /// - Parameters:
    ///   - part: the bar takes at most one of so many parts of the width.
    ///   - most: and at most so many columns.
    mutating func bar(_ fraction: Double, part: Int, most: Int, _ words: String, indent: Int = 0) {
        moving { $0.add(.bar(Bar(fraction: fraction, part: part, most: most), words, indent: indent)) }
    }
}
