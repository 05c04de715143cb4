import Explain
import FoundationEssentials
import Identity
import Keys

package struct Acquisition: Feature {
    let request: TokenRequest
    let use: ClientUse
    let id: RequestID
    private(set) var phase = TokenPhase.waiting
    private(set) var steps: [Step] = []
    private let startedAt: Date
    private var endedAt: Date?
    private var menu = ListCursor()
    package var scroll = 0

    init(_ call: PlannedCall, in context: Context) { self.init(request: call.request, call.use, in: context) }

    private init(request: TokenRequest, _ use: ClientUse, in context: Context) {
        self.request = request
        self.use = use
        id = context.nextRequest
        startedAt = context.now
    }

    var effect: Effect { .acquireSilently(request, use, id) }

    package var underWay: RequestID? { phase == .waiting ? id : nil }

    private var failure: Failure? { phase.failure }
    private var needsPerson: Bool { failure?.code == .interactionRequired }

    /// A failure takes the whole screen, for its text and its menu.
    package var hasFailed: Bool { failure != nil }

    /// Ways to fix the failure, most useful first.
    private func remedies(in context: Context) -> [Remedy] {
        guard let failure else { return [] }
        var remedies: [Remedy] = []
        if needsPerson {
            let person = request.account.map { "as \($0.label), " } ?? ""
            remedies = [
                Remedy(
                    .signIn, request.account == nil ? "Sign in" : "Sign in again",
                    person + "by " + context.automaticMethod.words),
                Remedy(.switchMethod, "Sign in another way…", "the form: method, tenant, scopes"),
            ]
        } else {
            remedies = [Remedy(.renew, "Try again", "requests a new token from the provider")]
            if failure.isAboutSurroundings {
                remedies.append(Remedy(.doctor, "Run the doctor", "settings, store, network and clock"))
            }
        }
        if needsPerson, let overview = overview(in: context) {
            let count = overview.lives.count { ClientID.isSame($0.clientID, use.clientID) }
            remedies.append(
                Remedy(.remove, "Remove the account here…", "\(counted(count, "token")), only from foyer's own store"))
        }
        return remedies + [.report]
    }

    private func overview(in context: Context) -> AccountOverview? {
        request.account.flatMap { context.overview(of: AccountOverview.ID($0.id, client: use.name)) }
    }

    // MARK: Keys

    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .acquisition, "A token",
                [
                    KeyBinding([.enter], .open, "continue", "done, or sign in where required"),
                    KeyBinding([.character("a")], .signIn, "sign in", "sign in as the provider requires"),
                    KeyBinding([.character("m")], .switchMethod, "other method", "open the sign-in form"),
                    KeyBinding([.character("f")], .renew, "new token", "ask the provider for a new access token"),
                    KeyBinding([.character("x")], .remove, "remove", "remove the account here; asks first"),
                    .copyID,
                ] + KeyBinding.reading(tools) + KeyBinding.closing)
        ]
    }

    package var keyContext: KeyContext { .acquisition }

    package func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .open, .renew: phase != .waiting
        case .signIn, .switchMethod: needsPerson
        case .remove: needsPerson && overview(in: context) != nil
        case .copy: phase.correlationID != nil
        default: true
        }
    }

    package func label(of command: Command, in context: Context) -> String? {
        switch command {
        case .open: remedy(in: context)?.label ?? (needsPerson ? "sign in" : "done")
        // Initially Enter does the same, and its label says so.
        case .signIn: ""
        // A new token needs a sign-in first.
        case .renew where needsPerson: ""
        // Hidden while Enter does the same.
        case .renew, .switchMethod, .remove: command == remedy(in: context)?.command ? "" : nil
        default: nil
        }
    }

    /// The selected remedy; nil if nothing failed, or if commands are given by name.
    private func remedy(in context: Context) -> Remedy? { context.remedy(of: remedies(in: context), menu) }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .reply(let reply, _):
            receive(reply)
            if phase != .waiting, endedAt == nil { endedAt = context.now }
        case .command(.open, _):
            let remedy = remedy(in: context)?.command
            return perform(remedy ?? (needsPerson ? .signIn : .back), in: context)
        case .command(let command, _): return perform(command, in: context)
        case .select(let place): menu.select(place, count: remedies(in: context).count)
        default: break
        }
        return []
    }

    private func report(in context: Context) -> Copyable {
        guard let failure else { return pageReport(in: context) }
        return FailureReport(
            failure: failure, account: request.account?.label ?? "", clientID: use.clientID, at: endedAt, steps: steps
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
        case .signIn, .switchMethod:
            var form = SignInForm(context, use, request: request, claims: failure?.claims, tried: steps)
            let begun = command == .signIn ? form.start(in: context) : []
            return [.replace(form)] + begun
        case .doctor: return [.openPage(.doctor)]
        case .copyMenu: return report(in: context).actions(in: context)
        case .remove:
            guard let overview = overview(in: context) else { return [] }
            return [.replace(RemovalConfirmation(.remove, overview, use, in: context))]
        case .renew:
            var request = request
            request.forceRefresh = true
            let again = Acquisition(request: request, use, in: context)
            return [.replace(again), .perform(again.effect)]
        default: return [hasFailed && context.hasMenus ? .moveEntry(command) : .scroll(command)]
        }
    }

    // MARK: What it shows

    package func page(in context: Context) -> Page {
        let client = use.shownName
        return Page(
            title: "A token from \(client)",
            rule: { PageTitle(crumbs: [request.account?.label, "no token"].compactMap { $0 }, note: client) },
            addText: { addText(in: context, to: &$0) },
            marked: hasFailed
                ? .answer(
                    menu.selected, of: [request.account?.label ?? "", client] + remedies(in: context).map(\.name))
                : nil,
            copyables: {
                phase == .waiting ? [] : [Copyable("correlation id", phase.correlationID), report(in: context)]
            })
    }

    /// A note on access tokens that survive the rejection; empty if there are none.
    private func remainingAccessNote(of failure: Failure, in context: Context) -> String {
        guard needsPerson, failure.oauthError != nil,
            let end = overview(in: context)?.accessTokensExpire(after: context.now, clientID: use.clientID)
        else { return "" }
        return "Issued access tokens may work until \(context.clock.time(end))."
    }

    /// After one second, also what the call waits for and for how long.
    private func addProgress(in context: Context, to block: inout TextBlock) {
        let cancels = "\(context.name(of: .back, at: keyContext)) cancels"
        let seconds = -context.clock.seconds(until: startedAt)
        guard seconds > 0 else { return block.text("working; \(cancels)", .info) }
        let what = steps.isEmpty ? "reading the store" : "waiting for the provider"
        block.moving { $0.item(.busy(seconds), .info, "\(what), \(TimeSpan.words(seconds)); \(cancels)", .info) }
    }

    private func addText(in context: Context, to block: inout TextBlock) {
        // On the full screen it is in the title.
        if !hasFailed || !context.hasMenus { block.text(request.account?.label ?? "", .emphasis) }
        // The result comes first: on a small screen the steps can be scrolled to.
        switch phase {
        case .waiting: addProgress(in: context, to: &block)
        case .succeeded(let token):
            block.item(.check, .ok, "token ready", .emphasis)
            block.add(token, in: context)
        case .failed(let failure):
            block.add(
                failure, remedies(in: context), menu, after: remainingAccessNote(of: failure, in: context), in: context)
            block.add(
                tried: steps, failure, took: endedAt?.timeIntervalSince(startedAt),
                at: endedAt.map(context.clock.full) ?? "")
            return
        }
        block.blank()
        block.add(steps)
    }
}
