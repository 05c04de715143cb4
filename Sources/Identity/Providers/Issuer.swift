/// The owner of the accounts, tokens and proof keys of AD FS and OpenID Connect providers. It includes scheme, host,
/// port and path, because one host may serve several independent issuers (OpenID Connect Core section 2, `iss`).
///
/// MSAL's schema only stores the host, as ``Account/environment``; the cache also stores the issuer.
package enum Issuer {
    /// One form per issuer, for comparison byte for byte: without a default port and a trailing slash.
    ///
    /// - Parameter text: an `iss` claim or a configured issuer. An invalid URL is returned unchanged.
    package static func normalized(_ text: String) -> String {
        guard let address = try? WebAddress(text), address.query == nil else { return text }
        return normalized(address)
    }

    static func normalized(_ address: WebAddress) -> String {
        var path = address.path[...]
        while path.hasSuffix("/") { path.removeLast() }
        // AD FS has only this path, whatever case the user types.
        if path.asciiLowercased == "/adfs" { path = "/adfs" }
        return address.originWithoutUsualPort + path
    }
}

extension Authority {
    /// The normalized issuer; nil for Entra ID, B2C and External ID, whose accounts belong to a cloud or tenant.
    package var issuer: String? { kind.isEntra ? nil : Issuer.normalized(address) }

    /// The provider's display name: the issuer, or a cloud's host, with scheme and port if not the default.
    package var provider: String {
        if let issuer { return issuer }
        let origin = address.originWithoutUsualPort
        return origin == "https://" + address.host ? address.host : origin
    }
}

extension Authority {
    /// Whether both have the same accounts: one cloud of Entra ID, or one issuer.
    package func isOfSameProvider(as other: Authority) -> Bool {
        kind == .aad && other.kind == .aad ? Cloud.isSame(environment, other.environment) : provider == other.provider
    }

    /// Whether an account's identifier is of this B2C policy: `<oid>-<policy>.<tenant>`, with the policy in lower case;
    /// without a policy, it is of any.
    package func isOfPolicy(_ account: Account) -> Bool {
        guard kind == .b2c, let policy = address.pathSegments.last?.asciiLowercased, !policy.isEmpty else {
            return true
        }
        let user = account.homeAccountID.prefix { $0 != "." }.asciiLowercased
        guard user.utf8.count > 37, user.prefix(36).isGUID else { return true }
        return user.dropFirst(37) == policy
    }
}

extension Account {
    /// The provider's display name: the issuer if known, else the host.
    package var provider: String { issuer ?? environment }
}
