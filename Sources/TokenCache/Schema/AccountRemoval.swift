package import Identity

extension TokenCache {
    /// Removes an account together with the keys that its tokens are bound to: both, or nothing.
    ///
    /// - Parameters:
    ///   - clientID: see ``forget(_:clientID:)``; nil removes all, see ``wipe(_:)``.
    ///   - keepsEntries: whether the removal can be undone.
    ///   - pending: the tokens that the provider has yet to revoke; the account stays listed until then.
    /// - Returns: the number of removed cache entries, and these to restore them; nil if keys were removed as well.
    package func remove(
        _ account: AccountID, clientID: String?, keepsEntries: Bool = false, pending: [PendingRevocation] = []
    ) throws(StoreError) -> (count: Int, entries: RemovedEntries?) {
        try following { cache throws(StoreError) in
            try cache.removeHere(account, clientID: clientID, keepsEntries: keepsEntries, pending)
        }
    }

    private func removeHere(
        _ account: AccountID, clientID: String?, keepsEntries: Bool, _ pending: [PendingRevocation]
    ) throws(StoreError) -> (count: Int, entries: RemovedEntries?) {
        let keys = ProofKeyStore(self)
        return try alone(with: [.proofKeys]) { written throws(StoreError) in
            // Report an unreadable key file before anything is changed.
            let hasKeys = try keys.holdsKeys(of: account, clientID: clientID)
            let former = try backend.read(.cache)?.bytes
            let (count, entries): (Int, RemovedEntries?) = try apply(&written) { edit in
                let count = edit.end(account, clientID: clientID, pending)
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

extension TokenCache {
    /// Forgets the tokens of a sign-out that were revoked, and the account if nothing else is left of it. A later
    /// sign-in is not touched.
    package func finishSignOut(_ account: AccountID, clientID: String) throws(StoreError) {
        try change { edit in
            if edit.snapshot.isSigningOut(account, clientID: clientID) {
                _ = edit.forget(account, clientID: clientID)
            } else {
                edit.forgetRevocations(of: account, clientID: clientID)
            }
        }
    }
}

extension CacheEdit {
    fileprivate mutating func end(_ account: AccountID, clientID: String?, _ pending: [PendingRevocation]) -> Int {
        guard pending.isEmpty else {
            let held = snapshot.credentials(of: account, clientID: clientID).map(\.clientID)
            return leave(account, Set(held + pending.map(\.use.clientID)), pending)
        }
        return if let clientID { forget(account, clientID: clientID) } else { wipe(account) }
    }
}

extension CacheSnapshot {
    /// The number of entries to remove for an account, from one client or from all.
    package func countToRemove(_ account: AccountID, clientID: String?) -> Int {
        var edit = CacheEdit(self)
        return if let clientID { edit.forget(account, clientID: clientID) } else { edit.wipe(account) }
    }
}

extension CacheEdit {
    /// Ends sign-ins whose tokens the provider has not revoked. The account stays listed, with nothing but these.
    ///
    /// - Returns: the number of removed entries.
    mutating func leave(_ account: AccountID, _ clientIDs: Set<String>, _ pending: [PendingRevocation]) -> Int {
        var count = 0
        for clientID in clientIDs.sorted() { count += forget(account, clientID: clientID, keepsAccount: true) }
        for (number, token) in pending.enumerated() {
            insert(
                markKey(
                    token.use.clientID, account.homeAccountID, account.environment, "revocation", String(number + 1)),
                in: .accountMetadata,
                [
                    ("client_id", token.use.clientID), ("home_account_id", account.homeAccountID),
                    ("environment", account.environment), ("issuer", account.issuer), ("realm", token.use.directory),
                    ("revocation_authority", token.use.authority), ("revocation_name", token.use.name),
                    ("revocation_authority_kind", token.use.kind?.rawValue),
                    ("revocation_kind", token.kind.rawValue), ("revocation_secret", token.secret.reveal()),
                    ("revocation_as_leaked", token.asLeaked ? "true" : nil),
                    ("revocation_since", String(token.since.epochSeconds)),
                ])
        }
        return count
    }
}
