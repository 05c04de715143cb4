// Screens is what a person sees and presses: state, update, view and key tables, all of it pure. It must not do
// anything itself: it asks by an Effect and is told by a Message.

package import Identity
import Terminal

/// What is known when the interface opens and does not change while it is open.
package struct Context: Equatable, Sendable {
    /// A client that a person can choose to sign in with.
    package struct ClientChoice: Equatable, Sendable {
        package var name: String
        package var clientID: String
        /// As written in the settings.
        package var authority: String
        package var scopes: ScopeSet
        package var kind: Authority.Kind?

        package init(
            name: String, clientID: String, authority: String, scopes: ScopeSet = [], kind: Authority.Kind? = nil
        ) {
            self.name = name
            self.clientID = clientID
            self.authority = authority
            self.scopes = scopes
            self.kind = kind
        }
    }

    package var clients: [ClientChoice]
    /// The name or the identifier of the client that is used where an account has it.
    package var defaultClient: String?
    package var storeLabel: String
    /// What must always be seen of the store, such as `plain file`.
    package var storeBadge: String?
    /// Only looking: nothing that writes the store is offered.
    package var isReadOnly: Bool
    package var isDemo: Bool
    /// What `auto` would take, and why.
    package var automaticMethod: SignInMethod
    package var automaticReason: String
    /// Seconds east of Greenwich, for times of day.
    package var secondsFromGMT: Int
    package var keyChanges: KeyChanges
    package var theme: String
    /// Every theme that can be chosen.
    package var themes: [String]
    package var settings: [SettingLine]
    /// Whether the mouse is ours from the start.
    package var mouse: Bool
    /// How often and how lately each account was used before.
    package var uses: AccountUses

    package init(
        clients: [ClientChoice] = [], defaultClient: String? = nil, storeLabel: String = "", storeBadge: String? = nil,
        isReadOnly: Bool = false,
        isDemo: Bool = false, automaticMethod: SignInMethod = .device, automaticReason: String = "",
        secondsFromGMT: Int = 0,
        keyChanges: KeyChanges = .none, theme: String = "default", themes: [String] = Theme.bundledNames,
        settings: [SettingLine] = [],
        mouse: Bool = false, uses: AccountUses = AccountUses()
    ) {
        self.clients = clients
        self.defaultClient = defaultClient
        self.storeLabel = storeLabel
        self.storeBadge = storeBadge
        self.isReadOnly = isReadOnly
        self.isDemo = isDemo
        self.automaticMethod = automaticMethod
        self.automaticReason = automaticReason
        self.secondsFromGMT = secondsFromGMT
        self.keyChanges = keyChanges
        self.theme = theme
        self.themes = themes
        self.settings = settings
        self.mouse = mouse
        self.uses = uses
    }

    func client(_ nameOrID: String) -> ClientChoice? {
        clients.first { $0.clientID == nameOrID } ?? clients.first { $0.name == nameOrID }
    }

    var defaultClientID: String? {
        defaultClient.flatMap(client)?.clientID ?? defaultClient ?? (clients.count == 1 ? clients[0].clientID : nil)
    }

    /// The settings' name, else the well-known one, else the identifier cut short.
    package func clientName(_ id: String) -> String {
        clients.first { $0.clientID == id }?.name ?? Client.wellKnown(id)?.name ?? shortened(id)
    }
}

/// A GUID by its first group; anything else as it is.
func shortened(_ identifier: String) -> String { identifier.isGUID ? String(identifier.prefix(8)) : identifier }

/// The words for a number of things.
func counted(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }
