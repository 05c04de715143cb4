import CommandSupport
import FoundationEssentials

struct ClockReadings: Hashable, Sendable {
    /// Since boot, including sleep.
    var boot: Duration
    /// Since boot, without sleep.
    var awake: Duration
    /// The clock of token lifetimes; the user or the network may set it.
    var wall: Date
}

/// Decides which tokens to refresh before they expire, and when. Has no clock of its own and sends nothing.
///
/// Only recently requested tokens are refreshed: providers count and log each refresh as a sign-in, and unused accounts
/// should be left alone. Deadlines include sleep and are checked again when the wall clock is set. Refreshes of a
/// provider run one at a time, and none right after waking, when the network may still be down: a request whose
/// response is lost may have used up its refresh token.
struct RefreshSchedule<Item: Hashable & Sendable>: Sendable {
    enum Step: Hashable, Sendable {
        case refresh([Item])
        /// Nothing before this moment of the boot clock; nil if nothing is scheduled.
        case wait(until: Duration?)
    }

    enum End: Hashable, Sendable {
        case renewed(TokenLifetime)
        /// It may work later, but not before the time that the provider named.
        case failed(notBefore: Date?)
        /// The user must act, or the request can no longer be served.
        case over
    }

    /// A morning request still has a token in the afternoon, and nothing is refreshed overnight.
    static var longestMemory: Duration { .seconds(8 * 3600) }
    /// In token lifetimes: a one-minute token is not refreshed hundreds of times for one caller.
    static var livesRemembered: Double { 8 }
    /// The upper bound after jitter, as a share of the lifetime.
    static var latestShare: Double { 0.95 }
    /// Names resolve again by then.
    static var quietAfterWake: Duration { .seconds(5) }
    /// Further network changes within this time are ignored.
    static var leastBetweenNetworkChanges: Duration { .seconds(30) }
    /// Between attempts; doubled each time, up to the longest.
    static var shortestRetry: Duration { .seconds(60) }
    static var longestRetry: Duration { .seconds(900) }
    /// Applies even to tokens that live for seconds.
    static var leastInterval: Duration { .seconds(2) }
    /// Smaller clock differences in seconds are ignored.
    private static var tolerance: Double { 2 }
    /// Seconds. A token without an announced end is only looked at again; timers of thousands of years overflow.
    private static var longestWait: Double { 30 * 86_400 }
    static var mostItems: Int { 256 }

    private struct Entry: Sendable {
        var provider: String
        var asked: Duration
        /// Nil if it is not forgotten.
        var memory: Duration?
        var due: Duration
        var failures = 0
        /// The provider's requested delay; only a caller's own request ignores it.
        var heldUntil: Duration = .zero
        var isRunning = false
        /// Whether its store has changed since the refresh began.
        var isOutdated = false
    }

    private var entries: [Item: Entry] = [:]
    private var last: ClockReadings?
    private var quietUntil: Duration = .zero
    private var networkChanged: Duration?
    private var isSleepNear = false

    /// Schedules the refresh of a token that was given out.
    ///
    /// - Parameters:
    ///  - provider: the server of the refresh.
    ///  - isLasting: whether it is kept until it ends.
    ///  - random: 0 to 1, for the jitter.
    mutating func asked(
        _ item: Item, of provider: String, _ life: TokenLifetime, isLasting: Bool = false, random: Double,
        at now: ClockReadings
    ) {
        notice(now)
        if entries[item] == nil, entries.count >= Self.mostItems,
            let oldest = entries.filter({ !$0.value.isRunning }).min(by: { $0.value.asked < $1.value.asked })
        {
            entries[oldest.key] = nil
        }
        let earlier = entries[item]
        entries[item] = Entry(
            provider: provider, asked: now.boot,
            memory: isLasting ? nil : min(Self.longestMemory, .seconds(life.length * Self.livesRemembered)),
            due: Self.due(life, random, now), isRunning: earlier?.isRunning ?? false,
            isOutdated: earlier?.isOutdated ?? false)
    }

    /// The next step; refreshes count as running until ``ended(_:_:random:at:)``.
    mutating func next(at now: ClockReadings) -> Step {
        notice(now)
        entries = entries.filter { _, entry in
            entry.isRunning || entry.memory.map { entry.asked + $0 > now.boot } ?? true
        }
        guard !isSleepNear else { return .wait(until: nil) }
        guard now.boot >= quietUntil else { return .wait(until: quietUntil) }
        var busy = Set(entries.values.filter(\.isRunning).map(\.provider))
        var begun: [Item] = []
        let due = entries.filter { !$0.value.isRunning && $0.value.due <= now.boot }
        for (item, entry) in due.sorted(by: { $0.value.due < $1.value.due })
        where busy.insert(entry.provider).inserted {
            entries[item]?.isRunning = true
            entries[item]?.isOutdated = false
            begun.append(item)
        }
        if !begun.isEmpty { return .refresh(begun) }
        // An item whose provider is busy is checked again when the running refresh ends.
        return .wait(until: entries.values.filter { !$0.isRunning && !busy.contains($0.provider) }.map(\.due).min())
    }

