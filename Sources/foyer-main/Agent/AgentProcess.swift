import Agent
import CommandSupport
import Console
import Glibc
import Identity
import Logging
import ServiceLifecycle
import UnixSignals

enum AgentProcess {
    static let arguments = ["foyer", "agent", "--foreground"]
    /// For connections, stores and requests to providers.
    private static let descriptors: UInt = 2048
    /// With fewer, a request could stall halfway: the agent itself needs about twenty, connections the rest.
    private static let fewestDescriptors = 64

    /// - Throws: `configuration` if the limit is too low for an agent.
    static func checkDescriptors() throws(Failure) {
        try SystemRequirements.checkDescriptors(fewestDescriptors, raisingTo: descriptors)
    }

    /// - Throws: `configuration` if the socket cannot be created, or another agent has it.
    static func serve(_ environment: ProcessEnvironment) async throws {
        try checkDescriptors()
        // Keeps no file system busy, and a caller's relative path cannot resolve against a folder of ours.
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
        // Waiting connections need no threads.
        try await withTaskExecutorPreference(globalConcurrentExecutor) { try await group.run() }
        if service.end == .replaced { becomeSuccessor(sockets, logger) }
    }

    /// Continues as the newly installed program, with the sockets kept open. Returns on failure; the next caller that
    /// needs an agent then starts one.
    private static func becomeSuccessor(_ sockets: AgentSockets, _ logger: Logger) {
        guard let program = ProgramFile.path, access(program, X_OK) == 0 else { return sockets.remove() }
        sockets.handOver()
        let trouble = ProcessGuard.become(arguments, program: program)
        logger.error("\(program): \(trouble)")
        sockets.remove()
    }
}
