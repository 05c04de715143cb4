import FoundationEssentials
import Identity
import Keys

/// Removes or signs out an account, and shows the result of each of the three parts.
struct Removal: Feature {
    enum Phase: Equatable, Sendable {
        case waiting
        case removed(Int)
        case removedElsewhere(entries: Int, subscriptions: Int)
        case signedOut(SignOutOutcome)
        case failed(Failure)
    }

    let kind: RemovalKind
    let account: Account
    let use: ClientUse
    let choices: RemovalChoices
    let id: RequestID
    let accessTokensExpire: Date?
    /// Another program's store; nil for foyer's own.
    let store: OtherStore?
    private(set) var phase = Phase.waiting
    private(set) var steps: [Step] = []
    /// Cancelled while running: partial results are still to come.
    private(set) var isGivenUp = false
    var scroll = 0

    var effect: Effect {
        store.map { .removeElsewhere(account, $0, id) } ?? kind.effect(account, use, choices, id)
    }

    var underWay: RequestID? { phase == .waiting ? id : nil }

    /// The sign-out page to open manually after it could not be opened.
    var endSessionPage: WebAddress? {
        guard case .signedOut(let outcome) = phase, case .failed = outcome.sessionEnded else { return nil }
        return outcome.endSessionURLWithHint.flatMap { try? WebAddress($0.reveal()) } ?? outcome.endSessionURL
    }

    /// The page that the key opens: the sign-out page, else the one that ends the grant.
    private var pageToOpen: WebAddress? {
        if let endSessionPage { return endSessionPage }
        guard case .signedOut(let outcome) = phase else { return nil }
        return outcome.grantPage
    }

    /// Whether the provider has yet to revoke a token.
    private var isUnfinished: Bool {
        guard case .signedOut(let outcome) = phase else { return false }
        return !outcome.isFinished
    }

    // MARK: Keys

    static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .departure, "Removed or signed out",
                [
                    KeyBinding([.enter], .open, "close", "close"),
                    KeyBinding([.character("r")], .reload, "again", "try an unfinished sign-out again"),
                    KeyBinding([.character("w")], .export, "receipt", "write the receipt to a new file"),
                    KeyBinding([.character("b")], .openBrowser, "browser", "open the page to end the session or grant"),
                ] + KeyBinding.reading(tools) + KeyBinding.closing)
        ]
    }

    var keyContext: KeyContext { .departure }

    func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .open: underWay == nil
        case .reload: isUnfinished
        case .export: false
        case .openBrowser: pageToOpen != nil
        default: true
        }
    }

    mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .command(.openBrowser, _): return pageToOpen.map { [.perform(.openBrowser($0))] } ?? []
        case .command(.reload, _) where isUnfinished:
            var again = choices
            // The page was opened before, if it was wanted.
            again.endsBrowserSession = false
            let removal = Removal(
                kind: kind, account: account, use: use, choices: again, id: context.nextRequest,
                accessTokensExpire: accessTokensExpire, store: store)
            return [.replace(removal), .perform(removal.effect)]
        // The partial result is shown before the page closes.
        case .command(.back, _) where kind == .signOut && underWay != nil && !isGivenUp:
            isGivenUp = true
            return [.perform(.cancel(id))]
        case .command(.back, _), .command(.open, _): return [.close]
        case .command(let command, _): return [.scroll(command)]
        case .reply(let reply, _): receive(reply)
        default: break
        }
        return []
    }

    private mutating func receive(_ reply: Reply) {
        if case .step(let step) = reply, steps.count < 200 { steps.append(step) }
        if let phase = Phase(reply) { self.phase = phase }
    }
}

extension Removal.Phase {
    /// Nil for intermediate replies.
    init?(_ reply: Reply) {
        switch reply {
        case .removed(let count): self = .removed(count)
        case .removedElsewhere(let entries, let subscriptions):
            self = .removedElsewhere(entries: entries, subscriptions: subscriptions)
        case .signedOut(let outcome): self = .signedOut(outcome)
        case .failed(let failure): self = .failed(failure)
        default: return nil
        }
    }

    var isDone: Bool {
        switch self {
        case .waiting, .failed: false
        case .removed, .removedElsewhere: true
        case .signedOut(let outcome): if case .failed = outcome.removed { false } else { outcome.isFinished }
        }
    }
}
