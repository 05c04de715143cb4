// Follows a store that was moved between the choice of the store and a write to it.

import Identity

extension TokenCache {
    /// The same store, followed from now on wherever it is moved: for a caller that takes long before it writes.
    package var watched: TokenCache {
        guard watch == nil, let spec else { return self }
        var cache = self
        cache.watch = StoreWatch(path: spec.path)
        return cache
    }

    /// The store at its present location, if it is ``watched``.
    ///
    /// - Throws: `moved` if the new location is not understood.
    package var current: TokenCache {
        get throws(StoreError) {
            guard let watch, let spec, let place = watch.place, place.name != spec.description else { return self }
            guard let next = place.spec else { throw StoreError(.moved(to: place.name), path: path) }
            return TokenCache(
                spec: next, path: next.path, backend: StoreBackend(next, keys), lockWait: lockWait,
                retryPause: retryPause, patience: patience, keys: keys, watch: watch)
        }
    }

    /// Runs a body with the store at its present location, and again if it is moved before the body holds its lock.
    func following<Value>(_ body: (TokenCache) throws(StoreError) -> Value) throws(StoreError) -> Value {
        guard watch != nil else { return try body(self) }
        for _ in 0..<Self.mostMoves {
            let cache = try current
            do throws(StoreError) { return try body(cache) } catch {
                guard case .moved = error.situation, try cache.current.spec != cache.spec else { throw error }
            }
        }
        return try body(current)
    }

    private static let mostMoves = 8

    /// Runs a short body while no other process writes to these parts and files.
    ///
    /// - Parameters:
    ///   - wait, limit, reservation: see ``StoreLock``.
    /// - Throws: `moved` if the store is elsewhere by then; see ``following(_:)``.
    func holding<Value>(
        _ parts: [TokenStorePart], and files: [ResolvedPath] = [], wait: Duration, limit: Duration = .zero,
        in reservation: WriteReservation? = nil, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try backend.holding(parts, and: files, wait: wait, limit: limit, in: reservation) { () throws(StoreError) in
            if let watch {
                watch.begin()
                let place = try current
                guard place.spec == spec else {
                    throw StoreError(.moved(to: place.spec?.description ?? place.path), path: path)
                }
            }
            return try body()
        }
    }
}
