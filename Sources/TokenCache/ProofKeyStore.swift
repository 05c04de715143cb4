package import Identity
import StrictJSON

/// Whose a key is: one for each issuer, account and client (RFC 9449 section 11, X6).
package struct ProofKeyOwner: Hashable, Sendable {
    /// The cloud's first host name, or the provider's host.
    package var environment: String
    /// Tells issuers of one host apart; empty where the environment does.
    package var issuer: String
    package var homeAccountID: String
    package var clientID: String

    package init(environment: String, issuer: String, homeAccountID: String, clientID: String) {
        self.environment = environment
        self.issuer = issuer
        self.homeAccountID = homeAccountID
        self.clientID = clientID
    }
}

/// The private keys which tokens are bound to (X5), never shown and never exported: in `<store>.keys`, mode 0600, beside a plain file; else within
/// what protects the store.
///
/// Losing it costs a sign-in: tokens that are bound to a lost key are of no use to anybody.
package struct ProofKeyStore: Sendable {
    /// A larger file is none of ours.
    static let maximumBytes = 262_144
    static let maximumEntries = 500

    private let vault: Vault
    private let lockWait: Duration

    /// - Parameters:
    ///   - cache: the store whose tokens are bound to the keys; they are protected as it is.
    ///   - lockWait: how long another writer is waited for.
    package init(_ cache: TokenCache, lockWait: Duration = .seconds(5)) {
        vault = cache.vault
        self.lockWait = lockWait
    }

    /// The keys beside a plain file.
    ///
    /// - Parameter path: the store's, absolute.
    package init(path: String, lockWait: Duration = .seconds(5)) { self.init(TokenCache(path: path), lockWait: lockWait) }

    /// The key of an owner as it was kept, or nil.
    ///
    /// - Throws: ``StoreError``; a file that is not ours to read, or not to be understood, is said and not written over.
    package func key(of owner: ProofKeyOwner) throws(StoreError) -> Secret? { try read().first { $0.owner == owner }?.key }

    /// The key of an owner; one that `make` gives when there is none yet. Of several who come at once all get the same.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func key(of owner: ProofKeyOwner, orKeep make: () -> Secret) throws(StoreError) -> Secret {
        if let known = try key(of: owner) { return known }
        var kept: Secret?
        try change { entries in
            if let known = entries.first(where: { $0.owner == owner }) {
                kept = known.key
                return
            }
            let made = make()
            kept = made
            entries.append(Entry(owner: owner, key: made))
        }
        return kept ?? make()
    }

    /// Keeps a key in place of the one that the owner had.
    package func keep(_ key: Secret, of owner: ProofKeyOwner) throws(StoreError) {
        guard try self.key(of: owner) != key else { return }
        try change { entries in
            entries.removeAll { $0.owner == owner }
            entries.append(Entry(owner: owner, key: key))
        }
    }

    /// Forgets the keys of an account: of one client, or of all.
    package func forget(_ account: AccountID, clientID: String?) throws(StoreError) {
        func isMeant(_ entry: Entry) -> Bool {
            entry.owner.homeAccountID == account.homeAccountID && Cloud.isSame(entry.owner.environment, account.environment)
                && (clientID == nil || entry.owner.clientID == clientID)
        }
        guard try read().contains(where: isMeant) else { return }
        try change { $0.removeAll(where: isMeant) }
    }

    fileprivate struct Entry: Equatable {
        var owner: ProofKeyOwner
        var key: Secret
    }

    private func read() throws(StoreError) -> [Entry] {
        let file = try vault.place(.proofKeys).file
        guard let content = try vault.read(.proofKeys), !content.bytes.isEmpty else { return [] }
        guard content.bytes.count <= Self.maximumBytes else { throw StoreError(.tooLarge(bytes: content.bytes.count), path: file) }
        let value: JSONValue
        do {
            value = try JSONValue(parsing: content.bytes, limits: JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 6))
        } catch { throw StoreError(.notJSON(offset: error.offset, what: error.description), path: file) }
        guard value["version"]?.integer == 1 else { throw StoreError(.notJSON(offset: 0, what: "it is of an unknown version"), path: file) }
        return (value["keys"]?.array ?? []).prefix(Self.maximumEntries).compactMap(Entry.init)
    }

    private func change(_ body: (inout [Entry]) -> Void) throws(StoreError) {
        try vault.prepare()
        let place = try vault.place(.proofKeys)
        try place.makeFolder()
        try StoreLock.holding(place, wait: lockWait) { () throws(StoreError) in
            var entries = try read()
            body(&entries)
            let value = JSONValue.object(
                JSONObject([
                    JSONMember(name: "version", value: 1),
                    // The oldest go when there are too many.
                    JSONMember(name: "keys", value: .array(entries.suffix(Self.maximumEntries).map(\.json))),
                ]))
            let bytes = Array(value.serialized().utf8)
            guard bytes.count <= Self.maximumBytes else { throw StoreError(.tooLarge(bytes: bytes.count), path: place.file) }
            try vault.write(bytes, .proofKeys, at: place)
        }
    }
}

extension ProofKeyStore.Entry {
    fileprivate init?(_ value: JSONValue) {
        func text(_ name: String) -> String? { value[name]?.string.flatMap { $0.utf8.count <= 2048 ? $0 : nil } }
        guard let environment = text("environment"), let issuer = text("issuer"), let home = text("home_account_id"),
            let client = text("client_id"), let key = text("key")
        else { return nil }
        self.init(
            owner: ProofKeyOwner(environment: environment, issuer: issuer, homeAccountID: home, clientID: client), key: Secret(key))
    }

    fileprivate var json: JSONValue {
        .object(
            JSONObject([
                JSONMember(name: "environment", value: .string(owner.environment)),
                JSONMember(name: "issuer", value: .string(owner.issuer)),
                JSONMember(name: "home_account_id", value: .string(owner.homeAccountID)),
                JSONMember(name: "client_id", value: .string(owner.clientID)), JSONMember(name: "key", value: .string(key.reveal())),
            ]))
    }
}
