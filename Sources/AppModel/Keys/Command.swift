/// The command of a key, by its name in the settings. Features with the same command share its name.
package enum Command: String, Sendable {
    case up, down, pageUp, pageDown, halfUp, halfDown, first, last
    case search, searchNext, searchPrevious, keepSearch, clearSearch
    case palette, toggleMouse, help, redraw, suspend, quit
    case activity, doctor, settings, stores, themes, agent, programs, failures
    case undo = "takeBack", undoSetting, lockAgent, endAgent
    case accountsView, tokensView, consentView, storesView, activityView
    case nextItem, previousItem
    case open, back, reload, edit, nextField, previousField, copy, copyMenu, openBrowser, more, choose
    case signIn, deviceCode, details, inspect, scopes, remove, signOut, pasteToken, cycleClient, cycleSorting
    case cycleGrouping, nextNeedingYou, mark, markRange, unmark, filter, keepFilter, clearFilter, complete
    case start, lookUpProvider, knownClients, switchMethod, qrCode, askConsent, paste, renew
    case verify, reveal, copySecret, nextView, previousView, difference, export, copyClaims
    case ask, compare, typeScope, allowWriting, showInPicker
    case moveButton, yes, no, toggleWipe, toggleAccessTokens, toggleLeaked, toggleSession

    /// Movements are keys only and cannot be run by name.
    package var isMovement: Bool { Self.movements.contains(self) }

    private static let movements: Set<Command> = [
        .up, .down, .pageUp, .pageDown, .halfUp, .halfDown, .first, .last, .edit, .moveButton, .nextField,
        .previousField, .previousView, .palette, .searchNext, .searchPrevious, .nextItem, .previousItem, .details,
        .accountsView,
        .tokensView, .consentView, .storesView, .activityView,
    ]

    /// The typed name: `sign-in` for `signIn`.
    package var name: String {
        switch self {
        case .yes: "do-it"
        case .no: "cancel"
        default: rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
        }
    }

    package var aliases: [String] {
        switch self {
        case .quit: ["q", "exit"]
        case .help: ["h", "keys"]
        case .signIn: ["login", "add"]
        case .signOut: ["logout"]
        case .remove: ["rm", "delete", "forget"]
        case .inspect: ["tokens", "jwt"]
        case .scopes: ["consent"]
        case .back: ["close"]
        case .reload: ["refresh", "again"]
        case .activity: ["log", "history"]
        case .doctor: ["check"]
        case .settings: ["config", "set"]
        case .stores: ["caches", "places"]
        case .programs: ["rules", "why"]
        case .undo: ["undo"]
        case .themes: ["colors", "colours"]
        case .toggleMouse: ["mouse"]
        case .copy: ["yank"]
        case .copyMenu: ["report"]
        case .filter, .search: ["find"]
        case .switchMethod: ["via"]
        default: []
        }
    }
}
