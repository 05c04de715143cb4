#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A thread for what may wait: for a disk, a lock, a keyring. The cooperative pool has as few threads as there are
/// cores, and one that waits there keeps everybody's tasks from running.
enum BlockingThread {
    /// Runs a body on a thread of its own and suspends the caller until it has ended. The caller's cancellation does
    /// not reach it: what was begun at a store is ended.
    static func run<Value: Sendable, Trouble: Error>(_ body: @escaping @Sendable () throws(Trouble) -> Value)
        async throws(Trouble) -> Value
    {
        let ended = await withCheckedContinuation { (ended: CheckedContinuation<Result<Value, Trouble>, Never>) in
            let work: @Sendable () -> Void = {
                let result: Result<Value, Trouble>
                do throws(Trouble) { result = .success(try body()) } catch { result = .failure(error) }
                ended.resume(returning: result)
            }
            // Where the system has no thread left, late is better than not at all.
            if !start(work) { work() }
        }
        return try ended.get()
    }

    /// - Returns: whether there was a thread to start it on.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
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
