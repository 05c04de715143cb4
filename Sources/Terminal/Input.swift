import Console
import Keys

/// Input from ncurses: a scalar, a known key, or a known key that is not used here.
enum RawInput: Equatable, Sendable {
    case scalar(UInt32)
    case key(Key)
    case unknown
}

extension [RawInput] {
    /// Whether its last characters begin a paste.
    var endsInPasteMark: Bool {
        last == .scalar(0x7E) && suffix(6).elementsEqual("\u{1B}[200~".unicodeScalars.map { .scalar($0.value) })
    }
}

/// Converts input to keys. Adds common sequences that are missing from terminal descriptions, collects pastes
/// (`PasteReader`), and drops everything else, so that a report that the terminal was tricked into sending (attributes,
/// title, colors) never acts as keys. Keeps its state between batches.
struct InputDecoder: Sendable {
    private static let longestSequence = 4_096
    /// Bytes of a key.
    private static let longestKey = 16

    private enum State: Equatable, Sendable {
        case ground
        /// After `ESC [`, with the parameters so far.
        case control(String)
        /// Within OSC, DCS, PM, APC or SOS, with the number of characters left to skip.
        case string(Int)
        /// Within a mouse report of the old form, with the numbers received so far.
        case oldMouse([UInt32])
    }

    /// Whether mouse reports were requested; others are ignored.
    var takesMouse = false
    /// Whether focus reports were requested; others are ignored.
    var takesFocus = false
    /// According to the latest report or key; true before the first.
    private(set) var hasFocus = true

    private var state = State.ground
    private var paste: PasteReader?
    private var problem: PasteProblem?
    /// Whether the last batch ended with an escape, which may have been the first byte of a report.
    private var endedWithEscape = false
    private let isUTF8: Bool

    init(isUTF8: Bool = true) { self.isUTF8 = isUTF8 }

    /// The keys of a batch, which is input without a pause. A final escape is the Escape key.
    mutating func decode(_ batch: [RawInput]) -> [Key] {
        // An unterminated paste must not block the keyboard: a separate Ctrl-C is a key press.
        if state != .ground || isWithinPaste, batch == [.scalar(3)] {
            forget()
            return [.control("c")]
        }
        // A separate Ctrl-L redraws, but does not end the paste: the following input is still not typed.
        if isWithinPaste, batch == [.scalar(12)] { return [.control("l")] }
        if isInPaste {
            if isWithinPaste || continuesMark(batch) { return readPaste(batch) }
            paste = nil
        }
        var keys: [Key] = []
        var rest = batch[...]
        if state == .ground, endedWithEscape { takeFocus(&rest) }
        endedWithEscape = batch.last == .scalar(0x1B)
        while let input = rest.popFirst() {
            let count = keys.count
            switch state {
            case .ground:
                if input == .scalar(0x1B) { escape(&rest, &keys) } else if let key = plain(input) { keys.append(key) }
            case .control(let parameters): control(input, parameters, &rest, &keys)
            case .string(let left): string(input, left, &rest)
            case .oldMouse(let numbers): oldMouse(input, numbers, &rest, &keys)
            }
            if keys.count > count { hasFocus = true }
        }
        return keys
    }

    /// Whether a mark that began behind a paste continues.
    private func continuesMark(_ batch: [RawInput]) -> Bool {
        guard case .scalar(let value)? = batch.first, let byte = UInt8(exactly: value) else { return false }
        return paste?.continuesMark(with: byte) ?? false
    }

    /// Takes a focus report without its escape from the start of the input.
    private mutating func takeFocus(_ rest: inout ArraySlice<RawInput>) {
        guard takesFocus, rest.first == .scalar(0x5B), case .scalar(let final)? = rest.dropFirst().first,
            let reported = FocusReports.focus(final: final)
        else { return }
        rest.removeFirst(2)
        hasFocus = reported
    }

    /// The terminal may have got the focus without a report.
    mutating func assumeFocus() { hasFocus = true }

    mutating func forget() {
        let (takesMouse, takesFocus, hasFocus) = (takesMouse, takesFocus, hasFocus)
        self = InputDecoder(isUTF8: isUTF8)
        (self.takesMouse, self.takesFocus, self.hasFocus) = (takesMouse, takesFocus, hasFocus)
    }

