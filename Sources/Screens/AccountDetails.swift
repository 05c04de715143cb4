import FoundationEssentials
import Identity
import Terminal

/// How an account stands, by glyph and by word.
struct Standing {
    let glyph: String
    let word: String
    /// For a narrow screen: the word with the time in it.
    let shortWord: String
    let role: Role
    /// When the next token ends.
    let ends: String

    init(_ overview: AccountOverview, clientID: String?, clock: Clock, glyphs: Glyphs) {
        let next = overview.credentials.filter {
            $0.kind == .accessToken && (clientID == nil || $0.clientID == clientID)
        }
        .compactMap(\.expiresOn).filter { $0 > clock.now }.min()
        ends = next.map { clock.relative($0) } ?? ""
        switch overview.standing(at: clock.now, clientID: clientID) {
        case .valid(let until):
            (glyph, word, role) = (glyphs.full, "valid", .ok)
            shortWord = "valid " + Clock.span(max(0, clock.seconds(until: until)))
        case .refreshable where overview.account.origin == .adal:
            (glyph, word, shortWord, role) = (glyphs.half, "ADAL, not used yet", "ADAL", .attention)
        case .refreshable: (glyph, word, shortWord, role) = (glyphs.half, "refreshable", "refreshable", .attention)
        case .signInNeeded: (glyph, word, shortWord, role) = (glyphs.empty, "sign-in needed", "sign in", .danger)
        }
    }
}

extension State {
    /// All about one account, for the right half of a wide screen.
    func details(_ overview: AccountOverview, width: Int, glyphs: Glyphs) -> Sheet {
        var sheet = Sheet(width: width, glyphs: glyphs)
        let account = overview.account
        sheet.heading(account.label)
        if let name = account.name, !name.isEmpty { sheet.text(name) }
        let standing = Standing(overview, clientID: picker.clientMeant, clock: clock, glyphs: glyphs)
        sheet.item(
            standing.glyph, standing.role, standing.word + (standing.ends.isEmpty ? "" : ", next end " + standing.ends))
        if account.origin == .adal { sheet.text("from an old ADAL cache: the first refresh moves it over", .attention) }
        sheet.blank()
        if let words = storeWords(overview) {
            sheet.text(words, .info)
            sheet.blank()
        } else if let forecast = forecast(overview) {
            sheet.field("Enter", forecast.what + (forecast.why.isEmpty ? "" : ": " + forecast.why), labelWidth: 8)
            sheet.field("client", context.clientName(forecast.clientID), labelWidth: 8)
            sheet.field("scopes", forecast.request.scopes.description, .muted, labelWidth: 8)
            sheet.blank()
        }
        addTenants(account, to: &sheet)
        sheet.blank()
        if let used = context.uses.use(of: overview.account.id)?.at {
            sheet.field("used", "here \(clock.relative(used)), \(clock.time(used))", labelWidth: 8)
        }
        if let renewed = overview.credentials.compactMap(\.cachedAt).filter({ $0 <= now }).max() {
            sheet.field("renewed", "\(clock.relative(renewed)), \(clock.time(renewed))", labelWidth: 8)
        }
        let place = overview.store?.place ?? context.storeLabel + (context.storeBadge.map { " [\($0)]" } ?? "")
        sheet.field("store", place, labelWidth: 8)
        for client in account.clients {
            sheet.blank()
            sheet.heading(context.clientName(client))
            let mine = overview.credentials.filter { $0.clientID == client }.sorted {
                $0.kind.rawValue < $1.kind.rawValue
            }
            if mine.isEmpty { sheet.text("no token of its own", .muted) }
            for credential in mine { addToken(credential, to: &sheet) }
        }
        return sheet
    }

    /// What can be done with an account of another program's store; nil for one of foyer's own.
    func storeWords(_ overview: AccountOverview) -> String? {
        overview.store.map {
            "in \($0.program)'s store, "
                + ($0.isWritable ? "where x removes it as that program would" : "which foyer only reads")
        }
    }

    private func addTenants(_ account: Account, to sheet: inout Sheet) {
        sheet.field("at", account.provider, labelWidth: 8)
        for profile in account.tenantProfiles.prefix(8) {
            let name =
                profile.username != account.username && !profile.username.isEmpty ? " as " + profile.username : ""
            let tenant = profile.tenantID.isEmpty ? "no tenant" : profile.tenantID
            sheet.field(profile.isHome ? "home" : "guest", tenant + name, labelWidth: 8)
        }
        let more = account.tenantProfiles.count - 8
        if more > 0 { sheet.field("", "and \(counted(more, "tenant")) more", .muted, labelWidth: 8) }
    }

    private func addToken(_ credential: CachedCredential, to sheet: inout Sheet) {
        switch credential.kind {
        case .idToken: sheet.text("ID token" + realmWords(credential), .muted)
        case .refreshToken:
            let family = credential.familyID?.isEmpty == false ? ", serves the whole family" : ""
            let age = credential.cachedAt.map { ", since \(clock.time($0))" } ?? ""
            sheet.text("refresh token" + family + age)
        case .accessToken:
            sheet.text("access token" + realmWords(credential))
            if let end = credential.expiresOn {
                let left = Double(clock.seconds(until: end))
                let life = credential.cachedAt.map { end.timeIntervalSince($0) } ?? 3600
                let words = left > 0 ? "ends " + clock.relative(end) : "ended " + clock.relative(end)
                sheet.bar(left > 0 && life > 0 ? left / life : 0, columns: min(14, sheet.width / 3), words, indent: 2)
            }
            sheet.text(credential.scopes.description, .muted, indent: 2)
        }
    }

    private func realmWords(_ credential: CachedCredential) -> String {
        credential.realm.isEmpty ? "" : " in " + shortened(credential.realm)
    }
}
