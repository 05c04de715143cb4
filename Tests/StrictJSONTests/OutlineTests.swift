import Testing

@testable import StrictJSON

private let limits = JSONLimits(maximumBytes: 1 << 20)

private func outline(_ text: String, strictly: Bool = false) throws(JSONError) -> JSONOutline {
    try JSONOutline(Array(text.utf8), limits: limits, strictly: strictly)
}

private func problem(_ bytes: [UInt8], strictly: Bool = false) -> JSONError.Problem? {
    do {
        _ = try JSONOutline(bytes, limits: limits, strictly: strictly)
        return nil
    } catch { return error.problem }
}

@Suite struct OutlineTests {
    let text = """
        {
            "S": {
                "k\\u0031": {
                    "secret": "a\\"b\\\\",
                    "n": 1,
                    "f": "x\\u00e9\\/"
                },
                "k2": null
            },
            "T": {},
            "U": [{"deep": {"a": 1}}]
        }
        """

    @Test func `Sections, entries and fields are found by their decoded names`() throws {
        let found = try outline(text)
        let section = try #require(found.section(named: "S"))
        let entries = found.entries(of: section)
        #expect(entries.map { found.name(of: $0) } == ["k1", "k2"])
        let entry = try #require(entries.first)
        #expect(found.field("secret", of: entry).flatMap(found.string(of:)) == "a\"b\\")
        #expect(found.field("f", of: entry).map { found.isString($0, equalTo: Array("xé/".utf8)) } == true)
        #expect(found.field("n", of: entry).flatMap(found.string(of:)) == nil)
        #expect(found.field("missing", of: entry) == nil)
        #expect(found.fields(of: entries[entries.index(after: entries.startIndex)]).isEmpty)
        #expect(found.section(named: "T").map { found.entries(of: $0).isEmpty } == true)
    }

    @Test func `A field that comes twice is no field, also when one of the two is escaped`() throws {
        let found = try outline("{\"S\":{\"k\":{\"secret\":\"a\",\"\\u0073ecret\":\"b\"}}}")
        let entry = try #require(found.section(named: "S").flatMap { found.entries(of: $0).first })
        #expect(found.field("secret", of: entry) == nil)
    }

    @Test(arguments: [
        "{", "{}x", "{\"a\":1,}", "{\"a\":{\"b\":[1,]}}", "{\"a\":{\"b\":{\"c\":tru}}}", "{\"a\":\"b}", "{\"a\" 1}",
        "{\"a\":01}",
        "{\"a\":-}", "{\"a\":1.}",
        "{\"a\":1}\u{0}", "{\"a\":1,\"a\":2}", "{\"s\":{\"a\":1,\"\\u0061\":2}}", "{\"a\":}", "{\"a\":1 \"b\":2}",
        "{a:1}", "", " ",
        "{\"a\":\"\\\"}",
        "{\"a\":{\"b\":{\"c\":{\"d\":[}}}}}",
    ])
    func `The skim refuses what is not well-formed`(_ text: String) {
        #expect(problem(Array(text.utf8)) != nil)
        #expect(problem(Array(text.utf8), strictly: true) != nil)
    }

    @Test(arguments: [
        "{\"s\":{\"e\":{\"f\":1,\"f\":2}}}", "{\"s\":{\"e\":{\"f\":\"\\x\"}}}", "{\"s\":{\"e\":{\"f\":\"\\ud80\"}}}",
        "{\"s\":{\"e\":{\"f\":\"a\tb\"}}}",
        "{\"s\":{\"e\":{\"o\":{\"x\":1,\"x\":2}}}}", "{\"s\":[{\"x\":1,\"x\":2}]}",
        "{\"s\":{\"e\":{\"o\":{\"x\":\"\\q\"}}}}",
    ])
    func `The strict pass refuses also what is inside strings and deep objects`(_ text: String) {
        #expect(problem(Array(text.utf8)) == nil)
        #expect(problem(Array(text.utf8), strictly: true) != nil)
    }

    @Test(arguments: [
        "{\"s\":{\"e\":{\"f\":\"a\\ud83d\"}}}", "{\"s\":{\"e\":{\"f\":\"\\ude00\\ud83d\"}}}",
        "{\"s\":{\"e\":{\"f\\ud83d\":\"b\"}}}",
        "{\"s\":{\"e\":{\"f\":{\"g\":{\"\\ud83d\":1,\"\\ud83e\":\"\\udc00\"}}}}}",
    ])
    func `RFC 8259 section 8.2: half of a surrogate pair is well-formed, and nobody can read it`(_ text: String) throws
    {
        #expect(problem(Array(text.utf8), strictly: true) == nil)
        let found = try outline(text, strictly: true)
        let entry = try #require(found.section(named: "s").flatMap { found.entries(of: $0).first })
        let isDeep = text.contains("g")
        #expect(found.fields(of: entry).allSatisfy(found.isDecodable) == isDeep)
        #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
    }

    @Test func `Bytes that no JSON holds are refused by the skim too`() {
        #expect(problem([0xEF, 0xBB, 0xBF] + Array("{}".utf8)) == .byteOrderMark)
        #expect(problem(Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8)) == .notUTF8)
        #expect(problem(Array("{\"a\":\"".utf8) + [0] + Array("\"}".utf8)) == .controlCharacter)
        #expect(problem([UInt8](repeating: 0, count: 100)) == .unexpectedByte)
        #expect(problem(Array("[]".utf8)) == .notAnObject)
        #expect(problem(Array("null".utf8)) == .notAnObject)
    }

