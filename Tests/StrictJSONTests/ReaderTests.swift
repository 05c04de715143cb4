import StrictJSON
import Testing

private func parse(_ text: String, _ limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSONValue {
    try JSONValue(parsing: Array(text.utf8), limits: limits)
}

private func problem(_ bytes: [UInt8], _ limits: JSONLimits = JSONLimits()) -> JSONError.Problem? {
    do {
        _ = try JSONValue(parsing: bytes, limits: limits)
        return nil
    } catch { return error.problem }
}

@Suite struct ReaderTests {
    @Test(arguments: [
        "null", " true ", "false", "0", "-0", "-0.0", "1e3", "1E+3", "1.5e-3", "123456789012345678901234567890", "\"\"",
        "\"a\\\"b\\\\c\\/d\"",
        "\"\\b\\f\\n\\r\\t\"", "\"\\u0041\\u00e9\"", "\"\\uD834\\uDD1E\"", "\"\u{7F}\"", "\"é\u{1F600}\"", "[]", "[ ]",
        "[1,2,[3]]", "{}",
        "{ }",
        "{\"a\":1,\"b\":{\"a\":2}}", "\t\r\n [null]\n", "{\"\":0}", "[\"\\u0000\"]", "[-1e-400]",
        "-0.000000000000000000000000000000000000000000000000000000000000000000000000000001", "{\"é\":1,\"e\u{301}\":2}",
    ])
    func `RFC 8259 texts are read`(_ text: String) throws { _ = try parse(text) }

    @Test(arguments: [
        ("", JSONError.Problem.unexpectedEnd), (" ", .unexpectedEnd), ("nul", .unexpectedByte),
        ("True", .unexpectedByte),
        ("NaN", .unexpectedByte),
        ("Infinity", .unexpectedByte), ("-Infinity", .badNumber), ("01", .trailingBytes), ("-01", .trailingBytes),
        ("1.", .badNumber),
        (".5", .unexpectedByte),
        ("+1", .unexpectedByte), ("1e", .badNumber), ("1e+", .badNumber), ("0x10", .trailingBytes),
        ("1e400", .badNumber),
        ("-1e400", .badNumber),
        ("[1,]", .unexpectedByte), ("[,1]", .unexpectedByte), ("[1 2]", .unexpectedByte), ("[1", .unexpectedEnd),
        ("[", .unexpectedEnd),
        ("{\"a\":1,}", .unexpectedByte), ("{,}", .unexpectedByte), ("{\"a\"}", .unexpectedByte),
        ("{\"a\":}", .unexpectedByte),
        ("{a:1}", .unexpectedByte),
        ("{'a':1}", .unexpectedByte), ("{\"a\" 1}", .unexpectedByte), ("{\"a\":1", .unexpectedEnd),
        ("{1:1}", .unexpectedByte),
        ("[1]x", .trailingBytes),
        ("{} {}", .trailingBytes), ("\"a", .unexpectedEnd), ("\"a\\\"", .unexpectedEnd), ("\"\\x41\"", .badEscape),
        ("\"\\u12\"", .badEscape),
        ("\"\\u12g4\"", .badEscape), ("\"\\uD800\"", .badEscape), ("\"\\uDC00\"", .badEscape),
        ("\"\\uD800\\u0041\"", .badEscape),
        ("\"\\uD800\\uD800\"", .badEscape), ("\"a\nb\"", .controlCharacter), ("\"a\u{0}b\"", .controlCharacter),
        ("\"a\tb\"", .controlCharacter),
        ("[1]// c", .trailingBytes), ("/* */1", .unexpectedByte), ("\u{FEFF}1", .byteOrderMark),
        ("\u{A0}1", .unexpectedByte),
        ("\u{0}", .unexpectedByte),
        ("{\"iss\":1,\"iss\":2}", .duplicateName), ("{\"iss\":1,\"\\u0069ss\":2}", .duplicateName),
        ("[{\"a\":{\"b\":1,\"b\":1}}]", .duplicateName),
        ("{\"\":1,\"\":1}", .duplicateName),
    ])
    func `What RFC 8259 does not allow is refused`(_ text: String, _ expected: JSONError.Problem) {
        #expect(problem(Array(text.utf8)) == expected)
    }

    @Test(
        arguments: [
            [0xFF], [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x28, 0x22], [0x22, 0xC0, 0x80, 0x22],
            [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22], [0x22, 0x5C, 0x6E, 0xFF, 0x22],
        ] as [[UInt8]])
    func `Bytes that are not UTF-8 are refused`(_ bytes: [UInt8]) {
        #expect(problem(bytes) == (bytes[0] == 0x22 ? .notUTF8 : .unexpectedByte))
    }

    @Test func `UTF-16 is refused, with and without its mark`() {
        let text = "{\"a\":1}".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(problem(text) == .unexpectedByte)
        #expect(problem([0xFF, 0xFE] + text) == .unexpectedByte)
    }

    @Test func `A depth bomb is refused without deep recursion`() {
        #expect(problem([UInt8](repeating: UInt8(ascii: "["), count: 100_000)) == .tooDeep)
        #expect(problem(Array(String(repeating: "{\"a\":", count: 20_000).utf8)) == .tooDeep)
        let deep = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        #expect(problem(Array(deep.utf8)) == nil)
        #expect(problem(Array(("[" + deep + "]").utf8)) == .tooDeep)
    }

    @Test func `A text past the limit is refused before it is looked at`() {
        #expect(problem([UInt8](repeating: 0x20, count: 524_289)) == .tooLarge)
        #expect(problem(Array("[1,2]".utf8), JSONLimits(maximumBytes: 4)) == .tooLarge)
    }

    @Test(
        arguments: [
            ("3600", 3600), ("3600.0", 3600), ("1e3", 1000), ("36e2", 3600), ("-0", 0), ("0.0e9", 0),
            ("9223372036854775807", Int64.max),
            ("-9223372036854775808", Int64.min), ("9223372036854775808", nil),
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("1732.5", nil),
            ("3600.0000000000000000001", nil), ("1e19", nil), ("12300e-2", 123), ("1e-1", nil), ("\"3600\"", nil),
            ("true", nil),
        ] as [(String, Int64?)])
    func `Whole numbers are exact, and nothing else counts as one`(_ text: String, _ expected: Int64?) throws {
        #expect(try parse(text).integer == expected)
    }

    @Test func `Members keep their order and strings their scalars`() throws {
        let value = try parse("{\"b\":1,\"a\":\"\\ud83d\\ude00\\u0000\",\"c\":[true,null,1.50]}")
        #expect(value.object?.members.map(\.name) == ["b", "a", "c"])
        #expect(value["a"]?.string == "\u{1F600}\u{0}")
        #expect(value["c"]?.array == [true, nil, .number(JSONNumber(text: "1.50"))])
        #expect(value["d"] == nil)
    }
}

@Suite struct WriterTests {
    @Test func `What is written is read as the same value, with the numbers' text`() throws {
        let text = "{\"z\":[1.50,1e3,-0,true,null],\"a\":{\"\\\"\\\\\\n\":\"é\u{1F600}\"}}"
        let value = try parse(text)
        #expect(value.serialized() == text)
        #expect(try parse(value.serialized(pretty: true)) == value)
    }

    @Test func `What could move a cursor or turn text around is escaped`() {
        let value: JSONValue = "\u{1B}]0;x\u{7}\u{7F}\u{9B}\u{202E}\u{200B}\u{2028}\u{2029}\u{FEFF}\u{E0041}"
        #expect(
            value.serialized()
                == "\"\\u001b]0;x\\u0007\\u007f\\u009b\\u202e\\u200b\\u2028\\u2029\\ufeff\\udb40\\udc41\"")
    }

    @Test func `Literals build values, pretty ones have four spaces`() {
        let value: JSONValue = ["a": [1, true], "b": [:], "c": nil]
        #expect(
            value.serialized(pretty: true)
                == "{\n    \"a\": [\n        1,\n        true\n    ],\n    \"b\": {},\n    \"c\": null\n}")
    }
}
