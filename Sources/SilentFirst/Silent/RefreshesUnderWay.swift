import Synchronization

/// Refreshes that were sent and whose answers are not stored yet.
///
/// A provider that rotates refresh tokens has spent the old one by then, and the new one is in this process alone:
/// whoever ends the process, or closes its connections, waits until there are none. Each is bounded by the deadline of
/// its own requests.
package final class RefreshesUnderWay: Sendable {
    private struct State {
        var count = 0
        var isRefusing = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Counts one more.
    ///
    /// - Returns: false when the process is about to end: then nothing may be sent.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isRefusing else { return false }
            state.count += 1
            return true
        }
    }

    /// One is stored, or came to nothing.
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

    /// From now on none begins: the process is about to end.
    package func refuseMore() { state.withLock { $0.isRefusing = true } }

    /// Does something as soon as there are none: now, or when the last one ends.
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
