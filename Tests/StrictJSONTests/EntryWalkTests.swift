import Testing

@testable import StrictJSON

@Suite struct EntryWalkTests {
    static let text = """
        {"AccessToken": {
          "ann-1": {"secret": "eyJh", "home_account_id": "ann", "target": "a b"},
          "by-field": { "home_account_id" : "ann" },
          "bob-1": {"secret": "x", "home_account_id": "bob"},
          "braces": {"secret": "{}}{", "home_account_id": "bob"},
          "escapes": {"secret": "\\\\\\"}", "home_account_id": "ann"},
          "nested": {"more": {"home_account_id": "ann"}, "list": [{"a": "}"}]},
          "umlaut ä": {"name": "Zoë", "home_account_id": "bob"}
        }, "Empty": {}, "Account" : {"one": {"username": "ann"}, "two": {"username": "bob"}},
          "AppMetadata": {"m": {"client_id": "c"}}}

        """

    /// The entries that are found in a text which is given in pieces, and whether it is walked to its end.
    func walk(_ text: String, pieces: Int, window: Int = 4096, most: Int = .max) -> (found: [String], isWhole: Bool) {
        var found: [String] = []
        let bytes = Array(text.utf8)
        var walk = JSONEntryWalk(window: window)
        var rest = bytes[...]
        let isWhole = walk.run { room in
            let next = rest.prefix(min(pieces, room.count))
            room.copyBytes(from: next)
            rest = rest.dropFirst(next.count)
            return next.count
        } visit: { entry in
            let written = String(decoding: entry.bytes, as: UTF8.self)
            #expect(bytes[entry.offset...].starts(with: written.utf8))
            found.append(entry.section + " " + written)
            return found.count < most
        }
        return (found, isWhole)
    }

    @Test(arguments: [1, 2, 3, 7, 31, 32, 33, 64, 200, 4096])
    func `Every entry is found as it is written, wherever the pieces of the text end`(_ pieces: Int) throws {
        let outline = try JSONOutline(Array(Self.text.utf8), limits: JSONLimits())
        var expected: [String] = []
        for section in outline.sections {
            for entry in outline.entries(of: section) {
                let key = try #require(outline.name(of: entry))
                let written = "\"\(key)\": " + String(decoding: outline.source(of: entry), as: UTF8.self)
                expected.append("\(try #require(outline.name(of: section))) \(written)")
            }
        }
        #expect(expected.count == 10)
        let (found, isWhole) = walk(Self.text, pieces: pieces)
        #expect(isWhole)
        #expect(found == expected)
    }

    @Test(arguments: [
        "", "  ", "[]", "{", "{}}", #"{"a": 1}"#, #"{"a": {"b": 1}}"#, #"{"a": {"b": {}}"#, #"{"a" {"b": {}}}"#,
        #"{"a": {"b": {} "c": {}}}"#, #"{"a": {"b": {"c": "}}}"#, #"{"\u0061": {}}"#, #"{"a": {b: {}}}"#,
        #"{"a": {"b": {"c": {]}}}}"#, #"{"a": {"b": {"c": {}}}"#,
    ])
    func `A text of another form, or without its end, is not walked to its end`(_ text: String) {
        #expect(!walk(text, pieces: 5).isWhole)
    }

    @Test func `A new store has no entries`() { #expect(walk(" {} \n", pieces: 2) == ([], true)) }

    @Test func `An entry that is longer than what is read at once is not understood`() {
        let text = #"{"a": {"b": {"c": ""# + String(repeating: "x", count: 500) + #""}}}"#
        #expect(!walk(text, pieces: 100, window: 256).isWhole)
        #expect(walk(text, pieces: 100, window: 1024).isWhole)
    }

    @Test func `A visit may end the walk`() {
        #expect(walk(Self.text, pieces: 50, most: 2) == (Array(walk(Self.text, pieces: 50).found.prefix(2)), false))
    }

    @Test func `What cannot be read is not walked to its end`() {
        var walk = JSONEntryWalk()
        #expect(
            !walk.run { _ in
                -1
            } visit: { _ in
                true
            })
    }

