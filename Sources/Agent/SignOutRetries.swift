import CommandSupport
import FoundationEssentials
import Identity
import Logging
import TokenCalls

/// Tries sign-outs again whose provider could not be reached: after a change of the store or the network, and at
/// growing intervals while one waits. At rest it waits for the kernel alone.
struct SignOutRetries {
    private let environment: ProcessEnvironment
    private let logger: Logger
    private let pause = InterruptibleSleep()
    private static let leastPause = Duration.seconds(2)
    /// Between readings of a store in which nothing waits.
    private static let restPause = Duration.seconds(30)
    private static let intervals: [Duration] = [.seconds(30), .seconds(120), .seconds(600), .seconds(3600)]

    init(_ environment: ProcessEnvironment, _ logger: Logger) {
        (self.environment, self.logger) = (environment, logger)
    }

    /// Returns when cancelled.
    ///
    /// - Parameter isAllowed: whether the store may be used now.
    func run(isAllowed: @escaping @Sendable () async -> Bool) async {
        let outside = SystemEvents(clock: true, network: true)
        defer { outside.end() }
        await withDiscardingTaskGroup { tasks in
            tasks.addTask { for await _ in outside.changes { await pause.end() } }
            var tries = 0
            while !Task.isCancelled {
                var waiting = 0
                if await isAllowed(),
                    let session = try? CommandContext(TokenOptions { $0.neverAsks = true }, environment: environment)
                {
                    let signOuts = UnfinishedSignOuts(session)
                    if let path = signOuts.path { outside.watch(path) }
                    let (finished, left) = await signOuts.finish()
                    if finished > 0 { logger.info("finished \(finished) sign-outs") }
                    waiting = left
                }
                tries = waiting == 0 ? 0 : tries + 1
                let interval = tries == 0 ? nil : Self.intervals[min(tries, Self.intervals.count) - 1]
                await pause.sleep(for: interval.map { $0 * Double.random(in: 0.8...1.2) })
                // A store that changes all the time is not read each time.
                try? await Task.sleep(for: tries == 0 ? Self.restPause : Self.leastPause)
            }
            outside.end()
        }
    }
}
