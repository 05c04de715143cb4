// Identity holds the nouns of the field: accounts, tokens, requests, scopes, providers, failures. It does no I/O and
// has no user-facing text except failure messages. Every other target may import it.
//
// Accounts/ holds the owners of tokens, the clients that hold them, and an account's status according to the cache.

/// An account as a client's cache sees it: one home identity, in one or more tenants.
///
/// Two values are equal if their ``id`` is: if they mean the same account, whatever else is known about it. Its names
/// may change at any time.
public struct Account: Hashable, Sendable, Identifiable {
    /// Source of the entry: MSAL's unified schema, or a legacy ADAL cache that has not been upgraded yet.
    public enum Origin: String, Sendable {
        /// MSAL's unified schema.
        case msal
        /// A legacy cache.
        case adal
    }

    /// `uid.utid` for Entra ID, in any case; the `sub` claim, case-sensitive, for AD FS and plain OpenID Connect. It is
    /// never a file name.
    public var homeAccountID: String
    /// The host name that the cache uses for the account, lower case and without a port.
    public var environment: String
    /// The normalized issuer of the account; nil for Entra ID, and if the cache does not record it.
    public var issuer: String?
    /// The username, `preferred_username` or `upn`; may be empty.
    public var username: String
    /// The display name, if the provider gave one.
    public var name: String?
    /// The tenants that know the account; the home tenant comes first if it is among them.
    public var tenantProfiles: [TenantProfile]
    /// Sorted identifiers of the clients that hold at least one credential of this account.
    public var clients: [String]
    /// The kind of cache that the account was read from.
    public var origin: Origin
    /// The usernames that it had before silent calls reported new ones, oldest first; a sign-in forgets them.
    package var formerUsernames: [String] = []

    /// Creates an account from saved values. The identifier and environment find its tokens; the rest is for display.
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

    /// The identity that distinguishes the account from others.
    public var id: AccountID { AccountID(homeAccountID: homeAccountID, environment: environment, issuer: issuer) }

    /// The home account identifier, or nil if a legacy cache does not record it (MSAL's `identifier`).
    /// ``homeAccountID`` is then a placeholder, unique within the store, and is never sent anywhere.
    public var identifier: String? { Self.isUnidentified(homeAccountID) ? nil : homeAccountID }

    /// A placeholder for an unknown home account identifier. It cannot collide: no provider's identifier has a colon.
    ///
    /// - Parameter objectID: distinguishes accounts with the same username.
    package static func unidentified(_ username: String, objectID: String?) -> String {
        unidentified + username.asciiLowercased + (objectID.map { "~" + $0 } ?? "")
    }

    package static func isUnidentified(_ text: String) -> Bool { text.hasPrefix(unidentified) }

    private static let unidentified = "adal:"

    /// The object identifier in the first tenant profile, or the subject.
    public var localAccountID: String { tenantProfiles.first?.localAccountID ?? homeAccountID }

    /// The home tenant: the part of the home account identifier after the last dot, if it is a GUID; in lower case.
    public var homeTenantID: String? {
        HomeAccountID.hasTenant(homeAccountID) ? homeAccountID.suffix(36).asciiLowercased : nil
    }

    package static let personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// The claims of the home tenant's ID token, as far as they were read (MSAL's `accountClaims`).
    public var claims: AccountClaims {
        tenantProfiles.first { $0.isHome && $0.claims.value != nil }?.claims
            ?? (tenantProfiles.contains { $0.claims != .notRead } ? .noIDToken : .notRead)
    }

    /// The display label: username, else display name, else identifier.
    public var label: String {
        if !username.isEmpty { return username }
        if let name, !name.isEmpty { return name }
        return homeAccountID
    }
}

/// The claims of a client's ID token for one tenant. A list of accounts reads them only if asked to.
public enum AccountClaims: Hashable, Sendable {
    /// They were not read, so nothing is known about an ID token.
    case notRead
    /// The client has no ID token for this tenant, or an unreadable one.
    case noIDToken
    /// From the store, decoded but not verified.
    case read(Claims)

    /// The claims; nil if there are none or they were not read.
    public var value: Claims? {
        if case .read(let claims) = self { claims } else { nil }
    }
}

extension Account {
    /// Whether both mean the same account: only ``id`` is compared.
    public static func == (one: Account, other: Account) -> Bool { one.id == other.id }

    /// Only ``id`` counts.
    public func hash(into hasher: inout Hasher) { id.hash(into: &hasher) }

