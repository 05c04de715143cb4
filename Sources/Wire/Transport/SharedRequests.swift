import Synchronization

/// One request for each key is under way at a time, and everybody who needs its answer meanwhile waits for that one. A
/// caller that is cancelled is let go at once; with the last one the request is cancelled.
final class SharedRequests<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Answer = Result<Value, WireError>

    private struct Request {
        let number: Int
        let task: Task<Void, Never>
        var callers: [Int: CheckedContinuation<Answer, Never>]
    }

    private struct State {
        var requests: [Key: Request] = [:]
        var lastNumber = 0

        mutating func next() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state = Mutex(State())

    func callers(of key: Key) -> Int { state.withLock { $0.requests[key]?.callers.count ?? 0 } }

    /// What the request of a key that is under way answers, or a new one.
    ///
    /// - Parameters:
    ///   - isolation: the actor that has looked whether a request is needed; it is not left before the caller waits.
    ///   - ask: the new one; what is to be kept of its answer is kept before it returns.
    /// - Throws: `cancelled` for a caller that is; else what the request has thrown.
    func value(
        for key: Key, isolation: isolated (any Actor)? = #isolation, _ ask: @escaping @Sendable () async -> Answer
    ) async throws(WireError) -> Value {
        let caller = state.withLock { $0.next() }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { join(key, caller, $0, ask) }
        } onCancel: {
            leave(key, caller)
        }
        return try answer.get()
    }

    private func join(
        _ key: Key, _ caller: Int, _ continuation: CheckedContinuation<Answer, Never>,
        _ ask: @escaping @Sendable () async -> Answer
    ) {
        state.withLock { state in
            // Under the lock: who is cancelled later finds the caller, and lets it go.
            if Task.isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
            guard state.requests[key] == nil else {
                state.requests[key]?.callers[caller] = continuation
                return
            }
            let number = state.next()
            let task = Task { end(key, number, await ask()) }
            state.requests[key] = Request(number: number, task: task, callers: [caller: continuation])
        }
    }

    private func end(_ key: Key, _ number: Int, _ answer: Answer) {
        let request = state.withLock { state in
            state.requests[key]?.number == number ? state.requests.removeValue(forKey: key) : nil
        }
        for caller in request?.callers.values ?? [:].values { caller.resume(returning: answer) }
    }

    private func leave(_ key: Key, _ caller: Int) {
        let (waiting, abandoned) = state.withLock { state in
            let waiting = state.requests[key]?.callers.removeValue(forKey: caller)
            let isLast = waiting != nil && state.requests[key]?.callers.isEmpty == true
            return (waiting, isLast ? state.requests.removeValue(forKey: key) : nil)
        }
        waiting?.resume(returning: .failure(.cancelled))
        abandoned?.task.cancel()
    }
}
