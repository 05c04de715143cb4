import CommandSupport
import Identity
import Logging
import SilentFirst
import TokenCache
import TokenCalls

// The agent locks itself as its settings require, and delays the machine's sleep while a refresh is running.
extension RequestHandler {
    /// Less than logind's five seconds.
    private static let sleepPatience: Duration = .seconds(4)

    /// Returns after ``LoginManager/end()``.
    func follow(_ login: LoginManager) async {
        for await signal in login.signals {
            switch signal {
            case .sleepsSoon:
                logger.info("the machine is about to sleep")
                await ahead.sleepIsNear(true)
                await tokenFiles.ahead.sleepIsNear(true)
                await lockItself(on: .sleep)
                let deadline = ContinuousClock.now + Self.sleepPatience
                while await isRefreshing, ContinuousClock.now < deadline {
                    guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { break }
                }
                login.letSleep()
            case .woke:
                logger.info("the machine is awake")
                await ahead.sleepIsNear(false)
                await tokenFiles.ahead.sleepIsNear(false)
            case .screenLocked: await lockItself(on: .screen)
            }
        }
    }

    private var isRefreshing: Bool {
        get async {
            if await ahead.isRefreshing { return true }
            if await tokenFiles.ahead.isRefreshing { return true }
            return !ProcessEnd.refreshes.isEmpty
        }
    }

    /// - Returns: the time until the next check; nil if the settings set no idle time.
    func lockIfIdle() async -> Duration? {
        guard let time = (try? await settings())?.agentLock.idleTime else { return nil }
        guard await !lock.isLocked else { return time }
        let left = await lock.lastUse + time - BootClock.now
        guard left <= .zero else { return left }
        await lockItself("no requests for \(time)")
        return time
    }

    var settingsPath: String { CommandContext.settingsPlace(TokenOptions(), environment).path }

    private func lockItself(on occasion: AgentLockSettings.LockTrigger) async {
        // Unreadable settings may require it.
        if let settings = try? await settings(), !settings.agentLock.occasions.contains(occasion) { return }
        guard await !lock.isLocked else { return }
        await lockItself(occasion.rawValue)
    }

    private func lockItself(_ why: String) async {
        let environment = environment
        let own = await BlockingExecutor.run { () -> [String] in
            guard let session = try? CommandContext(TokenOptions { $0.neverAsks = true }, environment: environment),
                let spec = try? session.storeSpec(session.clientIfAny())
            else { return [] }
            return [spec.description]
        }
        await lockAll(and: own)
        logger.notice("locked: \(why)")
    }

    /// Locks the agent and all stores that it knows.
    ///
    /// - Parameter stores: additional stores to lock, in ``StoreSpec`` notation.
    func lockAll(and stores: [String]) async {
        await lock.lock(await calls.applications.stores + stores)
        await calls.applications.closeAll()
    }

    func settings() async throws(Failure) -> Settings {
        let environment = environment
        return try await BlockingExecutor.run { () throws(Failure) in
            try CommandContext(TokenOptions { $0.neverAsks = true }, environment: environment).settings
        }
    }
}
