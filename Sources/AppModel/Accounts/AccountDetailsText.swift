import Explain
import FoundationEssentials
import Identity

// Account details: the next token first, then what the store holds, then permissions.
extension Context {
    func addDetails(of overview: AccountOverview, to block: inout TextBlock) {
        let account = overview.account
        // On a screen the panel's title shows it.
        if naming == .names { block.field("account", account.label) }
        block.sides(
            [TextSpan(account.name ?? account.label, .emphasis, isBold: true)], [TextSpan(kind(of: overview), .muted)])
        addTenants(of: overview, to: &block)
        block.blank()
        addNextToken(of: overview, to: &block)
        let credentials = TokenInspector.credentials(overview)
        for client in account.clients {
            addTokens(of: client, credentials, account, at: scopeIssuer(of: overview.account), to: &block)
        }
        addPermissions(credentials, at: scopeIssuer(of: overview.account), to: &block)
        block.blank()
        let place =
            overview.store.map { "in \($0.place)" }
            ?? "in foyer's store" + (storeBadge.map { " (\($0))" } ?? "")
        let used = uses.use(of: account.id).map { ", used " + clock.relative($0.at) } ?? ""
        block.text(place + used, .muted)
        addIdentifier(account.homeAccountID, to: &block)
    }

    private func addIdentifier(_ id: String, to block: inout TextBlock) {
        guard let dot = id.utf8.firstIndex(of: UInt8(ascii: ".")), id[..<dot].isGUID, id[dot...].dropFirst().isGUID
        else {
            return block.field("home account id", id, .muted, labelWidth: 17)
        }
        block.text("home account id", .muted)
        block.text(String(id[...dot]), .muted, indent: 2)
        block.text(String(id[dot...].dropFirst()), .muted, indent: 2)
    }

    private func kind(of overview: AccountOverview) -> String {
        guard overview.isMicrosoft else { return server(of: overview.account)?.title ?? "OpenID Connect" }
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
        if !account.formerUsernames.isEmpty {
            block.field("formerly", account.formerUsernames.joined(by: ", "), labelWidth: 10)
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
            block.text("from an ADAL cache: upgraded at the first refresh", .attention)
        }
    }

    private func addNextToken(of overview: AccountOverview, to block: inout TextBlock) {
        let status = AccountStatusLabel(status(overview).status, clock: clock)
        let key = name(of: .open, at: .picker)
        if let words = storeWords(overview) {
            block.item(status.sign, status.tone, status.word, status.wordTone)
            block.text(words, .muted)
            return
        }
        guard let call = plannedCall(overview) else {
            return block.item(.warning, .attention, "no client for this account")
        }
        guard !call.status.needsPerson else { return addSignInNeeded(of: overview, call, status, to: &block) }
        block.heading("Next token", key: key, does: "get it")
        if !addRejection(of: overview, call, to: &block) {
            block.moving { $0.item(status.sign, status.tone, call.words) }
        }
        block.text(words(ofRequest: call, at: scopeIssuer(of: overview.account)), .muted, indent: 2)
    }

    /// Adds the provider's latest rejection. Returns false if there is none.
    private func addRejection(of overview: AccountOverview, _ call: PlannedCall, to block: inout TextBlock) -> Bool {
        guard let rejection = rejection(overview, clientID: call.use.clientID) else { return false }
        block.item(.cross, .danger, "rejected \(clock.relative(rejection.at)) (\(rejection.error))", .danger)
        return true
    }

    private func words(ofRequest call: PlannedCall, at issuer: ScopeIssuer) -> String {
        let resource = ScopeNames.resource(of: call.request.scopes, at: issuer)
        return [call.use.shownName, resource, call.scopeNames].filter { !$0.isEmpty }.joined(by: " · ")
    }

