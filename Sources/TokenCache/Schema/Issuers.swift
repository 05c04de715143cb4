package import Identity
import StrictJSON

// Whose an entry is: this is the one place that says so.
//
// Entries of Entra ID belong to a cloud, whose hosts stand for each other. Those of AD FS and OpenID Connect providers
// belong to a whole issuer, of which MSAL's schema keeps the host alone; this program keeps it beside, as the member
// "issuer", which the other libraries leave as it is.
//
// I4: an entry that names no issuer (MSAL wrote it, or this program before) is an issuer's only where no other is known
// that it could be of:
// - an ID token is of the issuer that it names itself (OpenID Connect Core section 2, `iss`);
// - any other is of the one issuer that the entries of its person name;
// - where those name none, of the one that all entries of its host name, the one that is asked for among them.

extension CacheSnapshot {
    /// Entries of one person in one cloud, or at one issuer. For an account that does not know its issuer: all of the
    /// person's where they name one issuer at most, else those alone that name none.
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

    /// Whether what names no issuer of an account is of this one.
    package func isOnlyIssuer(_ issuer: String, of account: AccountID) -> Bool {
        let named = issuersNamed(by: account)
        guard named.isEmpty else { return named == [issuer] }
        let names = EnvironmentNames(account.environment)
        return issuersNamed { section in entries(section).filter { $0.isIn(names) } }.isSubset(of: [issuer])
    }

    /// The only issuer that the entries of a person name; nil when they name none, or several.
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

    /// Entries of a home identity in a cloud, or at a host, whichever issuer they are of.
    func homonyms(_ account: AccountID, in section: Section) -> [CacheEntry] {
        guard !account.homeAccountID.isEmpty else { return [] }
        let home = Array(account.homeAccountID.utf8)
        let names = EnvironmentNames(account.environment)
        return entries(section).filter { $0.isEqual("home_account_id", home) && $0.isIn(names) }
    }
}

extension CacheEntry {
    /// The issuer as this program keeps it.
    var issuer: String? { filled("issuer") }

    /// The same, or what an ID token says of itself. Nobody has checked its signature here, but then nobody has checked
    /// the rest of the entry either.
    func namedIssuer(in section: Section) -> String? {
        if let issuer { return issuer }
        guard section == .idToken, let secret = filled("secret") else { return nil }
        return (try? DecodedJWT(Secret(secret)))?.payload.string("iss").map(Issuer.normalized)
    }

    /// The entry as a credential, with the issuer that is known of its person where the entry names none.
    func credential(_ kind: CachedCredential.Kind, _ issuers: AccountIssuers) -> CachedCredential? {
        var credential = credential(kind)
        credential?.issuer = issuers.issuer(of: self)
        return credential
    }
}

/// The issuers of all people of a store, for lists: as ``CacheSnapshot/person(_:in:)`` decides for one. Where nobody's
/// entries name an issuer, as in stores of other programs, nobody is given one: what lists show then is the host.
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
