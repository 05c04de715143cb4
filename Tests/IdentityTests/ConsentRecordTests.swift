import Identity
import Testing

@Suite struct ConsentRecordTests {
    private static let tenant = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"

    private func note(asked: ScopeSet, declined: ScopeSet) -> ConsentRecord {
        ConsentRecord(clientID: "work", realm: Self.tenant, asked: asked, declined: declined)
    }

    @Test func `A note grows by what is asked, and forgets what was granted meanwhile`() {
        let first = note(asked: [], declined: []).adding(asked: ["A", "B"], granted: ["A"], declined: ["B"])
        #expect(first.asked == ["A", "B"] && first.declined == ["B"])
        let second = first.adding(asked: ["B", "C"], granted: ["B"], declined: ["C"])
        #expect(second.asked == ["A", "B", "C"] && second.declined == ["C"])
    }

    @Test func `A note stays small, however much is asked`() {
        let many = ScopeSet((0..<1000).map { "scope\($0)" })
        let grown = note(asked: [], declined: []).adding(asked: many, granted: [], declined: many)
        #expect(grown.asked.names.count == 200 && grown.declined.names.count == 200)
    }
}
