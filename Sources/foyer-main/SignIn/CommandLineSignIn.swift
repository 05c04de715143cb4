import AppModel
import CommandSupport
import Console
import FoundationEssentials
import Glibc
import Identity
import SilentCore
import SilentFirst
import StrictJSON
import Synchronization
import Terminal
import TokenCache
import TokenCalls

/// One interactive sign-in: prints instructions on standard error, reads pasted text, and ends on Ctrl-C.
struct CommandLineSignIn: Sendable {
    private let session: CommandContext
    private let client: ClientChoice
    private let options: TokenOptions
    private let parties: SignInParties
    private let line: StatusLine?

    /// - Parameters:
    ///   - request: with the account that must sign in, if it is determined.
    ///   - configured: the client's authority.
    init(
        _ session: CommandContext, _ client: ClientChoice, _ options: TokenOptions, _ request: TokenRequest,
        at configured: Authority
    ) {
        (self.session, self.client, self.options, line) = (session, client, options, StatusLine(session))
        parties = SignInParties(request, client: client.name, configured: configured)
    }

    init(_ call: TokenCall) {
        var request = call.request
        request.account = call.meantAccount
        self.init(call.context, call.client, call.options, request, at: call.cached.configuration.authority)
    }

    typealias AcquireToken =
        @Sendable (UserAgents, @escaping @Sendable (SignInEvent) -> Void) async -> Result<AcquiredToken, Failure>

    /// - Parameter diesOfSignal: whether a received signal ends the process even if the acquisition succeeded.
    func run(diesOfSignal: Bool = false, _ acquisition: @escaping AcquireToken) async throws(Failure) -> AcquiredToken {
        line?.show(after: 1, counting: "contacting the provider of \(client.name)")
        let task = Task(executorPreference: BlockingExecutor.shared) { await acquisition(userAgents()) { tell($0) } }
        let received = Mutex<Int32?>(nil)
        let interrupt = Interrupt.watch { number in
            received.withLock { $0 = number }
            task.cancel()
            if !ProcessEnd.refreshes.isEmpty { ProcessEnd.sayWaiting() }
        }
        defer {
            line?.stop()
            interrupt.cancel()
            TerminalEcho.on()
        }
        let token = try await task.value.get()
        if diesOfSignal, let number = received.withLock({ $0 }) { Interrupt.end(by: number) }
        return token
    }

    private func userAgents() -> UserAgents {
        let browser = Browser(environment: session.environment, command: options.browser)
        var agents = UserAgents(
            automatic: { browser.automaticMethod() },
            openBrowser: { address throws(BrowserProblem) in try await browser.open(address) },
            openPrivateWindow: { address throws(BrowserProblem) in try await browser.openPrivately(address) },
            openTextBrowser: { address throws(BrowserProblem) in try await browser.openInTerminal(address) })
        agents.patience = session.patience
        let questions = TerminalQuestion(output: session.output, input: PlainInput())
        agents.answer = { [line] question in
            line?.stop()
            return await questions.ask(question)
        }
        if (options.via ?? client.behaviour.via) == .native { return agents }
        if options.paste || (session.environment.isOverSSH && isatty(STDIN_FILENO) == 1) {
            agents.pastedLines = { PastedInput.lines() }
        }
        return agents
    }

    private func tell(_ event: SignInEvent) {
        if session.output.json { tellJSON(event) } else { tellWords(event) }
    }

