import CommandSupport
import FoundationEssentials

/// The clocks as they are at one moment.
struct Moment: Hashable, Sendable {
    /// Since the machine started, its sleep included.
    var boot: Duration
    /// The same without its sleep.
    var awake: Duration
    /// What tokens are dated by; a person or the network may set it.
    var wall: Date
}

/// Decides what is refreshed ahead of need, and when; others carry it out. It knows no clock of its own.
///
/// Only what was asked for lately is refreshed: providers log each refresh as a sign-in and count it, and an account
/// that nobody uses is to be left alone. A deadline counts the machine's sleep, and is looked at again when the wall
/// clock is set. One refresh at a time goes to a provider, and none right after the machine woke, when the network may
/// not be there yet: a refresh token may be spent by a request whose answer is lost.
struct RefreshSchedule<Item: Hashable & Sendable>: Sendable {
    /// What to do now.
    enum Step: Hashable, Sendable {
        case refresh([Item])
        /// Nothing before that moment of the boot clock; nil while nothing is known.
        case wait(until: Duration?)
    }

    /// How a refresh ended.
    enum End: Hashable, Sendable {
        case renewed(TokenLife)
        /// It may work later; not before the moment that the provider has named.
        case failed(notBefore: Date?)
        /// A person is needed, or the request cannot be answered any more.
        case over
    }

    /// Whoever asked in the morning finds a token in the afternoon, and none is refreshed over night.
    static var longestMemory: Duration { .seconds(8 * 3600) }
    /// In lives of the token: one of a minute is not refreshed hundreds of times for one caller.
    static var livesRemembered: Double { 8 }
    /// What the jitter may make of it at most.
    static var latestShare: Double { 0.95 }
    /// After waking: names are resolved again by then.
    static var quietAfterWake: Duration { .seconds(5) }
    /// After the network has changed, until it may change again for this to be looked at.
    static var leastBetweenNetworkChanges: Duration { .seconds(30) }
    /// Between tries; doubled each time, up to the longest.
    static var shortestRetry: Duration { .seconds(60) }
    static var longestRetry: Duration { .seconds(900) }
    /// Of a token that lives for seconds, too.
    static var leastInterval: Duration { .seconds(2) }
    /// Differences of the clocks that are none.
    private static var tolerance: Double { 2 }
    static var mostItems: Int { 256 }

    private struct Entry: Sendable {
        var provider: String
        var asked: Duration
        var memory: Duration
        var due: Duration
        var failures = 0
        /// What the provider has asked to wait for; nothing but a caller's own wish goes before it.
        var heldUntil: Duration = .zero
        var isRunning = false
        /// Whether its store has changed since it began.
        var isOutdated = false
    }

    private var entries: [Item: Entry] = [:]
    private var last: Moment?
    private var quietUntil: Duration = .zero
    private var networkChanged: Duration?
    /// Whether the machine is about to sleep.
    private var isSleepNear = false

    /// Somebody was given a token.
    ///
    /// - Parameters:
    ///   - provider: whom the refresh will go to.
    ///   - random: 0 to 1, for the jitter.
    mutating func asked(_ item: Item, of provider: String, _ life: TokenLife, random: Double, at now: Moment) {
        notice(now)
        if entries[item] == nil, entries.count >= Self.mostItems,
            let oldest = entries.filter({ !$0.value.isRunning }).min(by: { $0.value.asked < $1.value.asked })
        {
            entries[oldest.key] = nil
        }
        let earlier = entries[item]
        entries[item] = Entry(
            provider: provider, asked: now.boot,
            memory: min(Self.longestMemory, .seconds(life.length * Self.livesRemembered)),
            due: Self.due(life, random, now), isRunning: earlier?.isRunning ?? false,
            isOutdated: earlier?.isOutdated ?? false)
    }

    /// What to begin now; it counts as running until ``ended(_:_:random:at:)``.
    mutating func next(at now: Moment) -> Step {
        notice(now)
        entries = entries.filter { $0.value.isRunning || $0.value.asked + $0.value.memory > now.boot }
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
        // What waits for its provider is looked at when the other one has ended.
        return .wait(until: entries.values.filter { !$0.isRunning && !busy.contains($0.provider) }.map(\.due).min())
    }

    mutating func ended(_ item: Item, _ end: End, random: Double, at now: Moment) {
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

    /// A link, an address or a route has changed: nothing is begun until names can be resolved again, and what has
    /// failed is tried again then.
    mutating func networkHasChanged(at now: Moment) {
        notice(now)
        // One that changes all the time is no reason to wait all the time.
        if let networkChanged, now.boot < networkChanged + Self.leastBetweenNetworkChanges { return }
        networkChanged = now.boot
        quietUntil = max(quietUntil, now.boot + Self.quietAfterWake)
        for (item, entry) in entries where entry.failures > 0 && !entry.isRunning {
            entries[item]?.due = max(entry.heldUntil, min(entry.due, quietUntil))
        }
    }

    /// The machine is about to sleep, or has woken. A refresh whose answer is lost may have spent its token: none is
    /// begun before the machine sleeps.
    mutating func sleepIsNear(_ isNear: Bool, at now: Moment) {
        notice(now)
        isSleepNear = isNear
        if !isNear { quietUntil = max(quietUntil, now.boot + Self.quietAfterWake) }
    }

    /// Another process has changed what these come from: they are looked at now, or when the look that is under way
    /// has ended; which refreshes nothing that need not be.
    mutating func storeHasChanged(of isMeant: (Item) -> Bool, at now: Moment) {
        notice(now)
        for (item, entry) in entries where isMeant(item) {
            entries[item]?.isOutdated = entry.isRunning
            if !entry.isRunning { entries[item]?.due = max(entry.heldUntil, min(entry.due, now.boot)) }
        }
    }

    func knows(_ item: Item) -> Bool { entries[item] != nil }

    var isAnyRunning: Bool { entries.values.contains(where: \.isRunning) }

    /// What will be refreshed when, by the wall clock, the first one first.
    func upcoming(at now: Moment) -> [(item: Item, at: Date)] {
        entries.map { (item: $0.key, at: now.wall.addingTimeInterval(max(0, ($0.value.due - now.boot) / .seconds(1)))) }
            .sorted { $0.at < $1.at }
    }

    /// Sleep and set clocks, heard by comparing the clocks with what they were.
    private mutating func notice(_ now: Moment) {
        defer { last = now }
        guard let last else { return }
        let slept = ((now.boot - now.awake) - (last.boot - last.awake)) / .seconds(1)
        if slept > Self.tolerance {
            quietUntil = now.boot + Self.quietAfterWake
            // Whoever announced it may have gone meanwhile.
            isSleepNear = false
        }
        let passed = (now.boot - last.boot) / .seconds(1)
        let jump = abs(now.wall.timeIntervalSince(last.wall) - passed)
        guard jump > Self.tolerance else { return }
        // Whoever carries it out looks into the store first, and finds out what is due by the clock as it is now.
        for item in entries.keys { entries[item]?.due = now.boot }
    }

    private static func due(_ life: TokenLife, _ random: Double, _ now: Moment) -> Duration {
        let wanted = max(life.refresh?.timeIntervalSince(life.issued) ?? 0, life.length * TokenLife.usualShare)
        let spread = 1 + TokenLife.jitter * (2 * random - 1)
        let after = min(wanted * spread, life.length * latestShare)
        let left = life.issued.addingTimeInterval(after).timeIntervalSince(now.wall)
        return now.boot + max(leastInterval, .seconds(min(left, life.length)))
    }
}
