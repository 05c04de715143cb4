// AppModel is what every face of the program shows and does: features as values, each with its keys and its own update.
// It draws nothing and performs nothing: it sends an Effect and receives a Message.

import Explain
package import FoundationEssentials
package import Identity

/// State that every feature can read and none can change.
package struct Context: Sendable {
    package enum LoadState: Equatable, Sendable {
        case loading, loaded
        case failed(message: String, hint: String?)
    }

    package var clients: [ConfiguredClient] = []
    /// The name or ID of the client that is preferred if an account has it.
    package var defaultClient: String?
    package var storeLabel = ""
    /// A note on the store that is always visible, such as `plain file`.
    package var storeBadge: String?
    package var isDemo = false
    /// The method that `auto` selects, and why.
    package var automaticMethod = SignInMethod.device
    package var automaticReason = ""
    /// Seconds east of Greenwich, for local times.
    package var secondsFromGMT = 0
    package var keyChanges = KeyChanges.none
    /// The theme in the settings, even while another is being tried.
    package var theme = "default"
    package var themes = ["default"]
    package var settings: [SettingLine] = []
    /// Whether foyer handles clicks and the wheel; otherwise the terminal's own selection works.
    package var mouse = false
    package var uses = AccountUses()
    package var naming = CommandNaming.keys

    package internal(set) var now = Date.distantPast
    var commandNames = CommandNames()
    package internal(set) var store = LoadState.loading
    package internal(set) var accounts = AccountList.empty
    package internal(set) var activity = ActivityLog()
    /// Removals that can be undone, latest last.
    package internal(set) var undoable: [UndoableRemoval] = []
    /// Changes of the settings file that can be undone, latest last.
    package internal(set) var undoableSettings: [UndoableSetting] = []
    /// Commands run from the palette, latest last.
    var commandHistory: [String] = []
    /// How much of the top list the face shows.
    package internal(set) var list = Face.ListExtent(rows: 1, showsText: false)
    var nextRequest = RequestID(1)

    package init() {}

    /// Seconds until a token is cleared from the clipboard.
    static let clipboardLife = 60

    package var clock: Clock { Clock(now: now, secondsFromGMT: secondsFromGMT) }

    package func client(_ nameOrID: String) -> ConfiguredClient? {
        clients.first { $0.clientID == nameOrID } ?? clients.first { $0.name == nameOrID }
    }

    var defaultClientID: String? {
        defaultClient.flatMap(client)?.clientID ?? defaultClient ?? (clients.count == 1 ? clients[0].clientID : nil)
    }

    /// The name in the settings, else the well-known one, else the shortened ID.
    package func clientName(_ id: String) -> String { knownClient(id) ?? shortened(id) }

    /// The name of a configured or well-known client.
    func knownClient(_ id: String) -> String? {
        clients.first { $0.clientID == id }?.name ?? Client.wellKnown(id)?.name
    }

    /// A client's name, if it has one, and ID.
    func clientAndID(_ id: String) -> String { knownClient(id).map { "\($0), \(id)" } ?? id }

    func server(of account: Account) -> KnownServer? {
        KnownServer.of(account, clients: clients.map { ($0.authority, $0.kind, $0.server) })
    }

    func server(of credential: CachedCredential) -> KnownServer? {
        KnownServer.of(credential, clients: clients.map { ($0.authority, $0.kind, $0.server) })
    }

    func scopeIssuer(of account: Account) -> ScopeIssuer { ScopeIssuer(account, server: server(of: account)) }

    package func overview(of id: AccountOverview.ID) -> AccountOverview? { accounts.accounts.first { $0.id == id } }
    func name(of id: AccountOverview.ID) -> String { overview(of: id)?.account.label ?? "removed account" }
}
