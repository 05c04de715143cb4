import FoundationEssentials
import Identity

/// What the next silent call for an account will most likely do, and why: worked out from the store alone.
struct Forecast {
    let clientID: String
    let request: TokenRequest
    let what: String
    let why: String

    /// MSAL's margin: a token with less than five minutes left is not handed out.
    private static let margin = 300

    init(_ overview: AccountOverview, clientID: String, state: State) {
        let request = Self.request(overview, clientID: clientID, context: state.context)
        self.clientID = clientID
        self.request = request
        let clock = state.clock
        let fitting = overview.credentials.filter {
            $0.kind == .accessToken && $0.clientID == clientID && Self.covers($0.scopes, request.scopes)
        }
        let best = fitting.max { ($0.expiresOn ?? .distantPast) < ($1.expiresOn ?? .distantPast) }
        let own = overview.credentials.contains { $0.kind == .refreshToken && $0.clientID == clientID }
        let relative = overview.credentials.first { $0.kind == .refreshToken && $0.clientID != clientID && $0.familyID?.isEmpty == false }
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
            what = "redeems the refresh token of \(state.context.clientName(relative.clientID))"
        } else {
            what = "asks you to sign in"
        }
        let reason: String
        if isDue, best?.isFresh(at: clock.now) == true {
            reason = "the access token is due for renewal"
        } else if let end = best?.expiresOn {
            let left = clock.seconds(until: end)
            reason =
                left <= 0 ? "the access token ended \(clock.relative(end))" : "the access token ends within \(Self.margin / 60) minutes"
        } else {
            reason = "no access token for these scopes is in the store"
        }
        why = own || relative != nil ? reason : reason + ", and no refresh token"
    }

    /// The scopes: the client's configured ones, else those of its latest access token, else everything of the usual resource.
    private static func request(_ overview: AccountOverview, clientID: String, context: Context) -> TokenRequest {
        let account = overview.account
        let configured = context.clients.first { $0.clientID == clientID }
        let latest = overview.credentials.filter { $0.kind == .accessToken && $0.clientID == clientID }
            .max { ($0.cachedAt ?? $0.expiresOn ?? .distantPast) < ($1.cachedAt ?? $1.expiresOn ?? .distantPast) }
        var scopes = configured?.scopes ?? []
        if scopes.isEmpty { scopes = latest?.scopes ?? [] }
        if scopes.isEmpty {
            let isMicrosoft = Cloud.containing(host: account.environment) != nil
            scopes = isMicrosoft ? ScopeSet.everything(of: "https://graph.microsoft.com") : ["openid", "profile", "email"]
        }
        return TokenRequest(
            scopes: scopes, account: account, authority: authority(of: account, configured), correlationID: TokenRequest.unnumbered)
    }

    /// Nil where the client's own authority serves the account's cloud.
    private static func authority(of account: Account, _ configured: Context.ClientChoice?) -> Authority? {
        if let configured, let own = try? Authority(configured.authority, kind: configured.kind),
            Cloud.isSame(own.environment, account.environment)
        {
            return nil
        }
        guard let cloud = Cloud.containing(host: account.environment) else { return nil }
        return try? Authority("https://\(cloud.preferredNetwork)/\(account.homeTenantID ?? "organizations")")
    }

    /// As the cache looks for it: every name is in the entry, the reserved ones aside.
    private static func covers(_ held: ScopeSet, _ asked: ScopeSet) -> Bool { asked.withoutReserved.isSubset(of: held) }
}

extension State {
    func forecast(_ overview: AccountOverview) -> Forecast? {
        client(for: overview.account).map { Forecast(overview, clientID: $0, state: self) }
    }
}