    private func plain(_ input: RawInput) -> Key? {
        switch input {
        case .key(let key): key
        case .unknown: nil
        case .scalar(let value): key(for: value)
        }
    }

    private func key(for value: UInt32) -> Key? {
        switch value {
        case 0: .control("@")
        case 8, 127: .backspace
        case 9: .tab
        case 10, 13: .enter
        case 1...26: Unicode.Scalar(value + 96).map { .control(Character($0)) }
        case 28...31: Unicode.Scalar(value + 64).map { .control(Character($0)) }
        case 0x20...0x7E: Unicode.Scalar(value).map { .character(Character($0)) }
        default: typed(value)
        }
    }

    /// Bytes above ASCII are ignored in a locale that is not UTF-8, and so are invisible characters.
    private func typed(_ value: UInt32) -> Key? {
        guard isUTF8, value >= 0xA0, let scalar = Unicode.Scalar(value), SafeText.isVisible(scalar) else { return nil }
        return .character(Character(scalar))
    }

    private mutating func escape(_ rest: inout ArraySlice<RawInput>, _ keys: inout [Key]) {
        guard let next = rest.first else {
            keys.append(.escape)
            return
        }
        guard case .scalar(let value) = next else {
            // Alt with an arrow, from a terminal that sends ESC first: treated as the arrow.
            return
        }
        switch value {
        case 0x5B:
            rest.removeFirst()
            state = .control("")
        case 0x4F where rest.count > 1:
            rest.removeFirst()
            if case .scalar(let final)? = rest.popFirst(), let key = KeySequences.application(final) {
                keys.append(key)
            }
        case 0x5D, 0x50, 0x58, 0x5E, 0x5F:
            rest.removeFirst()
            if !rest.isEmpty {
                state = .string(Self.longestSequence)
            } else if let scalar = Unicode.Scalar(value) {
                keys.append(.alt(Character(scalar)))
            }
        case 0x1B: keys.append(.escape)
        default:
            rest.removeFirst()
            if case .character(let character)? = key(for: value) {
                keys.append(.alt(character))
            } else if let key = key(for: value) {
                keys.append(.escape)
                keys.append(key)
            }
        }
    }

    private mutating func control(
        _ input: RawInput, _ parameters: String, _ rest: inout ArraySlice<RawInput>, _ keys: inout [Key]
    ) {
        guard case .scalar(let value) = input, let scalar = Unicode.Scalar(value) else {
            state = .ground
            if let key = plain(input) { keys.append(key) }
            return
        }
        switch value {
        // The Linux console sends `ESC [ [ A` for F1.
        case 0x5B where parameters.isEmpty: state = .control("[")
        case 0x20...0x3F where parameters.utf8.count < 64: state = .control(parameters + String(scalar))
        case 0x20...0x3F: state = .string(Self.longestSequence)
        case 0x40...0x7E:
            state = .ground
            if value == 0x7E, parameters == "200" {
                paste = PasteReader(takesFocus: takesFocus)
                keys += readPaste(Array(rest))
                rest = []
            } else if value == 0x4D, parameters.isEmpty {
                // A mouse report of the old form, with three more bytes. Unrequested reports only consume bytes of this
                // batch.
                if takesMouse { state = .oldMouse([]) } else { rest = rest.dropFirst(3) }
            } else if parameters.isEmpty, takesFocus, let reported = FocusReports.focus(final: value) {
                hasFocus = reported
            } else if parameters.hasPrefix("<") {
                if takesMouse, let event = MouseReports.mouseEvent(parameters.dropFirst(), final: value) {
                    keys.append(.mouse(event))
                }
            } else if let key = KeySequences.control(parameters, final: value) {
                keys.append(key)
            }
        case 0x1B:
            state = .ground
            rest = [.scalar(0x1B)] + rest
        default:
            state = .ground
            if let key = key(for: value) { keys.append(key) }
        }
    }