    mutating func ended(_ item: Item, _ end: End, random: Double, at now: ClockReadings) {
        notice(now)
        guard var entry = entries[item] else { return }
        entry.isRunning = false
        switch end {
        case .renewed(let life):
            entry.failures = 0
            entry.heldUntil = .zero
            entry.due = Self.due(life, random, now)
        case .failed(let notBefore):
            entry.failures += 1
            let wait = Self.shortestRetry * Double(1 << min(entry.failures - 1, 8))
            let named = notBefore.map { Duration.seconds(max(0, $0.timeIntervalSince(now.wall))) } ?? .zero
            entry.heldUntil = now.boot + min(named, Self.longestMemory)
            entry.due = max(now.boot + min(wait, Self.longestRetry), entry.heldUntil)
        case .over:
            entries[item] = nil
            return
        }
        if entry.isOutdated { entry.due = max(entry.heldUntil, now.boot) }
        entries[item] = entry
    }

    /// A link, an address or a route has changed: refreshes and retries wait until names resolve again.
    mutating func networkHasChanged(at now: ClockReadings) {
        notice(now)
        // A network that changes constantly must not delay them forever.
        if let networkChanged, now.boot < networkChanged + Self.leastBetweenNetworkChanges { return }
        networkChanged = now.boot
        quietUntil = max(quietUntil, now.boot + Self.quietAfterWake)
        for (item, entry) in entries where entry.failures > 0 && !entry.isRunning {
            entries[item]?.due = max(entry.heldUntil, min(entry.due, quietUntil))
        }
    }

    /// The machine is about to sleep, or has woken. A refresh whose response is lost may have used up its token, so
    /// none is started before sleep.
    mutating func sleepIsNear(_ isNear: Bool, at now: ClockReadings) {
        notice(now)
        isSleepNear = isNear
        if !isNear { quietUntil = max(quietUntil, now.boot + Self.quietAfterWake) }
    }

    /// Another process has changed the store of these items: checks them now, or after their running refresh, and
    /// refreshes only those that are due.
    mutating func storeHasChanged(of matches: (Item) -> Bool, at now: ClockReadings) {
        notice(now)
        for (item, entry) in entries where matches(item) {
            entries[item]?.isOutdated = entry.isRunning
            if !entry.isRunning { entries[item]?.due = max(entry.heldUntil, min(entry.due, now.boot)) }
        }
    }

    func knows(_ item: Item) -> Bool { entries[item] != nil }

    var isAnyRunning: Bool { entries.values.contains(where: \.isRunning) }

    /// The next refreshes by the wall clock, earliest first.
    func upcoming(at now: ClockReadings) -> [(item: Item, at: Date)] {
        entries.map { (item: $0.key, at: now.wall.addingTimeInterval(max(0, ($0.value.due - now.boot) / .seconds(1)))) }
            .sorted { $0.at < $1.at }
    }

    /// Detects sleep and clock changes by comparing the clocks with their last values.
    private mutating func notice(_ now: ClockReadings) {
        defer { last = now }
        guard let last else { return }
        let slept = ((now.boot - now.awake) - (last.boot - last.awake)) / .seconds(1)
        if slept > Self.tolerance {
            quietUntil = now.boot + Self.quietAfterWake
            // The sender of the announcement may have gone in the meantime.
            isSleepNear = false
        }
        let passed = (now.boot - last.boot) / .seconds(1)
        let jump = abs(now.wall.timeIntervalSince(last.wall) - passed)
        guard jump > Self.tolerance else { return }
        // A refresh reads the store first, and so finds what is due by the new clock.
        for item in entries.keys { entries[item]?.due = now.boot }
    }

    private static func due(_ life: TokenLifetime, _ random: Double, _ now: ClockReadings) -> Duration {
        let wanted = max(life.refresh?.timeIntervalSince(life.issued) ?? 0, life.length * TokenLifetime.usualShare)
        let spread = 1 + TokenLifetime.jitter * (2 * random - 1)
        let after = min(wanted * spread, life.length * latestShare)
        let left = life.issued.addingTimeInterval(after).timeIntervalSince(now.wall)
        return now.boot + max(leastInterval, .seconds(min(left, life.length, longestWait)))
    }
}
