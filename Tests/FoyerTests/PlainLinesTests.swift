import Testing

@testable import CommandSupport
@testable import foyer_main

/// Lines of plain mode within the width of the terminal.
@Suite struct PlainLinesTests {
    @Test(arguments: [
        ("short", ["short"]),
        (" 7  remove: take the account away", [" 7  remove: take the", "    account away"]),
        (" 12  sign-out: end it there as well", [" 12  sign-out: end", "     it there as", "     well"]),
        ("  2 accounts of one name each", ["  2 accounts of one", "  name each"]),
        ("名前 名前 名前 名前 名前", ["名前 名前 名前 名前", "名前"]),
    ])
    func `A line is broken between words and goes on below its text`(_ line: String, _ rows: [String]) {
        #expect(PlainLines.broken(line, 20) == rows)
    }

    @Test(arguments: ["https://login.example.org/authorize", "open https://login.example.org/authorize now"])
    func `What is copied stays whole`(_ line: String) { #expect(PlainLines.broken(line, 20) == [line]) }

    @Test func `Where nobody says how wide it is, nothing is broken`() {
        let line = String(repeating: "word ", count: 100)
        #expect(PlainLines.broken(line, nil) == [line])
    }

    @Test(arguments: 1...6)
    func `A narrow terminal is no end of it`(_ columns: Int) {
        #expect(PlainLines.broken(" 12  a b c d e f g h", columns).joined().contains("h"))
    }
}
