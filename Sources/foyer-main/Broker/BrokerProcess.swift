import Broker
import CommandSupport
import Console
import Glibc
import Identity
import SilentFirst
import TokenCache

/// The process of the broker, which the session's bus starts when a program asks for one.
enum BrokerProcess {
    /// How long it stays without a call: it keeps nothing, and is started again when it is wanted.
    static let idleTime: Duration = .seconds(600)

    /// Serves until a signal ends it, or nobody asks for long.
    ///
    /// - Throws: `configuration` where there is no bus, or another broker.
    static func serve(_ environment: ProcessEnvironment, idleTime: Duration) async throws(Failure) {
        // No file system is kept busy.
        _ = chdir("/")
        let signIn = BrokerSignIn(environment)
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

    /// The agent, started where none runs: its lock and its permissions hold for the broker's callers, too.
    static func agent(_ environment: ProcessEnvironment) throws(Failure) -> AgentConnection {
        if let agent = try AgentCommand.connection(environment) { return agent }
        try AgentStart(environment).run()
        return try AgentCommand.running(environment)
    }
}
