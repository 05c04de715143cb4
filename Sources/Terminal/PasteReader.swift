/// The reason why a paste was discarded.
package enum PasteProblem: Equatable, Sendable {
    case tooLong
    /// Its end mark did not come.
    case unfinished

    package var words: String {
        switch self {
        case .tooLong: "the paste is too long, and was discarded: at most \(PasteReader.longest / 1024) KiB"
        case .unfinished: "the paste had no end, and was discarded"
        }
    }
}

/// Reads the bytes of pastes, which a terminal sends between `ESC [ 200 ~` and `ESC [ 201 ~`, in linear time and
/// bounded space.
struct PasteReader: Sendable {
    enum Event: Equatable, Sendable {
        case pasted([UInt8])
        /// It exceeds ``longest``; the rest of it will be dropped.
        case tooLong
        /// A report of the terminal between the bytes of a paste.
        case focus(Bool)
    }

    /// Bytes; a redirect URL and a token are shorter.
    static let longest = 65_536

    private static let escape: UInt8 = 0x1B
    private static let start = Array("\u{1B}[200~".utf8)
    private static let end = Array("\u{1B}[201~".utf8)

    /// False behind the end of a paste. Input that follows there without a pause was not typed: the pasted text
    /// contained `ESC [ 201 ~`. Only another paste begins.
    private(set) var isWithin = true
    /// Whether bytes behind the paste were dropped.
    private(set) var hasDropped = false
    private let takesFocus: Bool
    private var text: [UInt8] = []
    private var isTooLong = false
    /// A possible start of a mark or a report, as marks can arrive in parts.
    private var carried: [UInt8] = []

    init(takesFocus: Bool) { self.takesFocus = takesFocus }

    /// Whether the end of what was read could be the start of another paste.
    var isUndecided: Bool { !carried.isEmpty }

    /// Whether one of the marks is in the bytes.
    static func hasMark(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.indices.contains { place in [start, end].contains { bytes[place...].starts(with: $0) } }
    }

    /// Whether a byte continues the mark that the last ones began.
    func continuesMark(with byte: UInt8) -> Bool {
        let begun = carried + [byte]
        return !carried.isEmpty && [Self.start, Self.end].contains { $0.starts(with: begun) }
    }

    mutating func read(_ bytes: ArraySlice<UInt8>) -> [Event] {
        var events: [Event] = []
        var rest = carried.isEmpty ? bytes : (carried + bytes)[...]
        carried = []
        while let place = rest.firstIndex(of: Self.escape) {
            keep(rest[..<place], &events)
            rest = rest[place...]
            if rest.starts(with: Self.end) {
                rest = rest.dropFirst(Self.end.count)
                finish(&events)
            } else if rest.starts(with: Self.start) {
                rest = rest.dropFirst(Self.start.count)
                if !isWithin { self = PasteReader(takesFocus: takesFocus) }
            } else if takesFocus, rest.count >= 3, rest[rest.startIndex + 1] == 0x5B,
                let focus = FocusReports.focus(final: UInt32(rest[rest.startIndex + 2]))
            {
                rest = rest.dropFirst(3)
                events.append(.focus(focus))
            } else if Self.end.starts(with: rest) || Self.start.starts(with: rest) {
                carried = Array(rest)
                return events
            } else {
                rest = rest.dropFirst()
                hasDropped = hasDropped || !isWithin
            }
        }
        keep(rest, &events)
        return events
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>, _ events: inout [Event]) {
        guard isWithin else { return hasDropped = hasDropped || !bytes.isEmpty }
        guard !isTooLong else { return }
        guard text.count + bytes.count <= Self.longest else {
            (isTooLong, text) = (true, [])
            return events.append(.tooLong)
        }
        text += bytes
    }

    private mutating func finish(_ events: inout [Event]) {
        guard isWithin else { return }
        if !isTooLong { events.append(.pasted(text)) }
        (isWithin, isTooLong, text) = (false, false, [])
    }
}
