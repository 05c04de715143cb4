package import FoundationEssentials

/// The cached credentials by client, with findings about each, and the leftovers.
package struct CacheInventory: Hashable, Sendable {
    /// The clients that hold anything, sorted by identifier.
    package let clients: [ClientInventory]
    package let accountsWithoutTokens: [Account]

    package init(_ credentials: [CachedCredential], accounts: [Account], at now: Date) {
        let owners = Owners(credentials, accounts)
        let groups = Dictionary(grouping: credentials, by: \.clientID)
        clients = groups.keys.sorted().map { ClientInventory(clientID: $0, held: groups[$0] ?? [], owners, at: now) }
        accountsWithoutTokens = accounts.filter { $0.clients.isEmpty && !owners.holds($0) }
    }

    private init(clients: [ClientInventory], accountsWithoutTokens: [Account]) {
        (self.clients, self.accountsWithoutTokens) = (clients, accountsWithoutTokens)
    }

    package func of(_ clientID: String) -> CacheInventory {
        CacheInventory(
            clients: clients.filter { ClientID.isSame($0.clientID, clientID) },
            accountsWithoutTokens: accountsWithoutTokens)
    }

    package var credentials: [HeldCredential] { clients.flatMap(\.credentials) }

    /// Credentials that can be removed without loss: access tokens past their extended lifetime, and access and ID
    /// tokens without an account. Refresh tokens are kept, because an old one may still work and one without an account
    /// entry can restore the account. An account's ID tokens are kept because signing out needs them.
    package var leftovers: [HeldCredential] {
        credentials.filter { held in
            switch held.credential.kind {
            case .refreshToken: false
            case .idToken: held.findings.contains(.accountMissing)
            case .accessToken: held.findings.contains(.accountMissing) || held.findings.contains(.expired)
            }
        }
    }
}

package struct ClientInventory: Hashable, Sendable, Identifiable {
    package let clientID: String
    /// Sorted by account, kind and key.
    package let credentials: [HeldCredential]

    package init(clientID: String, credentials: [HeldCredential]) {
        (self.clientID, self.credentials) = (clientID, credentials)
    }

    package var id: String { clientID }
    package var wellKnown: Client? { Client.wellKnown.first { $0.id == clientID.asciiLowercased } }

    package func count(_ kind: CachedCredential.Kind) -> Int { credentials.count { $0.credential.kind == kind } }
}

