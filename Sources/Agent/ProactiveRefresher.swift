import CommandSupport
import FoundationEssentials
import Glibc
import Identity
import Logging
import StrictJSON
import TokenCache
import TokenCalls

/// Refreshes tokens before they expire, as ``RefreshSchedule`` decides.
actor ProactiveRefresher<Item: Hashable & Sendable> {
    /// Clocks are compared at least this often, to notice sleep and clock changes.
    private static var longestPause: Duration { .seconds(15) }

    private var schedule = RefreshSchedule<Item>()
    private var labels: [Item: Label] = [:]
    private let outside = SystemEvents(clockAndNetwork: true)
    /// The last check for changes by store; the agent's own refreshes change it as well.
    private var looked: [String: ContinuousClock.Instant] = [:]
    private static var leastBetweenLooks: Duration { .seconds(5) }
    private let logger: Logger
    private var hasNews = false
    private var waker: AsyncStream<Void>.Continuation?

    private struct Label {
        let client: String
        let account: String
        let store: String?
    }

    init(_ logger: Logger) { self.logger = logger }

    private static var now: ClockReadings {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return ClockReadings(
            boot: BootClock.now, awake: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec), wall: Date())
    }

    /// Schedules a refresh before expiry for a token that was given out.
    ///
    /// - Parameters:
    ///  - client: its name, for the log.
    ///  - account: its label, for the status.
    ///  - store: the path of its file, if known.
    func asked(
        _ item: Item, of provider: String, _ life: TokenLifetime, client: String, account: String,
        store: String?
    ) {
        labels[item] = Label(client: client, account: account, store: store)
        if let store { outside.watch(store) }
        schedule.asked(item, of: provider, life, random: .random(in: 0...1), at: Self.now)
        tellNews()
    }

    func knows(_ item: Item) -> Bool { labels[item] != nil && schedule.knows(item) }

    private func tellNews() {
        hasNews = true
        waker?.finish()
    }

    /// Returns when cancelled; running refreshes are finished and stored.
    ///
    /// - Parameter renew: refreshes an item if it is due.
    func run(_ renew: @escaping @Sendable (Item) async -> RefreshSchedule<Item>.End) async {
        await withDiscardingTaskGroup { tasks in
            tasks.addTask {
                for await changes in self.outside.changes { await self.noticed(changes) }
            }
            defer { outside.end() }
            while !Task.isCancelled {
                switch schedule.next(at: Self.now) {
                case .refresh(let items):
                    for item in items {
                        tasks.addTask { await self.ended(item, await renew(item)) }
                    }
                case .wait(let until):
                    let left = until.map { $0 - BootClock.now } ?? Self.longestPause
                    await pause(max(.milliseconds(1), min(left, Self.longestPause)))
                }
            }
        }
    }

    private func noticed(_ changes: Set<SystemEvents.Change>) {
        for change in changes { notice(change) }
        // The loop compares the clocks.
        tellNews()
    }

    private func notice(_ change: SystemEvents.Change) {
        switch change {
        case .clock: logger.info("clock changed or machine woke")
        case .network:
            logger.info("network changed")
            schedule.networkHasChanged(at: Self.now)
        case .file(let store):
            if let last = looked[store], last + Self.leastBetweenLooks > .now { return }
            looked[store] = .now
            schedule.storeHasChanged(of: { labels[$0]?.store == store }, at: Self.now)
        }
    }

    func sleepIsNear(_ isNear: Bool) {
        schedule.sleepIsNear(isNear, at: Self.now)
        tellNews()
    }

    var isRefreshing: Bool { schedule.isAnyRunning }

    private func ended(_ item: Item, _ end: RefreshSchedule<Item>.End) {
        schedule.ended(item, end, random: .random(in: 0...1), at: Self.now)
        let label = labels[item]?.client ?? ""
        switch end {
        case .renewed: logger.info("refreshed \(label)")
        case .failed: logger.info("no new token for \(label) yet")
        case .over:
            labels[item] = nil
            logger.info("stopped refreshing \(label)")
        }
        tellNews()
    }

    private func pause(_ time: Duration) async {
        if !hasNews {
            // A stream ends with its reading task, so each pause needs its own.
            let (news, waker) = AsyncStream<Void>.makeStream()
            self.waker = waker
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await Task.sleep(for: time, clock: .continuous) }
                group.addTask { for await _ in news {} }
                await group.next()
                group.cancelAll()
            }
            self.waker = nil
        }
        hasNews = false
    }

    func upcoming(hidesAccounts: Bool) -> JSONValue {
        let upcoming = schedule.upcoming(at: Self.now)
        labels = labels.filter { label in upcoming.contains { $0.item == label.key } }
        return .array(
            upcoming.prefix(50).map { item, time in
                JSONValue(
                    ("client", labels[item]?.client.json ?? .null),
                    ("account", (hidesAccounts ? nil : labels[item]?.account).json),
                    ("at", time.rfc3339.json))
            })
    }
}

extension ProactiveRefresher<AgentTokenRequest> {
    func asked(_ request: AgentTokenRequest, _ given: SilentCalls.Given) {
        guard let life = given.life else { return }
        var item = request
        // A forced refresh or a claims challenge applies to one call.
        item.options.forceRefresh = false
        item.options.claims = nil
        item.forProcess = nil
        item.correlationID = nil
        asked(
            item, of: given.provider, life, client: given.client, account: given.token.account.label,
            store: given.store)
    }
}
