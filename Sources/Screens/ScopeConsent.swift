import Identity
import Terminal

/// What each client was granted for an account, by the tokens that rest in the store.
struct ScopeConsent: Equatable, Sendable {
    let account: AccountID
    var scroll = 0

    init(account: AccountID) { self.account = account }

    func sheet(_ state: State, width: Int, glyphs: Glyphs) -> Sheet {
        var sheet = Sheet(width: width, glyphs: glyphs)
        guard let overview = state.overview(of: account) else {
            sheet.text("this account is no longer in the store", .muted)
            return sheet
        }
        // Tenants are Microsoft's, also behind a host of nobody's table.
        let isMicrosoft = Cloud.containing(host: account.environment) != nil || overview.account.homeTenantID != nil
        for client in overview.account.clients {
            sheet.blank()
            sheet.heading(state.context.clientName(client))
            let granted = overview.credentials.filter { $0.kind == .accessToken && $0.clientID == client }
                .reduce(ScopeSet()) { $0.union($1.scopes) }
            if granted.isEmpty { sheet.text("no access token in the store says what it was granted", .muted) }
            var groups: [(resource: String, scopes: [String])] = []
            for scope in granted.names {
                let resource = ScopeNames.resource(of: scope, isMicrosoft: isMicrosoft)
                if let index = groups.firstIndex(where: { $0.resource == resource }) {
                    groups[index].scopes.append(scope)
                } else {
                    groups.append((resource, [scope]))
                }
            }
            for group in groups {
                sheet.text(group.resource, .emphasis)
                for scope in group.scopes { add(scope, isMicrosoft: isMicrosoft, to: &sheet) }
            }
            let configured = state.context.clients.first { $0.clientID == client }?.scopes ?? []
            let missing = configured.declined(granted: granted)
            if !granted.isEmpty, !missing.isEmpty { sheet.field("asked, not here", missing.description, .attention, labelWidth: 17) }
        }
        sheet.blank()
        sheet.text("Only tokens in this store are counted; consent itself is kept by the provider.", .muted)
        return sheet
    }

    private func add(_ scope: String, isMicrosoft: Bool, to sheet: inout Sheet) {
        let name = "  " + ScopeNames.short(scope)
        let labelWidth = min(30, sheet.width / 2)
        guard let meaning = ScopeNames.meaning(of: scope, isMicrosoft: isMicrosoft) else {
            sheet.pair(name, .text, "not known here; the provider's page said what it is", .muted, labelWidth: labelWidth)
            return
        }
        let administrator = meaning.needsAdministrator ? ", an administrator's to grant" : ""
        sheet.pair(
            name, .text, "\(meaning.sentence) (\(meaning.risk.word) risk\(administrator))", meaning.risk.role, labelWidth: labelWidth)
    }
}

/// How scopes are named and grouped.
enum ScopeNames {
    static func short(_ scope: String) -> String {
        guard scope.contains("://") || scope.hasPrefix("api:") else { return scope }
        return scope.split(separator: "/").last.map(String.init) ?? scope
    }

    static func resource(of scope: String, isMicrosoft: Bool) -> String {
        let folded = scope.asciiLowercased
        if ["openid", "profile", "email", "offline_access", "address", "phone"].contains(folded) { return "who you are (OpenID Connect)" }
        guard let slash = scope.lastIndex(of: "/"), scope.contains("://") || scope.isGUIDPrefixed else {
            return isMicrosoft ? ScopeMeaning.resourceName("https://graph.microsoft.com") : "the provider's own"
        }
        let resource = String(scope[..<slash])
        let name = ScopeMeaning.resourceName(resource)
        return name == resource ? resource : "\(name) (\(resource))"
    }

    /// Names without a resource are Microsoft Graph's only where Microsoft speaks.
    static func meaning(of scope: String, isMicrosoft: Bool) -> ScopeMeaning? {
        guard let meaning = ScopeMeaning.of(scope) else { return nil }
        return isMicrosoft || scope.contains("/") || meaning.resource.isEmpty ? meaning : nil
    }
}

extension ScopeMeaning.Risk {
    var role: Role {
        switch self {
        case .low, .medium: .muted
        case .high: .attention
        case .critical: .danger
        }
    }
}

extension String {
    fileprivate var isGUIDPrefixed: Bool { prefix { $0 != "/" }.isGUID || hasPrefix("api:") }
}
