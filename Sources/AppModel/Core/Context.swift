// AppModel is what every face of the program shows and does: features as values, each with its keys and its own update.
// It draws nothing and does nothing: it requests by an Effect and receives a Message.

package import FoundationEssentials
package import Identity

/// What every feature may read and none may change.
package struct Context: Sendable {
    /// How far the store has been read.
    package enum LoadState: Equatable, Sendable {
        case loading, loaded
        case failed(message: String, hint: String?)
    }

    package var clients: [ConfiguredClient] = []
    /// The name or the identifier of the client that is used where an account has it.
    package var defaultClient: String?
    package var storeLabel = ""
    /// What must always be seen of the store, such as `plain file`.
    package var storeBadge: String?
    package var isDemo = false
    /// What `auto` would take, and why.
    package var automaticMethod = SignInMethod.device
    package var automaticReason = ""
    /// Seconds east of Greenwich, for times of day.
    package var secondsFromGMT = 0
    package var keyChanges = KeyChanges.none
    /// The theme that is kept, when no other is being tried.
    package var theme = "default"
    /// Every theme that can be chosen.
    package var themes = ["default"]
    package var settings: [SettingLine] = []
    /// Whether clicks and the wheel are ours; otherwise the terminal's own selection works.
    package var mouse = false
    /// How often and how lately each account was used before.
    package var uses = AccountUses()
    /// How commands are given.
    package var naming = CommandNaming.keys

    package internal(set) var now = Date.distantPast
    /// What texts call commands.
    var commandNames = CommandNames()
    package internal(set) var store = LoadState.loading
    package internal(set) var accounts = AccountList.empty
    /// What was asked for in this session.
    package internal(set) var activity = ActivityLog()
    /// The names of the commands that were run from the palette, the latest last.
    package internal(set) var commandHistory: [String] = []
    /// How much the face shows of the list on top.
    package internal(set) var list = Face.ListExtent(rows: 1, showsText: false)
    /// For the request that an update begins.
    package internal(set) var nextRequest = RequestID(1)

    package init() {}

    /// Seconds for which a token stays on the clipboard.
    package static let clipboardLife = 60

    package var clock: Clock { Clock(now: now, secondsFromGMT: secondsFromGMT) }

    package func client(_ nameOrID: String) -> ConfiguredClient? {
        clients.first { $0.clientID == nameOrID } ?? clients.first { $0.name == nameOrID }
    }

    package var defaultClientID: String? {
        defaultClient.flatMap(client)?.clientID ?? defaultClient ?? (clients.count == 1 ? clients[0].clientID : nil)
    }

    /// The settings' name, else the well-known one, else the identifier cut short.
    package func clientName(_ id: String) -> String { knownClient(id) ?? shortened(id) }

    package func overview(of id: AccountOverview.ID) -> AccountOverview? { accounts.accounts.first { $0.id == id } }
    func name(of id: AccountOverview.ID) -> String { overview(of: id)?.account.label ?? "an account that is gone" }
}
