// Saving what cannot be had again: found out beforehand to be possible, tried again for a minute, then kept in memory.

import Glibc

extension TokenCache {
    /// Finds out whether the store can take what one answer brings, and takes the space for it. Nobody is kept from the
    /// store meanwhile: its lock is given back at once.
    ///
    /// - Throws: ``StoreError``, whatever a write would be refused for: `locked` when another writer does not end in
    ///   time, texts that are no cache, a file that would be too large for the store, the disk or the process.
    ///   `cancelled` when the task is.
    package func reserve() async throws(StoreError) -> WriteReservation {
        // A person may be asked for a passphrase.
        try await BlockingExecutor.run { [backend] () throws(StoreError) in try backend.prepare() }
        var turns = LockTurns(wait: lockWait, limit: patience)
        let file = try backend.place(.cache).file + StoreLock.suffix
        while true {
            let store = withoutWaiting
            do throws(StoreError) {
                return try await BlockingExecutor.run { () throws(StoreError) in try store.tryToReserve() }
            } catch {
                guard error.mayPass || error.mayBeUnfinished, !turns.isOver(file) else { throw error }
            }
            do { try await Task.sleep(for: Self.pace) } catch { throw StoreError(.cancelled, path: path) }
        }
    }

    private func tryToReserve() throws(StoreError) -> WriteReservation {
        let place = try backend.place(.cache)
        try place.makeFolder()
        return try StoreLock.holding(place, wait: lockWait) { () throws(StoreError) in
            let size = try load(strictly: true).text?.count ?? 0
            guard size + WriteReservation.growth <= StoreSize.maximum else {
                throw StoreError(.tooLarge(bytes: size), path: path)
            }
            return try backend.reserve(size + WriteReservation.growth, at: place) ?? WriteReservation()
        }
    }

    /// How often a writer at work is looked at, evenly: among others who take turns without a queue, who looks seldom
    /// waits longest.
    private static let pace: Duration = .microseconds(pause)
    /// The same in microseconds.
    private static let pause: UInt32 = 10_000

    /// Saves what cannot be had again, since a refresh token was spent for it or a person was asked: does not give up
    /// when the store is locked or cannot be written, but tries again for a minute, or for five seconds where it stays
    /// so.
    ///
    /// - Parameters:
    ///   - reservation: what ``reserve()`` gave.
    ///   - onTrouble: called once with the reason why it takes longer than usual.
    /// - Returns: false where nothing was written, since the account was removed or signed out meanwhile.
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
                    // Not a task's sleep, which ends at once where who asked has given up.
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

    /// Keeps in memory what could not be saved, and goes on trying to write it for as long as this process runs.
    package func keepUnsaved(_ record: TokenRecord) {
        UnsavedGrants.shared.keep(record, for: path) { [store = withoutWaiting] () throws(StoreError) in
            try store.change { _ in }
        }
    }
}
