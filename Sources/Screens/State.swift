package import FoundationEssentials
import Identity
package import Terminal

/// Everything the interface knows: what the store holds, the picker, and the screens that lie on it.
package struct State: Equatable, Sendable {
    package internal(set) var context: Context
    package internal(set) var size: Size
    package internal(set) var now: Date

    /// How far the store has been read.
    enum Store: Equatable, Sendable {
        case loading, loaded
        case failed(message: String, hint: String?)
    }

    var store = Store.loading
    var picker = AccountPicker()
    /// What lies on the picker, the topmost last.
    var stack: [Screen] = []
    /// One line that stays until the next key.
    var notice: String?
    /// The theme that is shown, when no other is being tried.
    var theme: String
    var settings: [SettingLine]
    /// Whether clicks and the wheel are ours; otherwise the terminal's own selection works.
    package internal(set) var mouse: Bool
    var search: TextSearch?
    /// The names of the commands that were run from the palette, the latest last.
    var paletteHistory: [String] = []
    /// What was asked for in this session.
    var activity = Activity()
    /// When the clipboard is cleared of the token that was handed to it last; nil when none is there, as far as is
    /// known here.
    private(set) var clipboardClearsAt: Date?
    private var lastFlight = 0

    /// Ask for ``firstEffects`` right after.
    package init(context: Context, size: Size, now: Date) {
        self.context = context
        theme = context.theme
        settings = context.settings
        mouse = context.mouse
        self.size = size
        self.now = now
        picker.uses = context.uses
        picker.openedAt = now
    }

    package static let firstEffects: [Effect] = [.load]

    /// Whether something counts down or spins, so that a tick is worth drawing.
    package var isMoving: Bool { !stack.isEmpty || !picker.accounts.isEmpty || store == .loading || holdsClipboard }

    /// Whether a token is on the clipboard that has to go before the program does.
    package var holdsClipboard: Bool { clipboardClearsAt != nil }

    /// Seconds for which a token stays on the clipboard.
    static let clipboardLife = 60

    /// What was handed out last is what is on the clipboard. What other programs put there meanwhile is not known: few
    /// terminals let it be read, some ask the person each time, and what came back could be anybody's secret.
    mutating func noteClipboard(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .copySecret: clipboardClearsAt = now.addingTimeInterval(TimeInterval(Self.clipboardLife))
            case .copy, .clearClipboard: clipboardClearsAt = nil
            default: break
            }
        }
    }

    mutating func newFlight() -> FlightID {
        lastFlight += 1
        return FlightID(lastFlight)
    }

    var clock: Clock { Clock(now: now, secondsFromGMT: context.secondsFromGMT) }
    var top: Screen? { stack.last }
    var selectedAccount: AccountOverview? { picker.selectedAccount }
    func overview(of id: AccountOverview.ID) -> AccountOverview? { picker.accounts.first { $0.id == id } }
}

/// A screen on top of the picker. A closed set: a new one cannot be forgotten by update, view or the key tables.
enum Screen: Equatable, Sendable {
    case form(SignInForm)
    case progress(SignInProgress)
    case inspector(TokenInspector)
    case scopes(ScopeConsent)
    case acquisition(Acquisition)
    case dialog(Dialog)
    case departure(Departure)
    case group(GroupDeparture)
    case help(Help)
    case themes(ThemeChooser)
    case doctor(DoctorSheet)
    case activity(ActivityScreen)
    case settings(SettingsSheet)
    case stores(StoresScreen)
    case palette(Palette)

    /// Lies on what is below instead of replacing it.
    var isOverlay: Bool {
        switch self {
        case .form, .progress, .inspector, .scopes, .activity, .stores: false
        case .acquisition, .dialog, .departure, .group, .help, .themes, .doctor, .settings, .palette: true
        }
    }

    /// What this screen waits for.
    var flight: FlightID? {
        switch self {
        case .progress(let screen): screen.isWaiting ? screen.flight : nil
        case .acquisition(let screen): screen.isWaiting ? screen.flight : nil
        case .departure(let screen): screen.isWaiting ? screen.flight : nil
        case .group(let screen): screen.flight
        case .doctor(let screen): screen.isWaiting ? screen.flight : nil
        case .stores(let screen): screen.isWaiting ? screen.flight : nil
        case .form, .inspector, .scopes, .dialog, .help, .themes, .activity, .settings, .palette: nil
        }
    }
}
