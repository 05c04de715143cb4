package import Identity
import StrictJSON

/// One reading of a store, for who asks about one account after the other.
package enum StoreReading: Sendable {
    case whole(CacheSnapshot)
    /// A large store: the entries of an account are read when they are asked for.
    case indexed(StoreIndex)

    /// What a decision about an account looks at.
    ///
    /// - Parameter byIssuer: whether entries are judged by their issuers, which everybody's entries tell together.
    package func snapshot(of account: AccountID, byIssuer: Bool) -> CacheSnapshot {
        switch self {
        case .whole(let snapshot): snapshot
        case .indexed(let index): byIssuer ? index.whole : index.snapshot(of: account)
        }
    }

    /// Whether a client holds some refresh token, be it of another account; nil where the snapshot says it.
    package func holdsRefreshToken(clientID: String) -> Bool? {
        switch self {
        case .whole: nil
        case .indexed(let index): index.holdsRefreshToken(clientID: clientID)
        }
    }
}

extension TokenCache {
    /// Reads what the interface shows of a store: everybody in it, as ``CacheSnapshot/overviews(clientID:)`` gives
    /// them.
    ///
    /// - Throws: as ``read()``.
    package func reading() throws(StoreError) -> (reading: StoreReading, overviews: [AccountOverview]) {
        if let (index, overviews) = index() { return (.indexed(index), overviews) }
        let snapshot = try read()
        return (.whole(snapshot), snapshot.overviews(clientID: nil))
    }

    /// Whether the store is still what a reading found. Only an index can say so.
    package func isCurrent(_ reading: StoreReading) -> Bool {
        switch reading {
        case .whole: false
        case .indexed(let index): isCurrent(index)
        }
    }
}
