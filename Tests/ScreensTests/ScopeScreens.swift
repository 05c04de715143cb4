import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct ScopeScreens {
    private static let send = "https://graph.microsoft.com/Mail.ReadWrite"

    /// Ada, who was refused a scope once.
    static let refused: [AccountOverview] = {
        var accounts = World.accounts
        accounts[0].consent = [
            ConsentRecord(clientID: World.work, realm: World.tenant, asked: [send], declined: [send])
        ]
        return accounts
    }()

    private func state(_ accounts: [AccountOverview] = refused, rows: Int = 30, columns: Int = 100) -> State {
        var state = World.state(accounts, rows: rows, columns: columns)
        state.type("s")
        return state
    }

    @Test func `What was declined stands beside what was granted`() throws {
        try expectScreen(
            "scopes with one declined", state(rows: 34),
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity                     ▲ plain file
                ─ Consent of ada@example.org ───────────────────────────────────────────────────────────────────────
                         permission                   what it allows                                     risk
                 Azure Resource Manager (https://management.core.windows.net/) · Azure CLI · example.org (home)
                 ▌ [ ] ✔ .default                     all permissions already granted for Azure Resourc… high

                 Microsoft Graph · work · example.org (home)
                   [ ] ✔ User.Read                    signs you in and reads your own profile            low
                   [ ] ✔ Mail.Send                    sends mail in your name                            high
                   [ ] ✖ Mail.ReadWrite               reads, changes and deletes your mail, but does no… high

                 More permissions 141  m: show, /: filter

                 From the tokens in this store; the provider keeps the consent itself.

                 Revoke consent
                 https://myapps.microsoft.com/
                 open the app's menu, then "Manage your application", then "Revoke permissions"
                 for all users: https://portal.azure.com/, Enterprise applications, the app, Permissions








                 ─ Request ────────────────────────────────────────────────────────────────────────────────────────
                 https://management.core.windows.net//.default
                 high risk; user consent; all permissions already granted for Azure Resource Manager; the double
                 slash is correct for this resource
                 Space: select
                ────────────────────────────────────────────────────────────────────────────────────────────────────
                 Space choose  Enter review  / filter  + type  m more  c compare  b revoke  Esc back  ? help
                """#)
    }

    @Test func `Space chooses, a asks: a sign-in of this person and client, with the page for what was declined`()
        throws
    {
        var state = state()
        // The declined one is the last of the second client.
        state.press(.down, .down, .down)
        state.type(" ")
        try expectScreen(
            "a chosen scope", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity                     ▲ plain file
                ─ Consent of ada@example.org ───────────────────────────────────────────────────────────────────────
                         permission                   what it allows                                     risk
                 Azure Resource Manager (https://management.core.windows.net/) · Azure CLI · example.org (home)
                   [ ] ✔ .default                     all permissions already granted for Azure Resourc… high

                 Microsoft Graph · work · example.org (home)
                   [ ] ✔ User.Read                    signs you in and reads your own profile            low
                   [ ] ✔ Mail.Send                    sends mail in your name                            high
                 ▌ [✔] ✖ Mail.ReadWrite               reads, changes and deletes your mail, but does no… high

                 More permissions 141  m: show, /: filter

                 From the tokens in this store; the provider keeps the consent itself.

                 Revoke consent
                 https://myapps.microsoft.com/
                 open the app's menu, then "Manage your application", then "Revoke permissions"
                 for all users: https://portal.azure.com/, Enterprise applications, the app, Permissions




                 ─ Request ────────────────────────────────────────────────────────────────────────────────────────
                 + Mail.ReadWrite high
                 work at example.org as ada@example.org; existing consent is kept
                 Enter: review, then sign in

                ────────────────────────────────────────────────────────────────────────────────────────────────────
                 Space choose  Enter review  / filter  + type  m more  c compare  b revoke  Esc back  ? help
                """#)
        let effects = state.type("ay")
        guard case .signIn(let wish, let flight) = effects.last else {
            Issue.record("nothing was asked: \(effects)")
            return
        }
        #expect(
            wish.clientID == World.work && wish.request.scopes == ScopeSet([Self.send])
                && wish.request.extraScopes.isEmpty)
        #expect(
            wish.request.prompt == .consent && wish.request.account == World.ada && wish.request.tenant == World.tenant)
        #expect(wish.request.correlationID == TokenRequest.unnumbered)
        #expect(state.place == .progress)
        var granted = Self.refused
        granted[0].consent[0].declined = []
        granted[0].credentials.append(
            World.credential(.accessToken, World.work, World.ada, scopes: ScopeSet([Self.send]), ends: 3000))
        state.send(.acquired(try World.token(), flight), .loaded(World.roster(granted)))
        state.press(.enter)
        try expectScreen(
            "newly granted", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity                     ▲ plain file
                ─ Consent of ada@example.org ───────────────────────────────────────────────────────────────────────
                         permission                   what it allows                                     risk
                 Result for work
                 + Mail.ReadWrite: newly granted

                 Azure Resource Manager (https://management.core.windows.net/) · Azure CLI · example.org (home)
                   [ ] ✔ .default                     all permissions already granted for Azure Resourc… high

                 Microsoft Graph · work · example.org (home)
                   [ ] ✔ User.Read                    signs you in and reads your own profile            low
                   [ ] ✔ Mail.Send                    sends mail in your name                            high
                 ▌ [ ] ✔ Mail.ReadWrite               reads, changes and deletes your mail, but does no… high

                 More permissions 141  m: show, /: filter

                 From the tokens in this store; the provider keeps the consent itself.

                 Revoke consent
                 https://myapps.microsoft.com/
                 open the app's menu, then "Manage your application", then "Revoke permissions"
                 for all users: https://portal.azure.com/, Enterprise applications, the app, Permissions

                 ─ Request ────────────────────────────────────────────────────────────────────────────────────────
                 https://graph.microsoft.com/Mail.ReadWrite
                 high risk; user consent; reads, changes and deletes your mail, but does not send
                 Space: select

                ────────────────────────────────────────────────────────────────────────────────────────────────────
                 Space choose  Enter review  / filter  + type  m more  c compare  b revoke  Esc back  ? help
                """#)
    }

    @Test func `What was not granted is told after the sign-in, and what is gone`() throws {
        var state = state()
        state.press(.down, .down, .down)
        let effects = state.type(" ay")
        guard case .signIn(_, let flight) = effects.last else {
            Issue.record("nothing was asked")
            return
        }
        var now = Self.refused
        now[0].credentials.removeAll { $0.clientID == World.work && $0.kind == .accessToken }
        now[0].credentials.append(
            World.credential(
                .accessToken, World.work, World.ada, scopes: ["https://graph.microsoft.com/User.Read"], ends: 3000))
        state.send(
            .failed(Failure(.declinedScopes, "not granted: Mail.ReadWrite", result: try World.token()), flight),
            .loaded(World.roster(now)))
        state.press(.enter)
        #expect(state.place == .scopes)
        let picture = state.picture()
        #expect(picture.contains("✖ Mail.ReadWrite: declined"))
        #expect(picture.contains("- Mail.Send: no longer in any token"))
    }

    @Test func `Scopes of two resources are asked for in one sign-in: one token, the others beside it`() {
        var state = state()
        state.type("+https://graph.microsoft.com/Mail.Read https://vault.azure.net/user_impersonation")
        #expect(state.place == .line)
        state.press(.enter)
        #expect(state.place == .scopes)
        guard case .signIn(let wish, _) = state.type("ay").last else {
            Issue.record("nothing was asked")
            return
        }
        #expect(wish.request.scopes.names.count == 1 && wish.request.extraScopes.names.count == 1)
        #expect(wish.request.prompt == nil, "what is new brings the page by itself")
    }

    @Test func `What is no scope is refused where it was typed`() {
        var state = state()
        state.type("+bad\"scope")
        state.press(.enter)
        #expect(state.place == .line && state.notice?.contains("is not a scope") == true)
        state.press(.escape)
        #expect(state.place == .scopes)
    }

    @Test func `One sign-in asks for one client: choices of another are given up, and that is said`() {
        var state = state()
        state.type(" jj ")
        #expect(state.notice?.contains("one client") == true)
        #expect(state.scopesScreen?.chosen.map(\.clientID) == [World.work])
    }

    @Test func `All that a resource offers can be shown and chosen`() throws {
        var state = state()
        let before = state.scopesScreen.map { state.entries($0).count } ?? 0
        state.type("m")
        let after = state.scopesScreen.map { state.entries($0).count } ?? 0
        #expect(after > before + 100)
        state.press(.end)
        state.type(" ")
        #expect(state.scopesScreen?.chosen.count == 1)
        state.type("m")
        #expect(state.scopesScreen.map { state.entries($0).count } == before)
    }

    @Test func `Two clients are compared: what both have, and what only one has`() throws {
        var state = state()
        state.type("c")
        try expectScreen(
            "two clients compared", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity                     ▲ plain file
                ─ Consent of ada@example.org ───────────────────────────────────────────────────────────────────────
                 Azure CLI and work

                 granted to both
                   nothing

                 only Azure CLI
                 - .default of Azure Resource Manager (https://management.core.windows.net/)
                   all permissions already granted for Azure Resource Manager; the double slash is correct for this
                   resource (high risk)

                 only work
                 + User.Read of Microsoft Graph
                   signs you in and reads your own profile (low risk)
                 + Mail.Send of Microsoft Graph
                   sends mail in your name (high risk)

                 c: next client, then back









                ────────────────────────────────────────────────────────────────────────────────────────────────────
                 c compare  b revoke  y copy…  Esc back  ? help
                """#)
        state.type("c")
        #expect(state.scopesScreen?.comparison == nil)
    }

    @Test func `With one client there is nothing to compare with`() {
        var state = World.state()
        state.press(.down)
        state.type("s")
        #expect(!state.app.isOffered(.compare))
        state.type("c")
        #expect(state.scopesScreen?.comparison == nil)
    }

    @Test func `The page where consent is taken back opens in the browser`() throws {
        var state = state()
        let page = try WebAddress("https://myapps.microsoft.com/")
        #expect(state.type("b") == [.openBrowser(page)])
    }

    @Test func `An account that is gone meanwhile has nothing to ask for`() throws {
        var state = state(rows: 10, columns: 60)
        state.send(.loaded(World.roster([World.accounts[2]])))
        state.type(" abcm+")
        try expectScreen(
            "scopes of nobody", state,
            is: #"""
                 foyer  Consent of removed account             ▲ plain file
                 this account is no longer in the store







                 Esc back  ? help
                """#)
    }

    @Test func `Moving keeps the marked scope on the screen, to the last and back`() {
        var state = state(rows: 12, columns: 60)
        let count = state.scopesScreen.map { state.entries($0).count } ?? 0
        for step in 1..<count {
            state.press(.down)
            #expect(state.scopesScreen?.selected == step)
            #expect(state.picture().contains("▌ "), "step \(step)")
        }
        state.press(.home)
        #expect(state.scopesScreen?.selected == 0 && state.scopesScreen?.scroll == 0)
    }
}
