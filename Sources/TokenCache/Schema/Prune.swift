package import FoundationEssentials
package import Identity

/// Entries that can be removed from a store without loss, as shown to the user.
package struct PrunableEntries: Hashable, Sendable {
    package var credentials: [CachedCredential]
    /// Accounts without credentials.
    package var accounts: [Account]
    /// Unusable entries, except refresh tokens with a secret.
    package var damaged: [DamagedEntry]

    package static let none = PrunableEntries(credentials: [], accounts: [], damaged: [])

    package var isEmpty: Bool { credentials.isEmpty && accounts.isEmpty && damaged.isEmpty }
    package var count: Int { credentials.count + accounts.count + damaged.count }
}

extension CacheInventory {
    package init(_ snapshot: CacheSnapshot, clientID: String? = nil, at now: Date) {
        let all = CacheInventory(snapshot.credentials(), accounts: snapshot.accounts(), at: now)
        self = clientID.map(all.of) ?? all
    }
}

extension PrunableEntries {
    /// The entries of a store, or of a client, that can be removed: see ``Identity/CacheInventory/leftovers``.
    package init(in snapshot: CacheSnapshot, clientID: String? = nil, at now: Date) {
        let inventory = CacheInventory(snapshot, clientID: clientID, at: now)
        damaged = snapshot.damagedEntries(clientID: clientID).filter(\.canGo)
        // List a damaged entry only once.
        let named = Set(damaged.map { "\($0.kind.rawValue) \($0.key)" })
        credentials = inventory.leftovers.filter { !named.contains($0.id) }.map(\.credential)
        accounts = clientID == nil ? inventory.accountsWithoutTokens : []
    }
}

extension TokenCache {
    /// Removes the shown entries, except those renewed or restored in the meantime, and returns the removed ones.
    package func remove(_ shown: PrunableEntries, clientID: String? = nil, at now: Date) throws(StoreError)
        -> PrunableEntries
    {
        guard !shown.isEmpty else { return shown }
        return try change { edit in
            let still = PrunableEntries(in: edit.snapshot, clientID: clientID, at: now)
            let (credentials, accounts, damaged) = (
                Set(shown.credentials), Set(shown.accounts.map(\.id)), Set(shown.damaged)
            )
            let going = PrunableEntries(
                credentials: still.credentials.filter(credentials.contains),
                accounts: still.accounts.filter { accounts.contains($0.id) },
                damaged: still.damaged.filter(damaged.contains))
            edit.remove(going)
            return going
        }
    }
}

extension CacheEdit {
    /// Keys are compared within one section, as two sections can have the same key.
    fileprivate mutating func remove(_ leftovers: PrunableEntries) {
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
