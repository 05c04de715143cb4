import FoundationEssentials
package import Identity

/// What the next silent call for an account will most likely do, and why: worked out from the store alone, in the order
/// of the silent call itself. What the store does not show here is left out: a sign-out that was noted, a throttled
/// provider, a client that is known to be of no family.
package struct AccountForecast: Sendable {
    package let clientID: String
    package let request: TokenRequest
    package let what: String
    package let why: String

    /// MSAL's margin: a token with less than five minutes left is not handed out.
    private static let margin: TimeInterval = 300
    /// A token said to live longer than ten years is not believed.
    private static let longest: TimeInterval = 315_576_000

    init(_ overview: AccountOverview, clientID: String, in context: Context) {
        let request = Self.request(overview, clientID: clientID, context: context)
        self.clientID = clientID
        self.request = request
        let clock = context.clock
        guard overview.account.origin == .msal else {
            what = "redeems the refresh token that ADAL left"
            why = "it has not been used since it was taken over"
            return
        }
        let realms = Self.realms(request, context.clients.first { $0.clientID == clientID })
        let fitting = overview.credentials.filter { token in
            guard token.kind == .accessToken, token.clientID == clientID, token.tokenType.lowercased() == "bearer",
                let end = token.expiresOn,
                end.timeIntervalSince(clock.now) <= Self.longest, realms?.contains(token.realm.lowercased()) ?? true
            else { return false }
            return Self.covers(token.scopes, request.scopes)
        }
        func latest(_ tokens: [CachedCredential]) -> CachedCredential? {
            tokens.max { ($0.expiresOn ?? .distantPast) < ($1.expiresOn ?? .distantPast) }
        }
        let best = latest(fitting.filter { $0.isFresh(at: clock.now) }) ?? latest(fitting)
        let own = overview.credentials.contains { $0.kind == .refreshToken && $0.clientID == clientID }
        let relative = overview.credentials.first {
            $0.kind == .refreshToken && $0.clientID != clientID && $0.familyID?.isEmpty == false
        }
        let isDue = best?.refreshOn.map { $0 <= clock.now } ?? false
        if let best, best.isFresh(at: clock.now), !isDue || (!own && relative == nil) {
            what = "hands out the cached access token"
            why = best.expiresOn.map { "it ends " + clock.relative($0) } ?? ""
            return
        }
        if overview.account.origin == .adal {
            what = "redeems the refresh token of an ADAL cache"
            why = "it is moved over by its first use"
            return
        }
        if own {
            what = "redeems the refresh token"
        } else if let relative {
            what = "redeems the refresh token of \(context.clientName(relative.clientID))"
        } else {
            what = "asks you to sign in"
        }
        let reason: String
        if isDue, best?.isFresh(at: clock.now) == true {
            reason = "the access token is due for renewal"
        } else if let end = best?.expiresOn {
            let left = clock.seconds(until: end)
            let margin = Int(best?.expirationBuffer(Self.margin).rounded(.up) ?? Self.margin)
            reason =
                left <= 0
                ? "the access token ended \(clock.relative(end))"
                : left < margin
                    ? "the access token ends within \(margin % 60 == 0 ? "\(margin / 60) minutes" : "\(margin) s")"
                    : "the access token is dated later than this clock"
        } else {
            reason = "no access token for these scopes is in the store"
        }
        why = own || relative != nil ? reason : reason + ", and no refresh token"
    }

    /// The realms in which a token serves the request; nil where any does, as far as can be known here.
    private static func realms(_ request: TokenRequest, _ configured: ConfiguredClient?) -> Set<String>? {
        let own = configured.flatMap { try? Authority($0.authority, kind: $0.kind) }
        guard let account = request.account, let authority = request.authority ?? own,
            authority.kind == .aad || authority.kind == .ciam
        else {
            return nil
        }
        let tenant = authority.tenant
        // The name of a tenant stands for an identifier that only the provider and the store know.
        guard authority.isTenantIndependent || tenant.isGUID else { return nil }
        let home = account.homeTenantID
        return Set([tenant, authority.isTenantIndependent ? home ?? tenant : tenant].map { $0.lowercased() })
    }

    /// The scopes: the client's configured ones, else those of its latest access token, else everything of the usual
    /// resource.
    private static func request(_ overview: AccountOverview, clientID: String, context: Context) -> TokenRequest {
        let account = overview.account
        let configured = context.clients.first { $0.clientID == clientID }
        let latest = overview.credentials.filter { $0.kind == .accessToken && $0.clientID == clientID }
            .max { ($0.cachedAt ?? $0.expiresOn ?? .distantPast) < ($1.cachedAt ?? $1.expiresOn ?? .distantPast) }
        var scopes = configured?.scopes ?? []
        if scopes.isEmpty { scopes = latest?.scopes ?? [] }
        if scopes.isEmpty {
            let isMicrosoft = Cloud.containing(host: account.environment) != nil
            scopes =
                isMicrosoft ? ScopeSet.everything(of: "https://graph.microsoft.com") : ["openid", "profile", "email"]
        }
        return TokenRequest(
            scopes: scopes, account: account, authority: authority(of: account, configured),
            correlationID: TokenRequest.unnumbered)
    }

    /// Nil where the client's own authority serves the account's cloud.
    private static func authority(of account: Account, _ configured: ConfiguredClient?) -> Authority? {
        if let configured, let own = try? Authority(configured.authority, kind: configured.kind),
            Cloud.isSame(own.environment, account.environment)
        {
            guard let issuer = account.issuer, own.issuer != nil, own.issuer != issuer else { return nil }
            // Another issuer of the same host: nothing of the account is good at the client's own.
            return try? Authority(issuer, kind: own.kind)
        }
        guard let cloud = Cloud.containing(host: account.environment) else { return nil }
        return try? Authority("https://\(cloud.preferredNetwork)/\(account.homeTenantID ?? "organizations")")
    }

    /// As the cache looks for it: every name is in the entry, the reserved ones aside.
    private static func covers(_ held: ScopeSet, _ asked: ScopeSet) -> Bool { asked.withoutReserved.isSubset(of: held) }
}

extension AccountPicker {
    /// Nil when no client is known, and for an account of another program's store.
    package func forecast(_ overview: AccountOverview, in context: Context) -> AccountForecast? {
        guard overview.store == nil else { return nil }
        return client(for: overview.account, in: context).map { AccountForecast(overview, clientID: $0, in: context) }
    }
}
