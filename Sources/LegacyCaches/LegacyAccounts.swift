package import Identity

// The people behind legacy entries, as accounts, and which of a store's accounts an entry belongs to.

extension [LegacyEntry] {
    /// The people behind the entries, as accounts of a legacy origin.
    package var accounts: [Account] { people.compactMap(Account.init(legacy:)) }
}

extension LegacyCache {
    /// The names, in lower case, that more than one person has.
    package var namesOfSeveralPeople: Set<String> {
        var seen: Set<String> = []
        return Set(entries.people.compactMap { $0.first?.userID?.asciiLowercased }.filter { !seen.insert($0).inserted })
    }
}

extension [Account] {
    /// The accounts with those of legacy entries: whoever already exists, by home account, else by name, gets their
    /// tenants; the others follow.
    package func adding(legacy: [Account]) -> [Account] {
        guard !legacy.isEmpty else { return self }
        var accounts = self
        var homes: [AccountID: Int] = [:]
        var names: [AccountID: Int] = [:]
        for (place, account) in enumerated() {
            homes[account.id.canonical] = homes[account.id.canonical] ?? place
            guard account.homeTenantID != Account.personalTenant else { continue }
            for name in account.names { names[account.key(name)] = names[account.key(name)] ?? place }
        }
        for person in legacy {
            let key = person.key(person.username.asciiLowercased)
            let named =
                person.identifier == nil && !person.username.isEmpty ? names[key] ?? names[key.ofUnknownIssuer] : nil
            guard let place = homes[person.id.canonical] ?? homes[person.id.canonical.ofUnknownIssuer] ?? named else {
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
    /// The person behind legacy entries; nil when there is none.
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
        Set(([username] + tenantProfiles.map(\.username)).filter { !$0.isEmpty }.map(\.asciiLowercased))
    }

    fileprivate func key(_ name: String) -> AccountID {
        AccountID(homeAccountID: name, environment: environment, issuer: issuer).canonical
    }
}

extension AccountID {
    /// The same for every alias of the cloud.
    fileprivate var canonical: AccountID {
        AccountID(
            homeAccountID: homeAccountID,
            environment: Cloud.containing(host: environment)?.preferredNetwork ?? environment, issuer: issuer)
    }

    /// The same of a person whose issuer is not known.
    fileprivate var ofUnknownIssuer: AccountID { AccountID(homeAccountID: homeAccountID, environment: environment) }
}

extension LegacyEntry {
    /// Whether the entry is one of an account's: by home account where both say it; by name, within the cloud, where
    /// the entry does not say it.
    package func belongs(to account: Account) -> Bool {
        guard Cloud.isSame(authority.environment, account.environment),
            account.issuer == nil || authority.issuer == account.issuer
        else {
            return false
        }
        if let homeAccountID, let identifier = account.identifier { return homeAccountID == identifier }
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
