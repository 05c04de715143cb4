package import Identity
package import Proofs
package import TokenCache

/// A resolved request: its account, authority, and the names for the cache lookup.
package struct ResolvedRequest {
    package let account: Account
    /// The authority for a refresh: the account's home tenant if the request named a multitenant authority.
    package let authority: Authority
    package let query: CredentialQuery
    package let binding: TokenBinding

    /// Finds the account for a request that names none: the only one at the authority's cloud, else the current one.
    ///
    /// - Throws: `interactionRequired` if no account is signed in, `ambiguous` if several are.
    package static func account(
        for request: TokenRequest, in snapshot: CacheSnapshot, _ configuration: ClientConfiguration
    ) throws(ResolutionError) -> Account {
        if let account = request.account { return settled(account, in: snapshot, configuration) }
        let authority = request.authority ?? configuration.authority
        let here = snapshot.accounts(clientID: configuration.clientID).filter {
            belongs($0, to: place(of: $0, authority, configuration), in: snapshot, configuration)
        }
        let current = snapshot.currentAccount(clientID: configuration.clientID)
        if let account = snapshot.ofClient(here, configuration).implied(current: current) { return account }
        guard !here.isEmpty else { throw .needsPerson(.nobodySignedIn(provider: authority.provider)) }
        throw .failed(
            Failure(
                .ambiguous, "\(here.count) accounts are signed in: " + here.map(\.label).joined(separator: ", "),
                hint: .nameAccount, naming: here.map(\.label)))
    }

    /// - Parameter binding: returns the token binding of the queried account.
    /// - Throws: a required sign-in if the account belongs to another provider; `usage` for an invalid tenant.
    package init(
        _ request: TokenRequest, account: Account, in snapshot: CacheSnapshot, _ configuration: ClientConfiguration,
        binding: (CredentialQuery, Account, Authority) throws(ResolutionError) -> TokenBinding
    ) throws(ResolutionError) {
        let named: Authority
        do throws(Failure) { named = try Self.authority(of: request, configuration) } catch { throw .failed(error) }
        let asked = Self.place(of: account, named, configuration)
        guard Self.belongs(account, to: asked, in: snapshot, configuration) else {
            throw .needsPerson(.otherProvider(account, asked: asked))
        }
        var account = account
        // From here on, only this issuer's entries match.
        account.issuer = configuration.issuer(of: asked)
        self.account = account
        authority = Self.homeTenant(of: account, at: asked)
        var query = CredentialQuery(of: account, clientID: configuration.clientID)
        self.binding = try binding(query, account, authority)
        query.realms =
            Self.realms(asked: asked, effective: authority, account)
            + Self.learntRealm(asked, account, in: snapshot, clientID: configuration.clientID)
        query.scopes = request.scopes.withoutReserved
        query.bound = Self.bound(query, request, authority, in: snapshot, configuration)
        query.tokenType = self.binding.tokenType
        query.keyID = self.binding.keyID
        query.extCacheKey = request.extCacheKey
        self.query = query
    }

    /// The scopes beyond which no token is served. Entra ID's tokens have every scope that was granted, whatever is
    /// requested; without a refresh token there is no narrower one.
    private static func bound(
        _ query: CredentialQuery, _ request: TokenRequest, _ authority: Authority, in snapshot: CacheSnapshot,
        _ configuration: ClientConfiguration
    ) -> ScopeSet? {
        guard request.isForPlace, authority.kind.isStandard, !query.scopes.isEmpty else { return nil }
        let server = configuration.knownServer(of: authority)
        guard server?.habits.narrowsOnRefresh ?? true, !snapshot.refreshTokens(query, family: false).isEmpty else {
            return nil
        }
        return (server?.completed(query.scopes) ?? query.scopes).withoutReserved
    }

    /// The identifier of a tenant that is named otherwise, such as by a domain, from an earlier response. This finds a
    /// cached token without a request (MSAL's authority map).
    private static func learntRealm(
        _ asked: Authority, _ account: Account, in snapshot: CacheSnapshot, clientID: String
    ) -> [String] {
        guard namesTenant(asked), let realm = snapshot.tenant(named: asked.tenant, of: account.id, clientID: clientID)
        else { return [] }
        return [realm]
    }

    /// Whether the authority names one tenant by something other than its identifier.
    package static func namesTenant(_ authority: Authority) -> Bool {
        (authority.kind == .aad || authority.kind == .ciam) && !authority.isTenantIndependent
            && !authority.tenant.isEmpty
            && !authority.tenant.isGUID
    }

    /// The account's own cloud if Entra ID may respond from there: its sign-in moved to that cloud, and its refresh
    /// tokens only work there. Limited to clouds of the built-in table.
    package static func place(of account: Account, _ asked: Authority, _ configuration: ClientConfiguration)
        -> Authority
    {
        guard configuration.instanceAware, asked.kind == .aad, asked.isKnownCloud,
            !Cloud.isSame(account.environment, asked.environment),
            let cloud = Cloud.containing(host: account.environment)
        else { return asked }
        do { return try asked.withHost(cloud.preferredNetwork) } catch { return asked }
    }

    /// Whether the account belongs to the authority's cloud. For AD FS and OpenID Connect, its issuer must match,
    /// because a host may serve several. For B2C, its policy must match, because each has separate accounts and tokens.
    package static func belongs(
        _ account: Account, to authority: Authority, in snapshot: CacheSnapshot,
        _ configuration: ClientConfiguration
    ) -> Bool {
        guard Cloud.isSame(account.environment, authority.environment) else { return false }
        if authority.kind == .b2c { return authority.isOfPolicy(account) }
        guard let issuer = configuration.issuer(of: authority) else { return account.issuer == nil }
        if let known = account.issuer { return known == issuer }
        guard snapshot.isOnlyIssuer(issuer, of: account.id) else { return false }
        guard authority.kind.isStandard else { return true }
        let realms = Set(issuerRealms(authority))
        return account.tenantProfiles.isEmpty || account.tenantProfiles.contains { realms.contains($0.tenantID) }
    }

    /// This library stores the issuer's path, MSAL for Python its first segment; others may store nothing.
    private static func issuerRealms(_ authority: Authority) -> [String] {
        [realm(of: authority, tenantID: nil), authority.address.pathSegments.first ?? "", ""]
    }

    package static func authority(of request: TokenRequest, _ configuration: ClientConfiguration)
        throws(Failure) -> Authority
    {
        let authority = request.authority ?? configuration.authority
        guard let tenant = request.tenant else { return authority }
        do { return try authority.withTenant(tenant) } catch {
            throw Failure(
                .usage, "invalid tenant name",
                hint: "use the tenant ID or one of its domain names")
        }
    }

    /// `common`, `consumers` and, for work accounts, `organizations` resolve to the account's home tenant.
    private static func homeTenant(of account: Account, at authority: Authority) -> Authority {
        guard authority.isTenantIndependent, let home = account.homeTenantID else { return authority }
        if authority.tenant.asciiLowercased == "organizations", home == Account.personalTenant { return authority }
        do { return try authority.withTenant(home) } catch { return authority }
    }

    /// The realms in use for tokens of this authority: MSAL for Python stores the named tenant, others its ID.
    private static func realms(asked: Authority, effective: Authority, _ account: Account) -> [String] {
        switch asked.kind {
        case .oidc, .oauth2: issuerRealms(asked)
        case .aad, .b2c, .adfs, .ciam:
            [effective.tenant, asked.tenant] + (isHomeDomain(asked.tenant, account) ? [account.homeTenantID ?? ""] : [])
                + (asked.kind == .ciam ? externalTenant(asked, account) : [])
                // MSAL.NET stores AD FS entries without a realm.
                + (asked.kind == .adfs ? [""] : [])
        }
    }

    /// An External ID tenant has its own host, so every realm of the account's tokens is this tenant.
    private static func externalTenant(_ asked: Authority, _ account: Account) -> [String] {
        asked.tenant.isGUID ? [] : [account.homeTenantID ?? ""] + account.tenantProfiles.map(\.tenantID)
    }

    /// A verified domain belongs to one tenant, so the domain of a member's username identifies the home tenant.
    private static func isHomeDomain(_ tenant: String, _ account: Account) -> Bool {
        guard tenant.contains("."), let at = account.username.lastIndex(of: "@") else { return false }
        return account.username[account.username.index(after: at)...].asciiLowercased == tenant.asciiLowercased
    }

    /// The realm under which this library stores tokens: the tenant ID if known; for OpenID Connect the issuer's path.
    package static func realm(of authority: Authority, tenantID: String?) -> String {
        switch authority.kind {
        case .oidc, .oauth2: authority.address.pathSegments.joined(separator: "/")
        case .aad, .ciam: tenantID ?? authority.tenant
        case .b2c, .adfs: authority.tenant
        }
    }
}

extension CacheSnapshot {
    /// The accounts that signed in under the client's name, as one client ID can have several, and those that other
    /// programs signed in, which tell no name. All accounts if there is none.
    package func ofClient(_ accounts: [Account], _ configuration: ClientConfiguration) -> [Account] {
        guard accounts.count > 1, let name = configuration.clientName else { return accounts }
        let own = accounts.filter { account in
            let uses = uses(of: account.id, clientID: configuration.clientID)
            return uses.isEmpty || uses.contains { Client.isSameName($0.name, name) }
        }
        return own.isEmpty ? accounts : own
    }
}
