package import Identity

extension TokenCache {
    /// Removes an account together with the keys that its tokens were bound to: both, or nothing.
    ///
    /// - Parameter clientID: whose credentials go, as ``forget(_:clientID:)`` takes them; nil takes everybody's, as
    ///   ``wipe(_:)``.
    /// - Returns: how many entries of the cache went.
    /// - Throws: ``StoreError``; then nothing was changed.
    package func remove(_ account: AccountID, clientID: String?) throws(StoreError) -> Int {
        let keys = ProofKeyStore(self)
        return try alone(with: [try backend.place(.proofKeys)]) { () throws(StoreError) in
            // A key file that cannot be read is said before anything is changed.
            let hasKeys = try keys.holdsKeys(of: account, clientID: clientID)
            let former = try backend.read(.cache)?.bytes
            let count = try apply { edit in
                if let clientID { edit.forget(account, clientID: clientID) } else { edit.wipe(account) }
            }
            guard hasKeys else { return count }
            do throws(StoreError) {
                // Keys of before do not say their whole issuer: they stay while another issuer's homonym is there.
                let homonym = AccountID(homeAccountID: account.homeAccountID, environment: account.environment)
                let isAlone = try load(strictly: false).credentials(of: homonym, clientID: clientID).isEmpty
                try keys.forgetWhileLocked(account, clientID: clientID, earlier: isAlone)
            } catch {
                guard let former else { return count }
                // Where not even that can be written the account is removed, and its key is of no use to anybody.
                do throws(StoreError) { try backend.write(former, .cache, at: try backend.place(.cache)) } catch {
                    return count
                }
                throw error
            }
            return count
        }
    }
}

extension CacheSnapshot {
    /// How many entries go where an account is removed from a client, or from all.
    package func countToRemove(_ account: AccountID, clientID: String?) -> Int {
        var edit = CacheEdit(self)
        return if let clientID { edit.forget(account, clientID: clientID) } else { edit.wipe(account) }
    }
}
