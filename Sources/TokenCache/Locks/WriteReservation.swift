import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// That the next content of a store can be kept, found out before something is done that cannot be undone: a refresh
/// token is spent, a person is asked.
///
/// The store was locked, understood as a whole and found to be writable; where the file system can do it, the space is
/// held as a file without a name.
package final class WriteReservation: Sendable {
    /// How much a store may grow by what one answer brings: two tokens of eight kilobytes, which are long ones, and
    /// what is noted beside them.
    static let growth = 32_768

    private let descriptor: Mutex<Int32?>

    /// - Parameter descriptor: of a file without a name, which this closes; nil where no space is held.
    init(descriptor: Int32? = nil) { self.descriptor = Mutex(descriptor) }

    deinit { release() }

    /// Hands the file over to who uses it, and closes it.
    ///
    /// - Returns: nil when no space is held, or not any more.
    func take() -> Int32? {
        descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
    }

    /// Gives the space back; does nothing the second time.
    package func release() {
        if let descriptor = take() { close(descriptor) }
    }
}

extension TokenCache {
    /// Finds out whether the store can take what one answer brings, and takes the space for it. Nobody is kept from the
    /// store meanwhile: its lock is given back at once.
    ///
    /// - Throws: ``StoreError``, whatever a write would be refused for: `locked` when another writer does not end in
    ///   time, texts that are no cache, a file that would be too large for the store, the disk or the process.
    ///   `cancelled` when the task is.
    package func reserve() async throws(StoreError) -> WriteReservation {
        try vault.prepare()
        let deadline = ContinuousClock.now + lockWait
        while true {
            do throws(StoreError) { return try withoutWaiting.tryToReserve() } catch {
                guard error.mayPass || error.mayBeUnfinished, ContinuousClock.now < deadline else { throw error }
            }
            do { try await Task.sleep(for: Self.pace) } catch { throw StoreError(.cancelled, path: path) }
        }
    }

    private func tryToReserve() throws(StoreError) -> WriteReservation {
        let place = try vault.place(.cache)
        try place.makeFolder()
        return try StoreLock.holding(place, wait: lockWait) { () throws(StoreError) in
            let size = try load(strictly: true).text?.count ?? 0
            guard size + WriteReservation.growth <= FileStore.maximumBytes else {
                throw StoreError(.tooLarge(bytes: size), path: path)
            }
            return try vault.reserve(size + WriteReservation.growth, at: place) ?? WriteReservation()
        }
    }

    /// How often a writer at work is looked at, evenly: among others who take turns without a queue, who looks seldom
    /// waits longest.
    private static let pace: Duration = .milliseconds(10)

    /// Saves what cannot be had again, since a refresh token was spent for it or a person was asked: does not give up
    /// when the store is locked or cannot be written, but tries again for a minute.
    ///
    /// - Parameters:
    ///   - reservation: what ``reserve()`` gave.
    ///   - onTrouble: told why it takes longer than usual, once.
    /// - Throws: the last ``StoreError``; then nothing was changed.
    package func save(_ record: TokenRecord, in reservation: WriteReservation?, onTrouble: (StoreError) -> Void)
        async throws(StoreError)
    {
        let begin = ContinuousClock.now
        var isTold = false
        while true {
            let trouble: StoreError
            do throws(StoreError) { return try withoutWaiting.change(in: reservation) { $0.save(record) } } catch {
                trouble = error
            }
            let waited = ContinuousClock.now - begin
            guard waited < patience else { throw trouble }
            if !isTold, waited >= lockWait {
                isTold = true
                onTrouble(trouble)
            }
            // Its own task: who asked may have given up, and a sleep would then end at once.
            await Task.detached { [pause = trouble.mayPass ? Self.pace : Self.pace * 10] in
                do { try await Task.sleep(for: pause) } catch {}
            }.value
        }
    }
}
