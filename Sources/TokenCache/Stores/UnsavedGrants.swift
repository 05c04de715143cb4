import Synchronization

/// Tokens that could not be written to disk yet. The refresh tokens redeemed for them are invalid now, so this process
/// treats them as part of the store, adds them to its next write, and keeps retrying while it runs: ``shared`` owns the
/// retry tasks.
final class UnsavedGrants: Sendable {
    static let shared = UnsavedGrants()

    private struct PendingGrants {
        var records: [(number: Int, record: TokenRecord)] = []
        /// The task that writes them; it ends when nothing is left to write.
        var retry: Task<Void, Never>?
    }

    private struct State {
        var waiting: [String: PendingGrants] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    private init() {}

    /// The unsaved records of a store, oldest first.
    func records(for path: String) -> [(number: Int, record: TokenRecord)] {
        state.withLock { $0.waiting[path]?.records ?? [] }
    }

    /// Removes written records, by their numbers.
    func forget(_ numbers: [Int], for path: String) {
        guard !numbers.isEmpty else { return }
        state.withLock { state in
            state.waiting[path]?.records.removeAll { numbers.contains($0.number) }
            if state.waiting[path]?.records.isEmpty == true, state.waiting[path]?.retry == nil {
                state.waiting[path] = nil
            }
        }
    }

    /// Keeps unsaved tokens, and starts a retry task if none is running.
    ///
    /// - Parameter write: writes the store with all its unsaved tokens; runs on its own thread.
    func keep(_ record: TokenRecord, for path: String, write: @escaping @Sendable () throws(StoreError) -> Void) {
        state.withLock { state in
            state.last += 1
            var waiting = state.waiting[path] ?? PendingGrants()
            waiting.records.append((state.last, record))
            if waiting.retry == nil { waiting.retry = Task { await self.retry(path, write) } }
            state.waiting[path] = waiting
        }
    }

    /// Keeps the records of a store that was moved for its new location.
    func follow(
        from path: String, to next: String, write: @escaping @Sendable () throws(StoreError) -> Void
    ) {
        guard path != next else { return }
        let records = state.withLock { state in
            defer { state.waiting[path]?.records = [] }
            return state.waiting[path]?.records ?? []
        }
        for (_, record) in records { keep(record, for: next, write: write) }
    }

    private func retry(_ path: String, _ write: @escaping @Sendable () throws(StoreError) -> Void) async {
        while isWaiting(path) {
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
            do throws(StoreError) { try await BlockingExecutor.run(write) } catch { continue }
        }
    }

    /// Whether anything is left to write; if not, removes the record so that the retry task ends.
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
