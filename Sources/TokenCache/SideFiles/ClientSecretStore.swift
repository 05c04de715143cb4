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

/// Where a registered client can be deleted at its provider, and the token for that (RFC 7592).
package struct RegistrationAccess: Hashable, Sendable {
    package var address: String
    package var token: Secret

    package init(address: String, token: Secret) { (self.address, self.token) = (address, token) }
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
            Self.put(owner, &entries) { ($0.secret, $0.expiresAt) = (secret, expiresAt) }
        }
    }

    /// Keeps what a registration returned that cannot be obtained again.
    ///
    /// - Parameter secret: nil for a public client.
    package func keep(
        _ secret: Secret?, _ access: RegistrationAccess?, of owner: ClientSecretOwner, expiresAt: Date? = nil
    ) throws(StoreError) {
        try list.change { entries in
            Self.put(owner, &entries) { entry in
                (entry.secret, entry.expiresAt) = (secret, expiresAt)
                (entry.address, entry.token) = (access?.address, access?.token)
            }
        }
    }

    package func access(of owner: ClientSecretOwner) throws(StoreError) -> RegistrationAccess? {
        guard let entry = try entry(owner), let address = entry.address, let token = entry.token else { return nil }
        return RegistrationAccess(address: address, token: token)
    }

    /// - Returns: whether there was one.
    package func remove(of owner: ClientSecretOwner) throws(StoreError) -> Bool {
        guard try entry(owner)?.secret != nil else { return false }
        try list.change { entries in
            Self.put(owner, &entries) { ($0.secret, $0.expiresAt) = (nil, nil) }
            entries.removeAll { $0.isOf(owner) && $0.token == nil }
        }
        return true
    }

    /// Removes a client's secret and the access to its registration.
    package func forget(_ owner: ClientSecretOwner) throws(StoreError) {
        guard try entry(owner) != nil else { return }
        try list.change { $0.removeAll { $0.isOf(owner) } }
    }

    private static func put(
        _ owner: ClientSecretOwner, _ entries: inout [StoredSecret], _ body: (inout StoredSecret) -> Void
    ) {
        var entry = entries.last { $0.isOf(owner) } ?? StoredSecret(issuer: owner.issuer, clientID: owner.clientID)
        body(&entry)
        entries.removeAll { $0.isOf(owner) }
        entries.append(entry)
    }

    private func entry(_ owner: ClientSecretOwner) throws(StoreError) -> StoredSecret? {
        try list.read().last { $0.isOf(owner) }
    }

    private struct StoredSecret: JSONRecord {
        var issuer = ""
        var clientID = ""
        /// Nil for a public client, which is kept for ``token``.
        var secret: Secret?
        var expiresAt: Date?
        /// `registration_client_uri` and `registration_access_token` of RFC 7591 section 3.2.1.
        var address: String?
        var token: Secret?

        mutating func describe(_ member: inout JSONMembers) {
            member("issuer", &issuer, .text(longest: 2048))
            member("client_id", &clientID, .text(longest: 2048))
            member("client_secret", &secret, .secret(longest: ClientSecret.longest))
            member("expires_at", &expiresAt, .time)
            member("registration_client_uri", &address, .text(longest: 2048))
            member("registration_access_token", &token, .secret(longest: 8192))
        }

        func isOf(_ owner: ClientSecretOwner) -> Bool {
            issuer == owner.issuer && ClientID.isSame(clientID, owner.clientID)
        }
    }
}
