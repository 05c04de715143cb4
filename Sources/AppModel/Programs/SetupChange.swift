import Identity
import Keys

/// Sets a program up or undoes that: shows the exact change, asks, and reports the result.
struct SetupChange: Feature {
    enum Stage: Equatable, Sendable {
        case looking
        case asking(SetupPreview)
        case idle(SetupPreview)
        case working
        case over(SetupResult)
        case failed(Failure)
    }

    let program: ProgramConnection
    let direction: SetupDirection
    private(set) var stage = Stage.looking
    private var question: Confirmation
    private var request: RequestID
    var scroll = 0

    init(_ program: ProgramConnection, _ direction: SetupDirection, in context: Context) {
        self.program = program
        self.direction = direction
        request = context.nextRequest
        question = Confirmation(direction.verb)
    }

    var look: Effect { .planSetup(program.name, direction, request) }

    // MARK: Keys

    var keyContext: KeyContext { confirmation == nil ? .departure : .dialog }
    var confirmation: Confirmation? { if case .asking = stage { question } else { nil } }
    var underWay: RequestID? { stage == .looking ? request : nil }
    func awaits(_ other: RequestID) -> Bool { other == request }

    func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .openBrowser, .reload, .export, .toggleWipe, .toggleAccessTokens, .toggleLeaked, .toggleSession,
            .cycleClient:
            false
        case .open: stage != .looking && stage != .working
        // It takes a moment and cannot be interrupted.
        case .back: stage != .working
        default: true
        }
    }

    mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .reply(let reply, _): receive(reply)
        case _ where confirmation != nil: answer(event, in: context)
        case .command(.open, _), .command(.back, _): [.close]
        case .command(let command, _): [.scroll(command)]
        default: []
        }
    }

    private mutating func answer(_ event: Event, in context: Context) -> [Action] {
        switch question.answer(to: event) {
        case .cancelled: return [.close]
        case .confirmed:
            let shown = request
            (request, stage, scroll) = (context.nextRequest, .working, 0)
            return [.perform(.carryOutSetup(shown: shown, request))]
        case .other(let command): return [.scroll(command)]
        case nil: return []
        }
    }

    private mutating func receive(_ reply: Reply) -> [Action] {
        switch reply {
        case .setupPreview(let preview) where stage == .looking:
            stage = preview.isOffered ? .asking(preview) : .idle(preview)
            return []
        case .setupResult(let result) where stage == .working:
            stage = .over(result)
            return [.announce(.programsChanged)]
        case .failed(let failure):
            stage = .failed(failure)
            return [.announce(.programsChanged)]
        default: return []
        }
    }
}
