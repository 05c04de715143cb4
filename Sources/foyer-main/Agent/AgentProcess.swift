import Agent
import CommandSupport
import Console
import Glibc
import Identity
import Logging
import ServiceLifecycle
import UnixSignals

/// The process of the agent, from its start to its end.
enum AgentProcess {
    /// What the agent's process is started with.
    static let arguments = ["foyer", "agent", "--foreground"]
    /// Connections, stores and requests to providers at once.
    private static let descriptors: UInt = 2048
    /// Below this many it would wait for one in the middle of an answer: some twenty are its own, and the rest is for a
    /// few connections, stores and requests.
    private static let fewestDescriptors = 64

    /// - Throws: `configuration` where an agent could not serve.
    static func checkDescriptors() throws(Failure) {
        try Surroundings.checkDescriptors(fewestDescriptors, raisingTo: descriptors)
    }

    /// Serves until a signal or a client ends it.
    ///
    /// - Throws: `configuration` where there is no place for the socket, or another agent has it.
    static func serve(_ environment: ProcessEnvironment) async throws {
        try checkDescriptors()
        // No file system is kept busy, and no relative path of an asker is meant from here.
        _ = chdir("/")
        let logger = Logger(label: "foyer-agent") { StreamLogHandler.standardError(label: $0) }
        let sockets: AgentSockets
        do { sockets = try AgentSockets.open(environment, logger) } catch is AgentSocket.AlreadyRunning {
            throw Failure(.configuration, "another agent is running", hint: "see it with \"foyer agent status\"")
        }
        let service = AgentService(sockets, logger: logger) { await SignInHere.open($0) }
        var settings = ServiceGroupConfiguration(
            services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint, .sighup, .sigquit], logger: logger)
        settings.maximumGracefulShutdownDuration = nil
        let group = ServiceGroup(configuration: settings)
        // A connection that waits needs no thread.
        try await withTaskExecutorPreference(globalConcurrentExecutor) { try await group.run() }
        if service.end == .replaced { becomeSuccessor(sockets, logger) }
    }

    /// Goes on as the program that was installed meanwhile, with the sockets open all the time. Returns where that
    /// cannot be: then the next caller that needs an agent starts it.
    private static func becomeSuccessor(_ sockets: AgentSockets, _ logger: Logger) {
        guard let program = ProgramFile.path, access(program, X_OK) == 0 else { return sockets.remove() }
        sockets.handOver()
        let trouble = ProcessGuard.become(arguments, program: program)
        logger.error("\(program): \(trouble)")
        sockets.remove()
    }
}
