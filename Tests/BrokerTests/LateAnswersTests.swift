import Broker
import Synchronization
import Testing

/// Callers that leave before the answer is there.
@Suite struct LateAnswersTests {
    @Test func `Whoever asks again gets the answer that came too late, and the work is done once`() async {
        let late = LateAnswers<String, Int>(patience: .milliseconds(50))
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let begun = Mutex(0)
        let work: @Sendable () async -> Int = {
            begun.withLock { $0 += 1 }
            for await _ in gate { break }
            return 7
        }
        #expect(await late.answer("a", work) == nil)
        #expect(await late.answer("a", work) == nil)
        opener.yield()
        var answer: Int?
        while answer == nil { answer = await late.answer("a", work) }
        #expect(answer == 7)
        #expect(begun.withLock { $0 } == 1)
        #expect(await late.isEmpty)
    }

    @Test func `One that is slow does not hold up another`() async {
        let late = LateAnswers<String, Int>(patience: .seconds(60))
        let (gate, opener) = AsyncStream<Void>.makeStream()
        async let slow = late.answer("slow") {
            for await _ in gate { break }
            return 1
        }
        #expect(await late.answer("fast") { 2 } == 2)
        opener.yield()
        #expect(await slow == 1)
    }

    @Test func `An answer that was taken is not given again`() async {
        let late = LateAnswers<String, Int>(patience: .seconds(60))
        let count = Mutex(0)
        let work: @Sendable () async -> Int = {
            count.withLock {
                $0 += 1; return $0
            }
        }
        #expect(await late.answer("a", work) == 1)
        #expect(await late.answer("a", work) == 2)
    }
}
