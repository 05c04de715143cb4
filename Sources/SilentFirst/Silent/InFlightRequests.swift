import Identity
import TokenCache

/// Calls that are under way, so that callers who ask for the same thing share one answer, one refresh and one prompt.
actor InFlightRequests {
    /// A silent call does not join an interactive one: it promised never to wait for a person.
    enum Kind: Hashable { case silent, interactive, silentFirst }

    private typealias Answer = Result<AcquiredToken, Failure>

    private struct Flight {
        let kind: Kind
        let request: TokenRequest
        let task: Task<Void, Never>
        var callers: [Int: CheckedContinuation<Answer, Never>] = [:]
        /// Its last caller gave up: it ends soon, and nobody else is to join it.
        var isGivenUp = false
    }

    private var flights: [Int: Flight] = [:]
    private var lastNumber = 0

    /// The answer of the flight that is under way for the same wish, or of a new one made by `start`.
    ///
    /// A caller that is cancelled while others wait is let go at once, and the flight goes on for them. The last one
    /// cancels the flight and waits for its end, since a refresh that went out is finished and kept.
    /// - Throws: what the flight ends with; `cancelled` for a caller that is let go.
    func join(
        _ kind: Kind, _ request: TokenRequest, start: @escaping @Sendable () async -> Result<AcquiredToken, Failure>
    )
        async throws(Failure) -> AcquiredToken
    {
        lastNumber += 1
        let caller = lastNumber
        let number =
            flights.first { !$0.value.isGivenUp && $0.value.kind == kind && $0.value.request.isSameWish(as: request) }?
            .key
            ?? take(off: kind, request, start)
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { flights[number]?.callers[caller] = $0 }
        } onCancel: {
            // The caller waits until this has let it go, or the flight has ended.
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
        // It reads and locks the store, which may take its time.
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
