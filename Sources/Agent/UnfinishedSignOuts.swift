import CommandSupport
import FoundationEssentials
import Identity
import Logging
import TokenCalls

/// Tries sign-outs again whose provider could not be reached: after a change of the store or the network, and at
/// growing intervals while one waits. At rest it waits for the kernel alone.
struct UnfinishedSignOuts {
    private let environment: ProcessEnvironment
    private let logger: Logger
    private let pause = InterruptibleSleep()
    private static let leastPause = Duration.seconds(2)
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
                    if let path = session.pathOfSignOuts { outside.watch(path) }
                    let (finished, left) = await session.finishSignOuts()
                    if finished > 0 { logger.info("finished \(finished) sign-outs") }
                    waiting = left
                }
                tries = waiting == 0 ? 0 : tries + 1
                let interval = tries == 0 ? nil : Self.intervals[min(tries, Self.intervals.count) - 1]
                await pause.sleep(for: interval.map { $0 * Double.random(in: 0.8...1.2) })
                // A store that changes all the time is not read each time.
                try? await Task.sleep(for: Self.leastPause)
            }
            outside.end()
        }
    }
}
