import Glibc
import StrictTOML
import TOMLKit
import Testing

@Suite struct StrictTOMLTests {
    /// What is wrong, or nil for a text that was read.
    private static func problem(_ text: String) -> TOMLProblem? {
        do {
            _ = try StrictTOML.read(text)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        // The assertions of toml++ that end the process: a value, a key, a time that is none.
        ("scopes = [}", 1), ("a = 1\nscopes = [ }\n", 2), ("[=", 1), ("\n\n[,", 3), ("[\\", 1), ("[[=", 1),
        ("[a]\n[}", 2),
        ("a = 1979-05-27 1\n", 1), ("a = 1979-05-27 1,", 1),
        // What it reads on until the stack or the text is over.
        ("a" + String(repeating: ".a", count: 30_000) + " = 1", 1),
        ("[a" + String(repeating: ".a", count: 30_000) + "]", 1),
        ("a = " + String(repeating: "[", count: 60_000), 1), ("a = {" + String(repeating: "a={", count: 20_000), 1),
        ("a = 1\n\u{0}garbage = [}", 2), ("a = \"x\\u0000y\"", 1),
        // What is no TOML.
        ("a", 1), ("a =", 1), ("= 1", 1), ("a = b", 1), ("a = \"x", 1), ("a = 'x\n'", 1), ("a = \"\"\"x\n\n", 1),
        ("a = \"\\q\"", 1),
        ("a = \"\\ud800\"", 1), ("a = 1 b = 2", 1), ("a = [1 2]", 1), ("a = {b = 1,}", 1), ("a = {b = 1\n}", 1),
        ("a = True", 1),
        ("a = 01", 1), ("a = 1__0", 1), ("a = _1", 1), ("a = 1_", 1), ("a = 1.5", 1), ("a = +", 1), ("a = inf", 1),
        ("a = .5", 1),
        ("a = 9999999999999999999", 1), ("a.b.", 1), ("\"\"\"a\"\"\" = 1", 1), ("[a", 1), ("[a] b", 1),
        ("a = \"x\"\"", 1),
        ("a = \"\"\"x\"\"\"\"\"\"", 1), ("a = 1\u{1B}", 1), ("a = 1\r", 1), ("ä = 1", 1), ("a = 1\u{A0}", 1),
        // What is TOML, and means nothing.
        ("a = 1\na = 2", 2), ("a = 1\n[a]\nb = 2", 2), ("[a]\n[b]\n[a]", 3),
    ])
    func `A text that is wrong is a problem with its line, whatever it is`(text: String, line: Int) {
        let problem = Self.problem(text)
        #expect(problem?.line == line, "\(text.prefix(40)): \(String(describing: problem))")
        #expect(problem?.what.isEmpty == false)
    }

    @Test func `What a settings file may say is read as it was meant`() throws {
        let table = try StrictTOML.read(
            """
            \u{FEFF}# a comment with = [ } and ä
            client = "work" # behind
            'quoted key' . "b" = 'C:\\path'
            long = \"\"\"
            one \\
              two ""\"\"\"
            [clients."a.b"] # header
            scopes = [ # first
              "x", 'y',
            ]
            mouse = true\r
            buffer = +1_000
            inline = { a = { b = [1, -2] }, c.d = "\\u00e4\\n" }
            """)
        #expect(table["client"]?.string == "work")
        #expect(table["quoted key"]?.table?["b"]?.string == "C:\\path")
        #expect(table["long"]?.string == "one two \"\"")
        let inner = try #require(table["clients"]?.table?["a.b"]?.table)
        #expect(inner["scopes"]?.array?.compactMap(\.string) == ["x", "y"])
        #expect(inner["mouse"]?.bool == true && inner["buffer"]?.int == 1000)
        #expect(inner["inline"]?.table?["a"]?.table?["b"]?.array?.compactMap(\.int) == [1, -2])
        #expect(inner["inline"]?.table?["c"]?.table?["d"]?.string == "ä\n")
        #expect(try StrictTOML.read("").keys.isEmpty && StrictTOML.read("\u{FEFF}").keys.isEmpty)
    }

