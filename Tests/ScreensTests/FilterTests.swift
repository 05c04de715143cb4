import FoundationEssentials
import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct FilterTests {
    private func found(_ query: String, hasAllUses: Bool = false) -> [String] {
        var state = World.state(hasAllUses: hasAllUses)
        state.type("/" + query)
        return state.home.order.map { state.home.accounts[$0].account.username }
    }

    @Test func `Names match letter after letter, identifiers in one piece, words each somewhere`() {
        #expect(found("lovelace") == ["ada@example.org"])
        #expect(found("qzq") == [])
        #expect(found("ghppr") == ["grace@example.org"])
        #expect(found("林") == ["lin"])
        #expect(found("林子") == ["lin"], "letters of several bytes are taken as a whole")
        #expect(found("\u{6797}\u{5B51}") == [], "which only begins like it")
        #expect(found("azure cli", hasAllUses: true) == ["ada@example.org", "grace@example.org"])
        #expect(found("99999999") == ["ada@example.org"])
        #expect(found("9a9a") == [])
        #expect(found("partner.example") == ["ada@example.org"])
        #expect(found("ADA azure", hasAllUses: true) == ["ada@example.org"])
    }

    @Test func `The title counts who needs a sign-in among those who are shown`() {
        var state = World.state()
        #expect(state.home.page(in: state.app.context).pageTitle.alert == "1 needs sign-in")
        state.type("/lovelace")
        #expect(state.home.page(in: state.app.context).pageTitle.alert.isEmpty)
    }

    @Test
    func
        `S sorts by last use, by what expires first, by what is used most, and by name; the selection stays on its account`()
    {
        var state = World.state()
        func usernames() -> [String] { state.home.order.map { state.home.accounts[$0].account.label } }
        func uses() -> [Double] {
            state.home.order.map { place in
                let times = state.home.accounts[place].credentials.compactMap { $0.cachedAt?.timeIntervalSince1970 }
                return times.max() ?? 0
            }
        }
        let byName = usernames()
        state.press(.down)
        let selected = state.selectedAccount?.id
        state.type("S")
        #expect(usernames() == byName.sorted(), "who has to sign in came first")
        #expect(state.picture().contains("by name"))
        state.type("S")
        #expect(uses() == uses().sorted(by: >))
        #expect(state.picture().contains("last used first"))
        #expect(state.selectedAccount?.id == selected)
        state.type("S")
        #expect(
            usernames() == ["grace@example.org", "lin", "ada@example.org"], "what has no access token left comes first")
        state.type("S")
        #expect(usernames() == byName, "nothing was used before, so that the names decide")
    }

    @Test func `Conditions choose by standing, client, tenant and store`() {
        let all = found("")
        #expect(found("is:signin") == ["lin"] && found("IS:sign-in") == found("is:signin"))
        #expect(found("is:expiring") == [])
        #expect(found("is:") == all && found("is:sign") == ["lin"], "as soon as it is clear")
        #expect(found("is:away") == [], "there is no such condition")
        #expect(found("client:azure", hasAllUses: true) == ["ada@example.org", "grace@example.org"])
        #expect(found("client:lab is:signin") == ["lin"] && found("client:azure is:signin") == [])
        #expect(found("client:azure lovelace", hasAllUses: true) == ["ada@example.org"])
        #expect(found("tenant:99999999") == ["ada@example.org"])
        #expect(found("store:foyer") == all && found("store:azure") == [])
        #expect(found("https://x") == [], "other words may have a colon")
        var state = World.state()
        state.type("/client:")
        #expect(state.home.order.count == all.count)
        state.type("azure")
        #expect(state.home.order.count == 1)
        state.send(.key(.backspace), .key(.backspace), .key(.backspace), .key(.backspace), .key(.backspace))
        #expect(state.home.order.count == all.count)
    }

    @Test func `A token of which less than five minutes are left is expiring`() {
        let clock = Clock(now: World.now, secondsFromGMT: 0)
        #expect(AccountStatus.valid(until: World.seconds(299)).expiresSoon(clock))
        #expect(!AccountStatus.valid(until: World.seconds(300)).expiresSoon(clock))
        #expect(!AccountStatus.valid(until: .distantFuture).expiresSoon(clock))
        #expect(!AccountStatus.refreshable.expiresSoon(clock) && !AccountStatus.signInNeeded.expiresSoon(clock))
        let list = AccountList(World.accounts, clientName: { $0 })
        let standings = AccountStatuses(needSignIn: [2], expireSoon: [1])
        #expect(AccountQuery("is:expiring").conditioned([0, 1, 2], of: list, standings, AccountPrograms()) == [1])
    }

    @Test func `Esc clears the filter and Enter keeps it`() {
        var state = World.state()
        state.type("/grace")
        state.press(.enter)
        #expect(state.place == .picker)
        #expect(state.home.order.count == 1)
        state.press(.escape)
        #expect(state.home.order.count == 3)
        #expect(state.selectedAccount?.account == World.grace)
    }

    @Test func `A word is exact with an apostrophe, at the beginning with a caret, nowhere with an exclamation mark`() {
        #expect(found("ghppr") == ["grace@example.org"] && found("'ghppr").isEmpty)
        #expect(found("'hopper") == ["grace@example.org"])
        #expect(found("^gra") == ["grace@example.org"] && found("^race").isEmpty && found("'race").count == 1)
        #expect(found("^Lovelace").isEmpty && found("^ADA L") == ["ada@example.org"])
        #expect(found("example !grace").sorted() == ["ada@example.org", "lin"] && found("!example").isEmpty)
        #expect(found("!^ada").count == 2)
        for unfinished in ["!", "^", "'", "!^"] { #expect(found(unfinished).count == 3, "\(unfinished)") }
        var state = World.state()
        state.type("/!g")
        let few = state.home.order.count
        state.type("rz")
        #expect(state.home.order.count == 3 && few < 3, "a longer word excludes fewer")
        #expect(AccountFilter.matchedColumns("'rc", in: "grace").isEmpty)
        #expect(AccountFilter.matchedColumns("!gr ac", in: "grace") == [2..<3, 3..<4])
    }

    @Test func `A condition counts as soon as it is clear, and Tab completes it`() {
        #expect(found("is:s") == ["lin"] && found("is:").count == 3 && found("is:x").isEmpty)
        func completed(_ text: String) -> String {
            var state = World.state()
            state.type("/" + text)
            state.press(.tab)
            return state.home.query.text
        }
        #expect(completed("cl") == "client:" && completed("ada i") == "ada is:")
        #expect(completed("is:e") == "is:expiring" && completed("client:w") == "client:work")
        #expect(completed("zzz") == "zzz" && completed("").isEmpty)
    }

    @Test func `What matched is marked, and nothing else`() {
        #expect(AccountFilter.matchedColumns("gr", in: "grace") == [0..<1, 1..<2])
        #expect(AccountFilter.matchedColumns("子", in: "林花子") == [4..<6])
        #expect(AccountFilter.matchedColumns("x", in: "grace").isEmpty)
    }

    @Test func `A letter more looks only at what is left of ten thousand accounts`() {
        var state = World.state(World.many(10_000))
        state.type("/u")
        let all = state.home.lettersRead
        #expect(all <= 10_000 * 80)
        state.type("ser999")
        let best = state.home.order.prefix(11).map { state.home.accounts[$0].account.username }
        #expect(best.allSatisfy { $0.hasPrefix("user999") })
        #expect(state.home.lettersRead < all / 2)
        let count = state.home.order.count
        state.press(.backspace)
        #expect(state.home.order.count > count)
    }

    @Test func `Ten thousand accounts draw one screen and move by pages`() {
        var state = World.state(World.many(10_000))
        state.press(.end)
        #expect(state.picture().contains("9,999") == false)
        #expect(state.selectedAccount?.id == state.home.accounts[9999].id)
        state.press(.pageUp)
        let rows = state.listRows
        #expect(state.home.selected == 9999 - (rows - 1))
        let grid = view(state.app, size: state.size, glyphs: .utf8)
        #expect(grid.cursor.map { grid[Position(row: $0.row, column: 0)].text } == "▌")
    }
}
