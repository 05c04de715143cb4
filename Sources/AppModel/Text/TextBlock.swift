import FoundationEssentials
package import Identity

/// The meaning of a piece of text; a face gives each meaning a color, or none.
package enum Tone: Hashable, Sendable {
    case text, muted, emphasis, title, label, key
    case ok, attention, danger, info
    case code, link, selection
}

/// A sign before text. Each face has its own symbols; the text next to it says the same.
package enum Sign: Hashable, Sendable {
    case none, full, half, quarter, empty, renewal, warning, check, cross, pointer, bullet, separator, arrowRight
    /// In progress for this many seconds.
    case busy(Int)
    /// `+`, `-`, `~` or `=`, the same in every face.
    case letter(String)
    case checkbox(Bool)
    /// A checkbox after the key that toggles it.
    case toggle(key: String, Bool)
}

package struct TextSpan: Hashable, Sendable {
    package let sign: Sign?
    package let text: String
    package let tone: Tone
    package let isBold: Bool

    package init(_ text: String, _ tone: Tone = .text, sign: Sign? = nil, isBold: Bool = false) {
        (self.sign, self.text, self.tone, self.isBold) = (sign, text, tone, isBold)
    }
}

/// Text for every face: paragraphs by meaning, not yet wrapped into rows. Text from outside is not sanitized here; the
/// face that displays it does that.
package struct TextBlock: Equatable, Sendable {
    package enum Paragraph: Equatable, Sendable {
        /// An empty row, unless there is one already.
        case blank
        /// One row, truncated if necessary.
        case row([TextSpan])
        case text(String, Tone, indent: Int)
        /// A sign, and text indented to the right of it.
        case item(Sign, Tone, String, Tone, indent: Int)
        /// A label with its value next to it, or below if there is no room.
        case pair(String, Tone, String, Tone, labelWidth: Int, isHalved: Bool)
        /// A bar with text after it.
        case bar(Bar, String, indent: Int)
        /// One row with a bar at its right end and text after it; without the bar if there is no room.
        case meter([TextSpan], Bar, String)
        /// A large code, to be typed on another device; not indented if there is no room.
        case code(String, indent: Int)
        /// Left out if there is little room.
        case roomy(TextBlock)
        /// Text that must not be truncated, wrapped anywhere.
        case characters(String, indent: Int)
        /// A token that is shown on purpose, in full.
        case secret(Secret)
        /// A period on a shared timeline, with the current time.
        case lifetime(LifetimeBar)
        /// The column of the current time above lifetimes.
        case present(LifetimeBar)
        case option(Option)
        /// Keys, by the face's names for them, and their meaning.
        case keys(KeyBinding)
        /// One row with a right-aligned part, which goes below if there is no room for both.
        case sides([TextSpan], [TextSpan])
        /// Spans that must not be truncated, wrapped anywhere.
        case spans([TextSpan], indent: Int)
        case fact(Fact)
        /// The first one if the whole text is visible with it, else the second.
        case either(TextBlock, TextBlock)
        /// The available views, the current one, and the key that changes it.
        case views([String], marked: Int, key: String)
        /// A line of a menu: its name, details if there is room, and whether it is selected.
        case menuItem(TextSpan, nameWidth: Int, TextSpan, isMarked: Bool)
    }

    package struct Bar: Equatable, Sendable {
        package let fraction: Double
        /// Takes at most one `part`th of the width.
        package let part: Int
        /// The maximum number of columns.
        package let most: Int
    }

    /// `start` to `end` within `from` to `to`, as fractions.
    package struct LifetimeBar: Equatable, Sendable {
        package var start = 0.0
        package var end = 0.0
        package let now: Double
    }

    package struct Option: Equatable, Sendable {
        package var isMarked: Bool
        /// Nil if it is only displayed.
        package var isChosen: Bool?
        package var sign: Sign
        package var word: String
        package var tone: Tone
        package var name: String
        package var risk: String
        package var riskTone: Tone
        /// Required consent: `you`, `admin`, or empty if unknown.
        package var consent: String
        /// Next to the name, or below if there is no room.
        package var explanation: String
    }

    /// A name, its value and its meaning: in one row if there is room, else one below the other.
    package struct Fact: Equatable, Sendable {
        package var name: TextSpan
        /// Columns for the name and the space after it.
        package var nameWidth: Int
        package var value: TextSpan
        /// Columns for the value and the space after it; nil for more than half of what the name leaves.
        package var valueWidth: Int?
        package var meaning = TextSpan("")
        /// Whether it is wrapped and never truncated.
        package var isWhole = false
        package var sign: TextSpan?
    }

    package private(set) var paragraphs: [Paragraph] = []
    /// The entry of each paragraph: entries can be selected.
    package private(set) var entries: [Int?] = []
    /// Paragraphs that change with time: a face that only appends text does not repeat them.
    package private(set) var moving: Set<Int> = []
    private var entry: Int?

    package init() {}

    init(_ add: (inout TextBlock) -> Void) { add(&self) }

    package var isEmpty: Bool { paragraphs.isEmpty }

    /// Paragraphs added by `body` belong to this entry.
    mutating func entry(_ number: Int, _ body: (inout TextBlock) -> Void) {
        entry = number
        body(&self)
        entry = nil
    }

    /// Paragraphs added by `body` change with time.
    mutating func moving(_ body: (inout TextBlock) -> Void) {
        let first = paragraphs.count
        body(&self)
        moving.formUnion(first..<paragraphs.count)
    }

    package mutating func add(_ paragraph: Paragraph) {
        paragraphs.append(paragraph)
        entries.append(entry)
    }

    /// Adds a line for each choice, as an entry.
    mutating func menu(_ items: [(name: String, facts: String)], nameWidth: Int = 0, marked: Int?) {
        for (place, item) in items.enumerated() {
            let (name, facts) = (TextSpan(item.name), TextSpan(item.facts, .muted))
            entry(place) { $0.add(.menuItem(name, nameWidth: nameWidth, facts, isMarked: place == marked)) }
        }
    }

    mutating func add(_ fact: Fact) { add(.fact(fact)) }
    mutating func blank() { add(.blank) }
    mutating func row(_ spans: [TextSpan]) { add(.row(spans)) }
    mutating func sides(_ left: [TextSpan], _ right: [TextSpan]) { add(.sides(left, right)) }
    /// A heading with a key and its action on the right.
    mutating func heading(_ text: String, key: String, does action: String) {
        sides([TextSpan(text, .title, isBold: true)], [TextSpan(key, .key), TextSpan(" " + action, .muted)])
    }
    mutating func heading(_ text: String) { add(.row([TextSpan(text, .title, isBold: true)])) }
    mutating func text(_ text: String, _ tone: Tone = .text, indent: Int = 0) { add(.text(text, tone, indent: indent)) }

    mutating func item(_ sign: Sign, _ tone: Tone, _ text: String, _ textTone: Tone = .text, indent: Int = 0) {
        add(.item(sign, tone, text, textTone, indent: indent))
    }

    mutating func item(_ sign: (Sign, Tone), _ text: String, _ textTone: Tone = .text) {
        item(sign.0, sign.1, text, textTone)
    }

    mutating func field(_ label: String, _ value: String, _ tone: Tone = .text, labelWidth: Int = 14) {
        pair(label, .label, value, tone, labelWidth: labelWidth)
    }

    /// A time that is known, and how long ago or ahead it is.
    mutating func field(_ label: String, _ date: Date?, _ clock: Clock) {
        guard let date else { return }
        moving { $0.field(label, "\(clock.time(date)), \(clock.relative(date))") }
    }

    mutating func pair(
        _ label: String, _ labelTone: Tone, _ value: String, _ tone: Tone = .text, labelWidth: Int,
        isHalved: Bool = false
    ) {
        add(.pair(label, labelTone, value, tone, labelWidth: labelWidth, isHalved: isHalved))
    }

    mutating func meter(_ spans: [TextSpan], _ fraction: Double, _ words: String) {
        moving { $0.add(.meter(spans, Bar(fraction: fraction, part: 4, most: 10), words)) }
    }

    /// - Parameters:
    ///   - part: the bar takes at most one `part`th of the width.
    ///   - most: the maximum number of columns.
    mutating func bar(_ fraction: Double, part: Int, most: Int, _ words: String, indent: Int = 0) {
        moving { $0.add(.bar(Bar(fraction: fraction, part: part, most: most), words, indent: indent)) }
    }
}