    private mutating func oldMouse(
        _ input: RawInput, _ numbers: [UInt32], _ rest: inout ArraySlice<RawInput>, _ keys: inout [Key]
    ) {
        guard case .scalar(let value) = input, value >= 0x20 else {
            state = .ground
            rest = [input] + rest
            return
        }
        guard numbers.count == 2 else {
            state = .oldMouse(numbers + [value])
            return
        }
        state = .ground
        if let event = MouseReports.mouseEvent(button: numbers[0], column: numbers[1], row: value) {
            keys.append(.mouse(event))
        }
    }

    /// Skips to the terminator. Only printable characters are skipped, so that an unterminated string does not block
    /// other input.
    private mutating func string(_ input: RawInput, _ left: Int, _ rest: inout ArraySlice<RawInput>) {
        switch input {
        case .scalar(0x1B):
            state = .ground
            if rest.first == .scalar(0x5C) { rest.removeFirst() } else { rest = [input] + rest }
        case .scalar(let value) where value >= 0x20 && left > 0: state = .string(left - 1)
        case .scalar(7), .scalar(0x9C): state = .ground
        default:
            state = .ground
            rest = [input] + rest
        }
    }

    // MARK: Pastes

    /// Whether bytes are those of a paste, or follow one without a pause; see ``read(pasted:)``.
    var isInPaste: Bool { paste != nil }
    /// Whether the end of the paste is still awaited.
    var isWithinPaste: Bool { paste?.isWithin ?? false }

    /// The keys of bytes that arrive while ``isInPaste``.
    mutating func read(pasted bytes: ArraySlice<UInt8>) -> [Key] {
        var keys: [Key] = []
        for event in paste?.read(bytes) ?? [] {
            switch event {
            case .pasted(let text):
                keys.append(.paste(visible(text)))
                hasFocus = true
            case .tooLong: problem = .tooLong
            case .focus(let reported): hasFocus = reported
            }
        }
        return keys
    }

    /// No byte followed for a moment: after the end of a paste, what comes next is typed.
    mutating func pausePaste() { if !isWithinPaste { paste = nil } }

    /// Whether bytes read by themselves right behind a paste are a key, and no part of it or of another paste.
    func isKey(behindPaste bytes: ArraySlice<UInt8>) -> Bool {
        guard let paste, !paste.isWithin, !paste.hasDropped, !paste.isUndecided else { return false }
        var reader = paste
        _ = reader.read(bytes)
        return bytes.count <= Self.longestKey && reader.hasDropped && !reader.isUndecided && !PasteReader.hasMark(bytes)
    }

    /// Keys that came long after the last byte of a paste without an end: it is given up.
    mutating func abandonPaste(for bytes: ArraySlice<UInt8>) -> [Key] {
        forget()
        problem = .unfinished
        return read(typed: bytes)
    }

    /// Keys that were read without ncurses.
    mutating func read(typed bytes: ArraySlice<UInt8>) -> [Key] {
        paste = nil
        return decode(String(decoding: bytes, as: UTF8.self).unicodeScalars.map { .scalar($0.value) })
    }

    /// Whether these bytes neither end a paste nor belong to a mark that is read.
    func staysInPaste(with bytes: ArraySlice<UInt8>) -> Bool {
        guard var reader = paste, !reader.isUndecided, bytes.count <= Self.longestKey else { return false }
        _ = reader.read(bytes)
        return reader.isWithin
    }

    var hasProblem: Bool { problem != nil }

    mutating func takeProblem() -> PasteProblem? {
        defer { problem = nil }
        return problem
    }

    private mutating func readPaste(_ batch: [RawInput]) -> [Key] {
        var bytes: [UInt8] = []
        for case .scalar(let value) in batch {
            if let scalar = Unicode.Scalar(value) { bytes += Array(String(scalar).utf8) }
        }
        let keys = read(pasted: bytes[...])
        if paste?.isUndecided != true { pausePaste() }
        return keys
    }

    private func visible(_ bytes: [UInt8]) -> String {
        let text =
            isUTF8
            ? String(decoding: bytes, as: UTF8.self) : String(decoding: bytes.filter { $0 < 0x80 }, as: UTF8.self)
        // Invalid bytes become U+FFFD.
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0xFFFD && SafeText.isVisible($0) }))
    }
}
