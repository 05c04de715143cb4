import Identity
import StrictJSON

/// A home account ID to find in entries, with the rule of ``Identity/HomeAccountID``.
struct WantedHome {
    let bytes: [UInt8]
    fileprivate let ignoresCase: Bool

    /// - Parameter issuer: of the account; nil at Entra ID, and if unknown.
    init(_ homeAccountID: String, issuer: String?) {
        bytes = Array(homeAccountID.utf8)
        ignoresCase = HomeAccountID.ignoresCase(homeAccountID, issuer: issuer)
    }
}

/// A client ID to find in entries, with the rule of ``Identity/ClientID``.
struct WantedClient {
    fileprivate let bytes: [UInt8]
    fileprivate let ignoresCase: Bool

    init(_ clientID: String) {
        bytes = Array(clientID.utf8)
        ignoresCase = ClientID.ignoresCase(clientID)
    }
}

// Almost all writers use the same case, so the bytes are compared first.
extension CacheEntry {
    func isOf(_ home: WantedHome) -> Bool {
        guard let found = outline.field("home_account_id", of: node) else { return false }
        return outline.isString(found, equalTo: home.bytes)
            || (home.ignoresCase && outline.isString(found, equalToIgnoringCase: home.bytes) && issuer == nil)
    }

    func isOf(_ client: WantedClient) -> Bool {
        guard let found = outline.field("client_id", of: node) else { return false }
        return outline.isString(found, equalTo: client.bytes)
            || (client.ignoresCase && outline.isString(found, equalToIgnoringCase: client.bytes) && issuer == nil)
    }

    /// The client of an entry, in the spelling of ``Identity/ClientID/canonical(_:issuer:)``.
    var clientID: String? { filled("client_id").map { ClientID.canonical($0, issuer: issuer) } }
}
