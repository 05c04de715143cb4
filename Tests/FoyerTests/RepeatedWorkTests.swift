import Testing

@testable import foyer_main

/// Work that follows changes, however many come.
@Suite struct RepeatedWorkTests {
    @MainActor private final class Counter {
        var runs = 0
        var atOnce = 0
        var most = 0

        func run(_ time: Duration) async {
            runs += 1
            atOnce += 1
            most = max(most, atOnce)
            try? await Task.sleep(for: time)
            atOnce -= 1
        }
    }

    @MainActor @Test func `It runs once at a time, and once more for what came meanwhile`() async throws {
        let counter = Counter()
        let work = RepeatedWork(pause: .milliseconds(100)) { await counter.run(.milliseconds(10)) }
        for _ in 0..<1000 { work.request() }
        try await Task.sleep(for: .milliseconds(40))
        #expect(counter.runs == 1)
        for _ in 0..<1000 { work.request() }
        try await Task.sleep(for: .milliseconds(500))
        #expect(counter.runs == 2 && counter.most == 1)
    }

    @MainActor @Test func `Long work leaves most of the time free`() async throws {
        let counter = Counter()
        let work = RepeatedWork(pause: .milliseconds(1)) { await counter.run(.milliseconds(100)) }
        let end = ContinuousClock.now + .seconds(1)
        while .now < end {
            work.request()
            try await Task.sleep(for: .milliseconds(2))
        }
        work.cancel()
        #expect((1...3).contains(counter.runs))
    }
}