    @Test func `Fields are known where two readers agree about them`() {
        var texts: [[String?]] = []
        let text = #"""
            {"s": {"1": {"a": "x", "b": "y"}, "2": {"b":"a","c":"a"}, "3": {"a": "x", "a": "y"}, "4": {"a": "", "b": 1},
              "5": {"a": "\u0041", "b": "ä"}, "6": {"a": {"b": "x"}}, "7": {"c": "a", "d": [1], "a": "x"},
              "8": {"n": 1, "a" :"}{\\", "b": "}{"}, "9": {}}}
            """#
        var rest = Array(text.utf8)[...]
        var walk = JSONEntryWalk(names: ["a", "b"])
        #expect(
            walk.run { room in
                let next = rest.prefix(room.count)
                room.copyBytes(from: next)
                rest = rest.dropFirst(next.count)
                return next.count
            } visit: { entry in
                texts.append([0, 1].map { entry.text($0).map { String(decoding: $0, as: UTF8.self) } })
                return true
            })
        #expect(
            texts == [
                ["x", "y"], [nil, "a"], [nil, nil], [nil, nil], [nil, nil], [nil, nil], [nil, nil], [nil, "}{"],
                [nil, nil],
            ])
    }
}

/// The bytes and the fields "a" and "b" of the entries that a walk finds, and whether it comes to the end.
private func walked(_ bytes: [UInt8], window: Int = 1 << 18) -> (found: [(String, [String])], isWhole: Bool) {
    var found: [(String, [String])] = []
    var rest = bytes[...]
    var walk = JSONEntryWalk(window: window, names: ["a", "b"])
    let isWhole = walk.run { room in
        let next = rest.prefix(room.count)
        room.copyBytes(from: next)
        rest = rest.dropFirst(next.count)
        return next.count
    } visit: { entry in
        found.append(
            (
                String(decoding: entry.bytes, as: UTF8.self),
                [0, 1].map { name in
                    let text = entry.text(name).map { String(decoding: $0, as: UTF8.self) }
                    return entry.has(name) ? "has \(text ?? "none")" : text ?? "missing"
                }
            ))
        return true
    }
    return (found, isWhole)
}

@Suite struct EntryLayoutTests {
    static let values = [
        #""""#, #""x""#, #""xy""#, #""x\"y""#, #""\\""#, #""x\\""#, #""\\\"""#, #""{""#, #""}""#, #""],[""#, #""a""#,
        #""\u0041""#, #""Zoë""#, #""a, \"a\": \"b""#, "null", "1", "true", #"{"a":"x"}"#, #"["a"]"#,
    ]

    /// Entries alike and less alike, in one section.
    func entries(_ count: Int, _ random: inout some RandomNumberGenerator) -> [String] {
        func pick(_ list: [String]) -> String { list[Int.random(in: list.indices, using: &random)] }
        let shapes = (0..<3).map { _ in
            (0..<Int.random(in: 0...5, using: &random)).map { _ in pick(["a", "b", "c", "a b", "long name"]) }
        }
        let plain = Array(Self.values.prefix(10))
        let space = pick(["", " ", "\n    "])
        return (0..<count).map { number in
            let shape = shapes[Int.random(in: shapes.indices, using: &random)]
            let fields = shape.map { name in
                let value = Int.random(in: 0..<10, using: &random) == 0 ? pick(Self.values) : pick(plain)
                return #"\#(space)"\#(name)":\#(space)\#(value)"#
            }
            return #""\#(number)": {\#(fields.joined(separator: ","))}"#
        }
    }

    @Test func `An entry says the same after others as it does alone`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let entries = entries(Int.random(in: 1...30, using: &random), &random)
            let text = #"{"s":{\#(entries.joined(separator: ","))}}"#
            let alone = entries.map { walked(Array(#"{"s":{\#($0)}}"#.utf8)) }
            #expect(alone.allSatisfy { $0.isWhole && $0.found.count == 1 })
            for window in [1 << 18, (entries.map(\.utf8.count).max() ?? 0) + 8] {
                let all = walked(Array(text.utf8), window: window)
                #expect(all.isWhole)
                #expect(all.found.map(\.0) == entries)
                #expect(all.found.map(\.1) == alone.flatMap { $0.found.map(\.1) })
            }
        }
    }

    @Test func `A text that is cut or has a byte changed is walked as far as without what came before`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let entries = entries(3, &random)
            var last = Array(entries[2].utf8)
            let place = Int.random(in: last.indices, using: &random)
            if Bool.random(using: &random) {
                last.removeSubrange(place...)
            } else {
                last[place] = Array(#""\{}[]:, ax"#.utf8).randomElement(using: &random) ?? 0
            }
            let before = Array(#"{"s":{\#(entries[0]),\#(entries[1]),"#.utf8)
            // An entry with a nested value is not compared with the next one.
            let nested = Array(#"{"s":{"0": {"c": {}},"#.utf8)
            let (after, alone) = (
                walked(before + last + Array("}}".utf8)), walked(nested + last + Array("}}".utf8))
            )
            #expect(after.isWhole == alone.isWhole)
            #expect(after.found.dropFirst(2).map(\.0) == alone.found.dropFirst().map(\.0))
            #expect(after.found.dropFirst(2).map(\.1) == alone.found.dropFirst().map(\.1))
        }
    }
}
