import Identity
import Synchronization

/// Runs one request per key at a time; concurrent callers share its result. A canceled caller returns immediately;
/// canceling the last one cancels the request.
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

    /// Joins the key's pending request, or starts one.
    ///
    /// - Parameters:
    ///   - isolation: the actor that decided that a request is needed; it is held until the caller waits.
    ///   - ask: the new request; it must save its result before returning.
    /// - Throws: `cancelled` for a canceled caller; else the request's error.
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
            // Under the lock, so that a later cancellation finds the caller.
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
