import FoundationEssentials
import Identity
import Keys
import Synchronization
import Testing

@testable import AppModel

/// Title, order, filter and rows of the list say the same of who has to sign in, however many accounts there are.
@Suite struct AccountStandingsTests {
    private static let other = "22222222-3333-4444-5555-666666666666"

    /// Accounts with nothing in the cache: who has to sign in is for the planner alone to say.
    private static func list(
        _ count: Int, clients: [String] = [Sample.client],
        status: @escaping @Sendable (_ number: Int, _ clientID: String) -> AccountStatus
    ) -> AccountList {
        let accounts = (0..<count).map { number in
            Account(
                homeAccountID: "\(number)", environment: "login.microsoftonline.com", username: "user\(number)@e.org",
                clients: [Sample.client, other])
        }
        return AccountList(
            accounts.map { AccountOverview(account: $0, credentials: []) }, clientName: { $0 },
            uses: { _ in clients.map { ClientUse(clientID: $0, name: $0) } },
            planner: CallPlanner { account, use, _ in
                PlannedCall(
                    use: use, request: TokenRequest(scopes: [], correlationID: TokenRequest.unnumbered),
                    words: "", status: status(Int(account.homeAccountID) ?? 0, use.clientID))
            })
    }

    private static func status(_ number: Int) -> AccountStatus {
        number % 10 == 3 ? .signInNeeded : number % 10 == 7 ? .rejected : .refreshable
    }

    /// Carries out what is to be decided, until there is nothing more; says how many at most were decided at once.
    @discardableResult
    private static func settle(_ state: inout AppState, _ effects: [Effect]) -> Int {
        var (left, most) = (effects, 0)
        while !left.isEmpty {
            guard case .decide(let request) = left.removeFirst() else { continue }
            most = max(most, request.places.count)
            left += state.send(.decided(request, request.statuses()))
        }
        return most
    }

    private static func alert(_ state: AppState) -> String { state.home.page(in: state.context).pageTitle.alert }

    private static func needy(_ state: AppState) -> [Bool] {
        state.topPage.rows()?.filter { !["Needs you", "Ready"].contains($0) }.map {
            $0.hasSuffix("needs sign-in") || $0.hasSuffix("rejected")
        } ?? []
    }

    @Test(arguments: [50, 60, 1000]) func `Count, order, filter and rows are of one decision`(_ count: Int) {
        var state = AppState(context: Sample.context, now: Sample.now)
        let most = Self.settle(
            &state, state.send(.loaded(Self.list(count) { number, _ in Self.status(number) })))
        #expect(most <= 300)
        #expect(Self.alert(state) == "\(count / 5) need sign-in")
        let needy = Self.needy(state)
        #expect(needy.count(where: \.self) == count / 5 && needy.prefix(count / 5).allSatisfy(\.self))
        state.run(.filter)
        for letter in "is:signin" { state.send(.key(.character(letter))) }
        #expect(state.home.matchCount == count / 5)
    }