    @Test(arguments: [
        "", "plain", "a\"b", "a\\b", "a\\", "C:\\new\\u0041", "two\nlines\r\n\t", "\u{1}\u{1F}\u{7F}", "ä €🙂",
        "# no comment", "'",
        "\"\"\"", "x\u{2028}y",
    ])
    func `What is written is read back as it was`(text: String) throws {
        let table = try StrictTOML.read(
            "\(TOMLText.key(text)) = \(TOMLText.text(text).written)\nlist = \(TOMLText.texts([text, text]).written)\n")
        #expect(table[text]?.string == text)
        #expect(table["list"]?.array?.compactMap(\.string) == [text, text])
    }

    @Test(
        arguments: [
            ("a = \"x\" # say \"hi\"", " # say \"hi\""), ("a = 'x # y'", ""), ("a = \"x\\\" # y\"", ""),
            ("a = true# z", "# z"),
            ("a = 1  ", "  "),
            ("a = [", nil), ("a = \"\"\"", nil), ("[a]", nil), ("", nil),
        ] as [(String, String?)])
    func `The comment behind a value is known from the value`(line: String, comment: String?) {
        #expect(StrictTOML.comment(ofLine: line) == comment)
    }

    /// Numbers in a row that is the same each time.
    private struct Row: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var mixed = state ^ (state >> 33)
            mixed &*= 0xFF51_AFD7_ED55_8CCD
            return mixed ^ (mixed >> 33)
        }
    }

    private static let seeds = [
        """
        client = "work"
        theme = "nord" # a comment
        mouse = true
        [clients.work]
        client_id = "11111111-2222-3333-4444-555555555555"
        scopes = ["https://graph.microsoft.com/.default", 'x']
        expiration_buffer = 1_300
        endpoints = { token = "https://id.example.org/t", x.y = [1, 2] }
        [keys.picker]
        reload = ["F5", "Ctrl-R"]
        """,
        "a = \"\"\"\nlong \\\n  text\"\"\"\nb = '''\nliteral''''\n\"c d\".e = \"\\u00e4\"\n[f . \"g\"]\nh = -7\n",
        """
        extends = \"nord\"\n[palette]\nleaf = \"#00ff00\"\n[roles]\nok = { fg = \"leaf\", bold = false }\ntitle = \
        200\nd = 1979-05-27 07:32:00\n
        """,
    ]
    private static let pieces = [
        "[", "]", "[[", "]]", "{", "}", "=", ",", ".", "\"", "'", "\"\"\"", "'''", "\\", "\\u", "#", "\n", "\r\n", " ",
        "\t", "_", "-", "+",
        "0",
        "1", "true", "nan", "inf", "0x", "1e5", "1979-05-27 1", "07:32", "T", "Z", "ä", "🙂", "\u{A0}", "\u{2028}",
        "\u{FEFF}", "\u{0}", "a",
        "a.a",
    ]

    static func mutated(_ number: Int) -> String {
        var row = Row(state: UInt64(number))
        var text = Array(seeds[number % seeds.count].unicodeScalars)
        for _ in 0..<Int.random(in: 1...4, using: &row) {
            let place = Int.random(in: 0...text.count, using: &row)
            let end = min(text.count, place + Int.random(in: 0...6, using: &row))
            let piece = Array((pieces.randomElement(using: &row) ?? "").unicodeScalars)
            switch Int.random(in: 0..<4, using: &row) {
            case 0: text.insert(contentsOf: piece, at: place)
            case 1: text.replaceSubrange(place..<end, with: piece)
            case 2: text.removeSubrange(place..<end)
            default: text = Array(text[..<place])
            }
        }
        var out = String.UnicodeScalarView()
        out.append(contentsOf: text)
        return String(out)
    }

    @Test func `No mutation of a file ends the process`() {
        // More with FOYER_FUZZ=300000, after the library or the check was changed.
        let count = getenv("FOYER_FUZZ").flatMap { Int(String(cString: $0)) } ?? 6_000
        let wrong = (0..<count).count { Self.problem(Self.mutated($0)) != nil }
        // Some mutations only change a text.
        #expect(wrong > count / 2 && wrong < count)
    }
}