    @Test(arguments: [0, 7, 31, 64])
    func `Every control character but white space is found, wherever it is`(place: Int) {
        for byte in UInt8.min...UInt8.max {
            var bytes = [UInt8](repeating: UInt8(ascii: " "), count: 65)
            bytes[place] = byte
            var scan = JSONByteScan()
            bytes.withUnsafeBytes { scan.look(at: $0) }
            #expect(scan.hasForbidden == (byte < 0x20 && !"\t\n\r".utf8.contains(byte)))
            #expect(scan.hasHigh == (byte >= 0x80))
        }
    }

    @Test func `Depth is bounded at every level`() {
        for strictly in [false, true] {
            #expect(problem(Array(String(repeating: "{\"a\":", count: 50_000).utf8), strictly: strictly) == .tooDeep)
            #expect(
                problem(Array(("{\"a\":" + String(repeating: "[", count: 50_000)).utf8), strictly: strictly) == .tooDeep
            )
        }
    }

    @Test func `Many entries with one name twice are refused`() {
        let names = (0..<5000).map { "\"entry-\($0)\":{}" }
        #expect(problem(Array("{\"s\":{\(names.joined(separator: ","))}}".utf8)) == nil)
        #expect(
            problem(Array("{\"s\":{\((names + ["\"entry-\\u0037\":1"]).joined(separator: ","))}}".utf8))
                == .duplicateName)
    }

    @Test func `The strict skim and the reader agree on mutations of a text`() {
        let source = Array(text.utf8)
        for place in source.indices {
            for byte in [
                UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ","),
                UInt8(ascii: "0"), 0x00,
                0x0A, 0xC3,
            ] {
                var mutated = source
                mutated[place] = byte
                let reader = (try? JSONValue(parsing: mutated, limits: limits))?.object != nil
                #expect((problem(mutated, strictly: true) == nil) == reader, "byte \(byte) at \(place)")
            }
            let cut = Array(source[..<place])
            #expect(problem(cut, strictly: true) != nil && problem(cut) != nil)
        }
    }
}

@Suite struct SpliceTests {
    @Test func `What is not named keeps its bytes`() throws {
        let text = "{\n  \"S\" : {\n    \"a\": {\"x\": 1 },\n\n    \"b\":{ } ,\"c\": null\n  },\n  \"Q\": [1,  2]\n}\n"
        let found = try outline(text)
        let section = try #require(found.section(named: "S"))
        let entries = found.entries(of: section)
        func rewritten(_ change: (inout JSONChanges) -> Void) -> String {
            var changes = JSONChanges()
            change(&changes)
            return String(decoding: found.rewritten(section: section, changes), as: UTF8.self)
        }
        let first = entries.startIndex
        #expect(rewritten { _ in } == "{\n    \"a\": {\"x\": 1 },\n\n    \"b\":{ } ,\"c\": null\n  }")
        #expect(rewritten { $0.removed = [first] } == "{\n\n    \"b\":{ } ,\"c\": null\n  }")
        #expect(rewritten { $0.removed = [first + 1] } == "{\n    \"a\": {\"x\": 1 },\"c\": null\n  }")
        #expect(rewritten { $0.removed = [first + 2] } == "{\n    \"a\": {\"x\": 1 },\n\n    \"b\":{ } \n  }")
        #expect(rewritten { $0.removed = [first, first + 1, first + 2] } == "{}")
        #expect(
            rewritten { $0.replaced = [first + 1: Array("7".utf8)] }
                == "{\n    \"a\": {\"x\": 1 },\n\n    \"b\":7 ,\"c\": null\n  }")
        #expect(
            rewritten {
                $0.removed = [first, first + 2]
                $0.appended = [("new", Array("8".utf8))]
            } == "{\n\n    \"b\":{ } ,\n    \"new\" : 8\n  }")
        var root = JSONChanges()
        root.appended = [("Z", Array("0".utf8))]
        #expect(
            String(decoding: found.rewritten(root), as: UTF8.self)
                == text.replacing("2]\n}", with: "2],\n  \"Z\" : 0\n}"))
    }

    @Test func `New members look like their neighbours'`() throws {
        for (text, expected) in [
            ("{\"S\":{}}", "{\"S\":{\"n\":1}}"), ("{\"S\": {\"a\": 2}}", "{\"S\": {\"a\": 2, \"n\": 1}}"),
            ("{\n\t\"S\": {}\n}", "{\n\t\"S\": {\n\t\t\"n\": 1\n\t}\n}"),
        ] {
            let found = try outline(text)
            let section = try #require(found.section(named: "S"))
            var inner = JSONChanges()
            inner.appended = [("n", Array("1".utf8))]
            var root = JSONChanges()
            root.replaced = [found.sections.startIndex: found.rewritten(section: section, inner)]
            #expect(String(decoding: found.rewritten(root), as: UTF8.self) == expected)
        }
    }

    @Test func `Strings are written in visible ASCII`() throws {
        let quoted = JSONValue.asciiQuoted("é\"\\\n\u{1F600}\u{7F}")
        #expect(String(decoding: quoted, as: UTF8.self) == "\"\\u00e9\\\"\\\\\\u000a\\ud83d\\ude00\\u007f\"")
        #expect(try JSONValue(parsing: quoted).string == "é\"\\\n\u{1F600}\u{7F}")
    }
}
