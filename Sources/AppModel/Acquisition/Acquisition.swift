import FoundationEssentials
import Identity
import Keys

/// A silent call for one account, step by step, and what came of it.
package struct Acquisition: Feature {
    enum Phase: Equatable, Sendable {
        case waiting
        case succeeded(TokenSummary)
        case failed(Failure)
    }

    let request: TokenRequest
    let clientID: String
    let id: RequestID
    private(set) var phase = Phase.waiting
    private(set) var steps: [Step] = []
    private let startedAt: Date
    private var endedAt: Date?
    package var scroll = 0

    init(request: TokenRequest, clientID: String, in context: Context) {
        self.request = request
        self.clientID = clientID
        id = context.nextRequest
        startedAt = context.now
    }

    /// What it asks for.
    var effect: Effect { .acquireSilently(request, clientID: clientID, id) }

    package var underWay: RequestID? { phase == .waiting ? id : nil }

    /// What a provider's support asks for after a failure.
    private var correlationID: String? { failure?.correlationID?.uuidString.lowercased() }

    private var failure: Failure? {
        guard case .failed(let failure) = phase else { return nil }
        return failure
    }

    private var needsPerson: Bool { failure?.code == .interactionRequired }

    // MARK: Keys

    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .acquisition, "A token",
                [
                    KeyBinding([.enter], .open, "continue", "close, or sign in where required"),
                    KeyBinding([.character("a")], .signIn, "sign in", "sign in as the provider requires"),
                    KeyBinding([.character("f")], .renew, "new token", "ask the provider for a new access token"),
                    KeyBinding(
                        [.character("c")], .copy, "copy id",
                        "copy the correlation id, for the provider's support"),
                ] + KeyBinding.reading(tools) + KeyBinding.closing + KeyBinding.everywhere)
        ]
    }

    package var keyContext: KeyContext { .acquisition }

    package func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .open, .renew: phase != .waiting
        case .signIn: needsPerson
        case .copy: correlationID != nil
        default: true
        }
    }

    package func label(of command: Command, in context: Context) -> String? {
        switch command {
        case .open: needsPerson ? "sign in" : "done"
        // Enter does the same, and says so.
        case .signIn: ""
        default: nil
        }
    }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .reply(let reply, _):
            receive(reply)
            if phase != .waiting, endedAt == nil { endedAt = context.now }
        case .command(let command, _): return perform(command, in: context)
        default: break
        }
        return []
    }

    package func copyables(in context: Context) -> [Copyable] {
        Copyable.some("correlation id", correlationID)
            + (phase == .waiting ? [] : [report(in: context)])
    }

    private func report(in context: Context) -> Copyable {
        guard let failure else { return .report(of: self, in: context) }
        return FailureReport(
            failure, account: request.account?.label ?? "", clientID: clientID, at: endedAt, steps: steps
        ).copyable(in: context)
    }

    private mutating func receive(_ reply: Reply) {
        switch reply {
        case .step(let step): if steps.count < 200 { steps.append(step) }
        case .acquired(let token):
            phase = .succeeded(TokenSummary(token, asked: request.scopes))
            if steps.isEmpty { steps = token.trail.steps }
        case .failed(let failure):
            phase = .failed(failure)
            if steps.isEmpty { steps = failure.trail.steps }
        default: break
        }
    }

    private func perform(_ command: Command, in context: Context) -> [Action] {
        switch command {
        case .back: return [.close]
        case .open where !needsPerson: return [.close]
        case .open, .signIn:
            return [
                .replace(
                    SignInForm(context, clientID: clientID, request: request, claims: failure?.claims, tried: steps))
            ]
        case .renew:
            var request = request
            request.forceRefresh = true
            let again = Acquisition(request: request, clientID: clientID, in: context)
            return [.replace(again), .perform(again.effect)]
        default: return [.scroll(command)]
        }
    }

    // MARK: What it shows

    package func title(in context: Context) -> String { "A token from \(context.clientName(clientID))" }

    /// From one second on what is waited for, and for how long.
    private func addProgress(in context: Context, to block: inout TextBlock) {
        let cancels = "\(context.name(of: .back, at: keyContext)) cancels"
        let seconds = -context.clock.seconds(until: startedAt)
        guard seconds > 0 else { return block.text("working; \(cancels)", .info) }
        let what = steps.isEmpty ? "reading the store" : "waiting for the provider"
        block.moving { $0.item(.busy(seconds), .info, "\(what), \(Clock.span(seconds)); \(cancels)", .info) }
    }

    package func text(in context: Context) -> TextBlock {
        var block = TextBlock()
        block.text(request.account?.label ?? "", .emphasis)
        // What came of it stands first: on a small screen the steps are what is scrolled to.
        switch phase {
        case .waiting: addProgress(in: context, to: &block)
        case .succeeded(let token):
            block.item(.check, .ok, "token ready", .emphasis)
            block.add(token, in: context)
        case .failed(let failure):
            let name = { (command: Command) in context.name(of: command, at: .acquisition) }
            block.add(
                failure,
                next: [needsPerson ? "\(name(.open)) to sign in" : "\(name(.renew)) to try again"]
                    + context.reportLines(at: .acquisition))
            block.add(tried: steps, failure)
            return block
        }
        block.blank()
        for step in steps { block.add(step) }
        return block
    }
}
