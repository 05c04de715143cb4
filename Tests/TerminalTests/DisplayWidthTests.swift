import CNcurses
import Glibc
import Testing

@testable import Console
@testable import Terminal

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("中文", 4), ("ｱ", 1), ("Ａ", 2), ("각", 2),
        ("\u{1100}\u{1161}\u{11A8}", 2), ("😀", 2),
        ("👨\u{200D}👩\u{200D}👧", 2), ("🇩🇪", 2), ("🇩🇪🇫🇷", 4), ("👍🏽", 2),
        ("❤\u{FE0F}", 2), ("❤", 1), ("1\u{FE0F}\u{20E3}", 2),
        ("…", 1),
        ("●◐○▲✔✖", 6),
        ("⠋", 1), ("─█▀", 3), ("とに", 4), ("☺", 1), ("⌚", 2),
    ]) func `Text takes the columns a terminal gives it`(text: String, columns: Int) {
        #expect(DisplayWidth.columns(text) == columns)
        #expect(DisplayWidth.clusters(text).map(\.text).joined() == text)
    }

    @Test func `A simple scalar is visible, a column wide, and part of no sequence`() {
        for value in UInt32(0)...0x3FFFF {
            guard let scalar = Unicode.Scalar(value), DisplayWidth.isSimple(scalar) else { continue }
            #expect(SafeText.isVisible(scalar) && !WidthTable.isWide(value) && !scalar.properties.isEmojiModifier)
            #expect(![.nonspacingMark, .enclosingMark].contains(scalar.properties.generalCategory))
            #expect(!DisplayWidth.isRegionalIndicator(scalar))
        }
        #expect(DisplayWidth.simpleColumns("ä · ●●○ … ─") == 11 && DisplayWidth.simpleColumns("e\u{301}") == nil)
        for text in ["\u{AD}", "a\u{200D}b", "中", "😀", "\u{1}", "❤\u{FE0F}"] {
            #expect(DisplayWidth.simpleColumns(text[...]) == nil)
        }
    }

    @Test func `Every scalar that may be shown is as wide as the C library says, but for what newer Unicode made wide`()
    {
        guard let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) else { return }
        let before = uselocale(locale)
        defer {
            uselocale(before)
            freelocale(locale)
        }
        var differences = 0
        for value in UInt32(0x20)...0x3FFFF {
            guard let scalar = Unicode.Scalar(value), SafeText.isVisible(scalar) else { continue }
            let library = Int(foyer_width(value))
            if library >= 0, library != DisplayWidth.columns(scalar) { differences += 1 }
        }
        // Regional indicators, the hexagrams and counting rods that Unicode 16 made wide, and marks that changed
        // category.
        #expect(differences < 300, "\(differences)")
    }

    @Test func `What is drawn for a cell takes exactly the columns of the cell`() {
        guard let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) else { return }
        let before = uselocale(locale)
        defer {
            uselocale(before)
            freelocale(locale)
        }
        for text in [
            "👨\u{200D}👩\u{200D}👧", "🇩🇪", "👍🏽", "❤\u{FE0F}",
            "\u{4DC0}", "中", "e\u{301}", "1\u{FE0F}\u{20E3}", "\u{1FAEA}",
            "\u{1100}\u{1161}",
        ] {
            let width = DisplayWidth.columns(text)
            var drawn: [UInt32] = []
            CellText.append(Cell(text: text, width: width, style: .text, line: nil), to: &drawn)
            #expect(drawn.reduce(0) { $0 + Int(foyer_width($1)) } == width, "\(text)")
        }
    }

    @Test func `Cutting never leaves half a wide character`() {
        #expect(DisplayWidth.prefix("中文", columns: 3) == "中")
        #expect(DisplayWidth.clip("中文字", columns: 4) == "中…")
        #expect(DisplayWidth.pad("中文字", columns: 4) == "中… ")
        #expect(DisplayWidth.clip("abcdef", columns: 5, ellipsis: "...") == "ab...")
        #expect(DisplayWidth.clip("abc", columns: 0) == "")
        #expect(DisplayWidth.clip("abc", columns: 1) == "…")
    }

    @Test func `Text is broken at spaces, and a long word is cut`() {
        #expect(DisplayWidth.wrap("one two three", columns: 7) == ["one two", "three"])
        #expect(DisplayWidth.wrap("abcdefgh ij", columns: 3) == ["abc", "def", "gh", "ij"])
        #expect(DisplayWidth.wrap("", columns: 3) == [""])
        #expect(DisplayWidth.wrap("中文字", columns: 3) == ["中", "文", "字"])
    }
}
