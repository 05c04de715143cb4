package import FoundationEssentials
import Identity
import Keys

/// Everything the program shows: the accounts, and the features that lie on them. A message goes in, and what is to be
/// done comes out.
package struct AppState: Sendable {
    package internal(set) var context: Context
    /// What lies under everything.
    package internal(set) var home: AccountPicker
    /// What lies on it, the topmost last.
    package internal(set) var stack: [any Feature] = []
    /// One line that stays until the next key.
    package internal(set) var notice: String? { didSet { isNoticeOfWork = false } }
    /// Whether the notice asks to end first what is running: it goes when that has ended.
    var isNoticeOfWork = false
    var search: TextSearch?
    /// The questions at the agent that the person was told of.
    private var told: Set<String> = []
    /// When the clipboard is cleared of the token that was handed to it last; nil when none is there, as far as is
    /// known here.
    private(set) var clipboardClearsAt: Date?

    /// Ask for ``firstEffects`` right after.
    package init(context: Context, now: Date) {
        var context = context
        context.now = now
        context.commandNames = CommandNames(Registry.keyTables.map(context.keyChanges.applied), context.naming)
        self.context = context
        home = AccountPicker(uses: context.uses, openedAt: now)
    }

    package static let firstEffects: [Effect] = [.load]

    /// The only way from one state to the next.
    ///
    /// - Parameter face: what shows the state, for what is scrolled.
    package mutating func update(_ message: Message, on face: Face) -> [Effect] {
        if case .reply(let reply, let request) = message { context.activity.note(reply, of: request) }
        context.list = face.list(top, context)
        let effects = receive(message, face)
        if let search, search.depth > stack.count { self.search = nil }
        context.activity.note(effects, at: context.now)
        for effect in effects { note(effect) }
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
            context.store = .loaded
            context.accounts = accounts
            return announce(.storeChanged, face)
        case .decided(let request, let statuses): return send(.decided(request, statuses), to: 0, face)
        case .storeFailed(let message, let hint):
            // Rows of a store that cannot be read any more must not be acted on.
            context.store = .failed(message: message, hint: hint)
            context.accounts = .empty
            return announce(.storeChanged, face)
        case .settings(let lines, let client):
            context.settings = lines
            context.defaultClient = client
            return []
        case .clients(let clients):
            context.clients = clients
            return []
        case .notice(let text):
            notice = text
            return []
        case .waiting(let questions):
            let isNew = !told.isSuperset(of: questions)
            told = Set(questions)
            // Its own page shows them.
            guard isNew, !(top is AgentPage) else { return [] }
            let verb = questions.count == 1 ? "waits" : "wait"
            let page = context.name(of: .agent, at: .picker)
            notice = "\(counted(questions.count, "program")) \(verb) for you: \(page) answers"
            return []
        case .reply(let reply, let request): return deliver(reply, of: request, face)
        }
    }

    /// What is on top.
    package var top: any Feature { stack.last ?? home }

    /// Whether something counts down or spins, so that a tick is worth drawing.
    package var isMoving: Bool {
        !stack.isEmpty || !context.accounts.accounts.isEmpty || context.store == .loading || holdsClipboard
    }

    /// Whether a question waits for its answer, be it under the help.
    package var isAsking: Bool { stack.contains { $0.confirmation != nil } }

    // MARK: What the effects leave behind

    /// Whether a token is on the clipboard that has to go before the program does.
    package var holdsClipboard: Bool { clipboardClearsAt != nil }

    private mutating func note(_ effect: Effect) {
        switch effect {
        // What was handed out last is what is on the clipboard. What other programs put there meanwhile is not known:
        // few terminals let it be read, some ask the person each time, and what came back could be anybody's secret.
        case .copySecret: clipboardClearsAt = context.now.addingTimeInterval(TimeInterval(Context.clipboardLife))
        case .copy, .clearClipboard: clipboardClearsAt = nil
        case .keepTheme(let name): context.theme = name
        case .mouse(let isOurs): context.mouse = isOurs
        default: break
        }
    }
}
