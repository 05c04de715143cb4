import Testing

@testable import Console
@testable import Terminal

@Suite struct SafeTextTests {
    @Test
    func `No scalar of Unicode gets through that could steer a terminal or hide, and cleaning twice changes nothing`() {
        // Collected and expected once: a million expectations take longer than what they expect.
        var wrong: [String] = []
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "a" + String(Character(scalar)) + "b"
            let clean = SafeText.line(text)
            let isSafe = clean == text ? true : SafeText.line(clean) == clean
            let isShown = clean.unicodeScalars.allSatisfy(SafeText.isVisible)
            let isSpelled = SafeText.isVisible(scalar) || clean == "a‹U+\(SafeText.hexadecimal(value))›b"
            if !(isSafe && isShown && isSpelled) { wrong.append(SafeText.hexadecimal(value)) }
        }
        #expect(wrong == [])
    }

    @Test func `A text is plain if every byte is, wherever it is`() {
        for length in [1, 2, 15, 16, 17, 31, 40, 70] {
            for place in 0..<length {
                for value in UInt8.min...UInt8.max {
                    var bytes = [UInt8](repeating: 0x7E, count: length)
                    bytes[place] = value
                    let text = String(decoding: bytes, as: UTF8.self)
                    let isPlain = SafeText.isPlain(text)
                    if isPlain != (0x20...0x7E).contains(value) { Issue.record("\(value) at \(place) of \(length)") }
                }
            }
        }
        #expect(SafeText.isPlain(""))
    }

    @Test(arguments: [
        ("\u{1B}[2J\u{1B}[H", "‹U+001B›[2J‹U+001B›[H"), ("a\nb\r\tc", "a‹U+000A›b‹U+000D›‹U+0009›c"),
        ("\u{9B}31m", "‹U+009B›31m"), ("nimda\u{202E}", "nimda‹U+202E›"), ("ad\u{200B}min", "ad‹U+200B›min"),
        ("\u{FEFF}x\u{AD}y", "‹U+FEFF›x‹U+00AD›y"), ("a\u{2028}b\u{2029}c\u{85}", "a‹U+2028›b‹U+2029›c‹U+0085›"),
        ("a\u{E0041}", "a‹U+E0041›"), ("a\u{34F}", "a‹U+034F›"), ("a\u{FE0F}", "a‹U+FE0F›"),
        ("12\u{FE0F}", "12‹U+FE0F›"),
        ("\u{301}a", "‹U+0301›a"), ("a\u{200D}b", "a‹U+200D›b"), ("\u{E000}", "‹U+E000›"), ("\u{378}", "‹U+0378›"),
        ("\u{3164}\u{2800}", "‹U+3164›‹U+2800›"),
    ]) func `What is not visible becomes visible`(text: String, clean: String) {
        #expect(SafeText.line(text) == clean)
    }

    @Test(arguments: [
        "Ada Lovelace", "Ångström", "e\u{301}", "Việt", "中文 日本", "👨\u{200D}👩\u{200D}👧", "🇩🇪", "👍🏽", "❤\u{FE0F}",
        "1\u{FE0F}\u{20E3}", "각",
        "का",
        "שלום", "…‹›",
    ]) func `Names as people write them stay as they are`(text: String) {
        #expect(SafeText.line(text) == text)
    }

    @Test func `More than four marks on one character are spelled out`() {
        let clean = SafeText.line("e" + String(repeating: "\u{301}", count: 6))
        #expect(clean == "e\u{301}\u{301}\u{301}\u{301}‹U+0301›‹U+0301›")
    }

    @Test func `A long text is cut to its limit with an ellipsis, and stays so`() {
        for text in ["x", "é", "👨\u{200D}👩", "\u{202E}", "e\u{301}"] {
            for limit in [1, 2, 3, 7, 100] {
                let clean = SafeText.line(String(repeating: text, count: 70_000), limit: limit)
                #expect(clean.unicodeScalars.count <= limit)
                #expect(clean.hasSuffix("…"))
                #expect(SafeText.line(clean, limit: limit) == clean)
                #expect(SafeText.ascii(String(repeating: text, count: 300), limit: limit).count <= limit)
            }
        }
    }

    @Test func `Any mixture of scalars is cleaned once and for all`() {
        var state: UInt64 = 42
        let pool: [Unicode.Scalar] = [
            "a", "1", "\u{301}", "\u{200D}", "\u{FE0F}", "👩", "🏽", "\u{1F1E9}", "\u{1100}", "\u{1161}", "\u{20E3}",
            "\u{1B}", "‹", "中", "❤",
            "\u{202E}",
        ]
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<8 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text.unicodeScalars.append(pool[Int(state >> 33) % pool.count])
            }
            let clean = SafeText.line(text)
            if SafeText.line(clean) == clean,
                DisplayWidth.clusters(clean).allSatisfy({ $0.width == 1 || $0.width == 2 })
            {
                continue
            }
            Issue.record("\(text.unicodeScalars.map(\.value))")
        }
    }

    @Test func `Without UTF-8 everything is spelled in ASCII, and different names stay different`() {
        #expect(SafeText.ascii("Åsa…") == "\\u{00C5}sa...")
        #expect(SafeText.ascii("Öa") != SafeText.ascii("Åa"))
        #expect(SafeText.ascii("a\u{202E}中").utf8.allSatisfy { (0x20...0x7E).contains($0) })
    }

    @Test func `A token is visible ASCII and nothing else`() {
        #expect(SafeText.isPrintableToken("eyJ0.a-b_c"))
        for text in ["", "a b", "a\n", "é", "a\u{7F}"] { #expect(!SafeText.isPrintableToken(text)) }
    }
}
