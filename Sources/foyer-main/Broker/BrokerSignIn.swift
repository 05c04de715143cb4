import AppModel
import Broker
import CommandSupport
import Console
import Glibc
import Identity
import SilentFirst
import StrictJSON
import Synchronization
import TokenCache

/// A sign-in that a program asks the broker for: in the browser where there is a display, else by a device code that
/// `foyer agent requests` and the broker's log show. The person can refuse it there as well.
struct BrokerSignIn: Sendable {
    private let environment: ProcessEnvironment

    init(_ environment: ProcessEnvironment) { self.environment = environment }

    func run(_ request: BrokerRequest, _ caller: BrokerCaller) async -> Result<BrokerCalls.SignedIn, Failure> {
        await BlockingExecutor.run {
            await Result.of { () throws(Failure) in try await acquire(request, caller) }
        }
    }

    private func acquire(_ request: BrokerRequest, _ caller: BrokerCaller)
        async throws(Failure) -> BrokerCalls.SignedIn
    {
        try checkLock()
        let options = CommonOptions(
            clientID: request.clientID, authority: request.authority, scopes: request.scopes, neverAsks: true)
        let session = try CommandContext(options, environment: environment)
        let client = try session.client()
        let (cache, _) = try session.storeForSigningIn(client)
        let application = try session.application(client, cache: cache)
        var wish = TokenRequest(
            scopes: session.scopes(client, application.configuration.authority), claims: request.claims,
            correlationID: request.correlationID, prompt: request.prompt, loginHint: request.username)
        if let home = request.homeAccountID {
            let known = try application.snapshot().accounts(clientID: nil)
            wish.account = known.first { $0.homeAccountID == home && $0.issuer == nil }
        }
        let browser = Browser(environment, command: nil)
        var agents = UserAgents(
            automatic: { browser.automaticMethod() },
            openBrowser: { address throws(BrowserProblem) in try await browser.open(address) })
        agents.patience = session.patience
        let shown = ShownSignIn(environment, client: client.name, account: request.username ?? "", caller)
        let task = Task(executorPreference: BlockingExecutor.shared) { [wish, agents] in
            await Result.of { () throws(Failure) in
                try await application.acquireToken(wish, userAgents: agents) { shown.tell($0) }
            }
        }
        shown.onRefusal { task.cancel() }
        defer { shown.end() }
        let token = try await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }.get()
        guard let idToken = try application.idToken(of: token) else {
            throw Failure(.untrustedResponse, "the provider sent no ID token")
        }
        return BrokerCalls.SignedIn(token: token, idToken: idToken)
    }

    private func checkLock() throws(Failure) {
        let agent = try BrokerProcess.agent(environment)
        guard agent.ask(.status)?["locked"]?.bool == false else {
            throw Failure(.storeError, "the agent is locked", hint: "run \"foyer agent unlock\"")
        }
    }
}

/// What the person is told of a sign-in while it is under way, and whether they refuse it.
private final class ShownSignIn: Sendable {
    private struct State {
        var agent: AgentConnection?
        var hasEnded = false
        var refusal: (@Sendable () -> Void)?
    }

    private let environment: ProcessEnvironment
    private let client: String
    private let account: String
    private let caller: BrokerCaller
    private let state = Mutex(State())

    init(_ environment: ProcessEnvironment, client: String, account: String, _ caller: BrokerCaller) {
        self.environment = environment
        self.client = client
        self.account = account
        self.caller = caller
    }

    func onRefusal(_ refusal: @escaping @Sendable () -> Void) { state.withLock { $0.refusal = refusal } }

    func tell(_ event: SignInEvent) {
        switch event {
        case .deviceCode(let prompt): show("open \(prompt.verificationURI) and enter \(prompt.userCode)")
        case .browser: show("waits for you in the browser")
        case .browserUnavailable(let why): Output.write("no browser opened: \(SafeText.line(why))\n", to: STDERR_FILENO)
        case .step, .method, .poll, .strayRequest, .strayAnswer, .pastedTextRefused, .userAgent, .redirectReceived,
            .completed, .failed:
            break
        }
    }

    /// Puts it among what waits for the person, in the place of what stood there.
    private func show(_ instruction: String) {
        let line = SafeText.line("sign-in to \(client) for \(caller.words): \(instruction)", limit: 1000)
        Output.write(line + "\n", to: STDERR_FILENO)
        let signIn = AgentSignIn(
            client: client, account: account, instruction: SafeText.line(instruction, limit: 500),
            forProcess: caller.pid)
        guard let agent = try? BrokerProcess.agent(environment) else { return }
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

    func end() {
        state.withLock { state in
            state.hasEnded = true
            state.refusal = nil
            state.agent?.hangUp()
            state.agent = nil
        }
    }
}
