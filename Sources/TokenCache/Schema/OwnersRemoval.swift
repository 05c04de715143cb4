package import Identity

// Removes an account from another program's store in the same way as that program does.
extension StoreProbe {
    package struct RemovedCounts: Hashable, Sendable {
        package var entries: Int
        /// Subscriptions in Azure CLI's profile.
        package var subscriptions: Int
    }

    package enum RemovalError: Error, Sendable {
        /// The user did not allow changes to this store.
        case readOnly
        /// Nothing was changed.
        case store(StoreError)
        /// The tokens could not be removed, and this many removed subscriptions could not be restored.
        case partly(subscriptions: Int, StoreError)
    }

    /// Removes an account as the store's own program does: refresh tokens of the client and its family, access and ID
    /// tokens and account entries of all clients. For Azure CLI, the account's subscriptions go first, as in `az
    /// logout`. Both files are locked and the tokens read strictly before anything is changed; subscriptions are
    /// restored if the tokens cannot be removed.
    ///
    /// - Parameter clientID: the program's own client; refresh tokens of other clients outside the family stay.
    /// - Throws: `readOnly` and `store` before anything is changed; `partly`.
    package func remove(_ account: Account, clientID: String, keys: StoreKeys = StoreKeys()) throws(RemovalError)
        -> RemovedCounts
    {
        guard source.mayWrite else { throw .readOnly }
        guard let spec else { throw .store(StoreError(.noStore(why: "not a usable store"), path: source.place)) }
        let cache = TokenCache(spec, keys: keys)
        let names = [account.username] + account.formerUsernames
        let outcome: Result<RemovedCounts, RemovalError>
        do throws(StoreError) {
            guard let path = source.profile, !account.username.isEmpty else {
                return RemovedCounts(
                    entries: try cache.change { $0.removeAsOwner(account.id, clientID: clientID) }, subscriptions: 0)
            }
            outcome = try cache.alone(with: [], and: [try ResolvedPath(path)]) { written throws(StoreError) in
                _ = try cache.load(strictly: true)
                let profile = try AzureProfile(path: path)
                let text = try profile?.remove(names)
                let count = text == nil ? 0 : profile?.count(of: names) ?? 0
                do throws(StoreError) {
                    let entries = try cache.apply(&written) { $0.removeAsOwner(account.id, clientID: clientID) }
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

    /// The counts that `remove` would return. No subscriptions for other programs, or if the profile is unreadable.
    package func countToRemove(_ account: Account, clientID: String) -> RemovedCounts {
        var edit = CacheEdit(snapshot)
        let profile = source.profile.flatMap { try? AzureProfile(path: $0) }
        return RemovedCounts(
            entries: edit.removeAsOwner(account.id, clientID: clientID),
            subscriptions: profile?.count(of: [account.username] + account.formerUsernames) ?? 0)
    }
}

extension CacheEdit {
    /// Same as MSAL's own removal: only refresh tokens are filtered by client; client metadata stays.
    mutating func removeAsOwner(_ account: AccountID, clientID: String) -> Int {
        let client = WantedClient(clientID)
        var count = 0
        for section in [Section.refreshToken, .accessToken, .idToken, .account, .accountMetadata] {
            for entry in snapshot.person(account, in: section) {
                if section == .refreshToken, !entry.isOf(client), entry.filled("family_id") == nil {
                    continue
                }
                remove(entry, from: section)
                if section != .accountMetadata { count += 1 }
            }
        }
        return count
    }
}
