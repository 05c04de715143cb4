import FoundationEssentials
package import Identity

// The client's name, authority and directory of each sign-in: stored with the account's other metadata, as the tokens
// do not tell.

extension CacheSnapshot {
    /// How an account has signed in here, the latest first; empty if only other programs signed it in.
    ///
    /// - Parameter clientID: the client; nil for all.
    package func uses(of account: AccountID, clientID: String? = nil) -> [ClientUse] {
        let marks = person(account, in: .accountMetadata)
        let uses = marks.compactMap { $0.clientUse ?? $0.pendingUse }.filter { use in
            clientID.map { ClientID.isSame($0, use.clientID) } ?? true
        }
        return ClientUse.latestFirst(uses)
    }

    /// The uses of all accounts, each account's latest first.
    package var allUses: [ClientUse] {
        ClientUse.latestFirst(entries(.accountMetadata).compactMap { $0.clientUse ?? $0.pendingUse })
    }
}

extension ClientUse {
    /// By user number, the latest first.
    static func all(in metadata: CacheEntries, number: (CacheEntry) -> Int?) -> [Int: [ClientUse]] {
        var uses: [Int: [ClientUse]] = [:]
        for entry in metadata {
            guard let use = entry.clientUse ?? entry.pendingUse, let person = number(entry) else { continue }
            uses[person, default: []].append(use)
        }
        return uses.mapValues(latestFirst)
    }

    fileprivate static func latestFirst(_ uses: [ClientUse]) -> [ClientUse] {
        guard uses.count > 1 else { return uses }
        // On a tie the last one in the file is newer, as writers append.
        return uses.enumerated().sorted { one, other in
            (one.element.at ?? .distantPast, one.offset) > (other.element.at ?? .distantPast, other.offset)
        }.map(\.element)
    }
}

extension CacheEntry {
    /// Nil for other metadata, and for what foyer never writes.
    fileprivate var clientUse: ClientUse? {
        guard let authority = filled("used_authority"), let clientID = filled("client_id") else { return nil }
        return clientUse(
            clientID, name: filled("used_name"), authority: authority, kind: filled("used_kind"), at: date("used_at"))
    }
}

extension CacheEdit {
    /// Remembers how the person signed in. The oldest of too many is dropped.
    mutating func noteUse(_ use: ClientUse, of account: AccountID) {
        guard let authority = use.authority, authority.utf8.count <= ClientUse.longestText,
            use.name?.utf8.count ?? 0 <= ClientUse.longestText
        else { return }
        let known = marks(of: account, clientID: use.clientID).filter { $0.has("used_authority") }
        let fields: [Field] = [
            ("client_id", use.clientID), ("home_account_id", account.homeAccountID),
            ("environment", account.environment), ("issuer", account.issuer), ("realm", use.directory),
            ("used_authority", authority), ("used_name", use.name), ("used_kind", use.kind?.rawValue),
            ("used_at", use.at.map { String($0.epochSeconds) }),
        ]
        if let same = known.first(where: { $0.clientUse == use }) {
            return update(same, in: .accountMetadata, [("used_at", use.at.map { String($0.epochSeconds) })])
        }
        let oldest = known.sorted { $0.date("used_at") ?? .distantPast < $1.date("used_at") ?? .distantPast }
        for entry in oldest.dropLast(ClientUse.most - 1) { remove(entry, from: .accountMetadata) }
        insert(
            markKey(use.clientID, account.homeAccountID, account.environment, "use", use.name ?? "", authority),
            in: .accountMetadata, fields)
    }

    /// Forgets how the person used a client that no longer holds anything of the account.
    mutating func forgetUses(of account: AccountID, clientID: String) {
        for entry in marks(of: account, clientID: clientID) where entry.has("used_authority") {
            remove(entry, from: .accountMetadata)
        }
    }
}
