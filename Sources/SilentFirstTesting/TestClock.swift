public import FoundationEssentials
import Synchronization

/// The time of a ``TestProvider`` and its applications. It passes only when told to, and while something waits.
public final class TestClock: Sendable {
    private let begin: Date
    private let time: Mutex<Date>

    /// - Parameter now: 1 January 2026, 00:00 UTC by default.
    public init(now: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
        begin = now
        time = Mutex(now)
    }

    /// The current time.
    public var now: Date { time.withLock { $0 } }

    /// Lets time pass.
    ///
    /// - Parameter seconds: never negative; a cached token of an hour needs 3,600 to expire.
    public func advance(by seconds: TimeInterval) { time.withLock { $0 += max(0, seconds) } }

    var uptime: Duration { .seconds(now.timeIntervalSince(begin)) }

    /// Returns immediately, with the time passed.
    func sleep(_ span: Duration) async throws {
        try Task.checkCancellation()
        advance(by: span / .seconds(1))
        await Task.yield()
    }
}
