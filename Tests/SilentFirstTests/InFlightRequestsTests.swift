import Identity
import Testing
import Waiting

@testable import SilentFirst

@Suite struct InFlightRequestsTests {
    private static let answer = Failure(.notFound, "landed")

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `A caller that gives up is let go at once, and the flight goes on for the others`() async {
        let flights = InFlightRequests()
        let started = AsyncStream<Void>.makeStream()
        let gate = AsyncStream<Void>.makeStream()
        let stayer = Task {
            await failure { () throws(Failure) in
                try await flights.join(.silent, World.wish) {
                    started.continuation.finish()
                    for await _ in gate.stream {}
                    return .failure(Task.isCancelled ? Failure(.cancelled, "the flight was given up") : Self.answer)
                }
            }
        }
        for await _ in started.stream {}
        let leaver = Task {
            await failure { () throws(Failure) in
                try await flights.join(.silent, World.wish) { .failure(Failure(.usage, "a second flight")) }
            }
        }
        leaver.cancel()
        // The gate is still shut.
        #expect(await leaver.value?.code == .cancelled)
        gate.continuation.finish()
        #expect(await stayer.value == Self.answer)
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `The last caller gives the flight up and waits for its end; nobody joins it any more`() async {
        let flights = InFlightRequests()
        let started = AsyncStream<Void>.makeStream()
        let alone = Task {
            await failure { () throws(Failure) in
                try await flights.join(.silent, World.wish) {
                    started.continuation.finish()
                    while !Task.isCancelled { await Task.yield() }
                    return .failure(Self.answer)
                }
            }
        }
        for await _ in started.stream {}
        alone.cancel()
        #expect(await alone.value == Self.answer)
        let next = await failure { () throws(Failure) in
            try await flights.join(.silent, World.wish) { .failure(Failure(.usage, "a flight of its own")) }
        }
        #expect(next?.code == .usage)
    }
}
