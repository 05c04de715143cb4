import Testing

@testable import SilentCore

@Suite struct ThrottleWaitTests {
    @Test(
        arguments: [
            (nil, 1, 0.5, 60), (nil, 1, 0, 1), (nil, 1, 0.999_999, 120), (nil, 2, 0.5, 120), (nil, 5, 0.5, 960),
            (nil, 6, 0.5, 1800), (nil, 100, 1, 3600), (nil, .max, 1, 3600), (nil, 0, 0.5, 60), (nil, 1, -7, 1),
            (nil, 1, 9, 120), (20, 1, 0, 20), (20, 9, 0.5, 30), (20, 1, 1, 40), (3600, 1, 0.5, 4500),
            (1_000_000, 1, 1, 5400), (.max, 1, 0, 3600),
        ] as [(Int?, Int, Double, Double)])
    func `A wait has a least and a longest length`(retryAfter: Int?, failures: Int, jitter: Double, seconds: Double) {
        let wait = ThrottleWait.seconds(retryAfter, failures: failures, jitter: jitter)
        #expect(abs(wait - seconds) < 0.01)
    }

    @Test func `Fifty clients that failed in one second do not return in one`() {
        for retryAfter in [nil, 20] as [Int?] {
            let waits = (0..<50).map { _ in
                ThrottleWait.seconds(retryAfter, failures: 1, jitter: Throttle.chance()).rounded(.down)
            }
            let most = Dictionary(grouping: waits, by: \.self).values.map(\.count).max() ?? 0
            #expect(most < 15 && waits.allSatisfy { $0 >= Double(retryAfter ?? 1) })
        }
    }
}
