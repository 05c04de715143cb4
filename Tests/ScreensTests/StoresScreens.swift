import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct StoresScreens {
    static let lines = [
        StoreLine(
            name: "foyer", program: "foyer", place: "~/.local/share/foyer/token_cache.json", state: .usable,
            badge: "plain file",
            accounts: 3,
            tokens: 7, isWritable: true),
        StoreLine(
            name: "azure-cli", program: "Azure CLI", place: "~/.azure/msal_token_cache.json", state: .usable,
            findings: [
                "~/.azure/service_principal_entries.json holds the secrets of 2 service principals in plain text"
            ],
            badge: "plain file", accounts: 2, tokens: 6, isWritable: true),
        StoreLine(
            name: "azure-powershell", program: "Azure PowerShell", place: "~/.local/share/.IdentityService/msal.cache",
            state: .protected,
            findings: ["kept by the session's keyring, and there is no session here"]),
        StoreLine(
            name: "azd", program: "Azure Developer CLI", place: "~/.azd/auth/msal/cache.json", state: .refused,
            findings: ["it belongs to another user", "use an account of your own, or change the owner"]),
        StoreLine(
            name: "azure-identity", program: "Azure SDK (azure-identity)", place: "~/.IdentityService/msal.cache",
            state: .empty,
            isHidden: true),
        StoreLine(name: "vscode", program: "Visual Studio Code", place: "~/.config/Code/state.vscdb", state: .absent),
    ]

    private func open(_ keys: String = "", rows: Int = 24, columns: Int = 80) -> State {
        var state = World.state(rows: rows, columns: columns)
        state.type("W")
        state.send(.stores(Self.lines, RequestID(1)))
        state.type(keys)
        return state
    }

    @Test func `W looks for every store, and lists what was found`() throws {
        var state = World.state()
        #expect(state.type("W") == [.findStores(RequestID(1))])
        #expect(state.picture().contains("loading"))
        try expectScreen(
            "stores 80x24", open(),
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Token stores, 1 not found ────────────────────────────────────────────────────
                    store                       state      access       found
                ▌ ✔ foyer's own                 usable     read, write  ~/.local/share/foyer/t…
                  ✔ Azure CLI                   usable     read, write  ~/.azure/service_princ…
                  ◐ Azure PowerShell            protected  read-only    kept by the session's …
                  ✖ Azure Developer CLI         refused    read-only    it belongs to another …
                  ○ Azure SDK (azure-identity)  empty      read-only    hidden; ~/.IdentitySer…








                ────────────────────────────────────────────────────────────────────────────────
                 ✔ foyer's own store: usable
                 name          foyer
                 place         ~/.local/share/foyer/token_cache.json
                 format        plain file
                 contains      3 accounts, 7 tokens
                                                                                               ↓
                 Enter details  m more  r again  y copy…  Esc back  ? help
                """#)
        try expectScreen(
            "stores 120x24", open("j", rows: 24, columns: 120),
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/token_cache.…  ▲ plain file
                ─ Token stores, 1 not found ──────────────────────────────────────┬─────────────────────────────────────────────────────
                    store                       state      found                  │ ✔ Azure CLI: usable
                  ✔ foyer's own                 usable     ~/.local/share/foyer/… │ name          azure-cli
                ▌ ✔ Azure CLI                   usable     ~/.azure/service_prin… │ place         ~/.azure/msal_token_cache.json
                  ◐ Azure PowerShell            protected  kept by the session's… │ format        plain file
                  ✖ Azure Developer CLI         refused    it belongs to another… │ contains      2 accounts, 6 tokens
                  ○ Azure SDK (azure-identity)  empty      hidden; ~/.IdentitySe… │ • ~/.azure/service_principal_entries.json holds
                                                                                  │   the secrets of 2 service principals in plain
                                                                                  │   text
                                                                                  │
                                                                                  │ [✔] Space: show its accounts in the list
                                                                                  │ [✔] w: allow changes
                                                                                  │   each removal asks first and works as in Azure
                                                                                  │   CLI
                                                                                  │
                                                                                  │
                                                                                  │
                                                                                  │
                                                                                  │
                                                                                  │
                                                                                  │
                                                                                  │
                 Enter details  m more  r again  Space show  w writing  y copy…  Esc back  ? help
                """#)
        try expectScreen(
            "stores 40x10", open(rows: 10, columns: 40),
            is: #"""
                 Token stores, 1 not fou…  ▲ plain file
                ▌ ✔ foyer's own               usable
                ▌     ~/.local/share/foyer/token_cache…
                  ✔ Azure CLI                 usable
                      ~/.azure/service_principal_entri…
                  ◐ Azure PowerShell          protected
                      kept by the session's keyring, a…
                  ✖ Azure Developer CLI       refused
                      it belongs to another user
                 Enter details  Esc back  ? help
                """#)
    }

    @Test func `One store tells why it is not usable, and what is allowed`() throws {
        var state = open("jjj")
        state.press(.enter)
        try expectScreen(
            "store details 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Token stores, 1 not found ────────────────────────────────────────────────────
                 ✖ Azure Developer CLI: refused
                 name          azd
                 place         ~/.azd/auth/msal/cache.json
                 ▲ it belongs to another user
                 ▲ use an account of your own, or change the owner

                 [✔] Space: show its accounts in the list
                 [ ] w: allow changes
                   read-only: foyer never changes it












                 Space show  w writing  y copy…  Esc back  ? help
                """#)
        state.press(.escape)
        #expect(state.place == .stores)
    }

    @Test func `What is not there is shown on demand`() {
        var state = open()
        #expect(!state.picture().contains("Visual Studio Code"))
        state.type("m")
        #expect(state.picture().contains("Visual Studio Code"))
        state.type("G")
        #expect(state.storesScreen?.marked?.name == "vscode")
        state.type("m")
        #expect(state.storesScreen?.marked?.name == "foyer", "the mark is on something that is seen")
    }

    @Test func `Writing and showing are the person's to allow, each with one key; foyer's own store is beyond them`() {
        var own = open()
        #expect(own.type("w").isEmpty)
        #expect(own.press(.character(" ")).isEmpty)
        var state = open("j")
        #expect(state.type("w") == [.keepStore("azure-cli", .write(false), RequestID(2))], "it was allowed")
        #expect(state.type("w").isEmpty, "the answer is waited for")
        state.send(.stores(Self.lines, RequestID(1)))
        #expect(state.storesScreen?.isWaiting == true, "an answer from before is not the one")
        state.send(.stores(Self.lines, RequestID(2)))
        #expect(state.press(.character(" ")) == [.keepStore("azure-cli", .hidden(true), RequestID(3))])
        state.send(.stores(Self.lines, RequestID(3)))
        state.press(.enter)
        #expect(
            state.type("w") == [.keepStore("azure-cli", .write(false), RequestID(4))], "also where one store is read")
    }

    @Test func `Looking again looks at everything, and reads the accounts again`() {
        var state = open()
        #expect(state.type("r") == [.findStores(RequestID(2)), .load])
        #expect(state.press(.escape) == [.cancel(RequestID(2))])
        #expect(state.stack.isEmpty)
    }

    @Test func `A look that fails ends the waiting`() {
        var state = World.state()
        state.type("W")
        state.send(.failed(Failure(.configuration, "the settings are wrong"), RequestID(1)))
        #expect(state.picture().contains("cannot load"))
        #expect(state.type("r") == [.findStores(RequestID(2)), .load])
    }

    @Test func `A store is found by a part of its name, and by the mouse`() {
        var state = open()
        state.type("/power")
        state.press(.enter)
        #expect(state.storesScreen?.marked?.name == "azure-powershell")
        state.press(.escape)
        state.type("%")
        state.send(.key(.mouse(MouseEvent(.click, at: Position(row: 6, column: 10)))))
        #expect(state.storesScreen?.marked?.name == "azd")
    }
}

@Suite struct OtherStoreScreens {
    private static let azure = OtherStore(
        name: "azure-cli", program: "Azure CLI", place: "~/.azure/msal_token_cache.json", isWritable: false,
        profile: "~/.azure/azureProfile.json")

    private static func accounts(isWritable: Bool) -> [AccountOverview] {
        var store = azure
        store.isWritable = isWritable
        return World.accounts + [
            AccountOverview(
                account: World.ada,
                credentials: [
                    World.credential(
                        .accessToken, World.azureCLI, World.ada,
                        scopes: ["https://management.core.windows.net//.default"], ends: 3000),
                    World.credential(.refreshToken, World.azureCLI, World.ada, family: "1"),
                ], store: store)
        ]
    }

    private func state(_ keys: String = "j", isWritable: Bool = false, rows: Int = 24, columns: Int = 80) -> State {
        var state = World.state(Self.accounts(isWritable: isWritable), rows: rows, columns: columns)
        state.type(keys)
        return state
    }

    @Test func `The same person in two stores is two rows, and each says where it is`() throws {
        try expectScreen(
            "two stores 80x24", state(),
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Accounts 4 ───────────────────────────────────────────────── 1 needs sign-in ─
                    account                              client        gets       access token
                ▾ Needs you  1
                  ○ lin                                  lab                      needs sign-in
                ▾ Ready  3
                  ◐ ada@example.org +1 guest             work          Graph      renews on use
                ▌ ● ada@example.org Azure CLI +1 guest   Azure CLI +1°            50 min
                  ◐ grace@example.org                    Azure CLI     Graph      renews on use










                    ° in another program's store
                ─ ada@example.org ──────────────────────────────────────────────────────────────
                 ● in Azure CLI's store, read-only
                 Ada Lovelace  example.org, partner.example guest
                 Enter tokens  a add  / filter  n next  i inspect  s consent  q quit  ? help
                """#)
        try expectScreen(
            "two stores 120x24", state(columns: 120),
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/token_cache.…  ▲ plain file
                ─ Accounts 4 ───────────────────────────────────────── 1 needs sign-in ─┬─ ada@example.org ─────────────────────────────
                    account                      client        gets       access token  │ Ada Lovelace           work or school account
                ▾ Needs you  1                                                          │ home      example.org
                  ○ lin                          lab                      needs sign-in │ guest in  partner.example as
                ▾ Ready  3                                                              │           ada_ext@partner.example
                  ◐ ada@example.org +1 guest     work          Graph      renews on use │ cloud     Microsoft Azure (global)
                ▌ ● ada@example.org Azure CLI    Azure CLI +1°            50 min        │
                  ◐ grace@example.org            Azure CLI     Graph      renews on use │ ● 50 min
                                                                                        │ in Azure CLI's store, read-only
                                                                                        │
                                                                                        │ Tokens of Azure CLI                 i inspect
                                                                                        │ ● access  Azure             ━━━━━━━━── 50 min
                                                                                        │ ↻ family refresh
                                                                                        │
                                                                                        │ Tokens of work                      i inspect
                                                                                        │ none
                                                                                        │
                                                                                        │ Allows                              s consent
                                                                                        │ ▲ all permissions already granted for Azure
                                                                                        │   Resource Manager; the double slash is
                                                                                        │   correct for this resource
                    ° in another program's store                                        │   .default                                   ↓
                 Enter tokens  a add  / filter  n next  i inspect  s consent  x remove  o sign out  t client  S sort  q quit  ? help
                """#)
        try expectScreen(
            "two stores 60x14", state(rows: 14, columns: 60),
            is: #"""
                 foyer  1 Accounts  2  3  4  5                 ▲ plain file
                ─ Accounts 4 ───────────────────────────── 1 needs sign-in ─
                    account                     client        access token
                ▾ Needs you  1
                  ○ lin                         lab           needs sign-in
                ▾ Ready  3
                  ◐ ada@example.org +1 guest    work          renews on use
                ▌ ● ada@example.org Azure CLI   Azure CLI +1° 50 min
                  ◐ grace@example.org           Azure CLI     renews on use



                    ° in another program's store
                 Enter tokens  a add  / filter  n next  q quit  ? help
                """#)
    }

    @Test func `Grouped by store, foyer's own comes first`() throws {
        try expectScreen(
            "grouped store 80x24", state("zzzz"),
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Accounts 4 ────────────────────────────────────── 1 needs sign-in · by store ─
                    account                              client        gets       access token
                ▾ in foyer  3
                  ○ lin                                  lab                      needs sign-in
                ▌ ◐ ada@example.org +1 guest             work          Graph      renews on use
                  ◐ grace@example.org                    Azure CLI     Graph      renews on use
                ▾ in Azure CLI  ~/.azure/msal_token_cache.json  1
                  ● ada@example.org Azure CLI +1 guest   Azure CLI +1°            50 min










                    ° in another program's store
                ─ ada@example.org ──────────────────────────────────────────────────────────────
                 ◐ Enter: cached token, expires in 42 min  User.Read
                 Ada Lovelace  example.org, partner.example guest
                 Enter token  a add  / filter  n next  i inspect  s consent  q quit  ? help
                """#)
    }

    @Test func `The name of the program finds its accounts`() {
        var state = state("/azure-cli")
        #expect(state.home.matchCount == 1)
        #expect(state.selectedAccount?.store?.name == "azure-cli")
        state.press(.escape)
    }

    @Test func `Enter shows the tokens, and nothing is asked of the provider for another program's account`() {
        var state = state()
        #expect(state.press(.enter).isEmpty)
        #expect(state.place == .inspector)
        #expect(state.inspectorScreen?.account == AccountOverview.ID(World.ada.id, store: "azure-cli"))
    }

    @Test func `The entry behind a token is read from the store that it is in`() {
        var state = state(columns: 120)
        state.press(.enter)
        var effects: [Effect] = []
        for _ in 0..<5 { effects += state.press(.tab) }
        #expect(effects.contains { if case .readEntry(_, "azure-cli", _) = $0 { true } else { false } })
    }

    @Test func `Another program's account is not marked for leaving together with foyer's own`() {
        var state = state()
        state.type(" ")
        #expect(state.home.marked.isEmpty)
        #expect(state.notice == "an account of Azure CLI cannot be marked: x removes it there")
        state.type("g ")
        state.type("Gv")
        #expect(state.home.marked.count == 3, "those of foyer's own store")
    }

    @Test func `A notice over the title leaves a sign where the title is cut`() {
        var state = state("g")
        for _ in 0..<3 where state.notice == nil { state.type(" ") }
        let rule = state.picture().split(separator: "\n")[1]
        #expect(rule.firstMatch(of: /^─ Accounts 2 mar… an account of Azure CLI cannot be marked/) != nil, "\(rule)")
    }

    @Test func `A store that is only read is not changed, and the notice says how to allow it`() {
        var state = state()
        #expect(state.type("x").isEmpty)
        #expect(state.stack.isEmpty)
        #expect(state.notice?.contains("Azure CLI's store is read-only; to allow changes: W, then w") == true)
        #expect(state.type("o").isEmpty)
        #expect(state.stack.isEmpty)
    }

    @Test func `The question names the program and what it would do`() throws {
        var asked = state("jx", isWritable: true)
        try expectOverlay(
            "remove elsewhere 80x24", asked,
            is: #"""
                ┌─ Remove from Azure CLI? ─────────────────────────────────────────────────┐
                │ ada@example.org                                                          │
                │ in ~/.azure/msal_token_cache.json                                        │
                │ • Azure CLI will remove the account: its tokens and store entries, under │
                │   the program's own lock                                                 │
                │ • its subscriptions will be removed from ~/.azure/azureProfile.json      │
                │ ✖ nothing is revoked and no browser session is ended: Azure CLI does     │
                │   neither on sign-out                                                    │
                │ ✖ foyer's own store and other programs are not changed                   │
                │ ▲ issued access tokens may work until 04:50                              │
                │                                                                          │
                │ ▸[ Cancel ]   [ Remove ]                                                 │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter choose  y yes  n no  ? help
                """#)
        #expect(asked.type("w").isEmpty)
        #expect(asked.dialog?.choices == RemovalChoices(), "its own sign-out has no choices")
        #expect(asked.press(.enter).isEmpty, "the safe answer is marked")
        #expect(asked.stack.isEmpty)
        var store = Self.azure
        store.isWritable = true
        asked.type("o")
        #expect(asked.type("rb").isEmpty)
        #expect(asked.type("y") == [.removeElsewhere(World.ada, store, RequestID(1))])
        asked.send(.removedElsewhere(entries: 4, subscriptions: 1, RequestID(1)))
        try expectOverlay(
            "removed elsewhere 80x24", asked,
            is: #"""
                ┌─ Sign out ───────────────────────────────────────────────────────────────┐
                │ ada@example.org, Azure CLI                                               │
                │ ○ not revoked: the program does not revoke                               │
                │ ✔ removed from Azure CLI: 4 entries                                      │
                │ ✔ 1 subscription removed from its list                                   │
                │ ○ the browser session is kept                                            │
                │                                                                          │
                │ ▲ issued access tokens may work until 04:50 (in 50 min)                  │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter close  Esc back  ? help
                """#)
    }

    @Test func `A removal that fails says so and leaves everything`() {
        var asked = state("jxy", isWritable: true)
        asked.send(.failed(Failure(.storeError, "the store is locked by process 12", hint: "try again"), RequestID(1)))
        #expect(asked.picture().contains("the store is locked by process 12"))
    }
}
