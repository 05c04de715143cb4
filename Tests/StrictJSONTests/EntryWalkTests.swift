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
        var walk = JSONEntryWalk(window: window) { entry in
            let written = String(decoding: entry.bytes, as: UTF8.self)
            #expect(bytes[entry.offset...].starts(with: written.utf8))
            found.append(entry.section + " " + written)
            return found.count < most
        }
        var rest = bytes[...]
        let isWhole = walk.run { room in
            let next = rest.prefix(min(pieces, room.count))
            room.copyBytes(from: next)
            rest = rest.dropFirst(next.count)
            return next.count
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
        var walk = JSONEntryWalk { _ in true }
        #expect(!walk.run { _ in -1 })
    }

    @Test func `Fields are known where two readers agree about them`() {
        var texts: [[String?]] = []
        let text = #"""
            {"s": {"1": {"a": "x", "b": "y"}, "2": {"b":"a","c":"a"}, "3": {"a": "x", "a": "y"}, "4": {"a": "", "b": 1},
              "5": {"a": "\u0041", "b": "ä"}, "6": {"a": {"b": "x"}}, "7": {"c": "a", "d": [1], "a": "x"},
              "8": {"n": 1, "a" :"}{\\", "b": "}{"}, "9": {}}}
            """#
        var rest = Array(text.utf8)[...]
        var walk = JSONEntryWalk(names: ["a", "b"]) { entry in
            texts.append([0, 1].map { entry.text($0).map { String(decoding: $0, as: UTF8.self) } })
            return true
        }
        #expect(
            walk.run { room in
                let next = rest.prefix(room.count)
                room.copyBytes(from: next)
                rest = rest.dropFirst(next.count)
                return next.count
            })
        #expect(
            texts == [
                ["x", "y"], [nil, "a"], [nil, nil], [nil, nil], [nil, nil], [nil, nil], [nil, nil], [nil, "}{"],
                [nil, nil],
            ])
    }
}
