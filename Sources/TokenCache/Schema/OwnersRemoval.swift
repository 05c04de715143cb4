package import Identity

// Removing an account from a store that belongs to another program, as that program would do it.
extension StoreProbe {
    /// What a removal took.
    package struct RemovedCounts: Hashable, Sendable {
        /// Entries of the token cache.
        package var entries: Int
        /// Subscriptions of the Azure CLI's profile.
        package var subscriptions: Int
    }

    /// Why a store's account cannot be removed.
    package enum RemovalError: Error, Sendable {
        /// The person did not allow to change this store.
        case readOnly
        /// Nothing was changed.
        case store(StoreError)
        /// So many subscriptions went, and could not be put back when the tokens could not be removed.
        case partly(subscriptions: Int, StoreError)
    }

    /// Removes an account as the store's own program does: refresh tokens of the client and of its family, access and
    /// ID tokens and account entries of all clients, and for the Azure CLI the account's subscriptions first, in the
    /// order in which `az logout` goes.
    ///
    /// Both files are locked, and the tokens are read as a whole, before anything is changed; subscriptions are put
    /// back when the tokens cannot be removed.
    ///
    /// - Parameters:
    ///   - account: as this store's snapshot gives it.
    ///   - clientID: the program's own client; refresh tokens of other clients that are not of the family stay.
    /// - Throws: `readOnly` and `store` before anything is changed; `partly`.
    package func remove(_ account: Account, clientID: String, keys: StoreKeys = StoreKeys()) throws(RemovalError)
        -> RemovedCounts
    {
        guard source.mayWrite else { throw .readOnly }
        guard let spec else { throw .store(StoreError(.noStore(why: "nothing usable is there"), path: source.place)) }
        let cache = TokenCache(spec, keys: keys)
        let outcome: Result<RemovedCounts, RemovalError>
        do throws(StoreError) {
            guard let path = source.profile, !account.username.isEmpty else {
                return RemovedCounts(
                    entries: try cache.change { $0.removeAsOwner(account.id, clientID: clientID) }, subscriptions: 0)
            }
            outcome = try cache.alone(with: [try ResolvedPath(path)]) { () throws(StoreError) in
                _ = try cache.load(strictly: true)
                let profile = try AzureProfile(path: path)
                let text = try profile?.remove(account.username)
                let count = text == nil ? 0 : profile?.count(of: account.username) ?? 0
                do throws(StoreError) {
                    let entries = try cache.apply { $0.removeAsOwner(account.id, clientID: clientID) }
                    return .success(RemovedCounts(entries: entries, subscriptions: count))
                } catch let trouble {
                    guard let profile, let text else { return .failure(.store(trouble)) }
                    do throws(StoreError) { try profile.putBack(insteadOf: text) } catch {
                        return .failure(.partly(subscriptions: count, trouble))
                    }
                    return .failure(.store(trouble))
                }
            }
        } catch { throw .store(error) }
        return try outcome.get()
    }

    /// What `remove` would take away. No subscriptions for other programs, and when the profile cannot be read.
    package func countToRemove(_ account: Account, clientID: String) -> RemovedCounts {
        var edit = CacheEdit(snapshot)
        let profile = source.profile.flatMap { try? AzureProfile(path: $0) }
        return RemovedCounts(
            entries: edit.removeAsOwner(account.id, clientID: clientID),
            subscriptions: profile?.count(of: account.username) ?? 0)
    }
}

extension CacheEdit {
    /// As MSAL's own removal: only refresh tokens look at the client; what the cache notes of applications
    /// stays.
    mutating func removeAsOwner(_ account: AccountID, clientID: String) -> Int {
        let client = Array(clientID.utf8)
        var count = 0
        for section in [Section.refreshToken, .accessToken, .idToken, .account, .accountMetadata] {
            for entry in snapshot.person(account, in: section) {
                if section == .refreshToken, !entry.isEqual("client_id", client), entry.filled("family_id") == nil {
                    continue
                }
                remove(entry, from: section)
                if section != .accountMetadata { count += 1 }
            }
        }
        return count
    }
}
