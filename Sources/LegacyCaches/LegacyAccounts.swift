package import Identity

// Accounts made from legacy entries, and the match of an entry to one of a store's accounts.

extension [LegacyEntry] {
    /// The entries as accounts of legacy origin, one per user.
    package var accounts: [Account] { people.compactMap(Account.init(legacy:)) }
}

extension LegacyCache {
    /// Lowercased usernames that belong to more than one user.
    package var namesOfSeveralPeople: Set<String> {
        var seen: Set<String> = []
        return Set(entries.people.compactMap { $0.first?.userID?.asciiLowercased }.filter { !seen.insert($0).inserted })
    }
}

extension [Account] {
    /// Adds accounts of legacy entries. An account that already exists, by home account or else by username, only gains
    /// their tenants; the others are appended.
    package func adding(legacy: [Account]) -> [Account] {
        guard !legacy.isEmpty else { return self }
        var accounts = self
        var homes: [AccountID: Int] = [:]
        var names: [AccountID: Int] = [:]
        for (place, account) in enumerated() {
            homes[account.id] = homes[account.id] ?? place
            guard account.homeTenantID != Account.personalTenant else { continue }
            for name in account.names { names[account.key(name)] = names[account.key(name)] ?? place }
        }
        for person in legacy {
            let key = person.key(person.username.asciiLowercased)
            let named =
                person.identifier == nil && !person.username.isEmpty ? names[key] ?? names[key.ofUnknownIssuer] : nil
            guard let place = homes[person.id] ?? homes[person.id.ofUnknownIssuer] ?? named else {
                accounts.append(person)
                continue
            }
            let known = Set(accounts[place].tenantProfiles.map { $0.tenantID.asciiLowercased })
            accounts[place].tenantProfiles += person.tenantProfiles.filter {
                !known.contains($0.tenantID.asciiLowercased)
            }
        }
        return accounts
    }
}

extension Account {
    fileprivate init?(legacy entries: [LegacyEntry]) {
        guard let first = entries.first else { return nil }
        let username = entries.lazy.compactMap(\.userID).first ?? ""
        var profiles: [TenantProfile] = []
        for entry in entries {
            guard let tenant = entry.tenantID ?? (entry.authority.tenant.isGUID ? entry.authority.tenant : nil),
                !profiles.contains(where: { $0.tenantID.asciiLowercased == tenant.asciiLowercased })
            else { continue }
            let isHome = entry.homeAccountID.map { $0.asciiLowercased.hasSuffix("." + tenant.asciiLowercased) } ?? false
            profiles.append(
                TenantProfile(
                    tenantID: tenant, localAccountID: entry.objectID ?? "", username: entry.userID ?? "",
                    name: entry.name, isHome: isHome))
        }
        self.init(
            homeAccountID: first.homeAccountID
                ?? Self.unidentified(username, objectID: entries.lazy.compactMap(\.objectID).first),
            environment: first.authority.environment, username: username, name: entries.lazy.compactMap(\.name).first,
            tenantProfiles: profiles.filter(\.isHome) + profiles.filter { !$0.isHome },
            clients: Set(entries.map(\.clientID).filter { LegacyFields.family(ofClient: $0) == nil }).sorted(),
            origin: .adal,
            issuer: first.authority.issuer)
    }

    fileprivate var names: Set<String> {
        Set(
            ([username] + tenantProfiles.map(\.username) + formerUsernames).filter { !$0.isEmpty }
                .map(\.asciiLowercased))
    }

    fileprivate func key(_ name: String) -> AccountID {
        AccountID(homeAccountID: name, environment: environment, issuer: issuer)
    }
}

extension AccountID {
    fileprivate var ofUnknownIssuer: AccountID { AccountID(homeAccountID: homeAccountID, environment: environment) }
}

extension LegacyEntry {
    /// Whether the entry belongs to an account: by home account if both have one, else by username within the cloud.
    package func belongs(to account: Account) -> Bool {
        guard Cloud.isSame(authority.environment, account.environment),
            account.issuer == nil || authority.issuer == account.issuer
        else {
            return false
        }
        if let homeAccountID, let identifier = account.identifier {
            return HomeAccountID.isSame(homeAccountID, identifier, issuer: authority.issuer)
        }
        guard account.homeTenantID != Account.personalTenant else { return false }
        if let objectID, let tenantID,
            let profile = account.tenantProfiles.first(where: {
                $0.tenantID.asciiLowercased == tenantID.asciiLowercased
            }),
            !profile.localAccountID.isEmpty, profile.localAccountID.asciiLowercased != objectID.asciiLowercased
        {
            return false
        }
        guard let userID else { return account.identifier == nil && account.username.isEmpty }
        return account.names.contains(userID.asciiLowercased)
    }
}
