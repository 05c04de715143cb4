import Testing

@testable import foyer_main

/// Work that follows changes, however many come.
@Suite struct RepeatedWorkTests {
    @MainActor private final class Runs {
        var starts: [ContinuousClock.Instant] = []
        var underWay = 0
        var most = 0

        func run(_ time: Duration) async {
            starts.append(.now)
            underWay += 1
            most = max(most, underWay)
            try? await Task.sleep(for: time)
            underWay -= 1
        }

        func wait(for count: Int, while body: () -> Void = {}) async throws {
            for _ in 0..<30_000 where starts.count < count {
                body()
                try await Task.sleep(for: .milliseconds(2))
            }
            try #require(starts.count >= count)
        }
    }

    @MainActor @Test func `It runs once at a time, and once more for what came meanwhile`() async throws {
        let runs = Runs()
        let work = RepeatedWork(pause: .milliseconds(20)) { await runs.run(.milliseconds(10)) }
        for count in 1...3 {
            for _ in 0..<1000 { work.request() }
            try await runs.wait(for: count)
        }
        try await Task.sleep(for: .milliseconds(200))
        #expect(runs.starts.count == 3 && runs.most == 1)
    }

    @MainActor @Test func `Long work leaves most of the time free`() async throws {
        let runs = Runs()
        let work = RepeatedWork(pause: .milliseconds(1)) { await runs.run(.milliseconds(50)) }
        try await runs.wait(for: 3) { work.request() }
        work.cancel()
        #expect(runs.starts[2] - runs.starts[0] >= .milliseconds(2 * 4 * 50))
    }
}
