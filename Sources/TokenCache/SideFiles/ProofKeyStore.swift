package import Identity
import StrictJSON

/// The owner of a key: one key per issuer, account and client (RFC 9449 section 11, X6).
package struct ProofKeyOwner: Hashable, Sendable {
    /// The cloud's first host name, or the provider's host.
    package var environment: String
    /// The full issuer, in the form of ``Identity/Issuer``; at Entra ID the kind of authority.
    package var issuer: String
    /// The value that older versions stored as the issuer: its path, or the kind of authority.
    package var earlierIssuer: String
    package var homeAccountID: String
    package var clientID: String

    package init(
        environment: String, issuer: String, earlierIssuer: String? = nil, homeAccountID: String, clientID: String
    ) {
        self.environment = environment
        self.issuer = issuer
        self.earlierIssuer = earlierIssuer ?? issuer
        self.homeAccountID = homeAccountID
        self.clientID = clientID
    }
}

package struct ProofKeyReading: Sendable {
    fileprivate let entries: [ProofKeyStore.StoredKey]

    /// The keys of an owner, newest last.
    package func keys(of owner: ProofKeyOwner) -> [Secret] {
        // Keys from before full issuers were stored can be this owner's.
        (entries.filter { $0.isEarlier(owner) } + entries.filter { $0.isOf(owner) }).map(\.key)
    }
}

/// The private keys that tokens are bound to, never shown or exported: in `<store>.keys`, mode 0600, next to a plain
/// file; otherwise protected as part of the store. A lost key costs a sign-in: tokens bound to it are useless.
package struct ProofKeyStore: Sendable {
    private let list: StorePartList<StoredKey>

    /// - Parameter cache: the store of the bound tokens; the keys get the same protection.
    package init(_ cache: TokenCache, lockWait: Duration = .seconds(5)) {
        let format = ListFormat<StoredKey>("keys", maximumBytes: 262_144, most: 500)
        list = StorePartList(cache: cache, part: .proofKeys, format: format, lockWait: lockWait)
    }

    /// The keys next to a plain file; the store's path is absolute.
    package init(path: String, lockWait: Duration = .seconds(5)) {
        self.init(TokenCache(path: path), lockWait: lockWait)
    }

    /// The keys of an owner, newest last: several while a sign-in replaces another, and while older tokens use an older
    /// key. An untrusted or unreadable file is an error and is not overwritten.
    package func keys(of owner: ProofKeyOwner) throws(StoreError) -> [Secret] {
        try reading().keys(of: owner)
    }

    /// All current keys, for several queries without opening the file again.
    package func reading() throws(StoreError) -> ProofKeyReading { ProofKeyReading(entries: try list.read()) }

    /// The newest key of an owner, or one made by `make` if there is none. Concurrent callers all get the same key.
    package func key(of owner: ProofKeyOwner, orKeep make: () -> Secret) throws(StoreError) -> Secret {
        if let known = try keys(of: owner).last { return known }
        var kept: Secret?
        try list.change { entries in
            if let known = entries.last(where: { $0.isOf(owner) }) {
                kept = known.key
                return
            }
            let made = make()
            kept = made
            entries.append(StoredKey(owner, key: made))
        }
        return kept ?? make()
    }

    /// Adds a key to those of the owner. Tokens refer to their key, so older keys can stay.
    package func add(_ key: Secret, of owner: ProofKeyOwner) throws(StoreError) {
        guard try !list.read().contains(where: { $0.isOf(owner) && $0.key == key }) else { return }
        try list.change { $0.append(StoredKey(owner, key: key)) }
    }

    /// Removes unused keys; `earlier` includes keys from before full issuers were stored.
    package func remove(_ keys: [Secret], of owner: ProofKeyOwner, earlier: Bool = false) throws(StoreError) {
        func matches(_ entry: StoredKey) -> Bool {
            (entry.isOf(owner) || (earlier && entry.isEarlier(owner))) && keys.contains(entry.key)
        }
        guard try list.read().contains(where: matches) else { return }
        try list.change { $0.removeAll(where: matches) }
    }

    /// Removes an account's keys, for one client or for all; `earlier` as in ``remove(_:of:earlier:)``.
    package func forget(_ account: AccountID, clientID: String?, earlier: Bool = true) throws(StoreError) {
        guard try holdsKeys(of: account, clientID: clientID, earlier: earlier) else { return }
        try list.change { $0.removeAll { $0.matches(account, clientID, earlier) } }
    }

    func holdsKeys(of account: AccountID, clientID: String?, earlier: Bool = true) throws(StoreError) -> Bool {
        try list.read().contains { $0.matches(account, clientID, earlier) }
    }

    /// Like ``forget(_:clientID:earlier:)``, for a caller that holds the lock of ``StoreBackend/place(_:)``.
    func forgetWhileLocked(_ account: AccountID, clientID: String?, earlier: Bool) throws(StoreError) {
        try list.apply { $0.removeAll { $0.matches(account, clientID, earlier) } }
    }

    fileprivate struct StoredKey: JSONRecord {
        var environment = ""
        var issuer = ""
        var homeAccountID = ""
        var clientID = ""
        var key = Secret("")

        mutating func describe(_ member: inout JSONMembers) {
            member("environment", &environment, .text(longest: 2048))
            member("issuer", &issuer, .text(longest: 2048))
            member("home_account_id", &homeAccountID, .text(longest: 2048))
            member("client_id", &clientID, .text(longest: 2048))
            member("key", &key, .secret(longest: 2048))
        }

        /// Nil at Entra ID, and in older entries.
        private var issuerURL: String? { issuer.contains("://") ? issuer : nil }

        func isOf(_ owner: ProofKeyOwner) -> Bool { isOf(owner, as: owner.issuer) }

        func isEarlier(_ owner: ProofKeyOwner) -> Bool {
            owner.issuer != owner.earlierIssuer && isOf(owner, as: owner.earlierIssuer)
        }

        private func isOf(_ owner: ProofKeyOwner, as name: String) -> Bool {
            issuer == name && environment == owner.environment
                && HomeAccountID.isSame(homeAccountID, owner.homeAccountID, issuer: issuerURL)
                && ClientID.isSame(clientID, owner.clientID, issuer: issuerURL)
        }

        func matches(_ account: AccountID, _ client: String?, _ earlier: Bool) -> Bool {
            HomeAccountID.isSame(homeAccountID, account.homeAccountID, issuer: issuerURL)
                && Cloud.isSame(environment, account.environment)
                && (client.map { ClientID.isSame(clientID, $0, issuer: issuerURL) } ?? true)
                && (account.issuer == nil || issuer == account.issuer || (earlier && issuerURL == nil))
        }
    }
}

extension ProofKeyStore.StoredKey {
    fileprivate init(_ owner: ProofKeyOwner, key: Secret) {
        self.init(
            environment: owner.environment, issuer: owner.issuer, homeAccountID: owner.homeAccountID,
            clientID: owner.clientID, key: key)
    }
}
