import Dispatch
import Synchronization

/// Runs tasks that can block: on a disk, a lock, a keyring, another process, the user. The cooperative pool has one
/// thread per core, so a blocked thread there delays all other tasks; here each task gets its own thread while it runs.
/// Idle threads wait briefly for the next job.
package final class BlockingExecutor: TaskExecutor {
    package static let shared = BlockingExecutor()

    private static let idleTime: DispatchTimeInterval = .seconds(1)
    private let idle = Mutex<[Worker]>([])

    private init() {}

    /// Runs a body on this executor and suspends the caller until it ends. Everything it awaits also runs here, except
    /// on actors with their own executor. A caller already on this executor keeps its thread.
    package static func run<Value: Sendable, Trouble: Error>(
        _ body: @escaping @Sendable () async throws(Trouble) -> Value
    ) async throws(Trouble) -> Value {
        try await withTaskExecutorPreference(shared) { () async throws(Trouble) -> Value in try await body() }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let worker = idle.withLock({ $0.popLast() }) { return worker.take(job) }
        guard !BlockingThread.start({ [self] in work(Worker(), from: job) }) else { return }
        // Out of threads: late is better than never.
        DispatchQueue.global().async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func work(_ worker: Worker, from first: UnownedJob) {
        var next: UnownedJob? = first
        while let job = next {
            job.runSynchronously(on: asUnownedTaskExecutor())
            idle.withLock { $0.append(worker) }
            next = worker.next(within: Self.idleTime) { leave(worker) }
        }
    }

    private func leave(_ worker: Worker) -> Bool {
        idle.withLock { idle in
            guard let index = idle.firstIndex(where: { $0 === worker }) else { return false }
            idle.remove(at: index)
            return true
        }
    }

    /// A thread that is idle or about to get a job.
    private final class Worker: Sendable {
        private let job = Mutex<UnownedJob?>(nil)
        private let signal = DispatchSemaphore(value: 0)

        func take(_ job: UnownedJob) {
            self.job.withLock { $0 = job }
            signal.signal()
        }

        /// - Parameter leave: removes the worker from the idle list; false if it is gone, as a job is on its way.
        /// - Returns: nil on timeout.
        func next(within time: DispatchTimeInterval, leave: () -> Bool) -> UnownedJob? {
            if signal.wait(timeout: .now() + time) == .timedOut {
                if leave() { return nil }
                signal.wait()
            }
            return job.withLock { $0.take() }
        }
    }
}
