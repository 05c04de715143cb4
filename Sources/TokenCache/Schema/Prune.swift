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

extension CacheSnapshot {
    /// What each client has cached.
    ///
    /// - Parameter clientID: only this client's; nil gives everybody's.
    package func holdings(clientID: String? = nil, at now: Date) -> CacheInventory {
        let all = CacheInventory(credentials(), accounts: accounts(), at: now)
        guard let clientID else { return all }
        return all.of(clientID)
    }

    /// What can go: see ``Identity/Holdings/leftovers``. With a client, only of what it holds.
    package func leftovers(clientID: String? = nil, at now: Date) -> Leftovers {
        let holdings = holdings(clientID: clientID, at: now)
        let damaged = damagedEntries(clientID: clientID).filter(\.canGo)
        // What is damaged is named once.
        let named = Set(damaged.map { "\($0.kind.rawValue) \($0.key)" })
        return Leftovers(
            credentials: holdings.leftovers.filter { !named.contains($0.id) }.map(\.credential),
            accounts: clientID == nil ? holdings.accountsWithoutTokens : [], damaged: damaged)
    }
}

extension TokenCache {
    /// Removes what was shown, as far as it can still go: what was renewed or came back meanwhile stays.
    ///
    /// - Returns: what went.
    /// - Throws: ``StoreError``; then nothing was changed.
    package func remove(_ shown: Leftovers, clientID: String? = nil, at now: Date) throws(StoreError) -> Leftovers {
        guard !shown.isEmpty else { return shown }
        return try change { edit in
            let still = edit.snapshot.leftovers(clientID: clientID, at: now)
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

/// A store that has grown beyond what is read otherwise can be read and made smaller, and nothing else.
package enum OversizedStore {
    /// Runs a body in which plain files of up to 512 MiB are stores.
    package static func accepted<Value, Problem: Error>(_ body: () throws(Problem) -> Value) throws(Problem) -> Value {
        let outcome = FileStore.$limit.withValue(FileStore.mostToMend) { () -> Result<Value, Problem> in
            do throws(Problem) { return .success(try body()) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
