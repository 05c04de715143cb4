package import FoundationEssentials
package import Identity

/// What can be removed from a store without loss, as it was shown to a person.
package struct Leftovers: Hashable, Sendable {
    package var credentials: [CachedCredential]
    /// Accounts that no credential belongs to.
    package var accounts: [Account]
    /// Entries that nobody can use; refresh tokens that have a secret are not among them.
    package var damaged: [DamagedEntry]

    package static let none = Leftovers(credentials: [], accounts: [], damaged: [])

    package var isEmpty: Bool { credentials.isEmpty && accounts.isEmpty && damaged.isEmpty }
    package var count: Int { credentials.count + accounts.count + damaged.count }
}

extension CacheInventory {
    /// What each client has in a store.
    ///
    /// - Parameter clientID: only this client's; nil gives everybody's.
    package init(_ snapshot: CacheSnapshot, clientID: String? = nil, at now: Date) {
        let all = CacheInventory(snapshot.credentials(), accounts: snapshot.accounts(), at: now)
        self = clientID.map(all.of) ?? all
    }
}

extension Leftovers {
    /// What of a store can go: see ``Identity/CacheInventory/leftovers``.
    ///
    /// - Parameter clientID: only of what this client holds; nil gives everybody's.
    package init(in snapshot: CacheSnapshot, clientID: String? = nil, at now: Date) {
        let inventory = CacheInventory(snapshot, clientID: clientID, at: now)
        damaged = snapshot.damagedEntries(clientID: clientID).filter(\.canGo)
        // What is damaged is named once.
        let named = Set(damaged.map { "\($0.kind.rawValue) \($0.key)" })
        credentials = inventory.leftovers.filter { !named.contains($0.id) }.map(\.credential)
        accounts = clientID == nil ? inventory.accountsWithoutTokens : []
    }
}

extension TokenCache {
    /// Removes what was shown, if it can still be removed: what was renewed or restored meanwhile stays.
    ///
    /// - Returns: what went.
    /// - Throws: ``StoreError``; then nothing was changed.
    package func remove(_ shown: Leftovers, clientID: String? = nil, at now: Date) throws(StoreError) -> Leftovers {
        guard !shown.isEmpty else { return shown }
        return try change { edit in
            let still = Leftovers(in: edit.snapshot, clientID: clientID, at: now)
            let (credentials, accounts, damaged) = (
                Set(shown.credentials), Set(shown.accounts.map(\.id)), Set(shown.damaged)
            )
            let going = Leftovers(
                credentials: still.credentials.filter(credentials.contains),
                accounts: still.accounts.filter { accounts.contains($0.id) },
                damaged: still.damaged.filter(damaged.contains))
            edit.remove(going)
            return going
        }
    }
}

extension CacheEdit {
    /// Keys are compared within one section only: two sections may have the same.
    fileprivate mutating func remove(_ leftovers: Leftovers) {
        for section in Section.credentials {
            let keys = Set(leftovers.credentials.filter { $0.kind == section.kind }.map(\.id))
            guard !keys.isEmpty else { continue }
            for entry in snapshot.entries(section) where entry.key.map(keys.contains) ?? false {
                remove(entry, from: section)
            }
        }
        remove(Set(leftovers.damaged))
        for account in leftovers.accounts {
            for entry in snapshot.person(account.id, in: .account) { remove(entry, from: .account) }
        }
    }
}
