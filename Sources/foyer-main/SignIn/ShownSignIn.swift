import AppModel
import CommandSupport
import Console
import Glibc
import Identity
import SilentFirst
import StrictJSON
import Synchronization
import TokenCache

/// A sign-in without a terminal: in the browser if there is a display, else by a device code. It is listed in the
/// agent's pending requests, where the user gets instructions and can refuse it.
final class ShownSignIn: Sendable {
    private struct State {
        var agent: AgentConnection?
        var hasEnded = false
        var refusal: (@Sendable () -> Void)?
    }

    private let environment: ProcessEnvironment
    private let client: String
    private let account: String
    private let asker: String
    private let pid: pid_t
    private let log: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - account: empty if unknown.
    ///   - pid: of the requesting process.
    ///   - log: receives each instruction for the user, as one line.
    init(
        _ environment: ProcessEnvironment, client: String, account: String, asker: String, pid: pid_t,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.environment = environment
        self.client = client
        self.account = account
        self.asker = asker
        self.pid = pid
        self.log = log
    }

    /// - Throws: the error of the sign-in; `cancelled` if the user refused it.
    func run(patience: Duration, _ body: @escaping CommandLineSignIn.AcquireToken) async throws(Failure)
        -> AcquiredToken
    {
        let browser = Browser(environment: environment, command: nil)
        var agents = UserAgents(
            automatic: { browser.automaticMethod() },
            openBrowser: { address throws(BrowserProblem) in try await browser.open(address) })
        agents.patience = patience
        let task = Task(executorPreference: BlockingExecutor.shared) { [agents] in
            await body(agents) { self.tell($0) }
        }
        state.withLock { $0.refusal = { task.cancel() } }
        defer { end() }
        return try await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }.get()
    }

    private func tell(_ event: SignInEvent) {
        switch event {
        case .deviceCode(let prompt): show("open \(prompt.verificationURI) and enter \(prompt.userCode)")
        case .browser: show("waiting for you in the browser")
        case .browserUnavailable(let why): log("cannot open a browser: \(SafeText.line(why))")
        case .step, .method, .poll, .strayRequest, .strayAnswer, .pastedTextRefused, .userAgent, .redirectReceived,
            .completed, .failed:
            break
        }
    }

    /// Lists the instruction in the agent's pending requests; it replaces the previous one.
    private func show(_ instruction: String) {
        log(SafeText.line("sign-in to \(client) for \(asker): \(instruction)", limit: 1000))
        let signIn = AgentSignIn(
            client: client, account: account, instruction: SafeText.line(instruction, limit: 500),
            forProcess: pid)
        guard let agent = try? AgentConnection(AgentPlace(environment), patience: .seconds(2)) else { return }
        let earlier = state.withLock { state in
            defer { state.agent = state.hasEnded ? nil : agent }
            return state.agent
        }
        earlier?.hangUp()
        _ = BlockingThread.start { [self] in
            let answer = agent.ask(.signIn(signIn))?["answer"]?.string.flatMap(AgentPermission.init(rawValue:))
            if answer == .refuse || answer == .never { state.withLock { $0.refusal }?() }
        }
    }

    private func end() {
        state.withLock { state in
            state.hasEnded = true
            state.refusal = nil
            state.agent?.hangUp()
            state.agent = nil
        }
    }
}