    @Test func `Accounts of other programs that need sign-in are a group with that program's command, counted apart`() {
        func row(_ name: String, _ store: OtherStore?) -> AccountOverview {
            AccountOverview(
                account: Account(
                    homeAccountID: name, environment: "login.microsoftonline.com", username: "\(name)@e.org",
                    clients: [Sample.client]), credentials: [], store: store)
        }
        let az = OtherStore(
            name: "azure-cli", program: "Azure CLI", place: "~/.azure", isWritable: false, signIn: "az login")
        let planner = CallPlanner { account, use, _ in
            PlannedCall(
                use: use, request: TokenRequest(scopes: [], correlationID: TokenRequest.unnumbered), words: "",
                status: account.homeAccountID == "own-needy" ? .rejected : .refreshable)
        }
        var state = AppState(context: Sample.context, now: Sample.now)
        state.send(
            .loaded(
                AccountList(
                    [row("azure", az), row("own-needy", nil), row("ready", nil)], clientName: { $0 }, planner: planner)
            ))
        #expect(
            state.topPage.rows() == [
                "Needs you", "own-needy@e.org: rejected", "Ready", "ready@e.org: renews on use",
                "Need sign-in in other programs", "azure@e.org in Azure CLI: needs sign-in",
            ])
        #expect(state.home.groups.groups.last?.detail == "az login")
        #expect(Self.alert(state) == "1 needs sign-in, 1 in other programs")
        #expect(state.home.selectedAccount?.account.username == "ready@e.org")
        state.run(.nextNeedingYou)
        #expect(state.home.selectedAccount?.account.username == "azure@e.org")
        #expect(state.words.contains("sign in there: az login"))
        state.run(.nextNeedingYou)
        #expect(state.home.selectedAccount?.account.username == "own-needy@e.org")
    }

    @Test func `Accounts are found by the programs that got tokens of them lately, and by what they get meanwhile`() {
        func program(_ name: String, _ uses: ProgramsReport.Use...) -> ProgramsReport.Program {
            ProgramsReport.Program(name, "", uses: uses)
        }
        func use(_ account: String = "", _ id: String = "", refusal: String? = nil) -> ProgramsReport.Use {
            ProgramsReport.Use(at: Sample.now, account: account, accountID: id, refusal: refusal)
        }
        var state = Sample.state()
        state.send(
            .programUses([
                program("git", use("old-name@example.org", "ada.home")), program("az", use("Grace@example.org")),
                program("kubectl", use("ada@example.org", "ada.home", refusal: "refused")),
            ]))
        func found(_ text: String, _ state: AppState) -> [String] {
            var state = state
            state.run(.filter)
            for letter in text { state.send(.key(.character(letter))) }
            return state.home.order.map { state.home.accounts[$0].account.label }
        }
        #expect(found("who:", state).count == 2 && found("who:GI", state) == ["ada@example.org"])
        #expect(found("who:az", state) == ["grace@example.org"], "an agent reports no IDs")
        #expect(found("who:kubectl", state).isEmpty, "it got no token")
        state.run(.filter)
        for letter in "wh" { state.send(.key(.character(letter))) }
        state.send(.key(.tab), .key(.character("g")), .key(.tab))
        #expect(state.home.query.text == "who:git" && state.home.matchCount == 1)
        let all = program("git", use("", "ada.home"), use("", "grace.home"))
        state.send(.programUses([all]))
        #expect(state.home.matchCount == 2)
    }

    @Test func `While accounts are still decided the count says that it is the least`() throws {
        var state = AppState(context: Sample.context, now: Sample.now)
        let effects = state.send(.loaded(Self.list(1000) { number, _ in Self.status(number) }))
        #expect(Self.alert(state) == "")
        #expect(state.home.page(in: state.context).pageTitle.note == "checking accounts")
        guard case .decide(let request) = try #require(effects.first) else { return }
        let more = state.send(.decided(request, request.statuses()))
        #expect(Self.alert(state).hasPrefix("at least ") && Self.alert(state).hasSuffix(" need sign-in"))
        Self.settle(&state, more)
        #expect(Self.alert(state) == "200 need sign-in")
    }

    @Test func `A store that is read again keeps its count until it is decided again, and no older decision counts`()
        throws
    {
        var state = AppState(context: Sample.context, now: Sample.now)
        Self.settle(&state, state.send(.loaded(Self.list(100) { number, _ in Self.status(number) })))
        let before = state.send(.tick(Sample.now.addingTimeInterval(1)))
        let effects = state.send(.loaded(Self.list(100) { number, _ in number < 2 ? .rejected : .refreshable }))
        #expect(Self.alert(state) == "20 need sign-in")
        Self.settle(&state, effects)
        #expect(Self.alert(state) == "2 need sign-in" && Self.needy(state).prefix(2).allSatisfy(\.self))
        Self.settle(&state, before)
        #expect(Self.alert(state) == "2 need sign-in")
    }

    @Test func `As time goes by everybody has a turn`() {
        let isOver = Mutex(false)
        var state = AppState(context: Sample.context, now: Sample.now)
        Self.settle(
            &state,
            state.send(
                .loaded(Self.list(100) { _, _ in isOver.withLock { $0 } ? .signInNeeded : .refreshable })))
        #expect(Self.alert(state) == "")
        isOver.withLock { $0 = true }
        for second in 1...4 {
            Self.settle(&state, state.send(.tick(Sample.now.addingTimeInterval(Double(5 * second)))))
        }
        #expect(Self.alert(state) == "100 need sign-in")
    }

    @Test func `A list that only waits is decided once when read, then every five seconds`() {
        let decisions = Mutex(0)
        var state = AppState(context: Sample.context, now: Sample.now)
        _ = state.send(
            .loaded(
                Self.list(20) { _, _ in
                    decisions.withLock { $0 += 1 }
                    return .refreshable
                }))
        #expect(decisions.withLock { $0 } == 20)
        for second in 1...9 { _ = state.send(.tick(Sample.now.addingTimeInterval(Double(second)))) }
        #expect(decisions.withLock { $0 } == 40)
    }

    @Test(arguments: [10, 100]) func `Each client has a row with a status of its own`(_ count: Int) {
        var state = AppState(context: Sample.context, now: Sample.now)
        let list = Self.list(count, clients: [Sample.client, Self.other]) {
            $1 == Self.other ? .signInNeeded : .refreshable
        }
        Self.settle(&state, state.send(.loaded(list)))
        #expect(state.home.order.count == 2 * count && state.home.matchCount == count)
        #expect(Self.alert(state) == "\(count) need sign-in")
        Self.settle(&state, state.run(.cycleClient))
        #expect(state.home.matchCount == count && Self.alert(state) == "" && !Self.needy(state).contains(true))
        Self.settle(&state, state.run(.cycleClient))
        #expect(state.home.matchCount == count && Self.alert(state) == "\(count) need sign-in")
    }
}
