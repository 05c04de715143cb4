import Synchronization

/// What token endpoints gave and no disk has taken yet. The refresh tokens that were spent for it are dead, so this
/// process reads its stores as if they held it, writes it with whatever it writes next, and goes on trying by itself
/// for as long as it runs.
final class UnsavedGrants: Sendable {
    static let shared = UnsavedGrants()

    private struct Waiting {
        var records: [(number: Int, record: TokenRecord)] = []
        var isTrying = false
    }

    private struct State {
        var waiting: [String: Waiting] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    private init() {}

    /// What waits for a store, the eldest first.
    func records(for path: String) -> [(number: Int, record: TokenRecord)] {
        state.withLock { $0.waiting[path]?.records ?? [] }
    }

    /// Forgets what was written, by its numbers.
    func forget(_ numbers: [Int], for path: String) {
        guard !numbers.isEmpty else { return }
        state.withLock { state in
            state.waiting[path]?.records.removeAll { numbers.contains($0.number) }
            if state.waiting[path]?.records.isEmpty == true, state.waiting[path]?.isTrying == false {
                state.waiting[path] = nil
            }
        }
    }

    /// Keeps what could not be written.
    ///
    /// - Returns: whether nobody tries to write this store's yet: then the caller has to.
    func keep(_ record: TokenRecord, for path: String) -> Bool {
        state.withLock { state in
            state.last += 1
            var waiting = state.waiting[path] ?? Waiting()
            let isFirst = !waiting.isTrying
            waiting.records.append((state.last, record))
            waiting.isTrying = true
            state.waiting[path] = waiting
            return isFirst
        }
    }

    /// Whether something is still to be written; when nothing is, whoever tries ends.
    func isStillTrying(_ path: String) -> Bool {
        state.withLock { state in
            guard state.waiting[path]?.records.isEmpty == false else {
                state.waiting[path] = nil
                return false
            }
            return true
        }
    }
}
