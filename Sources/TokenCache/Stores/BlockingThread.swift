import Glibc

/// A thread for a call that may have to be abandoned; other blocking work uses ``BlockingExecutor``.
package enum BlockingThread {
    /// - Returns: whether a thread was started.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let job = Unmanaged.passRetained(Job(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, job.toOpaque())
        guard code == 0 else {
            job.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private final class Job: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
