import Identity
import TokenCache
import Wire

/// A request made definite: whose token, from which authority, under which names the cache may hold it.
struct ResolvedRequest {
    let account: Account
    /// The authority that a refresh goes to: the account's home tenant where the request named many.
    let authority: Authority
    let query: CredentialQuery
    /// What the tokens are bound to.
    let binding: TokenBinding

    /// Works out who is meant when the request names nobody: the only account of this client at this authority's cloud;
    /// of several, the client's current account if one was set.
    ///
    /// - Throws: `interactionRequired` when nobody is signed in, `ambiguous` when several are.
    static func account(
        for request: TokenRequest, in snapshot: CacheSnapshot, _ configuration: ClientConfiguration
    ) throws(Unresolved) -> Account {
        if let account = request.account { return settled(account, in: snapshot, configuration) }
        let authority = request.authority ?? configuration.authority
        let here = snapshot.accounts(clientID: configuration.clientID).filter {
            belongs($0, to: place(of: $0, authority, configuration), in: snapshot, configuration)
        }
        let current = snapshot.currentAccount(clientID: configuration.clientID)
        if let account = here.implied(current: current) { return account }
        guard !here.isEmpty else { throw .needsPerson(.nobodySignedIn(provider: authority.provider)) }
        throw .failed(
            Failure(
                .ambiguous, "\(here.count) accounts are signed in: " + here.map(\.label).joined(separator: ", "),
                hint: .nameAccount))
    }

    /// - Parameter binding: what the tokens of the account that the query names are bound to.
    /// - Throws: the person is needed when the account is of another provider; `usage` for a tenant that cannot be.
    init(
        _ request: TokenRequest, account: Account, in snapshot: CacheSnapshot, _ configuration: ClientConfiguration,
        binding: (CredentialQuery, Account, Authority) throws(Unresolved) -> TokenBinding
    ) throws(Unresolved) {
        let named: Authority
        do throws(Failure) { named = try Self.authority(of: request, configuration) } catch { throw .failed(error) }
        let asked = Self.place(of: account, named, configuration)
        guard Self.belongs(account, to: asked, in: snapshot, configuration) else {
            throw .needsPerson(.otherProvider(account, asked: asked))
        }
        var account = account
        // What is found from here on is this issuer's alone.
        account.issuer = configuration.issuer(of: asked)
        self.account = account
        authority = Self.homeTenant(of: account, at: asked)
        var query = CredentialQuery(of: account, clientID: configuration.clientID)
        self.binding = try binding(query, account, authority)
        query.realms =
            Self.realms(asked: asked, effective: authority, account)
            + Self.learntRealm(asked, account, in: snapshot, clientID: configuration.clientID)
        query.scopes = request.scopes.withoutReserved
        query.tokenType = self.binding.tokenType
        query.keyID = self.binding.keyID
        query.extCacheKey = request.extCacheKey
        self.query = query
    }

    /// A tenant that is asked for by a name, such as a domain: its identifier as the provider told it the last time, so
    /// that a token is found without asking (MSAL's authority map).
    private static func learntRealm(
        _ asked: Authority, _ account: Account, in snapshot: CacheSnapshot, clientID: String
    ) -> [String] {
        guard namesTenant(asked), let realm = snapshot.tenant(named: asked.tenant, of: account.id, clientID: clientID)
        else { return [] }
        return [realm]
    }

    /// Whether the authority names one tenant by something else than its identifier.
    static func namesTenant(_ authority: Authority) -> Bool {
        (authority.kind == .aad || authority.kind == .ciam) && !authority.isTenantIndependent
            && !authority.tenant.isEmpty
            && !authority.tenant.isGUID
    }

    /// Where Entra ID may answer from the person's own cloud, that cloud is asked for its accounts: the sign-in moved
    /// there, and their refresh tokens are of no use elsewhere. Only between clouds of the built-in table.
    static func place(of account: Account, _ asked: Authority, _ configuration: ClientConfiguration)
        -> Authority
    {
        guard configuration.instanceAware, asked.kind == .aad, asked.isKnownCloud,
            !Cloud.isSame(account.environment, asked.environment),
            let cloud = Cloud.containing(host: account.environment)
        else { return asked }
        do { return try asked.withHost(cloud.preferredNetwork) } catch { return asked }
    }

