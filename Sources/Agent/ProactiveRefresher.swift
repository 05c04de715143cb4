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
    private var schedule = RefreshSchedule<Item>()
    private var labels: [Item: Label] = [:]
    private let outside = SystemEvents(clock: true, network: true)
    /// By store, on the boot clock: the last check for its changes, the next one, and the end of the last own refresh,
    /// which has changed it as well.
    private var looked: [String: Duration] = [:]
    private var changed: [String: Duration] = [:]
    private var refreshed: [String: Duration] = [:]
    /// The time until a change is reported.
    private static var reportDelay: Duration { .seconds(2) }
    private static var leastBetweenLooks: Duration { .seconds(5) }
    private let logger: Logger
    private let pause = InterruptibleSleep()

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
    ///  - isLasting: whether it is kept current until it ends, rather than for some time after the last request.
    func asked(
        _ item: Item, of provider: String, _ life: TokenLifetime, client: String, account: String,
        store: String?, isLasting: Bool = false
    ) async {
        labels[item] = Label(client: client, account: account, store: store)
        if let store { outside.watch(store) }
        schedule.asked(
            item, of: provider, life, isLasting: isLasting, random: .random(in: 0...1), at: Self.now)
        await pause.end()
    }

    /// Reports changes of another file as well.
    func watch(_ path: String) { outside.watch(path) }

    func knows(_ item: Item) -> Bool { labels[item] != nil && schedule.knows(item) }

    /// Returns when cancelled; running refreshes are finished and stored.
    ///
    /// - Parameters:
    ///  - onFileChange: called after changes of stores and other watched files.
    ///  - renew: refreshes an item if it is due.
    func run(
        onFileChange: @escaping @Sendable () async -> Void = {},
        _ renew: @escaping @Sendable (Item) async -> RefreshSchedule<Item>.End
    ) async {
        await withDiscardingTaskGroup { tasks in
            tasks.addTask {
                for await changes in self.outside.changes {
                    await self.noticed(changes)
                    if !changes.isSubset(of: [.clock, .network]) { await onFileChange() }
                }
            }
            defer { outside.end() }
            while !Task.isCancelled {
                noticeStores()
                switch schedule.next(at: Self.now) {
                case .refresh(let items):
                    for item in items {
                        tasks.addTask { await self.ended(item, await renew(item)) }
                    }
                case .wait(let until):
                    let moments = changed.values + (until.map { [$0] } ?? [])
                    let times = moments.map { max(.milliseconds(1), $0 - BootClock.now) }
                    await pause.sleep(for: (times + (outside.longestPause.map { [$0] } ?? [])).min())
                }
            }
        }
    }

    private func noticed(_ changes: Set<SystemEvents.Change>) async {
        for change in changes { notice(change) }
        // The loop compares the clocks.
        await pause.end()
    }

    private func notice(_ change: SystemEvents.Change) {
        switch change {
        case .clock: logger.info("clock changed or machine woke")
        case .network:
            logger.info("network changed")
            schedule.networkHasChanged(at: Self.now)
        case .file(let store):
            if let end = refreshed[store], end + Self.reportDelay > BootClock.now { return }
            changed[store] = looked[store].map { $0 + Self.leastBetweenLooks } ?? .zero
        }
    }

    private func noticeStores() {
        let now = Self.now
        for (store, due) in changed where due <= now.boot {
            changed[store] = nil
            looked[store] = now.boot
            schedule.storeHasChanged(of: { labels[$0]?.store == store }, at: now)
        }
    }

    func sleepIsNear(_ isNear: Bool) async {
        schedule.sleepIsNear(isNear, at: Self.now)
        await pause.end()
    }

    var isRefreshing: Bool { schedule.isAnyRunning }

    private func ended(_ item: Item, _ end: RefreshSchedule<Item>.End) async {
        schedule.ended(item, end, random: .random(in: 0...1), at: Self.now)
        if let store = labels[item]?.store { refreshed[store] = BootClock.now }
        let label = labels[item]?.client ?? ""
        switch end {
        case .renewed: logger.info("refreshed \(label)")
        case .failed: logger.info("no new token for \(label) yet")
        case .over:
            labels[item] = nil
            logger.info("stopped refreshing \(label)")
        }
        await pause.end()
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
    func asked(_ request: AgentTokenRequest, _ given: SilentCalls.Given) async {
        guard let life = given.life else { return }
        var item = request
        // A forced refresh or a claims challenge applies to one call.
        item.options.forceRefresh = false
        item.options.claims = nil
        item.forProcess = nil
        item.correlationID = nil
        await asked(
            item, of: given.provider, life, client: given.client, account: given.token.account.label,
            store: given.store)
    }
}
