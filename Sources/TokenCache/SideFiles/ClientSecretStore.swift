package import FoundationEssentials
package import Identity
import StrictJSON

/// The provider and the client that a secret belongs to.
package struct ClientSecretOwner: Hashable, Sendable {
    package var issuer: String
    package var clientID: String

    package init(issuer: String, clientID: String) { (self.issuer, self.clientID) = (issuer, clientID) }
}

extension ClientConfiguration {
    package var secretOwner: ClientSecretOwner {
        ClientSecretOwner(issuer: secretIssuer(at: authority), clientID: clientID)
    }
}

/// The client secrets that are kept with a store: in `<store>.secrets`, mode 0600, next to a plain file; otherwise
/// protected as part of the store. They stay when accounts are removed.
package struct ClientSecretStore: Sendable {
    private let list: StorePartList<StoredSecret>

    package init(_ cache: TokenCache, lockWait: Duration = .seconds(5)) {
        // None is dropped to make room: a registration's secret cannot be obtained again.
        let format = ListFormat<StoredSecret>("secrets", maximumBytes: 262_144, most: .max)
        list = StorePartList(cache: cache, part: .clientSecrets, format: format, lockWait: lockWait)
    }

    package func secret(of owner: ClientSecretOwner) throws(StoreError) -> Secret? { try entry(owner)?.secret }

    /// When the provider stops accepting the secret; nil if it does not, or if there is none.
    package func expiry(of owner: ClientSecretOwner) throws(StoreError) -> Date? {
        try entry(owner)?.expiresAt
    }

    /// Keeps a secret, in place of an earlier one.
    package func set(_ secret: Secret, of owner: ClientSecretOwner, expiresAt: Date? = nil) throws(StoreError) {
        try list.change { entries in
            entries.removeAll { $0.isOf(owner) }
            entries.append(
                StoredSecret(issuer: owner.issuer, clientID: owner.clientID, secret: secret, expiresAt: expiresAt))
        }
    }

    /// - Returns: whether there was one.
    package func remove(of owner: ClientSecretOwner) throws(StoreError) -> Bool {
        guard try entry(owner) != nil else { return false }
        try list.change { $0.removeAll { $0.isOf(owner) } }
        return true
    }

    private func entry(_ owner: ClientSecretOwner) throws(StoreError) -> StoredSecret? {
        try list.read().last { $0.isOf(owner) }
    }

    private struct StoredSecret: JSONRecord {
        var issuer = ""
        var clientID = ""
        var secret = Secret("")
        var expiresAt: Date?

        mutating func describe(_ member: inout JSONMembers) {
            member("issuer", &issuer, .text(longest: 2048))
            member("client_id", &clientID, .text(longest: 2048))
            member("client_secret", &secret, .secret(longest: ClientSecret.longest))
            member("expires_at", &expiresAt, .time)
        }

        func isOf(_ owner: ClientSecretOwner) -> Bool {
            issuer == owner.issuer && ClientID.isSame(clientID, owner.clientID)
        }
    }
}
