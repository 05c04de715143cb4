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

    /// The accounts of ``CacheSnapshot/accounts(clientID:)``.
    package func accounts(_ overviews: () -> [AccountOverview]) -> [Account] {
        switch self {
        case .whole(let snapshot): snapshot.accounts()
        case .indexed: overviews().filter(\.isNamed).map(\.account)
        }
    }

    /// Contains at least the entries that are damaged or undecodable.
    package var suspects: CacheSnapshot {
        switch self {
        case .whole(let snapshot): snapshot
        case .indexed(let index): index.suspects
        }
    }

    package var credentialCount: Int {
        switch self {
        case .whole(let snapshot): snapshot.credentials().count
        case .indexed(let index): index.ownedCount + index.suspects.credentials().count(where: \.hasNoOwner)
        }
    }

    /// Passes the usable credentials of each home account ID to a body, sorted by ID; first those without one.
    package func visitOwners(_ body: ([CachedCredential]) -> Void) {
        switch self {
        case .whole(let snapshot):
            let owners = Dictionary(grouping: snapshot.credentials()) {
                HomeAccountID.canonical($0.homeAccountID ?? "", issuer: $0.issuer)
            }
            for home in owners.keys.sorted() { body(owners[home] ?? []) }
        case .indexed(let index):
            let others = index.suspects.credentials().filter(\.hasNoOwner)
            if !others.isEmpty { body(others) }
            index.visitOwned(body)
        }
    }
}

extension CachedCredential {
    fileprivate var hasNoOwner: Bool { homeAccountID == nil }
}

extension AccountOverview {
    /// Whether the store has an account entry for it.
    fileprivate var isNamed: Bool { !account.tenantProfiles.isEmpty }
}

extension TokenCache {
    /// Reads a store for display, piece by piece if it is large.
    ///
    /// - Parameters:
    ///   - body: gets the accounts of ``CacheSnapshot/overviews(clientID:)`` on demand. Called again with the whole
    ///     store if it was changed in place meanwhile.
    package func reading<Value>(_ body: (_ reading: StoreReading, _ overviews: () -> [AccountOverview]) -> Value)
        throws(StoreError) -> Value
    {
        if let (index, overviews) = try current.index() {
            let value = body(.indexed(index)) { overviews }
            if !index.hasChanged { return value }
        }
        let snapshot = try read()
        return body(.whole(snapshot)) { snapshot.overviews(clientID: nil) }
    }

    /// The numbers of accounts and usable credentials in a large store; nil if it is small, must be read as a whole, or
    /// seems to have none.
    func counts() -> (accounts: Int, credentials: Int)? {
        guard let (index, overviews) = index() else { return nil }
        let counts = (overviews.count(where: \.isNamed), StoreReading.indexed(index).credentialCount)
        return index.hasChanged || counts == (0, 0) ? nil : counts
    }

    /// Reads all accounts in a store for display; see ``CacheSnapshot/overviews(clientID:)``.
    package func reading() throws(StoreError) -> (reading: StoreReading, overviews: [AccountOverview]) {
        if let (index, overviews) = try current.index() { return (.indexed(index), overviews) }
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
