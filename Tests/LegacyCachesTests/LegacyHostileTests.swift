import FoundationEssentials
import Identity
import Testing
import Waiting

@testable import LegacyCaches

@Suite struct LegacyHostileTests {
    /// What was cut off or spoilt must never appear as something that was not in the whole.
    private func expectNothingNew(_ cache: LegacyCache, _ whole: Set<LegacyEntry>, _ place: Int) {
        // A shorter text may be a token that was cut; all other fields are of the whole.
        #expect(cache.entries.count <= whole.count + 1, "byte \(place)")
        #expect(!cache.problems.isEmpty || Set(cache.entries).isSubset(of: whole), "byte \(place)")
    }

    @Test(arguments: LegacyFixture.names)
    func `A file that ends anywhere is read up to there, and says so`(name: String) throws {
        let bytes = try LegacyFixture.bytes(name)
        let whole = LegacyCache(bytes)
        // The tail of a property list in XML is only white space and the closing of what is complete.
        let lastThatMatters = name.hasSuffix(".plist") ? bytes.count - 10 : bytes.count
        for count in stride(
            from: 0, to: lastThatMatters, by: bytes.count > 8000 ? 131 : name.hasSuffix(".plist") ? 11 : 1)
        {
            let cache = LegacyCache(Array(bytes[..<count]))
            #expect(!cache.problems.isEmpty, "cut at \(count)")
            expectNothingNew(cache, Set(whole.entries), count)
        }
    }

    @Test(arguments: LegacyFixture.names, [UInt8(0x00), 0xFF])
    func `A wrong byte anywhere traps nowhere`(name: String, byte: UInt8) throws {
        var bytes = try LegacyFixture.bytes(name)
        let whole = LegacyCache(bytes).entries.count
        for place in stride(from: 0, to: bytes.count, by: bytes.count > 8000 ? 211 : 7) {
            let kept = bytes[place]
            bytes[place] = byte
            #expect(LegacyCache(bytes).entries.count <= whole + 1)
            bytes[place] = kept
        }
    }

    @Test func `A damaged item hides no other`() {
        func item(_ user: String, _ more: String = "") -> String {
            #"{"_clientId":"c","_authority":"https://login.microsoftonline.com/common","refreshToken":"R-\#(user)","userId":"\#(user)"\#(more)}"#
        }
        let broken = [
            item("b").dropLast(1) + "", item("b").replacing("\"userId\"", with: "\"userId"),
            item("b", ",\"userId\":\"again\""),
            item("b").replacing("R-b", with: "R\\qb"), item("b").replacing("R-b", with: "R\u{7}b"), "{\"_clientId\":",
            "null", "[1,2]",
            "\"text\"",
            item("b").replacing("https://login.microsoftonline.com/common", with: "http://login.example.com/common"),
            item("b\u{1B}[31m"), item("b").replacing("\"c\"", with: "\"c d\""), item("b").replacing("R-b", with: "R-ü"),
            item("b", ",\"oid\":7"),
        ]
        for one in broken {
            let text = "[\(item("a")), \(one), \(item("c"))]"
            let cache = LegacyCache(Array(text.utf8))
            #expect(cache.entries.map(\.userID) == ["a", "c"], "\(one)")
            #expect(!cache.problems.isEmpty && cache.problems.allSatisfy { !"\($0)".contains("R-") }, "\(one)")
        }
    }

    @Test func `Bytes that are no UTF-8 spoil the one item in which they stand`() {
        let good = #"{"_clientId":"c","_authority":"https://login.microsoftonline.com/common","refreshToken":"R"}"#
        let bytes = Array("[\(good),{\"userId\":\"".utf8) + [0xC3, 0x28] + Array("\"},\(good)]".utf8)
        let cache = LegacyCache(bytes)
        #expect(cache.entries.count == 2)
        #expect(cache.problems.map(\.item) == [2])
    }

    @Test func `The tail of a longer text behind the list is told, and not read`() {
        let good = #"{"_clientId":"c","_authority":"https://login.microsoftonline.com/common","refreshToken":"R"}"#
        let cache = LegacyCache(Array("[\(good)]\n \(good)]".utf8))
        #expect(cache.entries.count == 1)
        #expect(cache.problems == [LegacyProblem(.trailingBytes(good.utf8.count + 1))])
    }

