import FoundationEssentials
import Identity
import StrictJSON

/// The sections of the unified schema of Microsoft's libraries, and two of foyer's own, which the libraries preserve.
enum Section: String, CaseIterable {
    case accessToken = "AccessToken"
    case refreshToken = "RefreshToken"
    case idToken = "IdToken"
    case account = "Account"
    case appMetadata = "AppMetadata"
    case accountMetadata = "AccountMetadata"
    case legacy = "LegacyRefreshToken"

    static let credentials: [Section] = [.accessToken, .refreshToken, .idToken]

    var kind: CachedCredential.Kind? { CachedCredential.Kind(rawValue: rawValue) }

    var name: StaticString {
        switch self {
        case .accessToken: "AccessToken"
        case .refreshToken: "RefreshToken"
        case .idToken: "IdToken"
        case .account: "Account"
        case .appMetadata: "AppMetadata"
        case .accountMetadata: "AccountMetadata"
        case .legacy: "LegacyRefreshToken"
        }
    }
}

/// The entries of a section. Entries whose value is not an object are skipped.
struct CacheEntries: Sequence, IteratorProtocol {
    let outline: JSONOutline?
    var range: Range<Int>

    mutating func next() -> CacheEntry? {
        guard let outline else { return nil }
        while let index = range.first {
            range = (index + 1)..<range.upperBound
            let node = outline.entry(at: index)
            if outline.isObject(node) { return CacheEntry(outline: outline, node: node, index: index) }
        }
        return nil
    }
}

/// An entry of the JSON text. Entries are found by fields, never by keys, as each library has its own key format.
struct CacheEntry {
    let outline: JSONOutline
    let node: JSONOutline.Node
    let index: Int

    var key: String? { outline.name(of: node) }

    /// Whether all strings can be decoded. An entry with half of a surrogate pair is preserved but never used.
    var isDecodable: Bool { outline.isDecodable(node) && outline.fields(of: node).allSatisfy(outline.isDecodable) }

    func isEqual(_ field: StaticString, _ wanted: [UInt8]) -> Bool {
        guard let found = outline.field(field, of: node) else { return false }
        return outline.isString(found, equalTo: wanted)
    }

    /// A string field; nil if missing, of another type or malformed.
    func text(_ field: StaticString) -> String? { outline.field(field, of: node).flatMap(outline.string(of:)) }

    /// Like ``text(_:)``, but nil for an empty string.
    func filled(_ field: StaticString) -> String? { text(field).flatMap { $0.isEmpty ? nil : $0 } }

    func has(_ field: StaticString) -> Bool { outline.field(field, of: node) != nil }

    /// Epoch seconds as written by every library: an integer in a string. A JSON number is invalid here.
    func date(_ field: StaticString) -> Date? {
        outline.field(field, of: node).flatMap(outline.integer(of:)).flatMap { Date(epochSeconds: Double($0)) }
    }

    /// A null means "missing", as in other libraries.
    func isTextOrMissing(_ field: StaticString) -> Bool {
        guard let found = outline.field(field, of: node) else { return true }
        return outline.isString(found) || outline.isNull(found)
    }

    /// Whether the environment is in the same cloud. Host names should be lowercase, but some writers do not ensure it.
    func isIn(_ names: EnvironmentNames) -> Bool {
        guard let found = outline.field("environment", of: node) else { return false }
        // Fast path: writers mostly use one name.
        if outline.isString(found, equalTo: names.own) { return true }
        guard let text = outline.string(of: found)?.asciiLowercased else { return false }
        return names.all.contains(text)
    }

    func isEqualIgnoringCase(_ field: StaticString, _ wanted: String) -> Bool {
        text(field).map(wanted.isSameIgnoringCase) ?? false
    }

    /// Whether an access token is bound only to the given key and agent session, or to none. Fields for other bindings
    /// (requested claims, another user's assertion, an application's partition) must be empty; their names differ
    /// between libraries.
    func isBound(to keyID: String?, extCacheKey: String?) -> Bool {
        guard extCacheKey.map({ isEqual("ext_cache_key", Array($0.utf8)) }) ?? !isFilled("ext_cache_key") else {
            return false
        }
        let others: [StaticString] = [
            "requestedClaims", "requestedClaimsHash", "requested_claims", "user_assertion_hash",
            "userAssertionHash", "application_cache_identifier",
        ]
        let keys: [StaticString] = ["kid", "key_id", "keyid"]
        guard !others.contains(where: isFilled) else { return false }
        guard let keyID else { return !keys.contains(where: isFilled) }
        let wanted = Array(keyID.utf8)
        return keys.contains { isEqual($0, wanted) } && !keys.contains { isFilled($0) && !isEqual($0, wanted) }
    }

    private func isFilled(_ field: StaticString) -> Bool {
        guard let found = outline.field(field, of: node) else { return false }
        return !outline.isNull(found) && !outline.isString(found, equalTo: [])
    }

    /// The entry as a credential; nil without a usable secret, or if a known field has a wrong type.
    func credential(_ kind: CachedCredential.Kind) -> CachedCredential? {
        // MSAL.js leaves tombstones instead of removed secrets.
        guard let secret = filled("secret"), secret != "<tombstone>", let clientID,
            let environment = filled("environment"),
            let key, isDecodable
        else { return nil }
        let texts: [StaticString] = [
            "home_account_id", "target", "realm", "token_type", "expires_on", "cached_at", "credential_type",
            "family_id",
        ]
        guard texts.allSatisfy(isTextOrMissing) else { return nil }
        // Every writer sets an extended expiry, and repeats the regular one if the provider sent none.
        let end = date("expires_on")
        let extended = (date("extended_expires_on") ?? date("ext_expires_on")).flatMap {
            $0 > end ?? .distantPast ? $0 : nil
        }
        return CachedCredential(
            id: key, kind: kind, clientID: clientID, homeAccountID: filled("home_account_id"),
            environment: environment.hostLowercased, realm: text("realm") ?? "",
            scopes: ScopeSet(parsing: text("target") ?? ""), secret: Secret(secret),
            tokenType: filled("token_type") ?? "Bearer", cachedAt: date("cached_at") ?? date("last_modification_time"),
            expiresOn: end, extendedExpiresOn: extended, refreshOn: date("refresh_on"), familyID: filled("family_id"),
            issuer: issuer, keyID: filled("kid"), extCacheKey: kind == .accessToken ? filled("ext_cache_key") : nil)
    }

    /// Whether there is a usable secret; does not copy it.
    var hasSecret: Bool {
        guard let found = outline.field("secret", of: node), outline.isString(found) else { return false }
        return !outline.isString(found, equalTo: []) && !outline.isString(found, equalTo: Array("<tombstone>".utf8))
    }

    func texts(_ field: StaticString) -> [String] {
        guard let found = outline.field(field, of: node),
            let value = try? JSONValue(parsing: Array(outline.source(of: found)), limits: JSONLimits(maximumDepth: 2))
        else { return [] }
        return (value.array ?? []).compactMap(\.string)
    }
}

extension String {
    /// Avoids a copy, as host names are almost always lowercase.
    var hostLowercased: String { utf8.contains { $0 >= 0x41 && $0 <= 0x5A } ? asciiLowercased : self }
}

/// The names of an environment in entries, in lowercase.
struct EnvironmentNames {
    let own: [UInt8]
    private let environment: String

    init(_ environment: String) {
        self.environment = environment.asciiLowercased
        own = Array(self.environment.utf8)
    }

    /// The aliases of its cloud, looked up on demand.
    var all: [String] { Cloud.aliases(of: environment) }
}
