package import Identity
import StrictJSON

// Decides which account an entry belongs to; no other code does. Entra ID entries belong to a cloud, whose hosts are
// equivalent. Those of AD FS and OpenID Connect providers belong to an issuer URL, of which MSAL's schema only has the
// host. foyer also stores the URL, in the member "issuer", which other libraries preserve.
//
// I4: an entry without an issuer (written by MSAL, or by an earlier foyer) belongs to an issuer only if no other is
// possible:
// - an ID token belongs to its own `iss` (OpenID Connect Core section 2);
// - any other entry to the only issuer in its user's entries;
// - if those have none, to the requested issuer if no entry of the host has another one.

extension CacheSnapshot {
    /// A user's entries in one cloud, or at one issuer. For an account without an issuer: all of the user's entries if
    /// they have at most one issuer, else only those without one.
    func person(_ account: AccountID, in section: Section) -> [CacheEntry] {
        let found = homonyms(account, in: section)
        guard let issuer = account.issuer else {
            guard found.contains(where: { $0.issuer != nil }), issuersNamed(by: account).count > 1 else { return found }
            return found.filter { $0.issuer == nil }
        }
        var isOnlyOne: Bool?
        return found.filter { entry in
            if let named = entry.namedIssuer(in: section) { return named == issuer }
            let answer = isOnlyOne ?? isOnlyIssuer(issuer, of: account)
            isOnlyOne = answer
            return answer
        }
    }

    /// Whether an account's entries without an issuer belong to this one.
    package func isOnlyIssuer(_ issuer: String, of account: AccountID) -> Bool {
        let named = issuersNamed(by: account)
        guard named.isEmpty else { return named == [issuer] }
        let names = EnvironmentNames(account.environment)
        return issuersNamed { section in entries(section).filter { $0.isIn(names) } }.isSubset(of: [issuer])
    }

    /// The only issuer in a user's entries; nil if there is none, or several.
    package func onlyIssuer(of account: AccountID) -> String? {
        let named = issuersNamed(by: account)
        return named.count == 1 ? named.first : nil
    }

    private func issuersNamed(by account: AccountID) -> Set<String> { issuersNamed { homonyms(account, in: $0) } }

    private func issuersNamed(_ entries: (Section) -> [CacheEntry]) -> Set<String> {
        var issuers: Set<String> = []
        for section in Section.credentials + [.account, .accountMetadata] {
            for entry in entries(section) { if let issuer = entry.namedIssuer(in: section) { issuers.insert(issuer) } }
        }
        return issuers
    }

    /// Entries of a home account ID in a cloud or at a host, from any issuer.
    func homonyms(_ account: AccountID, in section: Section) -> [CacheEntry] {
        guard !account.homeAccountID.isEmpty else { return [] }
        let home = WantedHome(account.homeAccountID, issuer: account.issuer)
        let names = EnvironmentNames(account.environment)
        func isHomonym(_ entry: CacheEntry) -> Bool { entry.isOf(home) && entry.isIn(names) }
        guard let outline, let candidates = candidates(home.bytes, in: section) else {
            return entries(section).filter(isHomonym)
        }
        return candidates.lazy.map { CacheEntry(outline: outline, node: outline.entry(at: $0), index: $0) }
            .filter(isHomonym)
    }

    /// The indices of the entries that may have a home account ID, once there were several such queries; nil for all.
    func candidates(_ home: [UInt8], in section: Section) -> [Int]? {
        guard let outline, let node = outline.section(named: section.name) else { return nil }
        return owners.candidates(home, in: section, outline, outline.entries(of: node).indices)
    }
}

extension CacheEntry {
    /// The issuer stored by foyer.
    var issuer: String? { filled("issuer") }

    /// The stored issuer, else the ID token's. Its signature is not verified, but neither is the rest of the entry.
    func namedIssuer(in section: Section) -> String? {
        if let issuer { return issuer }
        guard section == .idToken, let secret = filled("secret") else { return nil }
        return (try? DecodedJWT(Secret(secret)))?.payload.string("iss").map(Issuer.normalized)
    }

    /// The entry as a credential; without an issuer of its own it gets the user's.
    func credential(_ kind: CachedCredential.Kind, _ issuers: AccountIssuers) -> CachedCredential? {
        var credential = credential(kind)
        credential?.issuer = issuers.issuer(of: self)
        return credential
    }
}

/// The issuers of all users of a store, for lists; same rules as ``CacheSnapshot/person(_:in:)``. If no entry has an
/// issuer, as in other programs' stores, none is assigned, and lists show the host.
struct AccountIssuers {
    private struct AccountKey: Hashable {
        let home: String
        let environment: String
    }

    private var named: [AccountKey: Set<String>] = [:]

    init(_ snapshot: CacheSnapshot) {
        let sections = Section.credentials + [.account, .accountMetadata]
        for section in sections {
            for entry in snapshot.entries(section) {
                guard let issuer = entry.issuer, let person = Self.person(entry) else { continue }
                named[person, default: []].insert(issuer)
            }
        }
        guard !named.isEmpty else { return }
        for entry in snapshot.entries(.idToken) where entry.issuer == nil {
            guard let person = Self.person(entry), named[person] != nil, let issuer = entry.namedIssuer(in: .idToken)
            else { continue }
            named[person]?.insert(issuer)
        }
    }

    func issuer(of entry: CacheEntry) -> String? {
        guard !named.isEmpty else { return nil }
        if let issuer = entry.issuer { return issuer }
        guard let person = Self.person(entry), let issuers = named[person], issuers.count == 1 else { return nil }
        return issuers.first
    }

    private static func person(_ entry: CacheEntry) -> AccountKey? {
        guard let home = entry.filled("home_account_id"), let environment = entry.filled("environment") else {
            return nil
        }
        return AccountKey(home: home, environment: environment.hostLowercased)
    }
}