    @Test func `A file full of beginnings is given up in time`() {
        for text in [
            "[" + String(repeating: ",{", count: 300_000), "[" + String(repeating: "{", count: 300_000),
            "[{" + String(repeating: "\"a\",{\"", count: 60_000),
        ] {
            let cache = LegacyCache(Array(text.utf8))
            #expect(cache.entries.isEmpty)
            #expect(cache.problems.contains { $0.situation == .truncated || $0.situation == .tooMany })
        }
        #expect(
            LegacyCache(Array(("[" + String(repeating: "0,", count: 50_000) + "0]").utf8)).problems.last?.situation
                == .tooMany)
    }

    @Test func `Other files are told from legacy caches`() throws {
        #expect(LegacyCache(Array("{}".utf8)).problems == [LegacyProblem(.unknownFormat)])
        #expect(LegacyCache(Array("#!/bin/sh".utf8)).format == nil)
        #expect(LegacyCache([]).problems == [LegacyProblem(.truncated)])
        guard case .unified = LegacyCache(try LegacyFixture.store("msal_many.json")).problems.first?.situation else {
            Issue.record("a cache of the present format was not recognised")
            return
        }
        let windows: [UInt8] = [
            1, 0, 0, 0, 0xD0, 0x8C, 0x9D, 0xDF, 1, 0x15, 0xD1, 0x11, 0x8C, 0x7A, 0, 0xC0, 0x4F, 0xC2, 0x97, 0xEB, 1, 2,
            3,
        ]
        #expect(LegacyCache(windows).problems.first?.description.contains("DPAPI") == true)
        let early = #"[{"Key":"access_tokens","Value":["{}"]}]"#
        #expect(LegacyCache(Array(early.utf8)).problems.first?.description.contains("early MSAL") == true)
        #expect(
            LegacyCache([UInt8](repeating: 0x20, count: LegacyCache.maximumBytes + 1)).problems == [
                LegacyProblem(.tooLarge)
            ])
    }

    /// A binary property list from its objects; the trailer says what it is told to say.
    private func list(_ objects: [[UInt8]], root: UInt64 = 0, count: UInt64? = nil, table: UInt64? = nil) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
            bytes += object
        }
        let start = UInt64(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
        for number in [count ?? UInt64(objects.count), root, table ?? start] {
            bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return bytes
    }

    @Test func `A property list is read as it is written`() throws {
        let values = try PropertyList(
            binary: list([
                [0xA8, 1, 2, 3, 4, 5, 6, 7, 8], [0x00], [0x09], [0x10, 0xFF],
                [0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE],
                [0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], [0x62, 0x00, 0x41, 0x20, 0xAC], [0x81, 0x01, 0x02],
                [0x5F, 0x10, 0x10] + Array("abcdefghijklmnop".utf8),
            ])
        ).values
        #expect(
            values == [
                .array([1, 2, 3, 4, 5, 6, 7, 8]), .null, .bool(true), .integer(255), .integer(-2), .real(1.5),
                .string("A€"), .uid(258),
                .string("abcdefghijklmnop"),
            ])
    }

    @Test func `A property list that points outside itself is refused`() {
        let wrong: [[UInt8]] = [
            list([[0xA1, 9]]), list([[0x00]], root: 1), list([[0x00]], count: 1 << 40), list([[0x00]], count: .max),
            list([[0x00]], table: 1 << 62),
            list([[0x00]], table: .max), list([[0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]),
            list([[0x4F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]),
            list([[0xDF, 0x12, 0x7F, 0xFF, 0xFF, 0xFF]]),
            list([[0x5F]]), list([[0x63, 0, 0x41]]), list([[0x51, 0xC3]]),
            list([[0x87, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]),
            list([[0x18]]), list([[0x1F]]), list([[0xF0]]), list([[0x33, 0]]), list([]), Array("bplist00".utf8),
            Array("bplist15".utf8) + [UInt8](repeating: 0, count: 40),
        ]
        for (index, bytes) in wrong.enumerated() {
            #expect(throws: LegacyProblem.Situation.self, "\(index)") { try PropertyList(binary: bytes) }
        }
    }

    @Test func `Objects that lie upon each other cannot ask for more memory than the file has`() {
        // Ten thousand objects, all of them the same long text.
        var bytes = Array("bplist00".utf8) + [0x4F, 0x12, 0, 1, 0, 0] + [UInt8](repeating: 0, count: 65_536)
        let table = bytes.count
        for _ in 0..<10_000 { bytes += [0, 8] }
        bytes += [0, 0, 0, 0, 0, 0, 2, 2]
        for number in [10_000, 0, table] {
            bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: UInt64(number) >> (8 * $0)) }
        }
        #expect(throws: LegacyProblem.Situation.structure(offset: 10, what: "overlapping objects")) {
            try PropertyList(binary: bytes)
        }
    }

    @Test(arguments: [
        "<plist><dict><key>a</key></dict></plist>", "<plist><array><string>a</array></plist>",
        "<plist><string>&evil;</string></plist>",
        "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><true/></plist>", "<plist><string>&#0;</string></plist>",
        "<plist><integer>1e3</integer></plist>",
        "<plist><data>a</data></plist>", "<plist><script/></plist>", "<plist><true/><true/></plist>",
        "<plist>text</plist>",
        "<plist></plist>",
        "<plist><key>a</key></plist>", "<plist><string a='b'/></plist>", "<plist><date>yesterday</date></plist>",
        "<plist><real>nan</real></plist>",
        "<plist>" + String(repeating: "<array>", count: 100_000),
    ])
    func `A property list in XML that is not as Apple writes it is refused`(text: String) {
        #expect(throws: LegacyProblem.Situation.self) { try PropertyList(xml: Array(text.utf8)) }
    }

    @Test func `References and sections of XML are read, and a reference of an archive`() throws {
        let text =
            """
            <?xml version=\"1.0\"?><!-- a --><plist \
            version=\"1.0\"><array><string>a&amp;b&#x20AC;<![CDATA[<c>]]></string><dict><key>CF$UID</key>
            """
            + "<integer>7</integer></dict><data>\nAAEC\n</data><date>2001-01-01T00:00:01Z</date>"
            + "<false/><dict/></array></plist>\n"
        let list = try PropertyList(xml: Array(text.utf8))
        let places = try #require(list.array(list.root))
        #expect(
            places.map { list[$0] } == [
                .string("a&b€<c>"), .uid(7), .data([0, 1, 2]), .date(1), .bool(false), .dictionary([]),
            ])
    }

    /// A binary property list whose objects may be named as often as one likes.
    private struct Knot {
        var objects: [[UInt8]] = []

        private static func number(_ value: Int, _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }

        private mutating func add(_ mark: UInt8, _ count: Int, _ content: [UInt8]) -> Int {
            objects.append([mark | 0x0F, 0x12] + Self.number(count, 4) + content)
            return objects.count - 1
        }

        mutating func text(_ text: String) -> Int { add(0x50, text.utf8.count, Array(text.utf8)) }
        mutating func data(_ bytes: [UInt8]) -> Int { add(0x40, bytes.count, bytes) }
        mutating func list(_ places: [Int]) -> Int { add(0xA0, places.count, places.flatMap { Self.number($0, 3) }) }
        mutating func number(_ value: Int) -> Int {
            objects.append([0x12] + Self.number(value, 4))
            return objects.count - 1
        }
        mutating func reference(_ value: Int) -> Int {
            objects.append([0x82] + Self.number(value, 3))
            return objects.count - 1
        }
        mutating func dictionary(_ pairs: [(String, Int)]) -> Int {
            let keys = pairs.map { text($0.0) }
            return add(0xD0, pairs.count, (keys + pairs.map(\.1)).flatMap { Self.number($0, 3) })
        }

        func file(root: Int) -> [UInt8] {
            var bytes = Array("bplist00".utf8)
            var offsets: [UInt8] = []
            for object in objects {
                offsets += Self.number(bytes.count, 4)
                bytes += object
            }
            let table = bytes.count
            return bytes + offsets + [0, 0, 0, 0, 0, 0, 4, 3] + Self.number(objects.count, 8) + Self.number(root, 8)
                + Self.number(table, 8)
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `A keychain whose items are all one large item is left off after a while`() {
        var inner = Knot()
        let null = inner.number(1)
        let many = inner.list([Int](repeating: null, count: 100_000))
        var outer = Knot()
        let held = outer.data(inner.file(root: many))
        let record = outer.dictionary([("v_Data", held)])
        let all = outer.list([Int](repeating: record, count: 9_999))
        let cache = LegacyCache(outer.file(root: all))
        #expect(cache.problems.last == LegacyProblem(.overused) && cache.problems.count < 100 && cache.entries.isEmpty)
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `An archive whose users all have one large dictionary is left off after a while`() {
        var knot = Knot()
        // The archive's objects by number; those that refer to them come after.
        let version = knot.number(1)
        let name = knot.text("a")
        let kind = knot.dictionary([
            ("$classname", knot.text("NSMutableDictionary")), ("$classes", knot.list([knot.text("NSDictionary")])),
        ])
        func refers(_ number: Int) -> Int { knot.reference(number) }
        func dictionary(_ keys: [Int], _ values: [Int]) -> Int {
            knot.dictionary([("$class", refers(1)), ("NS.keys", knot.list(keys)), ("NS.objects", knot.list(values))])
        }
        let (null, text) = (refers(0), refers(3))
        // The last but one refers to nothing, so that no item is ever counted.
        let held = dictionary([Int](repeating: text, count: 10_000), [Int](repeating: text, count: 9_999) + [null])
        let users = dictionary([Int](repeating: text, count: 9_999), [Int](repeating: refers(4), count: 9_999))
        let cache = dictionary([refers(7)], [refers(5)])
        let root = dictionary([refers(8), refers(9)], [refers(2), refers(6)])
        let objects = knot.list([
            knot.text("$null"), kind, version, name, held, users, cache, knot.text("tokens"), knot.text("version"),
            knot.text("tokenCache"), root,
        ])
        let top = knot.dictionary([("root", refers(10))])
        let archive = knot.dictionary([
            ("$archiver", knot.text("NSKeyedArchiver")), ("$version", knot.number(100_000)), ("$objects", objects),
            ("$top", top),
        ])
        let found = LegacyCache(knot.file(root: archive))
        #expect(found.problems.last == LegacyProblem(.overused), "\(String(describing: found.problems.last))")
        #expect(found.problems.count < 9_000 && found.entries.isEmpty)
    }
}
