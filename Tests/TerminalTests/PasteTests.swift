import Keys
import Testing

@testable import Terminal

@Suite struct PasteTests {
    private static let (start, end) = ("\u{1B}[200~", "\u{1B}[201~")
    /// Text that would remove an account, sign in and end the program if it were typed.
    private static let keys = "xy\rasq"

    private static func batch(_ text: String) -> [RawInput] { text.unicodeScalars.map { .scalar($0.value) } }

    /// The keys of batches, and what was wrong.
    private func decoded(_ batches: [String]) -> (keys: [Key], problem: PasteProblem?) {
        var decoder = InputDecoder()
        let keys = batches.flatMap { decoder.decode(Self.batch($0)) }
        return (keys, decoder.takeProblem())
    }

    private static let pasted = Key.paste("xyasq")

    @Test(
        arguments: [
            // Pastes in a row, as from a held key, with and without something between them.
            (start + keys + end + start + keys + end, [pasted, pasted]),
            (start + keys + end + keys + start + keys + end, [pasted, pasted]),
            (start + end + start + keys + end + start + end, [.paste(""), pasted, .paste("")]),
            // Marks within.
            (start + keys + start + keys + end, [.paste("xyasqxyasq")]),
            (start + keys + end + keys + end, [pasted]), (start + keys + end + end + end, [pasted]),
            (start + keys + "\u{9B}201~\u{1B}\u{1B}[20" + end, [.paste("xyasq201~[20")]),
            (start + "\u{1B}]52;c;eA==\u{7}\u{1B}[A\u{3}\u{4}" + end, [.paste("]52;c;eA==[A")]),
            (end + "q", [.character("q")]),
        ] as [(String, [Key])])
    func `A paste is one key and never typed, however its bytes arrive`(text: String, wanted: [Key]) {
        #expect(decoded([text]).keys == wanted)
        // In two reads: what follows a paste in a later read is typed, so only cuts within pastes and marks are shown.
        let scalars = Array(text.unicodeScalars)
        for cut in scalars.indices {
            let parts = [scalars[..<cut], scalars[cut...]].map { String(String.UnicodeScalarView($0)) }
            var decoder = InputDecoder()
            let first = decoder.decode(Self.batch(parts[0]))
            guard decoder.isInPaste else { continue }
            #expect(first + decoder.decode(Self.batch(parts[1])) == wanted, "cut at \(cut)")
        }
    }

    @Test(arguments: [1, 2, 7]) func `A paste that is too long is discarded as a whole, and said once`(count: Int) {
        let long = Self.start + String(repeating: "y\r", count: 40_000) + Self.end
        let found = decoded([String(repeating: long, count: count)])
        #expect(found.keys.isEmpty && found.problem == .tooLong)
        let after = decoded([long, Self.start + Self.keys + Self.end, "q"])
        #expect(after.keys == [Self.pasted, .character("q")])
    }

    @Test func `The longest paste is taken, and one byte more is not`() {
        for (count, isTaken) in [(PasteReader.longest, true), (PasteReader.longest + 1, false)] {
            let text = String(repeating: "x", count: count)
            let found = decoded([Self.start + text + Self.end])
            #expect(found.keys == (isTaken ? [.paste(text)] : []))
            #expect(found.problem == (isTaken ? nil : .tooLong))
        }
    }

    @Test func `That it is too long is known before its end`() {
        var reader = PasteReader(takesFocus: false)
        let chunk = [UInt8](repeating: 0x78, count: 4096)
        var events: [[PasteReader.Event]] = []
        for _ in 0..<100 { events.append(reader.read(chunk[...])) }
        #expect(events.map(\.count).reduce(0, +) == 1 && events[16] == [.tooLong] && reader.isWithin)
    }

    @Test func `Thirty megabytes in small parts are read in time that grows with their number alone`() {
        var reader = PasteReader(takesFocus: true)
        // Every byte begins a mark that does not go on.
        let chunk = [UInt8](repeating: 0x1B, count: 1024)
        var count = 0
        for _ in 0..<30_000 { count += reader.read(chunk[...]).count }
        #expect(count == 0 && reader.isWithin)
        #expect(reader.read(Array("[201~".utf8)[...]) == [.pasted([])])
    }

    @Test func `A key long after the last byte of a paste without an end gives it up, and is that key`() {
        var decoder = InputDecoder()
        #expect(decoder.decode(Self.batch(Self.start + Self.keys)).isEmpty)
        #expect(!decoder.staysInPaste(with: Array(Self.end.utf8)[...]))
        let key = Array("\u{1B}[A".utf8)[...]
        #expect(decoder.staysInPaste(with: key) && decoder.abandonPaste(for: key) == [.up])
        #expect(decoder.takeProblem() == .unfinished && !decoder.isInPaste)
    }

    @Test func `What follows a paste without a pause is dropped until another paste begins`() {
        var decoder = InputDecoder()
        _ = decoder.decode(Self.batch(Self.start))
        let bytes = Array((Self.keys + Self.end + Self.keys).utf8)
        #expect(decoder.read(pasted: bytes[...]) == [Self.pasted])
        #expect(decoder.read(pasted: Array(Self.keys.utf8)[...]).isEmpty && decoder.isInPaste)
        #expect(decoder.read(pasted: Array((Self.start + "b" + Self.end).utf8)[...]) == [.paste("b")])
        decoder.pausePaste()
        #expect(decoder.decode(Self.batch("q")) == [.character("q")])
    }

    @Test func `A key right behind a paste is that key, and a part of the pasted text is not`() {
        for (behind, isKey) in [
            ("q", true), ("\u{1B}[A", true), ("\u{1B}OP", true), ("\u{1B}", false), (Self.start, false),
            (Self.end, false),
            ("\u{1B}[20", false), ("y\r" + Self.end, false), (String(repeating: "y", count: 17), false),
        ] {
            var decoder = InputDecoder()
            _ = decoder.decode(Self.batch(Self.start))
            _ = decoder.read(pasted: Array((Self.keys + Self.end).utf8)[...])
            #expect(decoder.isKey(behindPaste: Array(behind.utf8)[...]) == isKey, "\(behind)")
            _ = decoder.read(pasted: Array("yyy".utf8)[...])
            #expect(!decoder.isKey(behindPaste: Array(behind.utf8)[...]), "the pasted text goes on")
        }
    }

    @Test func `Bytes that are no text are left out of a paste`() {
        var decoder = InputDecoder()
        _ = decoder.decode(Self.batch(Self.start))
        let bytes: [UInt8] = [0x61, 0xFF, 0xC3, 0xA9, 0x9B, 0x62] + Array(Self.end.utf8)
        #expect(decoder.read(pasted: bytes[...]) == [.paste("aéb")])
        var ascii = InputDecoder(isUTF8: false)
        _ = ascii.decode(Self.batch(Self.start))
        #expect(ascii.read(pasted: bytes[...]) == [.paste("ab")])
    }
}
