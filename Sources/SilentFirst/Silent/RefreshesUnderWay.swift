import Synchronization

/// Refreshes that were sent but are not saved yet.
///
/// If the provider rotates refresh tokens, only this process has the new one. Wait until there are none before exiting
/// or closing connections. Each is bounded by the deadline of its requests.
package final class RefreshesUnderWay: Sendable {
    private struct State {
        var count = 0
        var isRefusing = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Registers a refresh.
    ///
    /// - Returns: false if the process is about to end and nothing may be sent.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isRefusing else { return false }
            state.count += 1
            return true
        }
    }

    func end() {
        let due: [@Sendable () -> Void] = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for action in due { action() }
    }

    package var isEmpty: Bool { state.withLock { $0.count == 0 } }

    /// Refuses new refreshes, because the process is about to end.
    package func refuseMore() { state.withLock { $0.isRefusing = true } }

    /// Runs an action once there are none: immediately, or when the last one ends.
    package func whenStored(_ action: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            if state.count > 0 { state.waiting.append(action) }
            return state.count == 0
        }
        if isNow { action() }
    }

    package func stored() async {
        await withCheckedContinuation { continuation in whenStored { continuation.resume() } }
    }
}
