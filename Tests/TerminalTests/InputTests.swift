import Keys
import Testing

@testable import Console
@testable import Terminal

@Suite struct InputTests {
    private func keys(_ batches: String..., isUTF8: Bool = true) -> [Key] {
        var decoder = InputDecoder(isUTF8: isUTF8)
        return batches.flatMap { batch in decoder.decode(batch.unicodeScalars.map { .scalar($0.value) }) }
    }

    @Test func `Plain keys are what they say`() {
        #expect(keys("aé ") == [.character("a"), .character("é"), .character(" ")])
        #expect(keys("\r\n\t\u{7F}\u{8}") == [.enter, .enter, .tab, .backspace, .backspace])
        #expect(
            keys("\u{3}", "\u{C}", "\u{1A}", "\u{0}", "\u{1C}") == [
                .control("c"), .control("l"), .control("z"), .control("@"), .control("\\"),
            ])
    }

    @Test(arguments: [
        ("\u{1B}[A", Key.up), ("\u{1B}OA", .up), ("\u{1B}[1;5C", .right), ("\u{1B}[H", .home), ("\u{1B}[1~", .home),
        ("\u{1B}[7~", .home),
        ("\u{1B}OH", .home), ("\u{1B}[F", .end), ("\u{1B}[4~", .end), ("\u{1B}[8~", .end), ("\u{1B}[2~", .insert),
        ("\u{1B}[3~", .delete),
        ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown), ("\u{1B}[Z", .backTab), ("\u{1B}OP", .function(1)),
        ("\u{1B}[[A", .function(1)),
        ("\u{1B}[11~", .function(1)), ("\u{1B}[15~", .function(5)), ("\u{1B}[17~", .function(6)),
        ("\u{1B}[24~", .function(12)),
        ("\u{1B}[1;2P", .function(1)), ("\u{1B}OM", .enter), ("\u{1B}Op", .character("0")), ("\u{1B}x", .alt("x")),
        ("\u{1B}", .escape),
    ]) func `A sequence is one key`(sequence: String, key: Key) {
        #expect(keys(sequence) == [key])
    }

    @Test func `An escape and a letter that come apart are two keys`() {
        #expect(keys("\u{1B}", "x") == [.escape, .character("x")])
        #expect(keys("\u{1B}\u{1B}") == [.escape, .escape])
    }

    @Test(arguments: [
        "\u{1B}[?1;2c", "\u{1B}[>41;354;0c", "\u{1B}[24;80R", "\u{1B}]11;rgb:0000/0000/0000\u{7}",
        "\u{1B}]l;title\u{1B}\\",
        "\u{1B}P1$r0m\u{1B}\\",
        "\u{1B}[0n", "\u{1B}[M !!", "\u{1B}[<0;1;1M", "\u{1B}[I", "\u{1B}[?2026;1$y", "\u{1B}_Gi=1;OK\u{1B}\\",
        "\u{1B}[999999999999~",
    ]) func `A report of the terminal is never taken for keys`(report: String) {
        #expect(keys(report + "q") == [.character("q")])
        #expect(keys(report, "q") == [.character("q")])
    }

    @Test func `A report in two pieces leaves nothing behind, and one without an end holds up nothing`() {
        #expect(keys("\u{1B}[?1;", "2cq") == [.character("q")])
        #expect(keys("\u{1B}]52;c;", "aGk=\u{7}q") == [.character("q")])
        #expect(keys("\u{1B}]52;c;aGk=\r", "q") == [.enter, .character("q")])
    }

    private func focus(_ batches: String...) -> (keys: [Key], hasFocus: Bool) {
        var decoder = InputDecoder()
        decoder.takesFocus = true
        let keys = batches.flatMap { batch in decoder.decode(batch.unicodeScalars.map { .scalar($0.value) }) }
        return (keys, decoder.hasFocus)
    }

    @Test func `The focus is what was last reported, or typed`() {
        #expect(focus("") == ([], true))
        #expect(focus("\u{1B}[O") == ([], false))
        #expect(focus("\u{1B}[O\u{1B}[I") == ([], true))
        #expect(focus("\u{1B}[O", "\u{1B}[I\u{1B}[O") == ([], false))
        #expect(focus("x\u{1B}[O") == ([.character("x")], false))
        #expect(focus("\u{1B}[Ox") == ([.character("x")], true))
        #expect(focus("\u{1B}[O", "\u{1B}[24;80R\u{1B}[0n") == ([], false), "another report is no key")
        var decoder = InputDecoder()
        #expect(decoder.decode("\u{1B}[O".unicodeScalars.map { .scalar($0.value) }) == [] && decoder.hasFocus)
    }

    @Test(arguments: ["\u{1B}[I", "\u{1B}[O"]) func `A focus report is never typed, however it is cut`(report: String) {
        for cut in 0...report.unicodeScalars.count {
            let start = String(String.UnicodeScalarView(report.unicodeScalars.prefix(cut)))
            let rest = String(String.UnicodeScalarView(report.unicodeScalars.dropFirst(cut)))
            let found = focus("a", start, rest, "b").keys
            // Its first byte alone is the Escape key.
            let escape: [Key] = cut == 1 ? [.escape] : []
            #expect(found == [.character("a")] + escape + [.character("b")])
        }
        #expect(focus("\u{1B}[200~one \(report)two\u{1B}[201~").keys == [.paste("one two")])
        let cut = focus("\u{1B}[200~one \u{1B}[", String(report.suffix(1)), "two\u{1B}[201~")
        #expect(cut.keys == [.paste("one two")])
    }

    private func pointers(_ batches: String...) -> [MouseEvent] {
        var decoder = InputDecoder()
        decoder.takesMouse = true
        return batches.flatMap { batch in decoder.decode(batch.unicodeScalars.map { .scalar($0.value) }) }.compactMap {
            if case .mouse(let pointer) = $0 { pointer } else { nil }
        }
    }

    @Test(arguments: [
        ("\u{1B}[<0;20;5M", MouseEvent(.click, at: Position(row: 4, column: 19))),
        ("\u{1B}[<0;20;5M\u{1B}[<0;20;5m", MouseEvent(.click, at: Position(row: 4, column: 19))),
        ("\u{1B}[<4;1;1M", MouseEvent(.click, at: Position(row: 0, column: 0))),
        ("\u{1B}[<64;300;9M", MouseEvent(.wheelUp, at: Position(row: 8, column: 299))),
        ("\u{1B}[<65;1;1M", MouseEvent(.wheelDown, at: Position(row: 0, column: 0))),
        ("\u{1B}[M !!", MouseEvent(.click, at: Position(row: 0, column: 0))),
        ("\u{1B}[M`!\"#!!", MouseEvent(.wheelUp, at: Position(row: 1, column: 0))),
    ]) func `A press and the wheel are told where they were asked for, in both forms`(
        report: String, pointer: MouseEvent
    ) {
        #expect(pointers(report) == [pointer])
        // However it is cut.
        #expect(pointers(String(report.prefix(4)), String(report.dropFirst(4))) == [pointer])
    }

    @Test(arguments: [
        "\u{1B}[<0;20;5m", "\u{1B}[<2;1;1M", "\u{1B}[<35;1;1M", "\u{1B}[<66;1;1M", "\u{1B}[<0;0;1M", "\u{1B}[<0;1M",
        "\u{1B}[<;;M",
        "\u{1B}[<0;99999;1M", "\u{1B}[<0;-1;1M", "\u{1B}[M#!!", "\u{1B}[<0;1;1~",
    ]) func `A release, another button, a movement and what is no report do nothing, and hold up nothing`(
        report: String
    ) {
        var decoder = InputDecoder()
        decoder.takesMouse = true
        #expect(decoder.decode(report.unicodeScalars.map { .scalar($0.value) }).isEmpty)
        #expect(decoder.decode([.scalar(0x71)]) == [.character("q")])
    }

    @Test func `A paste that has no end hears Ctrl-L and goes on`() {
        #expect(
            keys("\u{1B}[200~abc\u{1B}[", "\u{C}", "y", "\u{1B}[201~", "q") == [
                .control("l"), .paste("abc[y"), .character("q"),
            ])
    }

    @Test func `A paste is one key, one line, without controls`() {
        #expect(keys("\u{1B}[200~a\tb\r\nc\u{7}\u{202E}é\u{1B}[201~") == [.paste("abcé")])
        #expect(keys("\u{1B}[200~ab", "cd\u{1B}", "[201~", "x") == [.paste("abcd"), .character("x")])
    }

    @Test func `Text that brings its own end of paste types nothing`() {
        #expect(keys("\u{1B}[200~a\u{1B}[201~\ry\r\u{1B}[201~") == [.paste("a")])
        #expect(keys("\u{1B}[200~a\u{1B}[Ab\u{1B}[201~") == [.paste("a[Ab")])
    }

    @Test func `A paste that never ends gives way to Ctrl-C`() {
        #expect(keys("\u{1B}[200~abc", "\u{3}", "q") == [.control("c"), .character("q")])
    }

    @Test func `Bytes above ASCII and invisible characters are not typed where they mean nothing`() {
        #expect(keys("é", isUTF8: false) == [])
        #expect(keys("\u{9B}A\u{202E}\u{FEFF}") == [.character("A")])
    }

    @Test func `No sequence of bytes stops the decoder or lets a control character through`() {
        var state: UInt64 = 7
        var decoder = InputDecoder()
        for _ in 0..<20_000 {
            var batch: [RawInput] = []
            for _ in 0..<6 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let pool: [UInt32] = [
                    0x1B, 0x5B, 0x4F, 0x5D, 0x32, 0x30, 0x7E, 0x41, 0x3B, 0x07, 0x9B, 0xFFFF_FFFF, 0xD800, 0x110000, 3,
                ]
                batch.append(.scalar(pool[Int(state >> 33) % pool.count]))
            }
            for case .character(let character) in decoder.decode(batch) {
                #expect(SafeText.line(String(character)) == String(character))
            }
        }
        #expect(decoder.decode([.scalar(3)]) == [.control("c")])
    }

    @Test func `Keys have names for people`() {
        #expect(
            [Key.control("l"), .function(1), .up, .character(" "), .alt("x"), .backTab].map(\.name) == [
                "Ctrl-L", "F1", "↑", "Space", "Alt-x", "Shift-Tab",
            ])
        #expect(Key.up.name(isASCII: true) == "Up")
    }
}
