import Explain
import FoundationEssentials
package import Identity

// All about one account: the next token first, then what is in the store, then what can be done with it.
extension Context {
    /// - Parameter clientID: the client that is in view.
    package func details(of overview: AccountOverview, clientID: String?) -> TextBlock {
        var block = TextBlock()
        let account = overview.account
        // Where there is a screen, it is above.
        if naming == .names { block.field("account", account.label) }
        block.sides(
            [TextSpan(account.name ?? account.label, .emphasis, isBold: true)], [TextSpan(kind(of: overview), .muted)])
        addTenants(of: overview, to: &block)
        block.blank()
        addNextToken(of: overview, clientID: clientID, to: &block)
        let credentials = TokenInspector.credentials(overview)
        for client in account.clients { addTokens(of: client, credentials, account, to: &block) }
        addPermissions(credentials, isMicrosoft: overview.isMicrosoft, to: &block)
        block.blank()
        let place =
            overview.store.map { "in \($0.place)" } ?? "stored in \(storeLabel)" + (storeBadge.map { " (\($0))" } ?? "")
        let used = uses.use(of: account.id).map { ", used " + clock.relative($0.at) } ?? ""
        block.text(place + used, .muted)
        block.text("home account id " + account.homeAccountID, .muted)
        return block
    }

    private func kind(of overview: AccountOverview) -> String {
        guard overview.isMicrosoft else { return "OpenID Connect" }
        return overview.account.homeTenantID == Account.personalTenant ? "personal account" : "work or school account"
    }

    private func addTenants(of overview: AccountOverview, to block: inout TextBlock) {
        let account = overview.account
        let profiles = account.tenantProfiles.sorted { one, other in
            one.isHome != other.isHome ? one.isHome : tenantName(one.tenantID) < tenantName(other.tenantID)
        }
        for profile in profiles.prefix(8) {
            let name =
                profile.username != account.username && !profile.username.isEmpty ? " as " + profile.username : ""
            let tenant = profile.tenantID.isEmpty ? "no tenant" : tenantName(profile.tenantID, of: account)
            block.field(profile.isHome ? "home" : "guest in", tenant + name, labelWidth: 10)
        }
        let more = profiles.count - 8
        if more > 0 { block.field("", "and \(counted(more, "tenant")) more", .muted, labelWidth: 10) }
        if let cloud = Cloud.containing(host: account.environment) {
            let name = cloud.name == "Public" ? "Microsoft Azure (global)" : "Microsoft Azure (\(cloud.name))"
            block.field("cloud", name, labelWidth: 10)
        } else {
            block.field("provider", account.provider, labelWidth: 10)
        }
        if account.origin == .adal {
            block.text("from an old ADAL cache: the first refresh moves it over", .attention)
        }
    }

    private func addNextToken(of overview: AccountOverview, clientID: String?, to block: inout TextBlock) {
        let status = AccountStatusLabel(status(overview, clientID: clientID), clock: clock)
        let key = name(of: .open, at: .picker)
        if let words = storeWords(overview) {
            block.item(status.sign, status.tone, status.word, status.wordTone)
            block.text(words, .muted)
            return
        }
        guard let call = plannedCall(overview, clientID: clientID) else {
            block.item(.warning, .attention, "no client is known for this account")
            return
        }
        block.heading("Next token", key: key, does: call.status.needsPerson ? "sign in" : "get it")
        if let rejection = rejection(overview, clientID: call.clientID) {
            block.item(.cross, .danger, "rejected \(clock.relative(rejection.at)) (\(rejection.error))", .danger)
        } else {
            block.moving { $0.item(status.sign, status.tone, call.words, call.status.needsPerson ? .danger : .text) }
        }
        block.text("for \(clientName(call.clientID)): " + call.scopeNames, .muted, indent: 2)
    }

    private func addTokens(
        of client: String, _ credentials: [CachedCredential], _ account: Account, to block: inout TextBlock
    ) {
        block.blank()
        let mine = credentials.filter { $0.clientID == client }
        block.heading(
            "Tokens of " + clientName(client), key: name(of: .inspect, at: .picker), does: "inspect")
        if mine.isEmpty { block.text("none", .muted) }
        for credential in mine where credential.kind != .idToken { add(credential, account, to: &block) }
        let ids = mine.filter { $0.kind == .idToken }
        if let latest = ids.compactMap(\.cachedAt).max() {
            block.sides(
                [
                    TextSpan(" ", .muted, sign: .bullet),
                    TextSpan("ID" + (ids.count > 1 ? " x\(ids.count)" : ""), .muted),
                ],
                [TextSpan("stored " + clock.time(latest), .muted)])
        }
    }

    private func add(_ credential: CachedCredential, _ account: Account, to block: inout TextBlock) {
        let tenant = credential.realm.isEmpty ? "" : "  " + tenantName(credential.realm, of: account)
        guard credential.kind == .accessToken else {
            let family = credential.familyID?.isEmpty == false ? "family refresh" : "refresh"
            block.sides(
                [TextSpan(" ", .muted, sign: .renewal), TextSpan(family)],
                [TextSpan(credential.cachedAt.map { "stored " + clock.time($0) } ?? "", .muted)])
            return
        }
        guard let end = credential.expiresOn else { return block.item(.bullet, .muted, "access" + tenant) }
        let left = Double(clock.seconds(until: end))
        let life = credential.cachedAt.map { end.timeIntervalSince($0) } ?? 3600
        let name = [TextSpan("access"), TextSpan(tenant, .muted)]
        if left > 0 {
            block.meter([TextSpan(" ", .ok, sign: .full)] + name, life > 0 ? left / life : 0, Clock.span(Int(left)))
        } else {
            block.sides(
                [TextSpan(" ", .muted, sign: .empty)] + name, [TextSpan("expired " + clock.relative(end), .muted)])
        }
    }

    /// What the tokens are good for: the greatest risk first.
    private func addPermissions(_ credentials: [CachedCredential], isMicrosoft: Bool, to block: inout TextBlock) {
        let names = Set(
            credentials.filter { $0.kind == .accessToken }.flatMap(\.scopes.names).filter { !ScopeNames.isOpenID($0) })
        guard !names.isEmpty else { return }
        block.blank()
        block.heading("Can do", key: name(of: .scopes, at: .picker), does: "consent")
        let known = names.map { (name: $0, meaning: ScopeNames.meaning(of: $0, isMicrosoft: isMicrosoft)) }
            .sorted { one, other in
                let (left, right) = (one.meaning?.risk.rawValue ?? -1, other.meaning?.risk.rawValue ?? -1)
                return left != right ? left > right : one.name < other.name
            }
        for (name, meaning) in known.prefix(6) {
            let tone = meaning?.risk.tone ?? .muted
            let isRisk = (meaning?.risk ?? .low) >= .high
            block.sides(
                [
                    TextSpan(" ", isRisk ? tone : .text, sign: isRisk ? .warning : Sign.none),
                    TextSpan(meaning?.sentence ?? "no description"),
                ], [TextSpan(ScopeNames.short(name), isRisk ? tone : .muted)])
        }
        if known.count > 6 { block.text("and \(known.count - 6) more", .muted, indent: 2) }
    }

    /// What can be done with an account of another program's store; nil for one of foyer's own.
    package func storeWords(_ overview: AccountOverview) -> String? {
        overview.store.map {
            "in \($0.program)'s store, "
                + ($0.isWritable
                    ? "where \(name(of: .remove, at: .picker)) removes it as that program would" : "read-only")
        }
    }
}
