package import Identity

// Account metadata in a section of foyer's own, which all libraries preserve: sign-outs per client, the default account
// of a client, tenant IDs by name, former usernames, and the tokens of unfinished sign-outs, which are kept only to be
// revoked.

extension CacheSnapshot {
    /// The tenant ID behind a tenant name, as last seen for this account and client; nil if never seen.
    package func tenant(named name: String, of account: AccountID, clientID: String) -> String? {
        let client = WantedClient(clientID)
        let wanted = name.asciiLowercased
        return person(account, in: .accountMetadata)
            .first { $0.isOf(client) && $0.isEqualIgnoringCase("tenant_name", wanted) }?.filled("realm")
    }

    /// The client's default account for requests that name none. It may no longer exist.
    package func currentAccount(clientID: String) -> AccountID? {
        let client = WantedClient(clientID)
        for entry in entries(.accountMetadata) where entry.isOf(client) {
            guard let home = entry.filled("principal_home_account_id"),
                let environment = entry.filled("principal_account_environment")
            else {
                continue
            }
            return AccountID(
                homeAccountID: home, environment: environment.hostLowercased,
                issuer: entry.filled("principal_account_issuer"))
        }
        return nil
    }
}

extension CacheEdit {
    /// Marks an account as signed out of a client, and forgets the tenants used by name (MSAL also clears its map).
    mutating func markSignedOut(_ account: AccountID, clientID: String) {
        let marks = marks(of: account, clientID: clientID)
        for entry in marks where entry.has("tenant_name") || entry.has("asked_scopes") || entry.has("used_authority") {
            remove(entry, from: .accountMetadata)
        }
        if let mark = marks.first(where: { $0.has("sign_in_state") }) {
            update(mark, in: .accountMetadata, [("sign_in_state", "signed_out")])
        } else {
            insert(
                markKey(clientID, account.homeAccountID, account.environment), in: .accountMetadata,
                [
                    ("client_id", clientID), ("home_account_id", account.homeAccountID),
                    ("environment", account.environment),
                    ("issuer", account.issuer), ("sign_in_state", "signed_out"),
                ])
        }
    }

    mutating func unmarkSignedOut(_ account: AccountID, clientID: String) {
        for entry in marks(of: account, clientID: clientID) where entry.has("sign_in_state") {
            remove(entry, from: .accountMetadata)
        }
    }

    /// Removes a client's metadata of an account that no client holds any more, and the sign-out marks of all clients:
    /// there is nothing left to guard against.
    mutating func clearMarks(of account: AccountID, clientID: String) {
        let client = WantedClient(clientID)
        for entry in snapshot.person(account, in: .accountMetadata)
        where entry.has("sign_in_state") || entry.isOf(client) {
            remove(entry, from: .accountMetadata)
        }
    }

    mutating func learnTenant(_ name: String, is realm: String, of account: AccountID, clientID: String) {
        let wanted = name.asciiLowercased
        let known = marks(of: account, clientID: clientID).filter { $0.isEqualIgnoringCase("tenant_name", wanted) }
        if let entry = known.first {
            update(entry, in: .accountMetadata, [("realm", realm)])
        } else {
            insert(
                markKey(clientID, account.homeAccountID, account.environment, wanted), in: .accountMetadata,
                [
                    ("client_id", clientID), ("home_account_id", account.homeAccountID),
                    ("environment", account.environment),
                    ("issuer", account.issuer), ("tenant_name", wanted), ("realm", realm),
                ])
        }
    }

    mutating func setCurrentAccount(_ account: AccountID?, clientID: String) {
        let client = WantedClient(clientID)
        for entry in snapshot.entries(.accountMetadata)
        where entry.isOf(client) && entry.has("principal_home_account_id") {
            remove(entry, from: .accountMetadata)
        }
        guard let account else { return }
        insert(
            markKey(clientID, "principal"), in: .accountMetadata,
            [
                ("client_id", clientID), ("principal_home_account_id", account.homeAccountID),
                ("principal_account_environment", account.environment), ("principal_account_issuer", account.issuer),
            ])
    }

    func marks(of account: AccountID, clientID: String) -> [CacheEntry] {
        let client = WantedClient(clientID)
        return snapshot.person(account, in: .accountMetadata).filter { $0.isOf(client) }
    }

    func markKey(_ parts: String...) -> String { (["accountmetadata"] + parts).joined(separator: "-").asciiLowercased }
}

// MARK: Former usernames

extension CacheEdit {
    /// Keeps usernames that a silent response has replaced.
    ///
    /// - Parameters:
    ///   - now: the username that replaces them, and those that the account has in other tenants.
    ///   - time: epoch seconds.
    mutating func keepFormerUsernames(_ replaced: [String], of account: AccountID, now: [String], at time: String) {
        var known = formerUsernames(of: account)
        // A user who is renamed back has the name again.
        for mark in known where now.contains(where: mark.isSame) { remove(mark.entry, from: .accountMetadata) }
        known.removeAll { mark in now.contains(where: mark.isSame) }
        var added: Set<String> = []
        for name in replaced where !now.contains(where: { $0.lowercased() == name.lowercased() }) {
            if let mark = known.first(where: { $0.isSame(as: name) }) {
                update(mark.entry, in: .accountMetadata, [("last_modification_time", time)])
                continue
            }
            guard added.insert(name.lowercased()).inserted else { continue }
            insert(
                markKey("former", account.homeAccountID, account.environment, name), in: .accountMetadata,
                [
                    ("home_account_id", account.homeAccountID), ("environment", account.environment),
                    ("issuer", account.issuer), ("former_username", name), ("last_modification_time", time),
                ])
        }
        for mark in known.sorted(by: { $0.isOlder(than: $1) }).dropLast(
            max(0, Account.mostFormerUsernames - added.count))
        {
            remove(mark.entry, from: .accountMetadata)
        }
    }

    mutating func forgetFormerUsernames(of account: AccountID) {
        for mark in formerUsernames(of: account) { remove(mark.entry, from: .accountMetadata) }
    }

    /// The usernames that an account had before the edit, and earlier.
    func usernames(of account: AccountID) -> [String] {
        snapshot.person(account, in: .account).compactMap { $0.filled("username") }
            + formerUsernames(of: account).map(\.name)
    }

    private func formerUsernames(of account: AccountID) -> [FormerUsername] {
        snapshot.person(account, in: .accountMetadata).compactMap(FormerUsername.init)
    }
}
