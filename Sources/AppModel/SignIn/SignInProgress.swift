import FoundationEssentials
package import Identity
import Keys

/// A running or finished sign-in: its steps, the user's next action, and the result.
package struct SignInProgress: Equatable, Sendable {
    /// Nil while it is running and after a success.
    private(set) var end: SignInEnd?
    package let request: SignInRequest
    let id: RequestID
    package private(set) var phase = TokenPhase.waiting
    private(set) var steps: [Step] = []
    private(set) var method: SignInMethod?
    private(set) var reason = ""
    /// The code is cleared once it is useless.
    package private(set) var device: DeviceCodePrompt?
    private(set) var poll: DevicePoll?
    private(set) var browser: BrowserPrompt?
    private(set) var browserTrouble: String?
    /// Other requests to the listener: the latest three, and the total number.
    private(set) var strayRequests: [String] = []
    private(set) var strays = 0
    /// Why the last pasted text is not the response.
    private(set) var pasteTrouble: String?
    private(set) var agent: UserAgentEvent?
    private(set) var redirectReceived = false
    /// The steps of the silent call before.
    let tried: [Step]
    package internal(set) var question: PendingQuestion?
    var pasting: TextPrompt?
    var endedAt: Date?
    private(set) var menu = ListCursor()
    package var scroll = 0
    package internal(set) var showsQRCode = false

    init(_ request: SignInRequest, tried: [Step] = [], in context: Context) {
        self.request = request
        self.tried = tried
        id = context.nextRequest
    }

    var effect: Effect { .signIn(request, id) }

    var isWaiting: Bool { phase == .waiting }
    package var hasCode: Bool { device.map { !$0.userCode.isEmpty } ?? false }
    var takesPaste: Bool { isWaiting && browser != nil && !redirectReceived }

    /// The URL for the user to open. It may contain the code, so it is cleared together with the code.
    package var address: WebAddress? {
        guard isWaiting else { return nil }
        if let device { return hasCode ? device.verificationURIComplete ?? device.verificationURI : nil }
        return redirectReceived ? nil : browser?.authorizationURL
    }

    var copyable: String? { hasCode ? device?.userCode : address?.text }

    // MARK: Replies

    mutating func receive(_ reply: Reply) {
        switch reply {
        case .step(let step): add(step)
        case .signIn(let event): receive(event)
        case .question(let question): self.question = PendingQuestion(question)
        case .acquired(let token):
            forget()
            phase = .succeeded(TokenSummary(token, asked: request.request.scopes))
        case .failed(let failure):
            end = SignInEnd(failure, waitedForBrowser: browser != nil && !redirectReceived)
            forget()
            phase = .failed(failure)
        default: break
        }
    }

    private mutating func receive(_ event: SignInEvent) {
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
            pasting = nil
        case .completed, .failed: forget()
        }
    }

    /// Limits memory use by a misbehaving provider.
    private mutating func add(_ step: Step) {
        if steps.last != step, steps.count < 200 { steps.append(step) }
    }

    private mutating func forget() {
        showsQRCode = false
        device?.userCode = ""
        device?.verificationURIComplete = nil
        browser = nil
        pasting = nil
        question = nil
        scroll = 0
    }

    mutating func expireCode(at now: Date) {
        guard let device, device.expiresAt <= now else { return }
        self.device?.userCode = ""
        self.device?.verificationURIComplete = nil
    }

    var otherMethod: SignInRequest {
        var other = again
        switch method ?? request.request.method {
        case .device: other.request.method = .browser
        case .browser: other.request.method = .text
        case .privateWindow, .native: other.request.method = .browser
        case .text, .automatic: other.request.method = .device
        }
        return other
    }

    // MARK: What can be done next

    /// The tokens if only some scopes were granted.
    var granted: AcquiredToken? {
        phase.failure?.code == .declinedScopes ? phase.failure?.result : nil
    }

    /// The request to retry, with a claims challenge received in the meantime.
    var again: SignInRequest {
        var again = request
        if let claims = phase.failure?.claims { again.request.claims = claims }
        return again
    }

    var withConsent: SignInRequest {
        var request = again
        request.request.prompt = .consent
        return request
    }

    // MARK: What is typed

    mutating func startPasting() {
        pasting = TextPrompt("paste:", hint: "the browser's final address, or the code", isCredential: true)
        pasteTrouble = nil
    }

    mutating func type(_ key: Key) {
        pasting?.field.handle(key)
        question?.handle(key)
    }

    mutating func choose(_ place: Int) {
        if question == nil { menu.select(place, count: remedies.count) } else { question?.select(place) }
    }

    /// Remedies after a failure; otherwise empty.
    var remedies: [Remedy] {
        end?.remedies(method: method ?? request.request.method, other: otherMethod.request.method) ?? []
    }
}
