package import Identity
import StrictJSON

/// One read of a store, for callers that query many accounts.
package enum StoreReading: Sendable {
    case whole(CacheSnapshot)
    /// A large store: the entries of an account are read on demand.
    case indexed(StoreIndex)

    /// - Parameter byIssuer: whether entries are matched by issuer, which requires all entries.
    package func snapshot(of account: AccountID, byIssuer: Bool) -> CacheSnapshot {
        switch self {
        case .whole(let snapshot): snapshot
        case .indexed(let index): byIssuer ? index.whole : index.snapshot(of: account)
        }
    }

    /// Whether a client has a refresh token of any account; nil if the snapshot contains the answer.
    package func holdsRefreshToken(clientID: String) -> Bool? {
        switch self {
        case .whole: nil
        case .indexed(let index): index.holdsRefreshToken(clientID: clientID)
        }
    }
}

extension TokenCache {
    /// Reads all accounts in a store for display; see ``CacheSnapshot/overviews(clientID:)``.
    package func reading() throws(StoreError) -> (reading: StoreReading, overviews: [AccountOverview]) {
        if let (index, overviews) = index() { return (.indexed(index), overviews) }
        let snapshot = try read()
        return (.whole(snapshot), snapshot.overviews(clientID: nil))
    }

    /// Whether the store is unchanged since it was read. Only an index can detect that.
    package func isCurrent(_ reading: StoreReading) -> Bool {
        switch reading {
        case .whole: false
        case .indexed(let index): isCurrent(index)
        }
    }
}
