import FoundationEssentials
import Identity
import Keys

/// Removes several accounts: one question with every name, one account after the other, one result.
struct BulkRemoval: Feature {
    enum Stage: Equatable, Sendable { case asking, working, over }

    struct Target: Equatable, Sendable {
        let account: Account
        let use: ClientUse
        /// When this client's last issued access token expires.
        let accessTokensExpire: Date?
        fileprivate(set) var phase = Removal.Phase.waiting

        init(_ overview: AccountOverview, _ use: ClientUse, in context: Context) {
            account = overview.account
            self.use = use
            accessTokensExpire = overview.accessTokensExpire(after: context.now, clientID: use.clientID)
        }
    }

    let kind: RemovalKind
    private(set) var targets: [Target]
    /// One page per account would fill the browser, so sessions are kept by default.
    private(set) var choices = RemovalChoices(endsBrowserSession: false)
    private(set) var stage = Stage.asking
    private(set) var question: Confirmation
    var scroll = 0
    private(set) var underWay: RequestID?

    /// - Parameter targets: of names of one client, which share their tokens, the first is kept.
    init(_ kind: RemovalKind, _ targets: [Target]) {
        var known: Set<SignIn> = []
        self.kind = kind
        self.targets = targets.filter {
            known.insert(SignIn(account: $0.account.id, clientID: $0.use.clientID)).inserted
        }
        question = Confirmation(kind.verb)
    }

    /// Such as `3 accounts`; if an account has several clients, `3 sign-ins`.
    func counted(_ number: Int) -> String {
        let isEachAnother = Set(targets.map(\.account.id)).count == targets.count
        return AppModel.counted(number, isEachAnother ? "account" : "sign-in")
    }

    var done: Int { targets.count { $0.phase.isDone } }
    private var current: Int? { targets.firstIndex { $0.phase == .waiting } }

    // MARK: Keys

    var keyContext: KeyContext { stage == .asking ? .dialog : .departure }

    func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .open: stage != .working
        case .toggleAccessTokens, .toggleSession: kind == .signOut
        case .cycleClient, .openBrowser, .toggleLeaked: false
        default: true
        }
    }

    mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .reply(let reply, _): return receive(reply, in: context)
        case _ where stage == .asking: return answer(event, in: context)
        case .command(.back, _), .command(.open, _): return [.close]
        case .command(let command, _): return [.scroll(command)]
        default: return []
        }
    }

    private mutating func answer(_ event: Event, in context: Context) -> [Action] {
        switch question.answer(to: event) {
        case .confirmed:
            scroll = 0
            return next(in: context)
        case .cancelled: return [.close]
        case .other(let command):
            let before = choices
            choices.toggle(command, kind)
            return choices == before ? [.scroll(command)] : []
        case nil: return []
        }
    }

    private mutating func receive(_ reply: Reply, in context: Context) -> [Action] {
        guard let turn = current, let phase = Removal.Phase(reply) else { return [] }
        targets[turn].phase = phase
        let account = AccountOverview.ID(targets[turn].account.id, client: targets[turn].use.name)
        return (phase.isDone ? [.announce(.removed(account))] : []) + next(in: context)
    }

    /// Starts the next account. One at a time, so cancelling keeps the rest and no provider gets many requests
    /// at the same time.
    private mutating func next(in context: Context) -> [Action] {
        guard let turn = current else {
            stage = .over
            underWay = nil
            scroll = 0
            return []
        }
        stage = .working
        let id = context.nextRequest
        underWay = id
        let target = targets[turn]
        return [.perform(kind.effect(target.account, target.use, choices, id))]
    }
}
