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
                "[Azure CLI 1]", "grace@example.org", "[lab 1]", "lin", "[work 1]", "ada@example.org",
            ])
        state.type("z")
        #expect(rows(state) == plain)
        #expect(plain == ["[Needs you 1]", "lin", "[Ready 2]", "ada@example.org", "grace@example.org"])
    }

    @Test func `The title counts each account once, and the selection stays on its account`() {
        var state = World.state()
        state.press(.down)
        state.type("zzz")
        #expect(state.selectedAccount?.account == World.grace)
        #expect(state.picture().contains("─ Accounts 3 ─") && state.picture().contains(" by client"))
        state.type("/ada")
        #expect(rows(state) == ["[work 1]", "ada@example.org"])
        #expect(state.home.matchCount == 1)
        var both = World.state(hasAllUses: true)
        both.type("zzz/ada")
        #expect(rows(both) == ["[Azure CLI 1]", "ada@example.org", "[work 1]", "ada@example.org"])
    }

    @Test func `Under a client's heading the account is asked for with that client`() {
        var state = World.state(hasAllUses: true)
        state.type("zzzG")
        guard case .acquireSilently(_, World.use(World.work), _) = state.press(.enter).first else {
            Issue.record("not for the heading's client")
            return
        }
        state.press(.escape)
        state.type("g")
        guard case .acquireSilently(_, World.use(World.azureCLI), _) = state.press(.enter).first else {
            Issue.record("not for the heading's client")
            return
        }
    }

    @Test func `After a reload the selection is under the same heading`() {
        var state = World.state(hasAllUses: true)
        state.type("zzzG")
        #expect(state.home.selectedAccount?.use?.clientID == World.work)
        state.send(.loaded(World.roster(World.accounts, hasAllUses: true)))
        #expect(state.selectedAccount?.account == World.ada)
        #expect(state.home.selectedAccount?.use?.clientID == World.work)
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
        let expected = ["[Needs you 1]", "lin", "[Ready 2]", "grace@example.org", "ada@example.org"]
        #expect(rows(state) == expected)
        state.press(.end, .enter, .escape)
        state.send(.loaded(World.roster(World.accounts)))
        #expect(rows(state) == expected)
    }

    @Test func `There are no headings without need, in another order, in search results and on a few rows`() {
        #expect(rows(World.state([World.accounts[0]])) == ["ada@example.org"])
        var state = World.state()
        state.type("S")
        #expect(state.home.headings.isEmpty)
        state.type("SSS")
        #expect(state.home.headings.count == 2)
        state.type("/e")
        #expect(state.home.headings.isEmpty)
        #expect(World.state(rows: 10, columns: 40).home.headings.isEmpty)
    }

    @Test func `An account whose token ran out moves under its heading, and stays selected`() {
        var state = World.state()
        let before = rows(state)
        state.press(.end)
        let chosen = state.selectedAccount?.id
        state.send(.tick(World.seconds(86_400)))
        #expect(state.selectedAccount?.id == chosen)
        let needy = state.home.standings.needSignIn
        #expect(state.home.headings.first?.count == needy.count || needy.count == before.count)
    }

    @Test func `What another program changes in the store is said in one line, and what is our own is not`() {
        var state = World.state([World.accounts[0], World.accounts[1]])
        state.send(.loaded(World.roster(World.accounts)))
        #expect(state.notice == "\(World.lin.label) signed in by another program")
        state.type("k")
        state.send(.loaded(World.roster([World.accounts[0]])))
        #expect(state.notice == "2 accounts removed by another program")
        state.type("r")
        state.send(.loaded(World.roster(World.accounts)))
        #expect(state.notice == nil)
        state.send(.loaded(World.roster(World.accounts)))
        #expect(state.notice == nil)
    }

    @Test func `n goes from one account that needs the user to the next, and around`() {
        var accounts = World.accounts
        var other = accounts[2]
        other.account.homeAccountID = "another.tenant"
        accounts.append(other)
        var state = World.state(accounts)
        state.press(.end)
        let found = (0..<3).map { _ in
            state.type("n")
            return state.home.selected
        }
        #expect(found == [0, 1, 0])
        var alone = World.state([World.accounts[0]])
        alone.type("n")
        #expect(alone.home.selected == 0 && !alone.picture().contains("n next"))
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
