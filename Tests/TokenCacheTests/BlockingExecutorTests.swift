import Dispatch
import Testing
import Waiting

@testable import TokenCache

@Suite struct BlockingExecutorTests {
    /// Each body waits for all the others: one that had to wait for a thread would keep all of them waiting.
    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `Every body that waits has a thread of its own`() async {
        let count = 100
        let arrived = DispatchSemaphore(value: 0)
        let go = DispatchSemaphore(value: 0)
        await withTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    await BlockingExecutor.run {
                        arrived.signal()
                        go.wait()
                    }
                }
            }
            await BlockingExecutor.run {
                for _ in 0..<count { arrived.wait() }
                for _ in 0..<count { go.signal() }
            }
        }
    }

    @Test func `A body that is suspended goes on beside the cooperative pool`() async {
        let isHere: @Sendable () -> Bool = {
            withUnsafeCurrentTask { $0?.unownedTaskExecutor == BlockingExecutor.shared.asUnownedTaskExecutor() }
        }
        #expect(!isHere())
        let found = await BlockingExecutor.run {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume() }
            }
            let nested = await BlockingExecutor.run { isHere() }
            return isHere() && nested
        }
        #expect(found)
        #expect(!isHere())
    }

    @Test func `What a body throws reaches the caller`() async {
        await #expect(throws: StoreError(.cancelled, path: "/a")) {
            try await BlockingExecutor.run { () throws(StoreError) in throw StoreError(.cancelled, path: "/a") }
        }
    }
}
