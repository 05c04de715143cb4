import Broker
import CommandSupport
import Glibc
import Identity
import SilentCore
import SilentFirst
import StrictJSON
import TokenCache
import TokenCalls

/// A sign-in that a program requests from the broker: in the browser if there is a display, else by a device code,
/// which `foyer agent requests` and the broker's log show. The user can also refuse it there.
struct BrokerSignIn: Sendable {
    let environment: ProcessEnvironment

    func run(_ request: BrokerRequest, _ caller: BrokerCaller) async -> Result<AcquiredToken, Failure> {
        await BlockingExecutor.run {
            await Result.of { () throws(Failure) in try await acquire(request, caller) }
        }
    }

    private func acquire(_ request: BrokerRequest, _ caller: BrokerCaller) async throws(Failure) -> AcquiredToken {
        try checkLock()
        let session = try CommandContext(request.options, environment: environment)
        let client = try session.client()
        let (cache, _) = try session.storeForSigningIn(client)
        let application = try session.application(client, cache: cache.watched)
        var wish = TokenRequest(
            scopes: try session.scopes(client, application.configuration.authority), claims: request.options.claims,
            correlationID: request.correlationID, prompt: request.options.prompt, loginHint: request.username)
        if let home = request.homeAccountID {
            let known = try application.cached.snapshot().accounts(clientID: nil)
            wish.account = known.first { $0.isIdentified(by: home) && $0.issuer == nil }
        }
        let shown = ShownSignIn(
            environment, client: client.name, account: request.username ?? "", asker: caller.words, pid: caller.pid
        ) { Output.write($0 + "\n", to: STDERR_FILENO) }
        return try await shown.run(patience: session.patience) { [wish] userAgents, onEvent in
            await Result.of { () throws(Failure) in
                try await application.acquireToken(wish, userAgents: userAgents, onEvent: onEvent)
            }
        }
    }

    private func checkLock() throws(Failure) {
        let agent = try BrokerProcess.agent(environment)
        guard agent.ask(.status)?["locked"]?.bool == false else {
            throw Failure(.storeError, "the agent is locked", hint: "run \"foyer agent unlock\"")
        }
    }
}