package struct HeldCredential: Hashable, Sendable, Identifiable {
    package enum Finding: Hashable, Sendable {
        /// An access token that has expired, including any extended lifetime.
        case expired
        /// There is a newer credential, with this key, for the same client, account, tenant and scopes.
        case duplicate(of: String)
        /// One for the same client, account and tenant, with this key, has more scopes and expires no earlier.
        case covered(by: String)
        /// The cache has no account for it, and no refresh token that could restore the account.
        case accountMissing
        /// The cache has no account for it, but a refresh token that can restore the account.
        case accountRecoverable
    }

    package let credential: CachedCredential
    package let findings: [Finding]

    /// Keys are only unique within one kind.
    package var id: String { credential.kind.rawValue + " " + credential.id }
    package var duplicateOf: String? { findings.firstNonNil { if case .duplicate(let key) = $0 { key } else { nil } } }
    package var coveredBy: String? { findings.firstNonNil { if case .covered(let key) = $0 { key } else { nil } } }

    /// Seconds since it was cached; nil if that time is unknown or in the future.
    package func age(at now: Date) -> TimeInterval? {
        credential.cachedAt.map { now.timeIntervalSince($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}

extension Array {
    fileprivate func firstNonNil<Value>(_ body: (Element) -> Value?) -> Value? { lazy.compactMap(body).first }
}

extension CachedCredential {
    /// Nil for app-only tokens.
    fileprivate var owner: AccountID? {
        homeAccountID.map { AccountID(homeAccountID: $0, environment: environment, issuer: issuer) }
    }
}

/// The owners that have an account entry, and those whose entry a refresh token can restore.
private struct Owners {
    let named: Set<AccountID>
    let refreshable: Set<AccountID>
    let holding: Set<AccountID>

    init(_ credentials: [CachedCredential], _ accounts: [Account]) {
        named = Set(accounts.map(\.id))
        refreshable = Set(credentials.filter { $0.kind == .refreshToken }.compactMap(\.owner))
        holding = Set(credentials.compactMap(\.owner))
    }

    func holds(_ account: Account) -> Bool { holding.contains(account.id) }
}

extension ClientInventory {
    /// Credentials that are compared with each other: same kind, owner and tenant, and same agent session, if any.
    private struct ComparisonGroup: Hashable {
        var kind: CachedCredential.Kind
        var owner: AccountID?
        var realm: String
        var detail: String
        var extCacheKey: String?

        init(_ credential: CachedCredential) {
            kind = credential.kind
            owner = credential.owner
            realm = credential.realm.asciiLowercased
            detail = credential.kind == .refreshToken ? credential.familyID ?? "" : credential.tokenType.asciiLowercased
            extCacheKey = credential.extCacheKey
        }
    }

    /// Larger groups are not compared: a maliciously filled cache would make that slow.
    private static let mostCompared = 500

    fileprivate init(clientID: String, held: [CachedCredential], _ owners: Owners, at now: Date) {
        self.clientID = clientID
        var findings: [Int: [HeldCredential.Finding]] = [:]
        let sorted = held.sorted {
            ($0.homeAccountID ?? "", $0.kind.rawValue, $0.id) < ($1.homeAccountID ?? "", $1.kind.rawValue, $1.id)
        }
        for (index, credential) in sorted.enumerated() {
            if credential.kind == .accessToken,
                let end = [credential.expiresOn, credential.extendedExpiresOn].compactMap(\.self).max(),
                end <= now
            {
                findings[index, default: []].append(.expired)
            }
            if let owner = credential.owner, !owners.named.contains(owner) {
                findings[index, default: []].append(
                    owners.refreshable.contains(owner) ? .accountRecoverable : .accountMissing)
            }
        }
        for place in Dictionary(grouping: sorted.indices, by: { ComparisonGroup(sorted[$0]) }).values
        where (2...Self.mostCompared).contains(place.count) {
            let kept = place.map { StoredEntries(sorted[$0], at: $0) }
            for one in kept {
                if let finding = one.finding(among: kept) { findings[one.index, default: []].append(finding) }
            }
        }
        credentials = sorted.enumerated().map { HeldCredential(credential: $1, findings: findings[$0] ?? []) }
    }

    private struct StoredEntries {
        let index: Int
        let key: String
        let isAccessToken: Bool
        let scopes: Set<String>
        let end: Date
        let since: Date

        init(_ credential: CachedCredential, at index: Int) {
            self.index = index
            key = credential.id
            isAccessToken = credential.kind == .accessToken
            scopes = isAccessToken ? Set(credential.scopes.withoutReserved.names.map(\.asciiLowercased)) : []
            end = credential.expiresOn ?? .distantPast
            since = credential.cachedAt ?? .distantPast
        }

        /// Decides which of several equivalent credentials to keep: the last to expire, the newest, the first.
        private func outranks(_ other: StoredEntries) -> Bool {
            (end, since, other.index) > (other.end, other.since, index)
        }

        func finding(among all: [StoredEntries]) -> HeldCredential.Finding? {
            if let better = all.first(where: { $0.index != index && $0.scopes == scopes && $0.outranks(self) }) {
                return .duplicate(of: better.key)
            }
            guard isAccessToken,
                let wider = all.first(where: {
                    $0.scopes.count > scopes.count && $0.scopes.isSuperset(of: scopes) && $0.end >= end
                })
            else { return nil }
            return .covered(by: wider.key)
        }
    }
}