    /// Whether the account is of the authority's cloud; for AD FS and OpenID Connect of its issuer, as a host may have
    /// several; for B2C of its policy, as each has accounts and refresh tokens of its own.
    static func belongs(
        _ account: Account, to authority: Authority, in snapshot: CacheSnapshot,
        _ configuration: ClientConfiguration
    ) -> Bool {
        guard Cloud.isSame(account.environment, authority.environment) else { return false }
        if authority.kind == .b2c { return isOfPolicy(account, authority) }
        guard let issuer = configuration.issuer(of: authority) else { return account.issuer == nil }
        if let known = account.issuer { return known == issuer }
        guard snapshot.isOnlyIssuer(issuer, of: account.id) else { return false }
        guard authority.kind == .oidc else { return true }
        let realms = Set(issuerRealms(authority))
        return account.tenantProfiles.isEmpty || account.tenantProfiles.contains { realms.contains($0.tenantID) }
    }

    /// `<oid>-<policy>.<tenant>`, the policy in lower case; an account without a policy in its identifier may be of
    /// any.
    private static func isOfPolicy(_ account: Account, _ authority: Authority) -> Bool {
        guard let policy = authority.address.pathSegments.last?.asciiLowercased, !policy.isEmpty else { return true }
        let user = account.homeAccountID.prefix { $0 != "." }.asciiLowercased
        guard user.utf8.count > 37, user.prefix(36).isGUID else { return true }
        return user.dropFirst(37) == policy
    }

    /// This program keeps the issuer's path, MSAL for Python the path's first part; others may keep nothing.
    private static func issuerRealms(_ authority: Authority) -> [String] {
        [realm(of: authority, tenantID: nil), authority.address.pathSegments.first ?? "", ""]
    }

    /// The authority that a request names, its tenant put in.
    static func authority(of request: TokenRequest, _ configuration: ClientConfiguration)
        throws(Failure) -> Authority
    {
        let authority = request.authority ?? configuration.authority
        guard let tenant = request.tenant else { return authority }
        do { return try authority.withTenant(tenant) } catch {
            throw Failure(
                .usage, "the tenant cannot stand in an address",
                hint: "write the tenant's id or one of its domain names")
        }
    }

    /// `common`, `consumers` and, for work accounts, `organizations` stand for the account's home tenant.
    private static func homeTenant(of account: Account, at authority: Authority) -> Authority {
        guard authority.isTenantIndependent, let home = account.homeTenantID else { return authority }
        if authority.tenant.asciiLowercased == "organizations", home == Account.personalTenant { return authority }
        do { return try authority.withTenant(home) } catch { return authority }
    }

    /// The realms under which writers may have put a token of this authority: MSAL for Python keeps the tenant as
    /// written in the token endpoint, the others the tenant's id.
    private static func realms(asked: Authority, effective: Authority, _ account: Account) -> [String] {
        switch asked.kind {
        case .oidc: issuerRealms(asked)
        case .aad, .b2c, .adfs, .ciam:
            [effective.tenant, asked.tenant] + (isHomeDomain(asked.tenant, account) ? [account.homeTenantID ?? ""] : [])
                + (asked.kind == .ciam ? externalTenant(asked, account) : [])
                // MSAL.NET gives the entries of AD FS no realm.
                + (asked.kind == .adfs ? [""] : [])
        }
    }

    /// An External ID tenant has a host of its own, so that whatever its people's tokens are kept under is this tenant,
    /// by whichever name it is asked for.
    private static func externalTenant(_ asked: Authority, _ account: Account) -> [String] {
        asked.tenant.isGUID ? [] : [account.homeTenantID ?? ""] + account.tenantProfiles.map(\.tenantID)
    }

    /// A verified domain belongs to one tenant, so the domain of a member's username names the home tenant.
    private static func isHomeDomain(_ tenant: String, _ account: Account) -> Bool {
        guard tenant.contains("."), let at = account.username.lastIndex(of: "@") else { return false }
        return account.username[account.username.index(after: at)...].asciiLowercased == tenant.asciiLowercased
    }

    /// The realm under which this program keeps tokens of an authority: the tenant's id where there is one; the
    /// issuer's path for OpenID Connect, so that two issuers of one host stay apart.
    static func realm(of authority: Authority, tenantID: String?) -> String {
        switch authority.kind {
        case .oidc: authority.address.pathSegments.joined(separator: "/")
        case .aad, .ciam: tenantID ?? authority.tenant
        case .b2c, .adfs: authority.tenant
        }
    }
}
