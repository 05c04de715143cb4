import AppModel
import CommandSupport
import Console
import Glibc
import Identity
import SilentFirst
import StrictJSON
import Synchronization
import TokenCache

/// A sign-in without a terminal: in the browser where there is a display, else by a device code. It stands among what
/// waits for the person at the agent, where they see what to do, and can refuse it.
final class ShownSignIn: Sendable {
    private struct State {
        var agent: AgentConnection?
        var hasEnded = false
        var refusal: (@Sendable () -> Void)?
    }

    private let environment: ProcessEnvironment
    private let client: String
    private let account: String
    /// Who asks, in words.
    private let asker: String
    private let pid: pid_t
    private let log: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - account: empty where nobody is named.
    ///   - pid: the process that it is for.
    ///   - log: is told each thing that the person is to do, as one line.
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

    /// - Parameters:
    ///   - patience: how long a browser is waited for.
    ///   - body: the sign-in.
    /// - Throws: what the sign-in ends with; `cancelled` where the person has refused it.
    func run(patience: Duration, _ body: @escaping CommandLineSignIn.AcquireToken) async throws(Failure)
        -> AcquiredToken
    {
        let browser = Browser(environment, command: nil)
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
        case .browser: show("waits for you in the browser")
        case .browserUnavailable(let why): log("no browser opened: \(SafeText.line(why))")
        case .step, .method, .poll, .strayRequest, .strayAnswer, .pastedTextRefused, .userAgent, .redirectReceived,
            .completed, .failed:
            break
        }
    }

    /// Puts it among what waits for the person, in the place of what stood there.
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