    /// Whether all that is known about both is the same, as is required where their details are shown.
    package func hasSameContent(as other: Account) -> Bool {
        (homeAccountID, environment, issuer) == (other.homeAccountID, other.environment, other.issuer)
            && (username, name, origin) == (other.username, other.name, other.origin)
            && tenantProfiles == other.tenantProfiles && clients == other.clients
            && formerUsernames == other.formerUsernames
    }
}

/// The identity of an account: its home account identifier within a cloud or issuer.
///
/// The hosts of a cloud are equal, and so are identifiers of Entra ID that differ in case. Others are compared exactly.
public struct AccountID: Hashable, Sendable {
    /// See ``Account/homeAccountID``.
    public var homeAccountID: String
    /// See ``Account/environment``.
    public var environment: String
    /// See ``Account/issuer``.
    public var issuer: String?

    /// Creates an identity from saved values.
    ///
    /// - Parameters:
    ///   - homeAccountID: see ``Account/homeAccountID``.
    ///   - environment: see ``Account/environment``.
    ///   - issuer: nil for Entra ID, and if not recorded.
    public init(homeAccountID: String, environment: String, issuer: String? = nil) {
        (self.homeAccountID, self.environment, self.issuer) = (homeAccountID, environment, issuer)
    }

    /// Whether both identify the same user, treating a cloud's aliases as equal. An unknown issuer matches any issuer.
    /// That is enough for display; only the cache decides where a token may be sent.
    public func isSamePerson(as other: AccountID) -> Bool {
        HomeAccountID.isSame(homeAccountID, other.homeAccountID, issuer: issuer ?? other.issuer)
            && Cloud.isSame(environment, other.environment)
            && (issuer == nil || other.issuer == nil || issuer == other.issuer)
    }

    /// Whether all three members are equal, as the provider compares them.
    public static func == (one: AccountID, other: AccountID) -> Bool {
        one.issuer == other.issuer
            && HomeAccountID.isSame(one.homeAccountID, other.homeAccountID, issuer: one.issuer)
            && Cloud.isSame(one.environment, other.environment)
    }

    /// Ignores the host, of which a cloud has several.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(canonicalHomeAccountID)
        hasher.combine(issuer)
    }

    /// One spelling for all equal home account IDs, for use in keys.
    package var canonicalHomeAccountID: String { HomeAccountID.canonical(homeAccountID, issuer: issuer) }

    /// The cloud or issuer in normalized form, to distinguish equal identifiers of several providers.
    package var home: String { issuer ?? Cloud.containing(host: environment)?.preferredNetwork ?? environment }
}

/// A tenant that knows the account. A guest has a different local identifier in each tenant.
public struct TenantProfile: Hashable, Sendable {
    /// The realm as in the cache: a tenant GUID, `organizations`, a B2C tenant name, or empty for plain OpenID Connect.
    public var tenantID: String
    /// `oid` in that tenant, else `sub`.
    public var localAccountID: String
    /// The username in that tenant, which can differ for a guest; may be empty.
    public var username: String
    /// The display name in that tenant.
    public var name: String?
    /// Whether this is the home tenant.
    public var isHome: Bool
    /// The claims of the client's ID token for this tenant, as far as they were read.
    public var claims: AccountClaims

    /// Creates a profile from saved values. Nothing is validated.
    ///
    /// - Parameters:
    ///   - tenantID: the realm as in the cache.
    ///   - localAccountID: `oid` in that tenant, else `sub`.
    ///   - username: the username in that tenant; may be empty.
    ///   - name: the display name, if known.
    ///   - isHome: whether this is the home tenant.
    ///   - claims: the claims of the ID token, if known.
    public init(
        tenantID: String, localAccountID: String, username: String, name: String? = nil, isHome: Bool,
        claims: AccountClaims = .notRead
    ) {
        self.tenantID = tenantID
        self.localAccountID = localAccountID
        self.username = username
        self.name = name
        self.isHome = isHome
        self.claims = claims
    }
}

extension Account: CustomStringConvertible, CustomReflectable {
    /// The strings of it that a log must not show.
    package var names: [String] {
        [username, name ?? "", homeAccountID] + formerUsernames
            + tenantProfiles.flatMap { [$0.username, $0.name ?? "", $0.localAccountID] }
    }

    /// The environment only; print ``label`` to show the name.
    public var description: String { "account of \(environment)" }
    /// No children, so `dump` shows no names.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AccountID: CustomStringConvertible, CustomReflectable {
    /// The environment only.
    public var description: String { "account ID of \(environment)" }
    /// No children, so `dump` shows no identifier.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TenantProfile: CustomStringConvertible, CustomReflectable {
    /// The tenant only.
    public var description: String { "profile in tenant \(tenantID)" }
    /// No children, so `dump` shows no names.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
