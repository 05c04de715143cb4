package import FoundationEssentials

/// What is cached, by client: each credential with what a person should know of it, and what is left over.
package struct CacheInventory: Hashable, Sendable {
    /// One for each client that holds anything, in the order of the clients' identifiers.
    package let clients: [ClientInventory]
    /// Accounts that no credential belongs to.
    package let accountsWithoutTokens: [Account]

    /// - Parameters:
    ///   - credentials: as they rest in the cache, in any order.
    ///   - accounts: every account of the cache, with the clients that hold something of it.
    package init(_ credentials: [CachedCredential], accounts: [Account], at now: Date) {
        let owners = Owners(credentials, accounts)
        let groups = Dictionary(grouping: credentials, by: \.clientID)
        clients = groups.keys.sorted().map { ClientInventory(clientID: $0, held: groups[$0] ?? [], owners, at: now) }
        accountsWithoutTokens = accounts.filter { $0.clients.isEmpty && !owners.holds($0) }
    }

    private init(clients: [ClientInventory], accountsWithoutTokens: [Account]) {
        (self.clients, self.accountsWithoutTokens) = (clients, accountsWithoutTokens)
    }

    /// One client's part.
    package func of(_ clientID: String) -> CacheInventory {
        CacheInventory(
            clients: clients.filter { $0.clientID == clientID }, accountsWithoutTokens: accountsWithoutTokens)
    }

    package var credentials: [HeldCredential] { clients.flatMap(\.credentials) }

    /// What can go without loss: access tokens that have expired, their extended lifetime too, and access and ID tokens
    /// of nobody. Refresh tokens never: an old one may still be good, and one without an account entry can bring the
    /// account back; nor do ID tokens of an account, which sign it out.
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

/// What one client has cached.
package struct ClientInventory: Hashable, Sendable, Identifiable {
    package let clientID: String
    /// By account, then kind, then key.
    package let credentials: [HeldCredential]

    package var id: String { clientID }
    /// The name by which the client is known everywhere; nil for others.
    package var wellKnown: Client? { Client.wellKnown.first { $0.id == clientID.asciiLowercased } }

    package func count(_ kind: CachedCredential.Kind) -> Int { credentials.count { $0.credential.kind == kind } }
}

/// A credential, and what a person should know of it.
package struct HeldCredential: Hashable, Sendable, Identifiable {
    package enum Finding: Hashable, Sendable {
        /// An access token that has expired, its extended lifetime too if it has one.
        case expired
        /// Another of the same client, person, tenant and scopes is newer: its key.
        case duplicate(of: String)
        /// Another of the same client, person and tenant has all its scopes and more, and lives at least as long: its
        /// key.
        case covered(by: String)
        /// The cache has no account for it, and no refresh token that could bring the account back.
        case accountMissing
        /// The cache has no account for it, but a refresh token, which can bring the account back.
        case accountRecoverable
    }

    package let credential: CachedCredential
    package let findings: [Finding]

    /// Keys are unique within one kind only.
    package var id: String { credential.kind.rawValue + " " + credential.id }
    package var duplicateOf: String? { findings.firstNonNil { if case .duplicate(let key) = $0 { key } else { nil } } }
    package var coveredBy: String? { findings.firstNonNil { if case .covered(let key) = $0 { key } else { nil } } }

    /// Seconds since it was cached; nil when the cache does not say or says a time to come.
    package func age(at now: Date) -> TimeInterval? {
        credential.cachedAt.map { now.timeIntervalSince($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}

extension Array {
    fileprivate func firstNonNil<Value>(_ body: (Element) -> Value?) -> Value? { lazy.compactMap(body).first }
}

/// A person in one cloud, or at one issuer.
private struct Owner: Hashable {
    var home: String
    var cloud: String

    init(_ account: AccountID) {
        home = account.homeAccountID
        cloud = account.home
    }

    /// Nil for tokens that an application holds in its own name.
    init?(_ credential: CachedCredential) {
        guard let home = credential.homeAccountID else { return nil }
        self.init(AccountID(homeAccountID: home, environment: credential.environment, issuer: credential.issuer))
    }
}

/// Who has an account entry, and who could get one back.
private struct Owners {
    let named: Set<Owner>
    let refreshable: Set<Owner>
    let holding: Set<Owner>

    init(_ credentials: [CachedCredential], _ accounts: [Account]) {
        named = Set(accounts.map { Owner($0.id) })
        refreshable = Set(credentials.filter { $0.kind == .refreshToken }.compactMap { Owner($0) })
        holding = Set(credentials.compactMap { Owner($0) })
    }

    func holds(_ account: Account) -> Bool { holding.contains(Owner(account.id)) }
}

extension ClientInventory {
    /// Credentials that are compared with each other: of one kind, person and tenant, for one agent's
    /// session or none.
    private struct ComparisonGroup: Hashable {
        var kind: CachedCredential.Kind
        var owner: Owner?
        var realm: String
        var detail: String
        var extCacheKey: String?

        init(_ credential: CachedCredential) {
            kind = credential.kind
            owner = Owner(credential)
            realm = credential.realm.asciiLowercased
            detail = credential.kind == .refreshToken ? credential.familyID ?? "" : credential.tokenType.asciiLowercased
            extCacheKey = credential.extCacheKey
        }
    }

    /// In a cache that was filled on purpose, the largest groups are not compared.
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
            if let owner = Owner(credential), !owners.named.contains(owner) {
                findings[index, default: []].append(
                    owners.refreshable.contains(owner) ? .accountRecoverable : .accountMissing)
            }
        }
        for place in Dictionary(grouping: sorted.indices, by: { ComparisonGroup(sorted[$0]) }).values
        where (2...Self.mostCompared).contains(place.count) {
            let kept = place.map { Kept(sorted[$0], at: $0) }
            for one in kept {
                if let finding = one.finding(among: kept) { findings[one.index, default: []].append(finding) }
            }
        }
        credentials = sorted.enumerated().map { HeldCredential(credential: $1, findings: findings[$0] ?? []) }
    }

    private struct Kept {
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

        /// The one of several alike that is kept: the one that lives longest, then the newest, then the first.
        private func outranks(_ other: Kept) -> Bool { (end, since, other.index) > (other.end, other.since, index) }

        func finding(among all: [Kept]) -> HeldCredential.Finding? {
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