    private func tellWords(_ event: SignInEvent) {
        let output = session.output
        line?.aside()
        switch event {
        case .step(let step): output.step(step)
        case .method(let method, let reason):
            // From here on the terminal is the user's: a question or a text browser may follow.
            line?.stop()
            if output.verbose { output.note("foyer: \(method.rawValue): \(reason)") }
        case .deviceCode(let prompt): tell(prompt)
        case .poll(let poll):
            switch poll.answer {
            case .pending: break
            case .slowDown:
                if output.verbose {
                    output.note("foyer: the provider asked to slow down; polling every \(poll.interval) s")
                }
            case .unreachable: output.note("foyer: cannot reach the provider; retrying in \(poll.interval) s")
            }
        case .browser(let prompt):
            line?.stop()
            output.note("Signing in \(parties.words) in the browser. If none opens, open this URL:")
            output.note(prompt.authorizationURL.text)
            if options.paste || session.environment.isOverSSH {
                output.note(
                    "If the page cannot reach this machine, paste its final URL (or the code) here; it is not shown.")
            }
        case .browserUnavailable where options.browser == "none": break
        case .browserUnavailable(let why): output.note("foyer: cannot open a browser: \(why)")
        case .strayRequest(let what):
            if output.verbose { output.note("foyer: ignored on the loopback address: \(what)") }
        case .strayAnswer(let what):
            output.note("foyer: ignored \(what); still waiting for the newest sign-in page")
        case .pastedTextRefused(let why):
            output.note("foyer: the pasted text is not the response (\(why)); paste the whole URL or the code")
        case .userAgent(let agent): if output.verbose { output.note("foyer: browser: \(agent.words)") }
        case .redirectReceived, .completed, .failed: line?.stop()
        }
    }

    /// Prints the URL and the code, with a QR code if it fits or is requested, then a line with the time left.
    private func tell(_ prompt: DeviceCodePrompt) {
        let output = session.output
        let screen = session.messageScreen
        output.note("To sign in \(parties.words), open \(prompt.verificationURI) on any device and enter this code:")
        output.note("")
        Output.write("    " + screen.colors.painted(SafeText.line(prompt.userCode), .code) + "\n", to: STDERR_FILENO)
        output.note("")
        if let complete = prompt.verificationURIComplete {
            output.note("Or open \(complete) and compare the code.")
        }
        let picture = QRPicture(prompt.verificationURIComplete ?? prompt.verificationURI, screen, isWanted: options.qr)
        if let picture { Output.write(picture.text, to: STDERR_FILENO) }
        let end = prompt.expiresAt
        let left = Clock(now: Date(), secondsFromGMT: 0).countdown(to: end)
        output.note("Enter it only if you started this sign-in. It expires in \(left).")
        line?.show { now in
            "waiting for you, the code expires in \(Clock(now: now, secondsFromGMT: 0).countdown(to: end))"
        }
    }

    private func tellJSON(_ event: SignInEvent) {
        let output = session.output
        switch event {
        case .step(let step):
            output.event(
                "step",
                [
                    ("step", step.name.rawValue.json), ("outcome", step.outcome.rawValue.json),
                    ("detail", step.detail.json),
                ])
        case .deviceCode(let prompt):
            var members = [("userCode", prompt.userCode.json), ("verificationUri", prompt.verificationURI.text.json)]
            if let complete = prompt.verificationURIComplete {
                members.append(("verificationUriComplete", complete.text.json))
            }
            members += [("expiresAt", prompt.expiresAt.rfc3339.json), ("interval", .init(integer: prompt.interval))]
            output.event("deviceCode", members + parties.members)
        case .browser(let prompt):
            output.event(
                "browser",
                [
                    ("authorizationUrl", prompt.authorizationURL.text.json), ("redirectUri", prompt.redirectURI.json),
                    ("expiresAt", prompt.expiresAt.rfc3339.json),
                ] + parties.members)
        case .redirectReceived: output.event("redirectReceived")
        case .completed: output.event("completed")
        case .failed(let failure): output.event("failed", [("code", failure.code.rawValue.json)])
        case .userAgent(let agent):
            output.event("userAgent", [("state", agent.told.state.json), ("detail", agent.words.json)])
        case .strayAnswer(let what): output.event("strayAnswer", [("detail", what.json)])
        case .pastedTextRefused(let why): output.event("pastedTextRefused", [("detail", why.json)])
        case .method, .poll, .browserUnavailable, .strayRequest: break
        }
    }
}

extension SignInParties {
    fileprivate var members: [(String, JSONValue)] {
        [
            ("account", person.json), ("client", client.json), ("authority", authority.address.text.json),
            ("tenant", tenant.json),
        ]
    }
}

extension UserAgentEvent {
    var words: String { told.words }

    fileprivate var told: (state: String, words: String) {
        switch self {
        case .started(let method): ("started", "starting (\(method.rawValue): \(method.singleSignOn))")
        case .loaded: ("loaded", "opened the address")
        case .redirected: ("redirected", "came back with a response")
        case .failed(let why): ("failed", why)
        case .completed: ("completed", "done")
        }
    }
}
