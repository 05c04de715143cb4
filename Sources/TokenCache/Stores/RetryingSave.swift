// Saves tokens that cannot be obtained again: checks first that it is possible, retries for a minute, then keeps them
// in memory.

import Glibc
import Identity

extension TokenCache {
    /// Checks that the store can take the tokens of one response, and reserves space for them. The lock is released
    /// immediately, so other writers are not blocked.
    ///
    /// - Throws: ``StoreError``, for any reason a write would fail: `locked` if another writer does not finish in time,
    ///   invalid content, a file too large for the store, the disk or the process; `cancelled` if the task is
    ///   cancelled.
    package func reserve() async throws(StoreError) -> WriteReservation {
        // This can prompt for a passphrase.
        try await BlockingExecutor.run { () throws(StoreError) in try current.backend.prepare() }
        var turns = LockQueue(wait: lockWait, limit: patience)
        let file = try current.backend.name(.cache) + StoreLock.suffix
        while true {
            let store = withoutWaiting
            do throws(StoreError) {
                return try await BlockingExecutor.run { () throws(StoreError) in
                    try store.following { cache throws(StoreError) in try cache.tryToReserve() }
                }
            } catch {
                guard error.mayPass || error.mayBeUnfinished, !turns.isOver(file) else { throw error }
            }
            do { try await Task.sleep(for: Self.pace) } catch { throw StoreError(.cancelled, path: path) }
        }
    }

    private func tryToReserve() throws(StoreError) -> WriteReservation {
        try holding([.cache], wait: lockWait) { () throws(StoreError) in
            let size = if let checked = checkedSize() { checked } else { try load(strictly: true).text?.count ?? 0 }
            guard size + WriteReservation.growth <= StoreSize.maximum else {
                throw StoreError(.tooLarge(bytes: size), path: path)
            }
            return try backend.reserve(size + WriteReservation.growth) ?? WriteReservation()
        }
    }

    /// Interval between attempts. Constant: among writers without a queue, the one that checks least often waits
    /// longest.
    private static let pace: Duration = .microseconds(pause)
    /// The interval in microseconds.
    private static let pause: UInt32 = 10_000

    /// Saves tokens that cannot be obtained again, as a refresh token was redeemed or the user was prompted. If the
    /// store is locked or not writable, retries for a minute, or for five seconds if the problem is permanent.
    ///
    /// - Parameters:
    ///   - reservation: the result of ``reserve()``.
    ///   - onTrouble: called once with the reason if it takes longer than usual.
    /// - Returns: false if nothing was written, as the account was removed or signed out in the meantime.
    /// - Throws: the last ``StoreError``; then nothing was changed.
    package func save(_ record: TokenRecord, in reservation: WriteReservation?, onTrouble: (StoreError) -> Void)
        async throws(StoreError) -> Bool
    {
        let begin = ContinuousClock.now
        var isTold = false
        var pause: UInt32 = 0
        while true {
            let trouble: StoreError
            do throws(StoreError) {
                return try await BlockingExecutor.run { [store = withoutWaiting, pause] () throws(StoreError) in
                    // Not Task.sleep, which returns immediately once the caller has cancelled.
                    if pause > 0 { _ = usleep(pause) }
                    return try store.change(in: reservation) { $0.save(record) }
                }
            } catch {
                trouble = error
            }
            let waited = ContinuousClock.now - begin
            guard waited < (trouble.isLasting ? min(lockWait, patience) : patience) else { throw trouble }
            if !isTold, waited >= lockWait {
                isTold = true
                onTrouble(trouble)
            }
            pause = trouble.mayPass ? Self.pause : Self.pause * 10
        }
    }

    /// Keeps unsaved tokens in memory, and retries the write while this process runs.
    package func keepUnsaved(_ record: TokenRecord) {
        // The turn of a refresh, which keeps the store where it is, ends with the call.
        let store = watched.withoutWaiting
        UnsavedGrants.shared.keep(record, for: key) { () throws(StoreError) in
            let present = try store.current
            UnsavedGrants.shared.follow(from: store.key, to: present.key) { () throws(StoreError) in
                try present.change { _ in }
            }
            try present.change { _ in }
        }
    }
}
