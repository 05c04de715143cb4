import FoundationEssentials
import Identity
import Terminal

/// A sign-in that is under way, or has just ended: what was tried, what the person has to do now, and what came of it.
struct SignInProgress: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        case waiting
        case succeeded(TokenSummary)
        case failed(Failure)
    }

    /// Nil while it is under way and after a success.
    private(set) var end: SignInEnd?
    let wish: SignInWish
    let flight: FlightID
    private(set) var phase = Phase.waiting
    private(set) var steps: [Step] = []
    private(set) var method: SignInMethod?
    private(set) var reason = ""
    /// Its code is emptied as soon as it is of no more use.
    private(set) var device: DeviceCodePrompt?
    private(set) var poll: DevicePoll?
    private(set) var browser: BrowserPrompt?
    private(set) var browserTrouble: String?
    /// What else knocked on the listener, the latest three, and how often in all.
    private(set) var strayRequests: [String] = []
    private(set) var strays = 0
    /// Why what was pasted last is not the answer.
    fileprivate(set) var pasteTrouble: String?
    /// The last that was heard of the browser.
    private(set) var agent: UserAgentEvent?
    private(set) var redirectReceived = false
    /// What a silent call had tried before a person was asked.
    let tried: [Step]
    /// What the provider asks, in a sign-in without a browser.
    var question: AskedQuestion?
    /// The input for the redirect address or the code.
    var pasted: TextField?
    var scroll = 0

    init(wish: SignInWish, flight: FlightID, tried: [Step] = []) {
        self.wish = wish
        self.tried = tried
        self.flight = flight
    }

    var isWaiting: Bool { phase == .waiting }
    var hasCode: Bool { device.map { !$0.userCode.isEmpty } ?? false }
    var takesPaste: Bool { isWaiting && browser != nil && !redirectReceived }

    /// Where the person has to go: the complete address has the code in it, so it goes when the code goes.
    var address: WebAddress? {
        guard isWaiting else { return nil }
        if let device { return hasCode ? device.verificationURIComplete ?? device.verificationURI : nil }
        return redirectReceived ? nil : browser?.authorizationURL
    }

    var copyable: String? { hasCode ? device?.userCode : address?.text }

    // MARK: What is heard

    mutating func land(_ message: Message) -> [Effect] {
        switch message {
        case .step(let step, _): add(step)
        case .signIn(let event, _): hear(event)
        case .question(let question, _): self.question = AskedQuestion(question)
        case .acquired(let token, _):
            forget()
            phase = .succeeded(TokenSummary(token, asked: wish.request.scopes))
            return [.load]
        case .failed(let failure, _):
            end = SignInEnd(failure, waitedForBrowser: browser != nil && !redirectReceived)
            forget()
            phase = .failed(failure)
        case .key, .resized, .tick, .loaded, .storeFailed, .notice, .removed, .signedOut, .verified, .entry,
            .examination, .flight,
            .settings, .stores, .removedElsewhere:
            break
        }
        return []
    }

    private mutating func hear(_ event: SignInEvent) {
        switch event {
        case .step(let step): add(step)
        case .method(let taken, let reason):
            method = taken
            self.reason = reason
        case .deviceCode(let prompt): device = prompt
        case .poll(let answer): poll = answer
        case .browser(let prompt): browser = prompt
        case .browserUnavailable(let trouble): browserTrouble = trouble
        case .userAgent(let event): agent = event
        case .pastedTextRefused(let why): pasteTrouble = why
        case .strayRequest(let what), .strayAnswer(let what):
            strays += 1
            strayRequests = (strayRequests + [String(what.prefix(200))]).suffix(3)
        case .redirectReceived:
            redirectReceived = true
            pasted = nil
        case .completed, .failed: forget()
        }
    }

    /// A runaway provider must not fill the memory with steps.
    private mutating func add(_ step: Step) {
        if steps.last != step, steps.count < 200 { steps.append(step) }
    }

    private mutating func forget() {
        device?.userCode = ""
        device?.verificationURIComplete = nil
        browser = nil
        pasted = nil
        question = nil
        scroll = 0
    }

    mutating func expireCode(at now: Date) {
        guard let device, device.expiresAt <= now else { return }
        self.device?.userCode = ""
        self.device?.verificationURIComplete = nil
    }

    /// The same wish by the next method.
    var otherMethod: SignInWish {
        var other = again
        switch method ?? wish.request.method {
        case .device: other.request.method = .browser
        case .browser: other.request.method = .text
        case .privateWindow, .native: other.request.method = .browser
        case .text, .automatic: other.request.method = .device
        }
        return other
    }
}

extension State {
    mutating func perform(_ command: Command, _ given: SignInProgress) -> [Effect] {
        if let asked = given.question { return answer(command, asked, given) }
        var progress = given
        switch command {
        case .open where progress.pasted != nil:
            guard let text = progress.pasted?.text, !text.isEmpty else { return [] }
            progress.pasted = nil
            replaceTop(.progress(progress))
            return [.paste(text, progress.flight)]
        case .open: return goOn(progress)
        case .paste:
            progress.pasted = TextField()
            progress.pasteTrouble = nil
        case .back: progress.pasted = nil
        case .copy:
            if let id = progress.correlationID {
                notice = "the correlation identifier was handed to the clipboard"
                return [.copy(id)]
            }
            guard let text = progress.copyable else { return [] }
            notice =
                progress.hasCode ? "the code was handed to the clipboard" : "the address was handed to the clipboard"
            return [.copy(text)]
        case .openBrowser: return progress.address.map { [.openBrowser($0)] } ?? []
        case .switchMethod:
            keepInForm(progress.otherMethod.request.method)
            return (progress.isWaiting ? [.cancel(progress.flight)] : []) + begin(progress.otherMethod, progress)
        case .askConsent: return begin(progress.withConsent, progress)
        default:
            scroll(command)
            return []
        }
        replaceTop(.progress(progress))
        return []
    }

    /// The form below shows what is being tried, should the person go back to it.
    private mutating func keepInForm(_ method: SignInMethod) {
        guard stack.count > 1, case .form(var form) = stack[stack.count - 2] else { return }
        form.take(method)
        stack[stack.count - 2] = .form(form)
    }

    private mutating func begin(_ wish: SignInWish, _ before: SignInProgress) -> [Effect] {
        let flight = newFlight()
        replaceTop(.progress(SignInProgress(wish: wish, flight: flight, tried: before.tried)))
        return [.signIn(wish, flight)]
    }

    private mutating func goOn(_ progress: SignInProgress) -> [Effect] {
        switch progress.phase {
        case .waiting: return []
        case .failed:
            guard let granted = progress.granted else { return begin(progress.again, progress) }
            return goTo(granted.account)
        case .succeeded(let token): return goTo(token.account)
        }
    }

    private mutating func goTo(_ account: Account) -> [Effect] {
        if returnToScopes() { return [] }
        stack.removeAll()
        let id = AccountOverview.ID(account.id)
        if store == .loaded, picker.accounts.contains(where: { $0.id == id }) {
            picker.wanted = id
            picker.showWanted()
            picker.showSelection(rows: listRows)
        } else {
            picker.wanted = id
        }
        return []
    }
}
