import CommandSupport
import Glibc
import Identity
import Logging
import SilentFirst
import Synchronization

/// Looks now and then whether the agent is still what it should be: reachable, and the program that is installed.
final class Watch: Sendable {
    private static let interval: Duration = .seconds(5)
    /// Bytes; a log in a file that is larger begins anew.
    private static let longestLog: off_t = 4_194_304

    private let socket: AgentSocket
    private let logger: Logger
    private let replacing = Mutex(false)

    init(_ socket: AgentSocket, _ logger: Logger) { (self.socket, self.logger) = (socket, logger) }

    /// Whether a newer program is to go on.
    var isReplacing: Bool { replacing.withLock { $0 } }

    private static func boundLog() {
        var info = stat()
        guard fstat(STDERR_FILENO, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_size > longestLog else {
            return
        }
        ftruncate(STDERR_FILENO, 0)
    }

    /// - Parameter stop: begins the end of the agent.
    func run(_ handler: RequestHandler, _ connections: Connections, stop: @Sendable () -> Void) async {
        while (try? await Task.sleep(for: Self.interval, clock: .continuous)) != nil {
            await handler.calls.applications.closeIdle()
            await handler.lockIfIdle()
            Self.boundLog()
            guard socket.isReachable else {
                logger.notice("\(socket.place.path) is gone: nobody can reach this agent")
                return stop()
            }
            if ProgramFile.isReplaced, connections.isIdle, ProcessEnd.refreshes.isEmpty {
                logger.notice("the program was replaced")
                replacing.withLock { $0 = true }
                return stop()
            }
        }
    }
}
