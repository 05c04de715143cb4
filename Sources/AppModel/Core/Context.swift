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

    /// The default client, for an account without one.
    var defaultUse: ClientUse? {
        guard let id = defaultClientID ?? clients.first?.clientID else { return nil }
        let client = defaultClient.flatMap(client) ?? client(id)
        return ClientUse(
            clientID: id, name: client?.name ?? clientName(id), authority: client.map(\.authority), kind: client?.kind)
    }

    /// The name by which an account uses a client, or several; else the name in the settings, the well-known one, or
    /// the shortened ID.
    ///
    /// - Parameter realm: of a token, which can tell the names apart.
    package func clientName(_ id: String, of account: AccountID? = nil, in realm: String = "") -> String {
        let names = accounts.names(ofClient: id, of: account, in: realm)
        guard account != nil || names.count == 1, !names.isEmpty else { return knownClient(id) ?? shortened(id) }
        return names.map { $0 == id ? shortened(id) : $0 }.joined(separator: ", ")
    }

    /// The name by which a credential's owner uses its client.
    package func clientName(_ credential: CachedCredential) -> String {
        let owner = credential.homeAccountID.map {
            AccountID(homeAccountID: $0, environment: credential.environment, issuer: credential.issuer)
        }
        return clientName(credential.clientID, of: owner, in: credential.realm)
    }

    /// The name of a configured or well-known client.
    func knownClient(_ id: String) -> String? {
        clients.first { $0.clientID == id }.map { Client.shownName($0.name, of: id) } ?? Client.wellKnown(id)?.title
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

    package func overview(of id: AccountOverview.ID) -> AccountOverview? {
        accounts.accounts.first { $0.isMeant(by: id) }
    }

    /// The client of the settings by which an account uses a client ID, in a directory if that tells.
    func configured(_ clientID: String, of account: AccountID, in realm: String = "") -> ConfiguredClient? {
        let names = accounts.names(ofClient: clientID, of: account, in: realm)
        let own = clients.filter { ClientID.isSame($0.clientID, clientID) }
        return names.lazy.compactMap { name in own.first { $0.name == name } }.first
            ?? (names.isEmpty ? own.first : nil)
    }
    func name(of id: AccountOverview.ID) -> String { overview(of: id)?.account.label ?? "removed account" }
}
