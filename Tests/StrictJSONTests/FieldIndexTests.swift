import Testing

@testable import StrictJSON

@Suite struct FieldIndexTests {
    /// Values as written, of which several decode to the same.
    static let written = [
        #""ann""#, #""a\u006en""#, #""\u0061nn""#, #""Ann""#, #""ANN""#, #""ann ""#, #""""#, #""\u0000""#, #""Zoë""#,
        #""Zo\u00eb""#, #""\ud800""#, #""\"""#, #""bob.tenant""#, #""bob""#, "null", "1", "true", "[]", #"["ann"]"#,
        #"{"id":"ann"}"#,
    ]

    /// A section of so many entries, with the values in another order each time.
    func outline(_ count: Int, _ random: inout some RandomNumberGenerator) throws -> JSONOutline {
        var entries: [String] = []
        for number in 0..<count {
            let value = Self.written[Int.random(in: Self.written.indices, using: &random)]
            let others = [
                #"{"id":\#(value)}"#, #"{"x":"y","id":\#(value),"ids":"ann"}"#, #"{"i\u0064":\#(value)}"#,
                #"{"id":\#(value),"id":\#(value)}"#, #"{"x":"ann"}"#, #""ann""#, "[]",
            ]
            entries.append(#""\#(number)":\#(others[min(Int.random(in: 0...20, using: &random), others.count - 1)])"#)
            entries.append(#""more \#(number)":{"id":\#(value)}"#)
        }
        return try JSONOutline(
            Array(#"{"first":{"0":{"id":"ann"}},"s":{\#(entries.joined(separator: ","))}}"#.utf8), limits: JSONLimits())
    }

    @Test func `An index finds what a comparison with every entry finds, in the same order`() throws {
        var random = SystemRandomNumberGenerator()
        for count in [0, 1, 2, 7, 8, 9, 40, 300] {
            let outline = try outline(count, &random)
            let section = try #require(outline.section(named: "s"))
            let entries = outline.entries(of: section).indices
            let index = JSONFieldIndex(outline, entries, field: "id")
            for text in ["ann", "Ann", "ANN", "ann ", "an", "", "\u{0}", "Zoë", "\"", "bob", "bob.tenant", "nobody"] {
                let wanted = Array(text.utf8)
                func isWanted(_ place: Int) -> Bool {
                    outline.field("id", of: outline.entry(at: place)).map { outline.isString($0, equalTo: wanted) }
                        ?? false
                }
                let candidates = index.candidates(for: wanted)
                #expect(candidates.filter(isWanted) == entries.filter(isWanted))
                #expect(candidates == candidates.sorted())
                #expect(Set(candidates).count == candidates.count)
            }
        }
    }

    @Test func `An index of values with another spelling finds every one of them`() throws {
        var random = SystemRandomNumberGenerator()
        let outline = try outline(300, &random)
        let section = try #require(outline.section(named: "s"))
        let entries = outline.entries(of: section).indices
        let index = JSONFieldIndex(outline, entries, field: "id") { value in
            value.contains { $0 < 0x61 } ? Array(String(decoding: value, as: UTF8.self).lowercased().utf8) : nil
        }
        for text in ["ann", "Ann", "ANN"] {
            let wanted = Array(text.utf8)
            func isWanted(_ place: Int) -> Bool {
                outline.field("id", of: outline.entry(at: place)).map {
                    outline.isString($0, equalToIgnoringCase: wanted)
                } ?? false
            }
            let found = index.candidates(for: wanted).filter(isWanted)
            #expect(found == entries.filter(isWanted) && !found.isEmpty)
        }
    }
}
