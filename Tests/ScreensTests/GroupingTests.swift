import FoundationEssentials
import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct GroupingTests {
    /// The rows as they stand in the list: headings in brackets.
    private func rows(_ state: State) -> [String] {
        (0..<state.home.rowCount).map { row in
            switch state.home.row(at: row) {
            case .heading(let heading): "[\(state.home.groups.groups[heading.group].title) \(heading.count)]"
            case .account(let place): state.home.accounts[state.home.order[place]].account.label
            case nil: "nothing"
            }
        }
    }

    @Test func `z groups by cloud, by tenant, by client and not at all`() {
        var state = World.state()
        let plain = rows(state)
        state.type("z")
        #expect(rows(state) == ["[id.example.org 1]", "lin", "[Public 2]", "ada@example.org", "grace@example.org"])
        state.type("z")
        #expect(
            rows(state) == [
                "[99999999… 1]", "ada@example.org", "[example.org 2]", "ada@example.org", "grace@example.org",
                "[id.example.org 1]", "lin",
            ], "a guest stands under both tenants")
        state.type("z")
        #expect(
            rows(state) == [
                "[Azure CLI 2]", "ada@example.org", "grace@example.org", "[lab 1]", "lin", "[work 1]",
                "ada@example.org",
            ])
        state.type("z")
        #expect(rows(state) == plain)
        #expect(plain == ["lin", "ada@example.org", "grace@example.org"], "who has to sign in comes first")
    }

    @Test func `The title counts each account once, and the selection stays on its account`() {
        var state = World.state()
        state.press(.down)
        state.type("zzz")
        #expect(state.selectedAccount?.account == World.grace)
        #expect(state.picture().contains("─ Accounts 3 ─") && state.picture().contains(" by client"))
        state.type("/ada")
        #expect(rows(state) == ["[Azure CLI 1]", "ada@example.org", "[work 1]", "ada@example.org"])
        #expect(state.home.matchCount == 1)
    }

    @Test func `Under a client's heading the account is asked for with that client`() {
        var state = World.state()
        state.type("zzzG")
        guard case .acquireSilently(_, World.work, _) = state.press(.enter).first else {
            Issue.record("not for the heading's client")
            return
        }
        state.press(.escape)
        state.type("g")
        guard case .acquireSilently(_, World.azureCLI, _) = state.press(.enter).first else {
            Issue.record("not for the heading's client")
            return
        }
    }

    @Test func `After a reload the selection is under the same heading`() {
        var state = World.state()
        state.type("zzzG")
        #expect(state.home.clientMeant == World.work)
        state.send(.loaded(World.roster(World.accounts)))
        #expect(state.selectedAccount?.account == World.ada)
        #expect(state.home.clientMeant == World.work)
    }

    @Test func `Headings are never selected, by key or by mouse, and scroll with their accounts`() {
        var state = World.state(World.many(200), rows: 24, columns: 80)
        state.type("z")
        let rows = state.listRows
        for _ in 0..<60 {
            state.press(.down)
            let first = state.home.firstRow(rows: rows)
            let chosen = state.home.row(of: state.home.selected)
            #expect((first..<first + rows).contains(chosen))
        }
        state.type("g")
        #expect(state.home.firstRow(rows: rows) == 0)
        #expect(state.home.row(at: 0) != .account(0))
        let before = state.home.selected
        #expect(state.press(.mouse(MouseEvent(.click, at: state.listArea.origin))).isEmpty)
        #expect(state.home.selected == before)
    }

    @Test func `Every row of the arranged list is an account or a heading, and both ways agree`() {
        var state = World.state()
        for _ in AccountGrouping.allCases {
            state.type("z")
            for place in state.home.order.indices {
                #expect(state.home.row(at: state.home.row(of: place)) == .account(place))
            }
            let headings = (0..<state.home.rowCount).count {
                if case .heading = state.home.row(at: $0) { true } else { false }
            }
            #expect(headings == state.home.headings.count)
            #expect(state.home.row(at: state.home.rowCount) == nil)
        }
    }

    @Test func `What was used most and last comes first when the interface opens, and rows do not jump afterwards`() {
        var uses = AccountUses()
        uses.note(World.lin.id, at: World.seconds(-86_400))
        uses.note(World.lin.id, at: World.seconds(-86_000))
        uses.note(World.grace.id, at: World.seconds(-600))
        var context = World.context
        context.uses = uses
        var state = World.state(context: context)
        #expect(rows(state) == ["lin", "grace@example.org", "ada@example.org"])
        state.press(.end, .enter, .escape)
        state.send(.loaded(World.roster(World.accounts)))
        #expect(rows(state) == ["lin", "grace@example.org", "ada@example.org"])
    }

    @Test
    func
        `A use counts half after three days, one of the future counts as of now, and what weighs least is forgotten first`()
    {
        var uses = AccountUses()
        uses.note(World.ada.id, at: World.now)
        #expect(uses.weight(of: World.ada.id, at: World.seconds(3 * 86_400)) == 0.5)
        #expect(uses.weight(of: World.ada.id, at: World.seconds(-1000)) == 1)
        uses.note(World.ada.id, at: World.seconds(1))
        for number in 0..<AccountUses.limit + 20 {
            uses.note(AccountID(homeAccountID: "\(number)", environment: "e"), at: World.seconds(Double(number + 2)))
        }
        #expect(uses.uses.count == AccountUses.limit)
        #expect(uses.use(of: World.ada.id) != nil)
        #expect(uses.use(of: AccountID(homeAccountID: "0", environment: "e")) == nil)
        let heavy = AccountUses([AccountUses.Use(account: World.ada.id, weight: .infinity, at: World.now)])
        #expect(heavy.isEmpty)
    }
}
