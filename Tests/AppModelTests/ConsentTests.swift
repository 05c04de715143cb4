import Identity
import Keys
import Testing

@testable import AppModel

/// Consent: what is chosen, what is read back, what is asked for.
@Suite struct ConsentTests {
    /// Each paragraph is a row, and five of them are seen.
    private static let small = Face(
        list: { _, _ in Face.ListExtent(rows: 5, showsText: false) },
        text: { feature, context in
            let block = feature.page(in: context).text
            var entries: [Range<Int>] = []
            for (row, entry) in block.entries.enumerated() {
                guard let entry else { continue }
                if entries.count == entry { entries.append(row..<row) }
                entries[entry] = entries[entry].lowerBound..<row + 1
            }
            let rows = block.paragraphs.map { if case .option(let option) = $0 { option.name } else { "" } }
            return Face.TextExtent(rows: rows, seen: 5, entries: entries)
        })

    /// The permissions of somebody whose client uses Microsoft Graph.
    private func consent() -> AppState {
        var state = AppState(context: Sample.context, now: Sample.now)
        let token = CachedCredential(
            id: "token", kind: .accessToken, clientID: Sample.client, homeAccountID: Sample.ada.homeAccountID,
            environment: Sample.ada.environment, realm: "home", scopes: ["User.Read"], secret: Secret("secret"))
        let overview = AccountOverview(account: Sample.ada, credentials: [token])
        state.send(
            .loaded(AccountList([overview], clientName: { Sample.context.clientName($0) }, planner: Sample.planner)))
        state.run(.scopes)
        return state
    }

    private func type(_ text: String, into state: inout AppState) -> [Effect] {
        text.flatMap { state.update(.key($0 == "\n" ? .enter : .character($0)), on: Self.small) }
    }

    private func scopes(_ effects: [Effect]) -> [ScopeSet] {
        effects.compactMap { if case .signIn(let wish, _) = $0 { wish.request.scopes } else { nil } }
    }

    @Test func `What is looked for is what is chosen: the cursor stands on the first that was found`() {
        var state = consent()
        _ = type("m/Group.ReadW\n a", into: &state)
        #expect(state.words.contains("Group.ReadWrite.All: "))
        #expect(scopes(type("y", into: &state)) == [["Group.ReadWrite.All"]])
    }

    @Test func `A filter looks through what can be asked for, and the cursor stands on the first that it found`() throws
    {
        var state = consent()
        func names() -> [String] {
            state.topPage.text.paragraphs.compactMap {
                if case .option(let option) = $0 { option.name } else { nil }
            }
        }
        let granted = names()
        _ = type("/calendars.read", into: &state)
        let found = names().dropFirst(granted.count)
        #expect(!granted.isEmpty && Array(names().prefix(granted.count)) == granted)
        #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("Calendars.Read") })
        #expect(state.topPage.entry == granted.count)
        #expect(state.words.contains("More permissions \(found.count) of "))
        state.send(.key(.escape))
        #expect(state.top.keyContext == .scopes && state.topPage.entry == 0)
        #expect(state.words.contains("More permissions"))
    }

    /// A text whose lines can be marked.
    private struct Lines: Feature {
        static let words = ["client", "store", "theme", "timeout"]
        var selected = 0
        var scroll = 0
        var keyContext: KeyContext { .accountDetails }

        func page(in context: Context) -> Page {
            Page(
                title: "lines",
                addText: { block in
                    for (place, word) in Self.words.enumerated() { block.entry(place) { $0.text(word) } }
                }, marked: .place(selected))
        }
        mutating func update(_ event: Event, in context: Context) -> [Action] {
            if case .select(let place) = event { selected = place }
            return []
        }
    }

    @Test func `A search moves the cursor of a text that has one, and back where nothing is found`() {
        var state = Sample.state()
        state.stack.append(Lines())
        let face = Face(
            list: { _, _ in Face.ListExtent(rows: 2, showsText: false) },
            text: { _, _ in
                Face.TextExtent(rows: Lines.words, seen: 2, entries: Lines.words.indices.map { $0..<$0 + 1 })
            })
        func press(_ text: String) { for key in text { _ = state.update(.key(.character(key)), on: face) } }
        press("/the")
        #expect(state.topPage.entry == 2)
        press("x")
        #expect(state.topPage.entry == 0)
    }

    @Test func `Nothing chosen asks for nothing, and that is said`() {
        var state = consent()
        #expect(type("a", into: &state).isEmpty)
        #expect(state.notice?.hasPrefix("nothing selected") == true)
        #expect(state.top.keyContext == .scopes)
    }

    @Test func `Nothing is asked before it was read back: permissions, risk, client, tenant and account`() {
        var state = consent()
        let effects = type("+Group.ReadWrite.All Mail.Read\na", into: &state)
        #expect(scopes(effects).isEmpty && effects == [] && state.question?.form == .choice)
        let words = state.words
        for part in [
            "critical: Group.ReadWrite.All: ", "medium: Mail.Read: ", "admin consent required", "client: work",
            "tenant: any work or school tenant", "account: ada@example.org",
        ] {
            #expect(words.contains(part), "\(part) in \(words)")
        }
        let risks = words.split(separator: "\n").compactMap { $0.split(separator: ":").first }
        #expect(
            risks.prefix { $0 != "client" }.filter { ["critical", "medium"].contains($0) } == ["critical", "medium"])
        #expect(scopes(type("n", into: &state)).isEmpty && state.top.keyContext == .scopes)
        #expect((state.top as? ScopeConsent)?.asked == nil, "nothing was asked for")
    }

    @Test func `The safe answer is marked where a permission is critical`() {
        var state = consent()
        _ = type("+Directory.ReadWrite.All\na", into: &state)
        #expect(state.topPage.confirmation?.isConfirmFocused == false)
        #expect(scopes(type("\n", into: &state)).isEmpty && state.top.keyContext == .scopes)
        state = consent()
        _ = type("+Mail.Read\na", into: &state)
        #expect(state.topPage.confirmation?.isConfirmFocused == true)
        #expect(scopes(type("\n", into: &state)) == [["Mail.Read"]])
    }

    @Test func `The page of the sign-in names what is asked for, of whom and as whom`() {
        var state = consent()
        _ = type("+Mail.Read\nay", into: &state)
        for part in ["medium: Mail.Read: reads your mail", "client: work", "account: ada@example.org"] {
            #expect(state.words.contains(part), "\(part) in \(state.words)")
        }
    }
}
