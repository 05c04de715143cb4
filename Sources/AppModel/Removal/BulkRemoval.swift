import FoundationEssentials
import Identity
import Keys

/// Removes or signs out several accounts: one question with every name, one account after the other, one receipt.
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
    /// Asks for the word that confirms the removal of many.
    private(set) var prompt: TextPrompt?
    private(set) var began: Date?
    /// Whether the rest is left as it is once the running one has ended.
    private(set) var isStopping = false
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
    /// The number of those that have ended, with any result.
    var ended: Int { targets.count { $0.phase != .waiting } }
    /// The one whose turn it is.
    var current: Int? { stage == .working ? targets.firstIndex { $0.phase == .waiting } : nil }
    /// The word to type.
    var word: String { kind == .signOut ? BulkConfirmation.signOut : "remove" }

    // MARK: Keys

    var keyContext: KeyContext { prompt != nil ? .line : stage == .asking ? .dialog : .departure }

    func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .open where prompt == nil: stage != .working
        case .toggleAccessTokens, .toggleSession: kind == .signOut
        case .reload: stage == .over && done < targets.count
        case .export: stage == .over && kind == .signOut
        case .cycleClient, .openBrowser, .toggleLeaked: false
        default: true
        }
    }

    mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .reply(let reply, _): return receive(reply, in: context)
        case _ where prompt != nil: return type(event, in: context)
        case _ where stage == .asking: return answer(event, in: context)
        case .command(.back, _) where stage == .working: return stop()
        case .command(.reload, _) where stage == .over: return tryAgain(in: context)
        case .command(.export, _):
            return [.perform(.export(receipt(in: context).text, toFile: SignOutReceipt.fileName(at: context.now)))]
        case .command(.back, _), .command(.open, _): return [.close]
        case .command(let command, _): return [.scroll(command)]
        default: return []
        }
    }

    private mutating func answer(_ event: Event, in context: Context) -> [Action] {
        switch question.answer(to: event) {
        case .confirmed where targets.count > BulkConfirmation.mostByKey:
            prompt = TextPrompt("type \"\(word)\":", hint: counted(targets.count))
            return []
        case .confirmed: return begin(in: context)
        case .cancelled: return [.close]
        case .other(let command):
            let before = choices
            choices.toggle(command, kind)
            return choices == before ? [.scroll(command)] : []
        case nil: return []
        }
    }

    private mutating func type(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .command(.open, _):
            let isGiven = prompt?.field.text.lowercased() == word
            prompt = nil
            return isGiven ? begin(in: context) : [.notice("nothing was changed: \"\(word)\" was not typed")]
        case .command(.back, _): prompt = nil
        // The word is typed, not pasted.
        case .command(.edit, .paste), .text(.paste): break
        case .command(.edit, let key), .text(let key): prompt?.field.handle(key)
        default: break
        }
        return []
    }

    private mutating func begin(in context: Context) -> [Action] {
        scroll = 0
        began = context.now
        return next(in: context)
    }

    /// First lets the running one end, then cancels it.
    private mutating func stop() -> [Action] {
        guard isStopping else {
            isStopping = true
            return []
        }
        return underWay.map { [.perform(.cancel($0))] } ?? []
    }

    private mutating func tryAgain(in context: Context) -> [Action] {
        for index in targets.indices where !targets[index].phase.isDone { targets[index].phase = .waiting }
        isStopping = false
        // Only revocation is left; a page was opened before, if it was wanted.
        choices.endsBrowserSession = false
        return begin(in: context)
    }

    private mutating func receive(_ reply: Reply, in context: Context) -> [Action] {
        guard let turn = current, let phase = Removal.Phase(reply) else { return [] }
        targets[turn].phase = phase
        let account = AccountOverview.ID(targets[turn].account.id, client: targets[turn].use.name)
        return (phase.isDone ? [.announce(.removed(account))] : []) + next(in: context)
    }

    /// Starts the next account. One at a time, so the rest can be left unchanged and no provider gets many requests at
    /// the same time.
    private mutating func next(in context: Context) -> [Action] {
        guard !isStopping, let turn = targets.firstIndex(where: { $0.phase == .waiting }) else {
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
