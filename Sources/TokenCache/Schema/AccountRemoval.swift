package import Identity

extension TokenCache {
    /// Removes an account together with the keys that its tokens are bound to: both, or nothing.
    ///
    /// - Parameters:
    ///   - clientID: see ``forget(_:clientID:)``; nil removes all, see ``wipe(_:)``.
    ///   - keepsEntries: whether the removal can be undone.
    /// - Returns: the number of removed cache entries, and these to restore them; nil if keys were removed as well.
    package func remove(_ account: AccountID, clientID: String?, keepsEntries: Bool = false) throws(StoreError)
        -> (count: Int, entries: RemovedEntries?)
    {
        try following { cache throws(StoreError) in
            try cache.removeHere(account, clientID: clientID, keepsEntries: keepsEntries)
        }
    }

    private func removeHere(_ account: AccountID, clientID: String?, keepsEntries: Bool) throws(StoreError)
        -> (count: Int, entries: RemovedEntries?)
    {
        let keys = ProofKeyStore(self)
        return try alone(with: [.proofKeys]) { written throws(StoreError) in
            // Report an unreadable key file before anything is changed.
            let hasKeys = try keys.holdsKeys(of: account, clientID: clientID)
            let former = try backend.read(.cache)?.bytes
            let (count, entries): (Int, RemovedEntries?) = try apply(&written) { edit in
                let count =
                    if let clientID { edit.forget(account, clientID: clientID) } else { edit.wipe(account) }
                guard keepsEntries, !hasKeys,
                    let entries = RemovedEntries(
                        edit, of: account, clientID: clientID, watch: watch ?? spec.map { StoreWatch(path: $0.path) })
                else {
                    return (count, nil)
                }
                edit.noteRemoval(entries)
                return (count, entries)
            }
            guard hasKeys else { return (count, entries) }
            do throws(StoreError) {
                // Old keys have no complete issuer: keep them while the same ID exists at another issuer of the host.
                let homonym = AccountID(homeAccountID: account.homeAccountID, environment: account.environment)
                let isAlone = try load(strictly: false).credentials(of: homonym, clientID: clientID).isEmpty
                try keys.forgetWhileLocked(account, clientID: clientID, earlier: isAlone)
            } catch {
                guard let former else { return (count, nil) }
                // If even that fails, the account is removed and its key is useless.
                do throws(StoreError) { try backend.write(former, .cache) } catch {
                    return (count, nil)
                }
                throw error
            }
            return (count, nil)
        }
    }
}

extension CacheSnapshot {
    /// The number of entries to remove for an account, from one client or from all.
    package func countToRemove(_ account: AccountID, clientID: String?) -> Int {
        var edit = CacheEdit(self)
        return if let clientID { edit.forget(account, clientID: clientID) } else { edit.wipe(account) }
    }
}
