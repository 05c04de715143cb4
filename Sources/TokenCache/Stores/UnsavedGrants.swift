import Synchronization

/// What token endpoints gave and no disk has taken yet. The refresh tokens that were spent for it are dead, so this
/// process reads its stores as if they held it, writes it with whatever it writes next, and goes on trying by itself
/// for as long as it runs: ``shared`` owns the tasks that do.
final class UnsavedGrants: Sendable {
    static let shared = UnsavedGrants()

    private struct PendingGrants {
        var records: [(number: Int, record: TokenRecord)] = []
        /// What writes them; it ends when there is nothing left to write.
        var retry: Task<Void, Never>?
    }

    private struct State {
        var waiting: [String: PendingGrants] = [:]
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
            if state.waiting[path]?.records.isEmpty == true, state.waiting[path]?.retry == nil {
                state.waiting[path] = nil
            }
        }
    }

    /// Keeps what could not be written, and sees to it that somebody goes on trying.
    ///
    /// - Parameter write: writes the store with all that waits for it; runs on a thread of its own.
    func keep(_ record: TokenRecord, for path: String, write: @escaping @Sendable () throws(StoreError) -> Void) {
        state.withLock { state in
            state.last += 1
            var waiting = state.waiting[path] ?? PendingGrants()
            waiting.records.append((state.last, record))
            if waiting.retry == nil { waiting.retry = Task { await self.retry(path, write) } }
            state.waiting[path] = waiting
        }
    }

    private func retry(_ path: String, _ write: @escaping @Sendable () throws(StoreError) -> Void) async {
        while isWaiting(path) {
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
            do throws(StoreError) { try await BlockingExecutor.run(write) } catch { continue }
        }
    }

    /// Whether something is still to be written; where nothing is, whoever tries ends.
    private func isWaiting(_ path: String) -> Bool {
        state.withLock { state in
            guard state.waiting[path]?.records.isEmpty == false else {
                state.waiting[path] = nil
                return false
            }
            return true
        }
    }
}
