import Identity

// The account entries that a response describes. Its user may have been renamed: the names of an answer replace those
// of before in each of these entries, including those of other libraries.

extension CacheEdit {
    /// Writes what a response says about its user: into the entry of its tenant and, if that is the home tenant, into
    /// the others of the home tenant. A sign-in adds a missing entry; a silent call only for an account that has
    /// another, as it may have been removed on purpose.
    mutating func saveAccount(_ record: TokenRecord, _ target: Target) {
        let held = snapshot.person(target.account, in: .account)
        func isOfTenant(_ entry: CacheEntry) -> Bool {
            (entry.text("realm") ?? "").isSameIgnoringCase(as: record.realm)
        }
        let own = held.first(where: isOfTenant)
        let names = record.names
        if let own {
            let fields =
                record.createsAccount ? changing(accountFields(record, target, own), of: own) : names
            // Keep an undecodable value if there is no better one.
            update(own, in: .account, fields.filter { $0.text != nil })
        } else if record.createsAccount || !held.isEmpty {
            insert(target.key(record.realm), in: .account, accountFields(record, target, nil))
        }
        let isHome = HomeAccountID.isHome(record.localAccountID, of: record.homeAccountID)
        let described = held.filter { isOfTenant($0) || (isHome && $0.isHomeProfile) }
        for entry in described where entry.index != own?.index { update(entry, in: .account, names) }
        guard record.isSilent || !record.createsAccount else { return forgetFormerUsernames(of: target.account) }
        guard record.hasUsername, !record.username.isEmpty else { return }
        let others = held.filter { entry in !described.contains { $0.index == entry.index } }
        keepFormerUsernames(
            described.compactMap { $0.filled("username") }, of: target.account,
            now: [record.username] + others.compactMap { $0.filled("username") }, at: target.cachedAt)
    }

    private func accountFields(_ record: TokenRecord, _ target: Target, _ entry: CacheEntry?) -> [Field] {
        func kept(_ name: StaticString, _ text: String?) -> String? { text ?? entry?.text(name) }
        let names = record.names
        func name(_ name: StaticString, _ new: String?) -> String? {
            entry == nil ? new : names.first { $0.name == "\(name)" }?.text ?? entry?.filled(name) ?? new
        }
        return [
            ("home_account_id", target.home), ("environment", target.environment), ("issuer", target.issuer),
            ("realm", record.realm), ("local_account_id", localAccountID(record, entry)),
            ("username", name("username", record.username)),
            ("authority_type", record.authorityType), ("account_source", record.accountSource),
            ("name", name("name", record.name)), ("given_name", kept("given_name", record.givenName)),
            ("family_name", kept("family_name", record.familyName)),
            ("client_info", kept("client_info", record.clientInfo)), ("last_modification_time", target.cachedAt),
        ]
    }

    /// In the spelling of the entry.
    private func localAccountID(_ record: TokenRecord, _ entry: CacheEntry?) -> String {
        guard let known = entry?.filled("local_account_id"), HomeAccountID.hasTenant(record.homeAccountID),
            known.isSameIgnoringCase(as: record.localAccountID)
        else { return record.localAccountID }
        return known
    }
}

extension TokenRecord {
    /// The names in the response.
    fileprivate var names: [CacheEdit.Field] {
        let names: [CacheEdit.Field] = [
            ("username", hasUsername ? username : nil), ("name", hasName ? name : nil), ("given_name", givenName),
            ("family_name", familyName),
        ]
        return names.filter { $0.text?.isEmpty == false }
    }
}

extension CacheEntry {
    fileprivate var isHomeProfile: Bool {
        guard let home = filled("home_account_id") else { return false }
        return HomeAccountID.isHome(filled("local_account_id") ?? home, of: home)
    }
}
