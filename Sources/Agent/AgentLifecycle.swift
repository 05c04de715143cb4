import CommandSupport
import Glibc
import Identity
import Logging
import SilentFirst
import Synchronization
import TokenCalls

/// Ends the agent when it cannot be reached or was upgraded, and locks it and closes connections after idle times.
final class AgentLifecycle: Sendable {
    /// Between checks whether an upgraded agent can be replaced.
    private static let interval: Duration = .milliseconds(200)
    /// An upgraded agent ends after the running requests, unless one of them has lasted this long: it may wait for a
    /// person.
    private static let longRequest: Duration = .seconds(2)
    /// Then it is not waited for either.
    private static let longestDelay: Duration = .seconds(600)
    /// Bytes; a larger log file is emptied.
    private static let longestLog: off_t = 4_194_304

    private let socket: AgentSocket
    private let logger: Logger
    private let replacing = Mutex(false)
    private let pause = InterruptibleSleep()

    init(_ socket: AgentSocket, _ logger: Logger) { (self.socket, self.logger) = (socket, logger) }

    var isReplacing: Bool { replacing.withLock { $0 } }

    static func boundLog() {
        var info = stat()
        guard fstat(STDERR_FILENO, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_size > longestLog else {
            return
        }
        ftruncate(STDERR_FILENO, 0)
    }

    /// Returns when cancelled, or after `stop` or `handOver`.
    func run(
        _ handler: RequestHandler, _ connections: Connections, stop: @Sendable () -> Void,
        handOver: @Sendable () async -> Void
    ) async {
        let events = SystemEvents(clock: true)
        for path in [socket.place.path, ProgramFile.path, handler.settingsPath].compactMap(\.self) {
            events.watch(path)
        }
        await withDiscardingTaskGroup { tasks in
            tasks.addTask { [pause] in for await _ in events.changes { await pause.end() } }
            defer { events.end() }
            var replacedSince: ContinuousClock.Instant?
            while !Task.isCancelled {
                guard socket.isReachable else {
                    logger.notice("\(socket.place.path) was removed: the agent is unreachable")
                    return stop()
                }
                let isReplaced = ProgramFile.isReplaced
                let now = ContinuousClock.now
                if isReplaced {
                    let since = replacedSince ?? now
                    replacedSince = since
                    // A question waits for a person, however young it is.
                    let hasQuestions = await !handler.questions.isEmpty
                    let isReady =
                        !hasQuestions && connections.longestRequest(at: now) < Self.longRequest
                        && ProcessEnd.refreshes.isEmpty
                    if isReady || now - since > Self.longestDelay {
                        logger.notice("foyer was upgraded")
                        replacing.withLock { $0 = true }
                        return await handOver()
                    }
                }
                let times = [
                    await handler.calls.applications.closeIdle(), await handler.lockIfIdle(),
                    isReplaced ? Self.interval : nil, events.longestPause,
                ]
                await pause.sleep(for: times.compactMap(\.self).min())
            }
        }
    }
}
