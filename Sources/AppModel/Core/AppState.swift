package import FoundationEssentials
import Identity
import Keys

/// The state of the interface: the accounts and the features opened on top of them. Messages go in, effects come out.
package struct AppState: Sendable {
    package internal(set) var context: Context
    package internal(set) var home: AccountPicker
    /// Features on top of it, topmost last.
    package internal(set) var stack: [any Feature] = []
    /// The number of features opened so far.
    private(set) var openings = 0
    /// One line, shown until the next key.
    package internal(set) var notice: String? { didSet { isNoticeOfWork = false } }
    /// Whether the notice asks to end a running request first. It disappears when that has ended.
    var isNoticeOfWork = false
    /// Whether the store is being read after a request of this interface.
    private var expectsLoad = false
    private var isStoreLocked = false
    var search: TextSearch?
    /// IDs of the agent's pending requests that the user has been notified of.
    private var told: Set<String> = []
    /// The time when the last copied token is cleared from the clipboard; nil if foyer put none there.
    private(set) var clipboardClearsAt: Date?

    /// Perform ``firstEffects`` right after.
    package init(context: Context, now: Date) {
        var context = context
        context.now = now
        context.commandNames = CommandNames(Registry.keyTables.map(context.keyChanges.applied), context.naming)
        self.context = context
        home = AccountPicker(uses: context.uses, openedAt: now)
    }

    package static let firstEffects: [Effect] = [.load]

    /// The only transition between states.
    ///
    /// - Parameter face: the current face, for scrolling.
    package mutating func update(_ message: Message, on face: Face) -> [Effect] {
        if case .reply(let reply, let request) = message { context.activity.note(reply, of: request) }
        context.list = face.list(top, context)
        var effects = receive(message, face)
        if let search, search.depth > stack.count { self.search = nil }
        context.activity.note(effects, at: context.now)
        if !stack.isEmpty, top is any ActivityViewPage, context.activity.read() {
            effects.append(.keepActivityRead(until: context.activity.readUntil))
        }
        for effect in effects { note(effect) }
        home.hold(in: context)
        for place in stack.indices { stack[place].hold(in: context) }
        if stack.isEmpty { home.fit(face.list(home, context)) }
        return effects
    }

    private mutating func receive(_ message: Message, _ face: Face) -> [Effect] {
        switch message {
        case .key(let key): return handle(key, face)
        case .command(let command):
            notice = nil
            return isOffered(command) ? perform(command, .enter, face) : []
        case .select(let place):
            notice = nil
            return send(.select(place), to: stack.count, face)
        case .fill(let field, let text):
            notice = nil
            return send(.fill(field, text), to: stack.count, face)
        case .resized: return []
        case .tick(let now):
            context.now = now
            let effects = announce(.tick, face)
            guard let end = clipboardClearsAt, end <= now else { return effects }
            notice = "the token was cleared from the clipboard"
            return effects + [.clearClipboard]
        case .loaded(let accounts):
            if context.store == .loaded, !expectsLoad, !isWorking,
                let words = accounts.changes(since: context.accounts)
            {
                notice = words + " by another program"
            }
            expectsLoad = false
            isStoreLocked = false
            context.store = .loaded
            context.accounts = accounts
            return announce(.storeChanged, face)
        case .decided(let request, let statuses): return send(.decided(request, statuses), to: 0, face)
        case .storeFailed(let message, let hint):
            expectsLoad = false
            // Rows of an unreadable store must not be acted on.
            context.store = .failed(message: message, hint: hint)
            context.accounts = .empty
            return announce(.storeChanged, face)
        case .storeLocked(let message, let hint):
            let ended = isStoreLocked ? [] : forgetStore()
            return ended + receive(.storeFailed(message: message, hint: hint), face)
        case .settings(let lines, let client):
            let before = context.settings
            context.settings = lines
            context.defaultClient = client
            return adopted(since: before)
        case .clients(let clients):
            context.clients = clients
            return []
        case .notice(let text):
            notice = text
            return []
        case .settingSaved(let change):
            context.undoableSettings.append(change)
            return []
        case .undoable(let removal):
            context.undoable.append(removal)
            return []
        case .waiting(let questions):
            let isNew = !told.isSuperset(of: questions)
            told = Set(questions)
            // The agent page shows them itself.
            guard isNew, !(top is AgentPage) else { return [] }
            notice =
                "\(counted(questions.count, "pending request")): open \(context.name(of: .agent, at: .picker))"
            return []
        case .programUses(let programs):
            context.activity.note(programs: programs)
            home.note(AccountPrograms(programs))
            return []
        case .agentUses(let uses):
            context.activity.note(agent: uses)
            return []
        case .activityRead(let date):
            context.activity.noteRead(until: min(date, context.now))
            return []
        case .programsChanged: return announce(.programsChanged, face)
        case .reply(let reply, let request): return deliver(reply, of: request, face)
        }
    }

    /// Drops everything that shows or keeps content of the store, and ends the requests for it.
    private mutating func forgetStore() -> [Effect] {
        isStoreLocked = true
        let ended = stack.compactMap(\.underWay).map(Effect.cancel)
        stack = []
        search = nil
        notice = nil
        home = AccountPicker(uses: context.uses, openedAt: context.now)
        context.undoable = []
        context.activity.forgetRequests()
        return ended + [.forgetRemovals] + (holdsClipboard ? [.clearClipboard] : [])
    }

    package var top: any Feature { stack.last ?? home }

    mutating func open(_ feature: any Feature) {
        stack.append(feature)
        openings += 1
    }

    mutating func replace(at place: Int, with feature: any Feature) {
        guard stack.indices.contains(place) else { return }
        stack[place] = feature
        openings += 1
    }

    package var topPage: Page { top.page(in: context) }

    /// Whether something counts down or spins, so a tick is worth drawing.
    package var isMoving: Bool {
        !stack.isEmpty || !context.accounts.accounts.isEmpty || context.store == .loading || holdsClipboard
    }

    /// Whether only the list is open and nothing is running: only a number of seconds changes each second.
    package var isAtRest: Bool { stack.isEmpty && context.store != .loading && !holdsClipboard }

    /// Shows a theme, and handles the mouse, as the settings now say, unless that is how it is.
    private mutating func adopted(since before: [SettingLine]) -> [Effect] {
        func changed(_ name: String) -> String? {
            func value(_ lines: [SettingLine]) -> String? { lines.first { $0.name == name }?.value }
            guard let now = value(context.settings), let then = value(before), now != then else { return nil }
            return now
        }
        var effects: [Effect] = []
        if let theme = changed("theme"), theme != context.theme {
            context.theme = theme
            effects.append(.showTheme(theme))
        }
        if let mouse = changed("mouse"), (mouse == "on") != context.mouse { effects.append(.mouse(mouse == "on")) }
        return effects
    }

    // MARK: What the effects leave behind

    /// Whether a token is on the clipboard that must be cleared before exiting.
    package var holdsClipboard: Bool { clipboardClearsAt != nil }

    private mutating func note(_ effect: Effect) {
        switch effect {
        // The last one copied is the current one, as far as known. Few terminals let programs read the clipboard, some
        // prompt each time, and the content could be another program's secret.
        case .copySecret: clipboardClearsAt = context.now.addingTimeInterval(TimeInterval(Context.clipboardLife))
        case .copy, .clearClipboard: clipboardClearsAt = nil
        case .load: expectsLoad = true
        case .restore(let removal, _): context.undoable.removeAll { $0 == removal }
        case .undoSetting(let change): context.undoableSettings.removeAll { $0 == change }
        case .keepTheme(let name): context.theme = name
        case .mouse(let isOurs): context.mouse = isOurs
        default: break
        }
    }
}
