import Identity
import Synchronization
import Testing
import Waiting

@testable import Wire

@Suite(.timeLimit(.minutes(Waiting.minutes))) struct SharedRequestsTests {
    /// A request that answers when it is told to, and ends when it is cancelled.
    private final class Question: Sendable {
        private let (answers, sink) = AsyncStream.makeStream(of: Int.self)
        let began = Mutex(0)
        let wasCancelled = Mutex(false)

        func tell(_ answer: Int) { sink.yield(answer) }

        @Sendable func ask() async -> Result<Int, WireError> {
            began.withLock { $0 += 1 }
            for await answer in answers { return .success(answer) }
            wasCancelled.withLock { $0 = true }
            return .failure(.cancelled)
        }

        func isAsked() async -> Bool { await eventually { began.withLock { $0 } > 0 } }
    }

    private typealias Caller = Task<Result<Int, WireError>, Never>

    private static func caller(_ requests: SharedRequests<String, Int>, _ question: Question) -> Caller {
        Task {
            do throws(WireError) { return .success(try await requests.value(for: "a", question.ask)) } catch {
                return .failure(error)
            }
        }
    }

    @Test func `Who gives up is let go at once, and the others get the answer of the one request`() async {
        let (requests, question) = (SharedRequests<String, Int>(), Question())
        let hasty = Self.caller(requests, question)
        #expect(await question.isAsked())
        let patient = Self.caller(requests, question)
        #expect(await eventually { requests.callers(of: "a") == 2 })
        hasty.cancel()
        #expect(await hasty.value == .failure(.cancelled))
        question.tell(7)
        #expect(await patient.value == .success(7))
        #expect(question.began.withLock { $0 } == 1 && !question.wasCancelled.withLock { $0 })
    }

    @Test func `With the last caller the request is cancelled, and the next caller asks anew`() async {
        let (requests, question) = (SharedRequests<String, Int>(), Question())
        let only = Self.caller(requests, question)
        #expect(await question.isAsked())
        only.cancel()
        #expect(await only.value == .failure(.cancelled))
        #expect(await eventually { question.wasCancelled.withLock { $0 } })
        let next = Question()
        next.tell(8)
        #expect(await Self.caller(requests, next).value == .success(8))
    }

    @Test func `Who is cancelled already asks nothing`() async {
        let (requests, question) = (SharedRequests<String, Int>(), Question())
        let result = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await Samples.error { () async throws(WireError) in
                _ = try await requests.value(for: "a", question.ask)
            }
        }.value
        #expect(result == .cancelled && requests.callers(of: "a") == 0 && question.began.withLock { $0 } == 0)
    }
}
