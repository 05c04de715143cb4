import StrictJSON
import Testing

private let limits = JSONLimits(maximumBytes: 1 << 20)

/// What a reading by pieces found: the section, the name and the value of each entry as they are written.
private func entries(_ text: [UInt8], pieceSize: Int, strictly: Bool = false) -> [[String]]? {
    var found: [[String]] = []
    var reader = JSONEntryReader(sections: ["S", "T"], limits: limits, strictly: strictly, pieceSize: pieceSize)
    do {
        try reader.read(size: text.count) { buffer, offset in
            let count = min(buffer.count, text.count - offset)
            buffer.copyBytes(from: text[offset..<offset + count])
            return count
        } _: { piece in
            for index in 0..<piece.outline.entryCount {
                let node = piece.outline.entry(at: index)
                let range = piece.outline.range(of: node)
                let written = text[piece.start + range.lowerBound..<piece.start + range.upperBound]
                found.append([
                    "\(piece.section)", piece.outline.name(of: node) ?? "",
                    String(decoding: piece.outline.source(of: node), as: UTF8.self),
                    String(decoding: written, as: UTF8.self),
                ])
            }
        }
    } catch { return nil }
    return found
}

private func entries(_ text: String, pieceSize: Int = 1 << 16) -> [[String]]? {
    entries(Array(text.utf8), pieceSize: pieceSize)
}

@Suite struct EntryReaderTests {
    private static let text = """
        {"S":{"a":{"secret":"x\\"y\\\\","n":12.5e+3},"b":null,"c":{"d":{"e":[true,false,{"f":"é"}]}}},
        "other":[1,{"2":3}],"T" : { } , "U":{"a":{"b":"c"}},"V":12}\n
        """

    @Test(arguments: 1...64) func `Entries are the same, wherever the pieces end`(pieceSize: Int) throws {
        let found = try #require(entries(Self.text, pieceSize: pieceSize))
        #expect(
            found == [
                [
                    "0", "a", "{\"secret\":\"x\\\"y\\\\\",\"n\":12.5e+3}",
                    "\"a\":{\"secret\":\"x\\\"y\\\\\",\"n\":12.5e+3}",
                ],
                ["0", "b", "null", "\"b\":null"],
                [
                    "0", "c", "{\"d\":{\"e\":[true,false,{\"f\":\"é\"}]}}",
                    "\"c\":{\"d\":{\"e\":[true,false,{\"f\":\"é\"}]}}",
                ],
            ])
    }

    @Test(arguments: [1, 2, 5, 17, 64, 4096]) func `Nothing is accepted that a reading of the whole refuses`(
        pieceSize: Int
    ) {
        let whole = Array(Self.text.utf8)
        var accepted = 0
        func check(_ text: [UInt8], _ what: Comment) {
            for isStrict in [false, true] {
                let isAccepted = entries(text, pieceSize: pieceSize, strictly: isStrict) != nil
                if isAccepted { accepted += 1 }
                #expect(!isAccepted || (try? JSONOutline(text, limits: limits, strictly: isStrict)) != nil, what)
            }
        }
        for place in whole.indices {
            check(Array(whole[..<place]), "cut at \(place)")
            check(Array(whole[..<place] + whole[(place + 1)...]), "without byte \(place)")
            for byte in [0x00, 0x09, 0x20, 0x22, 0x2C, 0x30, 0x3A, 0x5B, 0x5C, 0x5D, 0x7B, 0x7D, 0x80, 0xFF] as [UInt8]
            {
                var changed = whole
                changed[place] = byte
                check(changed, "byte \(place) as \(byte)")
            }
        }
        // Letters within strings, mostly: the changes do not all ruin it.
        #expect(accepted > 200)
    }

    @Test func `What only the whole can judge is left to it`() {
        let refused = [
            "", "[]", "{", "{}x", "\u{FEFF}{}", "{\"S\":[]}", "{\"S\":{},\"S\":{}}",
            "{\"S\":{\"a\":{},\"b\":{},\"a\":1}}", "{\"S\":{\"\\u0061\":{}}}", "{\"\\u0053\":{}}",
            "{\"S\":{\"a\":{}},}", "{\"S\":{,}}", "{\"S\":{\"a\":01}}",
            "{\"S\":{\"a\":" + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}}",
        ]
        for text in refused { #expect(entries(text) == nil, "\(text)") }
        #expect(entries("{}") == [])
        #expect(entries(" { \"S\" : { } } ") == [])
    }

    @Test func `A name may come twice in two sections`() {
        #expect(entries("{\"S\":{\"a\":1},\"T\":{\"a\":2}}")?.count == 2)
    }

    @Test func `Thousands of names are told apart`() {
        let many = (0..<3000).map { "\"entry \($0)\":{}" }
        #expect(entries("{\"S\":{\(many.joined(separator: ","))}}", pieceSize: 1000)?.count == 3000)
        let twice = (many + ["\"entry 17\":{}"]).joined(separator: ",")
        #expect(entries("{\"S\":{\(twice)}}", pieceSize: 1000) == nil)
    }

    @Test func `A text that becomes shorter while it is read is no text`() {
        let text = Array(Self.text.utf8)
        var reader = JSONEntryReader(sections: ["S"], limits: limits, pieceSize: 8)
        #expect(throws: JSONEntryReader.NeedsFullRead.self) {
            try reader.read(size: text.count) { buffer, offset in
                let count = max(0, min(buffer.count, 40 - offset))
                if count > 0 { buffer.copyBytes(from: text[offset..<offset + count]) }
                return count
            } _: { _ in
            }
        }
    }
}

@Suite struct FieldFinderTests {
    @Test func `Fields are found as they are written`() throws {
        let text = """
            {"S":{"e":{"target":"t","other":1,"secret":"sé","client":null,"number":5},"f":{"client":"c"},
            "g":{"client":"\\u0063"},"h":{"client":"a","client":"b"},"i\\u0041":{},"j":{"target":"a\tb","secret":{}}}}
            """
        let outline = try JSONOutline(Array(text.utf8), limits: limits)
        var finder = JSONFieldFinder(["secret", "client", "target"])
        func written(_ field: Int) -> String? { finder.bytes(field).map { String(decoding: $0, as: UTF8.self) } }
        var isTaken = finder.find(in: outline, outline.entry(at: 0))
        #expect(isTaken)
        #expect(written(0) == "sé" && written(2) == "t" && written(1) == nil)
        #expect(finder.isNull(1) && !finder.isMissing(1) && !finder.isString(1) && finder.isString(0))
        isTaken = finder.find(in: outline, outline.entry(at: 1))
        #expect(isTaken)
        #expect(written(1) == "c" && finder.isMissing(0) && finder.isMissing(2))
        for place in 2...4 {
            isTaken = finder.find(in: outline, outline.entry(at: place))
            #expect(!isTaken, "\(place)")
        }
        isTaken = finder.find(in: outline, outline.entry(at: 5))
        #expect(isTaken)
        #expect(finder.isString(2) && written(2) == nil && !finder.isMissing(0) && !finder.isString(0))
    }
}