    /// Why sign-in is needed, and the credentials that a silent call tries.
    private func addSignInNeeded(
        of overview: AccountOverview, _ call: PlannedCall, _ status: AccountStatusLabel, to block: inout TextBlock
    ) {
        let keys = [(Command.open, " sign in  "), (.deviceCode, " device code")].flatMap { command, words in
            [TextSpan(name(of: command, at: .picker), .key), TextSpan(words, .muted)]
        }
        block.sides(
            [TextSpan(" ", status.tone, sign: status.sign), TextSpan(status.word, .danger, isBold: true)], keys)
        if !addRejection(of: overview, call, to: &block) {
            block.moving { $0.text(call.cause ?? call.words, indent: 2) }
        }
        block.text(words(ofRequest: call, at: scopeIssuer(of: overview.account)), .muted, indent: 2)
        let considered = considered(overview, call.use)
        guard !considered.isEmpty else { return }
        block.blank()
        block.heading("What silent sign-in tries")
        let width = 2 + (considered.map(\.name.count).max() ?? 0)
        for line in considered {
            block.add(
                TextBlock.Fact(
                    name: TextSpan(line.name), nameWidth: width, value: TextSpan(line.finding, .muted), isWhole: true,
                    sign: TextSpan("", .muted, sign: .empty)))
        }
    }

    private func addTokens(
        of client: String, _ credentials: [CachedCredential], _ account: Account, at issuer: ScopeIssuer,
        to block: inout TextBlock
    ) {
        block.blank()
        let mine = credentials.filter { ClientID.isSame($0.clientID, client) }
        block.heading(
            "Tokens of " + clientName(client, of: account.id), key: name(of: .inspect, at: .picker), does: "inspect")
        if mine.isEmpty { block.text("none", .muted) }
        let tenants = Set(mine.filter { $0.kind == .accessToken }.map(\.realm))
        for credential in mine where credential.kind != .idToken {
            // Tokens are distinguished by tenant if there are several, else by resource.
            let tenant = credential.realm.isEmpty || tenants.count < 2 ? "" : tenantName(credential.realm, of: account)
            let resource = ScopeNames.shortResource(of: credential.scopes, at: issuer)
            add(credential, tenant.isEmpty ? resource : tenant, to: &block)
        }
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

    private func add(_ credential: CachedCredential, _ place: String, to block: inout TextBlock) {
        guard credential.kind == .accessToken else {
            let family = credential.familyID?.isEmpty == false ? "family refresh" : "refresh"
            block.sides(
                [TextSpan(" ", .muted, sign: .renewal), TextSpan(family)],
                [TextSpan(credential.cachedAt.map { "stored " + clock.time($0) } ?? "", .muted)])
            return
        }
        guard let end = credential.expiresOn else { return block.item(.bullet, .muted, "access  " + place) }
        let left = Double(clock.seconds(until: end))
        let life = credential.cachedAt.map { end.timeIntervalSince($0) } ?? 3600
        let name = [TextSpan("access"), TextSpan(place.isEmpty ? "" : "  " + place, .muted)]
        let sign = AccountStatusLabel(.valid(until: end), clock: clock)
        let marked = [TextSpan(" ", sign.tone, sign: sign.sign)] + name
        if end.announced == nil {
            block.sides(marked, [TextSpan(TimeSpan.end(end, clock.relative), .muted)])
        } else if left > 0 {
            block.meter(marked, life > 0 ? left / life : 0, TimeSpan.words(left))
        } else {
            block.sides(
                [TextSpan(" ", .muted, sign: .empty)] + name, [TextSpan("expired " + clock.relative(end), .muted)])
        }
    }

    /// The meaning of the granted permissions, greatest risk first.
    private func addPermissions(_ credentials: [CachedCredential], at issuer: ScopeIssuer, to block: inout TextBlock) {
        let names = Set(
            credentials.filter { $0.kind == .accessToken }.flatMap(\.scopes.names).filter { !ScopeNames.isOpenID($0) })
        guard !names.isEmpty else { return }
        block.blank()
        block.heading("Allows", key: name(of: .scopes, at: .picker), does: "consent")
        let known = names.map { (name: $0, meaning: ScopeMeaning.of($0, at: issuer)) }
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

    /// The program's sign-in command, where the account needs it.
    private func signInWords(_ store: OtherStore, of overview: AccountOverview) -> String {
        guard status(overview).status.needsPerson else { return "" }
        return store.signIn.map { "sign in there: \($0); " } ?? "sign in there; "
    }

    /// A note about an account in another program's store; nil for an account in foyer's own.
    func storeWords(_ overview: AccountOverview) -> String? {
        overview.store.map {
            "in \($0.program)'s store, " + signInWords($0, of: overview)
                + ($0.isWritable
                    ? "\(name(of: .remove, at: .picker)): remove it from there" : "read-only")
        }
    }
}
