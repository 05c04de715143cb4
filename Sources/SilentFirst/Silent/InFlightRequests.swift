import Identity
import TokenCache

/// Running calls, so that callers with the same request share one response, one refresh and one prompt.
actor InFlightRequests {
    /// A silent call does not join an interactive one: it must never wait for the user.
    enum Kind: Hashable { case silent, interactive, silentFirst }

    private typealias Answer = Result<AcquiredToken, Failure>

    private struct Flight {
        let kind: Kind
        let request: TokenRequest
        let task: Task<Void, Never>
        var callers: [Int: CheckedContinuation<Answer, Never>] = [:]
        /// Its last caller cancelled: it ends soon, and new callers must not join it.
        var isGivenUp = false
    }

    private var flights: [Int: Flight] = [:]
    private var lastNumber = 0

    /// The result of the running call for an equivalent request, or of a new one started with `start`.
    ///
    /// If a caller is cancelled while others wait, it returns immediately and the call continues for them. The last one
    /// cancels the call and waits for it to end, because a refresh that was sent is completed and saved.
    /// - Throws: the error of the call; `cancelled` for a caller that returned early.
    func join(
        _ kind: Kind, _ request: TokenRequest, start: @escaping @Sendable () async -> Result<AcquiredToken, Failure>
    )
        async throws(Failure) -> AcquiredToken
    {
        lastNumber += 1
        let caller = lastNumber
        let number =
            flights.first {
                !$0.value.isGivenUp && $0.value.kind == kind && $0.value.request.isEquivalent(as: request)
            }?
            .key
            ?? take(off: kind, request, start)
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { flights[number]?.callers[caller] = $0 }
        } onCancel: {
            // The caller waits until this resumes it, or the call has ended.
            Task { await self.leave(number, caller) }
        }
        return try answer.get()
    }

    private func take(
        off kind: Kind, _ request: TokenRequest, _ start: @escaping @Sendable () async -> Result<AcquiredToken, Failure>
    )
        -> Int
    {
        lastNumber += 1
        let number = lastNumber
        let task = Task(executorPreference: BlockingExecutor.shared) { await self.land(number, await start()) }
        flights[number] = Flight(kind: kind, request: request, task: task)
        return number
    }

    private func land(_ number: Int, _ answer: Answer) {
        for caller in flights.removeValue(forKey: number)?.callers.values.map({ $0 }) ?? [] {
            caller.resume(returning: answer)
        }
    }

    private func leave(_ number: Int, _ caller: Int) {
        guard let flight = flights[number], let waiting = flight.callers[caller] else { return }
        guard flight.callers.count > 1 else {
            flights[number]?.isGivenUp = true
            flight.task.cancel()
            return
        }
        flights[number]?.callers[caller] = nil
        waiting.resume(
            returning: .failure(Failure(.cancelled, "cancelled", correlationID: flight.request.correlationID)))
    }
}
