import Synchronization
import Testing
import Waiting

@testable import foyer_main

/// Work that follows changes, however many come.
@Suite struct RepeatedWorkTests {
    /// Goes on only by what is slept, at once, and by what the work says that it takes.
    private final class GivenClock: Clock {
        struct Instant: InstantProtocol {
            var time = Duration.zero
            func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
            func duration(to other: Instant) -> Duration { other.time - time }
            static func < (one: Instant, other: Instant) -> Bool { one.time < other.time }
        }

        private let state = Mutex((now: Instant(), pauses: [Duration]()))
        private let whileAsleep: @MainActor @Sendable (Int) -> Void

        /// - Parameter whileAsleep: called in each pause, with its number.
        init(_ whileAsleep: @escaping @MainActor @Sendable (Int) -> Void = { _ in }) { self.whileAsleep = whileAsleep }

        var now: Instant { state.withLock { $0.now } }
        var minimumResolution: Duration { .zero }
        var pauses: [Duration] { state.withLock { $0.pauses } }

        func advance(by time: Duration) { state.withLock { $0.now = $0.now.advanced(by: time) } }

        func sleep(until end: Instant, tolerance: Duration?) async throws {
            let number = state.withLock { state in
                state.pauses.append(state.now.duration(to: end))
                state.now = end
                return state.pauses.count
            }
            await MainActor.run { whileAsleep(number) }
        }
    }

    @MainActor private final class Runs {
        var work: RepeatedWork?
        private(set) var count = 0
        private(set) var most = 0
        private var underWay = 0

        func request() { for _ in 0..<1000 { work?.request() } }

        /// - Parameter requests: whether more is requested in the middle of it.
        func run(_ time: Duration, _ clock: GivenClock, requests: Bool) async {
            count += 1
            underWay += 1
            most = max(most, underWay)
            await Task.yield()
            clock.advance(by: time)
            if requests { request() }
            await Task.yield()
            underWay -= 1
        }
    }

    @MainActor @Test func `It runs once at a time, and once more for what came meanwhile`() async throws {
        let runs = Runs()
        // While the first runs, in the pause after the second, and after the third has ended.
        let clock = GivenClock { if $0 == 2 { runs.request() } }
        runs.work = RepeatedWork(pause: .milliseconds(20), clock: clock) {
            await runs.run(.milliseconds(5), clock, requests: runs.count == 0)
        }
        runs.request()
        #expect(await eventually { clock.pauses.count == 3 })
        runs.request()
        #expect(await eventually { clock.pauses.count == 4 })
        #expect(runs.count == 4 && runs.most == 1)
    }

    @MainActor @Test(arguments: [(50, 150), (7, 21), (6, 20), (0, 20)])
    func `Long work leaves most of the time free`(milliseconds: Int, pause: Int) async throws {
        let (runs, clock) = (Runs(), GivenClock())
        runs.work = RepeatedWork(pause: .milliseconds(20), clock: clock) {
            await runs.run(.milliseconds(milliseconds), clock, requests: runs.count < 2)
        }
        runs.request()
        #expect(await eventually { clock.pauses.count == 3 })
        #expect(clock.pauses == Array(repeating: .milliseconds(pause), count: 3))
    }
}
