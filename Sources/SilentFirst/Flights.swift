import Identity

/// Calls that are under way, so that callers who ask for the same thing share one answer, one refresh and one prompt.
actor Flights {
    /// A silent call does not join an interactive one: it promised never to wait for a person.
    enum Kind: Hashable { case silent, interactive, silentFirst }

    private struct Flight {
        let kind: Kind
        let request: TokenRequest
        let task: Task<Result<AcquiredToken, Failure>, Never>
        var waiting: Int
    }

    private var flights: [Int: Flight] = [:]
    private var lastNumber = 0

    /// The answer of the flight that is under way for the same wish, or of a new one made by `start`.
    ///
    /// A flight is cancelled when the last of its callers is.
    func join(_ kind: Kind, _ request: TokenRequest, start: @escaping @Sendable () async -> Result<AcquiredToken, Failure>)
        async throws(Failure) -> AcquiredToken
    {
        let number: Int
        let task: Task<Result<AcquiredToken, Failure>, Never>
        if let (known, flight) = flights.first(where: { $0.value.kind == kind && $0.value.request.isSameWish(as: request) }) {
            number = known
            task = flight.task
            flights[number]?.waiting += 1
        } else {
            lastNumber += 1
            number = lastNumber
            task = Task(operation: start)
            flights[number] = Flight(kind: kind, request: request, task: task, waiting: 1)
        }
        let answer = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            Task { await self.leave(number) }
        }
        flights[number] = nil
        return try answer.get()
    }

    private func leave(_ number: Int) {
        guard let flight = flights[number] else { return }
        guard flight.waiting <= 1 else {
            flights[number]?.waiting -= 1
            return
        }
        // Forgotten at once: the same wish made again must not join what is being given up.
        flights[number] = nil
        flight.task.cancel()
    }
}
