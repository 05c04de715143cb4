import FoundationEssentials
import Identity
import Testing

@testable import Explain

struct TimeSpanTests {
    private static let spans: [(Int, String)] = [
        (-5, "0 s"), (0, "0 s"), (1, "1 s"), (119, "119 s"), (120, "2 min"), (3599, "59 min"), (3600, "1 h"),
        (3900, "1 h 5 min"), (4800, "1 h 20 min"), (6000, "1 h 40 min"), (86_400, "1 day"), (97_200, "1 day 3 h"),
        (169_200, "1 day 23 h"), (172_800, "2 days"), (1_080_000, "12 days"), (Int.max, "365242 days"),
    ]

    @Test(arguments: spans)
    func `A span of time is told in its two largest units, and from two days on in days`(
        _ seconds: Int, _ words: String
    ) {
        #expect(TimeSpan.words(seconds) == words)
    }

    @Test func `A token without an announced end has neither a date nor a span`() {
        let end = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(TimeSpan.end(end) { "in \(Int($0.timeIntervalSince1970))" } == "in 1800000000")
        #expect(TimeSpan.end(.noAnnouncedEnd) { "in \(Int($0.timeIntervalSince1970))" } == "no announced end")
        #expect(TimeSpan.tokensWork(until: end) { _ in "noon" } == "issued access tokens may work until noon")
        #expect(
            TimeSpan.tokensWork(until: .noAnnouncedEnd) { _ in "noon" }
                == "issued access tokens may work: no announced end")
        #expect(end.announced == end && Date.noAnnouncedEnd.announced == nil)
    }

    @Test func `Parts of a second are left out, and what is no number is none`() {
        #expect(TimeSpan.words(119.6) == "119 s" && TimeSpan.words(120.4) == "2 min")
        #expect(TimeSpan.words(.infinity) == "365242 days" && TimeSpan.words(.nan) == "0 s")
    }
}
