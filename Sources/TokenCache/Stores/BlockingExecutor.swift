import Dispatch
import Synchronization

/// Runs tasks that may wait: for a disk, a lock, a keyring, another process, a person. The cooperative pool has as few
/// threads as there are cores, and one that waits there keeps everybody's tasks from running; here every task has a
/// thread of its own for as long as it runs.
///
/// A thread without work waits a moment for the next, so a task that is suspended and goes on takes no new one.
package final class BlockingExecutor: TaskExecutor {
    package static let shared = BlockingExecutor()

    private static let idleTime: DispatchTimeInterval = .seconds(1)
    private let idle = Mutex<[Worker]>([])

    private init() {}

    /// Runs a body here and suspends the caller until it has ended. Everything that it awaits and that belongs to no
    /// actor with an executor of its own runs here as well; a caller that is here already does not leave its thread.
    package static func run<Value: Sendable, Trouble: Error>(
        _ body: @escaping @Sendable () async throws(Trouble) -> Value
    ) async throws(Trouble) -> Value {
        try await withTaskExecutorPreference(shared) { () async throws(Trouble) -> Value in try await body() }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let worker = idle.withLock({ $0.popLast() }) { return worker.take(job) }
        guard !BlockingThread.start({ [self] in work(Worker(), from: job) }) else { return }
        // Where the system has no thread left, late is better than not at all.
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

    /// A thread that has no work, or is about to get some.
    private final class Worker: Sendable {
        private let job = Mutex<UnownedJob?>(nil)
        private let signal = DispatchSemaphore(value: 0)

        func take(_ job: UnownedJob) {
            self.job.withLock { $0 = job }
            signal.signal()
        }

        /// - Parameter leave: takes the worker from the idle ones; false when it is no longer among them, and its job
        ///   is on its way.
        /// - Returns: nil when there was none in time.
        func next(within time: DispatchTimeInterval, leave: () -> Bool) -> UnownedJob? {
            if signal.wait(timeout: .now() + time) == .timedOut {
                if leave() { return nil }
                signal.wait()
            }
            return job.withLock { $0.take() }
        }
    }
}
