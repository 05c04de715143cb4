extension Account {
    /// The domain of the username; at Entra ID, one of the home tenant's.
    package var domain: String? { username.domain }

    /// The domain of the account's username in a tenant.
    package func domain(in tenant: String) -> String? {
        tenantProfiles.first { $0.tenantID == tenant }?.username.domain
    }
}

extension String {
    fileprivate var domain: String? {
        guard let at = utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let domain = self[utf8.index(after: at)...]
        return domain.isEmpty ? nil : String(domain)
    }
}
