import Broker
import CommandSupport
import Console
import Glibc
import Identity
import SilentFirst
import TokenCache
import TokenCalls

/// The broker's process, which D-Bus starts on demand.
enum BrokerProcess {
    /// Exits after this long without a call: it holds no state and is restarted on demand.
    static let idleTime: Duration = .seconds(600)

    /// - Throws: `configuration` if there is no D-Bus session, or another broker is running.
    static func serve(_ environment: ProcessEnvironment, idleTime: Duration) async throws(Failure) {
        // Keeps no file system busy.
        _ = chdir("/")
        let signIn = BrokerSignIn(environment: environment)
        let calls = BrokerCalls(
            environment, agent: { () throws(Failure) in try agent(environment) },
            signIn: { request, caller in await signIn.run(request, caller) })
        let server = try BrokerServer(environment, calls: calls, log: BrokerLog(environment), idleTime: idleTime)
        let watch = Interrupt.watch { _ in server.stop() }
        defer { watch.cancel() }
        try await BlockingExecutor.run { () throws(Failure) in try server.serve() }
        ProcessEnd.refreshes.refuseMore()
        await ProcessEnd.refreshes.stored()
    }

    /// The agent, started if needed: its lock and permissions also apply to the broker's callers.
    static func agent(_ environment: ProcessEnvironment) throws(Failure) -> AgentConnection {
        if let agent = try AgentCommand.connection(environment) { return agent }
        try AgentStart(environment: environment).run()
        return try AgentCommand.running(environment)
    }
}
