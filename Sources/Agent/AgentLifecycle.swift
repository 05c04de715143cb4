import CommandSupport
import Glibc
import Identity
import Logging
import SilentFirst
import Synchronization
import TokenCalls

final class AgentLifecycle: Sendable {
    private static let interval: Duration = .seconds(5)
    /// Bytes; a larger log file is emptied.
    private static let longestLog: off_t = 4_194_304

    private let socket: AgentSocket
    private let logger: Logger
    private let replacing = Mutex(false)

    init(_ socket: AgentSocket, _ logger: Logger) { (self.socket, self.logger) = (socket, logger) }

    var isReplacing: Bool { replacing.withLock { $0 } }

    private static func boundLog() {
        var info = stat()
        guard fstat(STDERR_FILENO, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_size > longestLog else {
            return
        }
        ftruncate(STDERR_FILENO, 0)
    }

    func run(_ handler: RequestHandler, _ connections: Connections, stop: @Sendable () -> Void) async {
        while (try? await Task.sleep(for: Self.interval, clock: .continuous)) != nil {
            await handler.calls.applications.closeIdle()
            await handler.lockIfIdle()
            Self.boundLog()
            guard socket.isReachable else {
                logger.notice("\(socket.place.path) was removed: the agent is unreachable")
                return stop()
            }
            if ProgramFile.isReplaced, connections.isIdle, ProcessEnd.refreshes.isEmpty {
                logger.notice("foyer was upgraded")
                replacing.withLock { $0 = true }
                return stop()
            }
        }
    }
}
