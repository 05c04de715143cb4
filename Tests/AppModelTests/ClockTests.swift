import FoundationEssentials
import Testing

@testable import AppModel

@Suite struct ClockTests {
    private let now = Date(timeIntervalSince1970: 1_795_233_600)

    /// What is drawn knows the time of the last tick, which is up to a second ago.
    @Test(arguments: [0, 0.3, 0.6, 0.999])
    func `A code of fifteen minutes begins with 15:00, however old the tick`(age: Double) {
        let clock = Clock(now: now, secondsFromGMT: 0)
        #expect(clock.countdown(to: now.addingTimeInterval(900 + age)) == "15:00")
        #expect(clock.countdown(to: now.addingTimeInterval(age)) == "00:00")
        #expect(clock.countdown(to: now.addingTimeInterval(59 + age)) == "00:59")
    }

    @Test(
        arguments: [(nil, ""), (412, "412 ms"), (999, "999 ms"), (2042, "2.0 s"), (65_000, "65 s")] as [(Int?, String)])
    func `A duration has tenths of a second from one second on`(milliseconds: Int?, words: String) {
        #expect(Clock.duration(milliseconds: milliseconds) == words)
    }

    @Test(arguments: [-1, -1e300, 1e300, .infinity, -.infinity, .nan])
    func `No date breaks a countdown`(seconds: Double) {
        let text = Clock(now: now, secondsFromGMT: 0).countdown(to: Date(timeIntervalSince1970: seconds))
        #expect(text.contains(":"))
    }
}
