/// The command of a key, by its name in the settings. Features with the same command share its name; a feature adds its
/// own commands in its folder.
package struct Command: Hashable, Sendable {
    package let rawValue: String

    package init(_ rawValue: String) { self.rawValue = rawValue }
}

extension Command {
    package static let up = Command("up")
    package static let down = Command("down")
    package static let pageUp = Command("pageUp")
    package static let pageDown = Command("pageDown")
    package static let halfUp = Command("halfUp")
    package static let halfDown = Command("halfDown")
    package static let first = Command("first")
    package static let last = Command("last")

    package static let search = Command("search")
    package static let searchNext = Command("searchNext")
    package static let searchPrevious = Command("searchPrevious")
    package static let keepSearch = Command("keepSearch")
    package static let clearSearch = Command("clearSearch")

    package static let palette = Command("palette")
    package static let toggleMouse = Command("toggleMouse")
    package static let help = Command("help")
    package static let redraw = Command("redraw")
    package static let suspend = Command("suspend")
    package static let quit = Command("quit")

    package static let activity = Command("activity")
    package static let doctor = Command("doctor")
    package static let settings = Command("settings")
    package static let stores = Command("stores")
    package static let themes = Command("themes")
    package static let agent = Command("agent")
    package static let programs = Command("programs")
    package static let undo = Command("takeBack")
    package static let lockAgent = Command("lockAgent")
    package static let endAgent = Command("endAgent")

    package static let accountsView = Command("accountsView")
    package static let tokensView = Command("tokensView")
    package static let consentView = Command("consentView")
    package static let storesView = Command("storesView")
    package static let activityView = Command("activityView")

    package static let nextItem = Command("nextItem")
    package static let previousItem = Command("previousItem")

    package static let open = Command("open")
    package static let back = Command("back")
    package static let reload = Command("reload")
    package static let edit = Command("edit")
    package static let nextField = Command("nextField")
    package static let previousField = Command("previousField")
    package static let copy = Command("copy")
    package static let copyMenu = Command("copyMenu")
    package static let openBrowser = Command("openBrowser")
    package static let more = Command("more")
    package static let choose = Command("choose")

    package static let signIn = Command("signIn")
    package static let deviceCode = Command("deviceCode")
    package static let details = Command("details")
    package static let inspect = Command("inspect")
    package static let scopes = Command("scopes")
    package static let remove = Command("remove")
    package static let signOut = Command("signOut")
    package static let pasteToken = Command("pasteToken")
    package static let cycleClient = Command("cycleClient")
    package static let cycleSorting = Command("cycleSorting")
    package static let cycleGrouping = Command("cycleGrouping")
    package static let mark = Command("mark")
    package static let markRange = Command("markRange")
    package static let unmark = Command("unmark")
    package static let filter = Command("filter")
    package static let keepFilter = Command("keepFilter")
    package static let clearFilter = Command("clearFilter")

    package static let start = Command("start")
    package static let switchMethod = Command("switchMethod")
    package static let qrCode = Command("qrCode")
    package static let askConsent = Command("askConsent")
    package static let paste = Command("paste")
    package static let renew = Command("renew")

    package static let verify = Command("verify")
    package static let reveal = Command("reveal")
    package static let copySecret = Command("copySecret")
    package static let nextView = Command("nextView")
    package static let difference = Command("difference")
    package static let export = Command("export")
    package static let copyClaims = Command("copyClaims")

    package static let ask = Command("ask")
    package static let compare = Command("compare")
    package static let typeScope = Command("typeScope")
    package static let allowWriting = Command("allowWriting")
    package static let showInPicker = Command("showInPicker")

    package static let moveButton = Command("moveButton")
    package static let yes = Command("yes")
    package static let no = Command("no")
    package static let toggleWipe = Command("toggleWipe")
    package static let toggleAccessTokens = Command("toggleAccessTokens")
    package static let toggleSession = Command("toggleSession")
}

extension Command {
    /// Movements are keys only and cannot be run by name.
    package var isMovement: Bool { Self.movements.contains(self) }

    private static let movements: Set<Command> = [
        .up, .down, .pageUp, .pageDown, .halfUp, .halfDown, .first, .last, .edit, .moveButton, .nextField,
        .previousField, .palette,
        .searchNext, .searchPrevious, .nextItem, .previousItem, .details, .accountsView, .tokensView, .consentView,
        .storesView,
        .activityView,
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
