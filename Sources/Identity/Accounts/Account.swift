// Identity holds the nouns of the field: accounts, tokens, requests, scopes, providers, failures. It does no input or
// output of any kind and has no words for a person beyond a failure's message; every other target may import it.
//
// Accounts/ holds the owners of tokens, the clients that hold them, and an account's status by what is cached of it.

/// A person as one client of the cache sees them: one home identity, seen in one or more tenants.
///
/// Two accounts are the same person when their home account identifiers are equal and their environments are aliases of
/// one cloud; outside of Entra ID their issuers must be equal as well.
public struct Account: Hashable, Sendable, Identifiable {
    /// Where the entry came from: MSAL's unified schema, or a legacy ADAL cache that has not been upgraded yet.
    public enum Origin: String, Sendable { case msal, adal }

    /// `uid.utid` for Entra ID, the `sub` claim for ADFS and plain OpenID Connect. Case-sensitive; never used as a file
    /// name.
    public var homeAccountID: String
    /// The host name under which the cache keeps the account, lower-case and without a port.
    public var environment: String
    /// The issuer that the account belongs to, in one spelling; nil for Entra ID, and where a cache does not
    /// tell it.
    public var issuer: String?
    /// The name the person types, `preferred_username` or `upn`; may be empty.
    public var username: String
    /// The display name, if the provider gave one.
    public var name: String?
    /// The tenants in which the account is known; the home tenant first when it is among them.
    public var tenantProfiles: [TenantProfile]
    /// The client identifiers that hold at least one credential of this account, sorted.
    public var clients: [String]
    /// Which kind of cache the account was read from.
    public var origin: Origin

    /// An account as a program kept it. Tokens are found by its identifier and environment; the rest is for showing.
    public init(
        homeAccountID: String, environment: String, username: String, name: String? = nil,
        tenantProfiles: [TenantProfile] = [], clients: [String] = [], origin: Origin = .msal, issuer: String? = nil
    ) {
        self.homeAccountID = homeAccountID
        self.environment = environment
        self.username = username
        self.name = name
        self.tenantProfiles = tenantProfiles
        self.clients = clients
        self.origin = origin
        self.issuer = issuer
    }

    /// What tells it from other accounts.
    public var id: AccountID { AccountID(homeAccountID: homeAccountID, environment: environment, issuer: issuer) }

    /// The home account identifier, or nil for an account of a legacy cache that does not say it (MSAL's `identifier`):
    /// ``homeAccountID`` is then a name that tells it from the others of the store, and is never sent anywhere.
    public var identifier: String? { Self.isUnidentified(homeAccountID) ? nil : homeAccountID }

    /// What stands in the place of a home account identifier that nobody knows: no provider's has a colon.
    ///
    /// - Parameters:
    ///   - username: the name that the person signs in by.
    ///   - objectID: tells several people of one name apart.
    package static func unidentified(_ username: String, objectID: String?) -> String {
        unidentified + username.asciiLowercased + (objectID.map { "~" + $0 } ?? "")
    }

    /// Whether a text is such a stand-in.
    package static func isUnidentified(_ text: String) -> Bool { text.hasPrefix(unidentified) }

    private static let unidentified = "adal:"

    /// The object identifier in the tenant that is shown first, or the subject.
    public var localAccountID: String { tenantProfiles.first?.localAccountID ?? homeAccountID }

    /// The tenant of the home identity: the part of the home account identifier after the last dot, if it is a GUID.
    public var homeTenantID: String? {
        let name = homeAccountID.utf8
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let tenant = String(Substring(name[name.index(after: dot)...]))
        return tenant.isGUID ? tenant : nil
    }

    /// The tenant of Microsoft's personal accounts.
    package static let personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// The claims of the home tenant's ID token, or nil when the client holds none (MSAL's `accountClaims`).
    public var claims: Claims? { tenantProfiles.first { $0.isHome && !$0.claims.isEmpty }?.claims }

    /// The name for a person to read: username, else display name, else identifier.
    public var label: String {
        if !username.isEmpty { return username }
        if let name, !name.isEmpty { return name }
        return homeAccountID
    }
}

/// What tells one account from another: the home identity and the cloud, or the issuer, it lives in.
public struct AccountID: Hashable, Sendable {
    /// As ``Account/homeAccountID``.
    public var homeAccountID: String
    /// As ``Account/environment``.
    public var environment: String
    /// As ``Account/issuer``.
    public var issuer: String?

    /// An account's, put together from what a program kept of it.
    ///
    /// - Parameters:
    ///   - homeAccountID: as ``Account/homeAccountID``; compared exactly.
    ///   - environment: as ``Account/environment``.
    ///   - issuer: nil for Entra ID, and where it is not known.
    public init(homeAccountID: String, environment: String, issuer: String? = nil) {
        (self.homeAccountID, self.environment, self.issuer) = (homeAccountID, environment, issuer)
    }

    /// Whether both name one person, environments compared through their cloud's aliases. Where one of the two does not
    /// know its issuer the rest decides: enough to show somebody, never to send a token anywhere, which the cache alone
    /// decides.
    public func isSamePerson(as other: AccountID) -> Bool {
        homeAccountID == other.homeAccountID && Cloud.isSame(environment, other.environment)
            && (issuer == nil || other.issuer == nil || issuer == other.issuer)
    }

    /// The cloud or issuer in one spelling, to tell homonyms of several providers apart: the same for all of a cloud's
    /// aliases.
    package var home: String { issuer ?? Cloud.containing(host: environment)?.preferredNetwork ?? environment }
}

/// One tenant in which an account is known; a guest has another local identifier in each.
public struct TenantProfile: Hashable, Sendable {
    /// The realm as the cache keeps it: a tenant GUID, `organizations`, a B2C tenant name, or empty for plain OpenID
    /// Connect.
    public var tenantID: String
    /// `oid` in that tenant, else `sub`.
    public var localAccountID: String
    /// The name in that tenant, where a guest has another one; may be empty.
    public var username: String
    /// The display name in that tenant.
    public var name: String?
    /// Whether it is the tenant of the home identity.
    public var isHome: Bool
    /// The claims of the ID token that the client holds of this tenant, as they were when it came; empty when it holds
    /// none, and where an account is only listed.
    public var claims: Claims

    /// A tenant as a program kept it. Nothing is checked.
    ///
    /// - Parameters:
    ///   - tenantID: the realm as the cache keeps it.
    ///   - localAccountID: `oid` in that tenant, else `sub`.
    ///   - username: the name in that tenant; may be empty.
    ///   - name: the display name, where there is one.
    ///   - isHome: whether it is the tenant of the home identity.
    ///   - claims: those of the ID token, where they are known.
    public init(
        tenantID: String, localAccountID: String, username: String, name: String? = nil, isHome: Bool,
        claims: Claims = Claims()
    ) {
        self.tenantID = tenantID
        self.localAccountID = localAccountID
        self.username = username
        self.name = name
        self.isHome = isHome
        self.claims = claims
    }
}
