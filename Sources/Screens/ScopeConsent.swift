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
        let isMicrosoft = Cloud.containing(host: account.environment) != nil
        var everything: [String] = []
        for client in overview.account.clients {
            sheet.blank()
            sheet.heading(state.context.clientName(client))
            let granted = overview.credentials.filter { $0.kind == .accessToken && $0.clientID == client }
                .reduce(ScopeSet()) { $0.union($1.scopes) }
            if granted.isEmpty { sheet.text("no access token in the store says what it was granted", .muted) }
            var groups: [(resource: String, scopes: [String])] = []
            for scope in granted.names {
                let resource = ScopeMeanings.resource(of: scope, isMicrosoft: isMicrosoft)
                if let index = groups.firstIndex(where: { $0.resource == resource }) {
                    groups[index].scopes.append(scope)
                } else {
                    groups.append((resource, [scope]))
                }
            }
            for group in groups {
                sheet.text(group.resource, .emphasis)
                for scope in group.scopes { add(scope, to: &sheet) }
            }
            let configured = state.context.clients.first { $0.clientID == client }?.scopes ?? []
            let missing = configured.declined(granted: granted)
            if !granted.isEmpty, !missing.isEmpty { sheet.field("asked, not here", missing.description, .attention, labelWidth: 17) }
            everything += granted.names + configured.names
        }
        addNotes(everything, to: &sheet)
        return sheet
    }

    private func add(_ scope: String, to sheet: inout Sheet) {
        let meaning = ScopeMeanings.of(scope) ?? "no sentence is known for it"
        sheet.pair("  " + ScopeMeanings.shortName(scope), .text, meaning, .muted, labelWidth: min(30, sheet.width / 2))
    }

    private func addNotes(_ scopes: [String], to sheet: inout Sheet) {
        if scopes.contains(where: { $0.hasSuffix("/.default") }) {
            sheet.blank()
            sheet.text(
                "RESOURCE/.default stands for everything that was consented to for the resource, now or by an administrator.", .muted)
        }
        if scopes.contains(where: { $0.hasSuffix("//.default") }) {
            sheet.text(
                "Two slashes before .default are right for a resource whose name ends in a slash: the token's audience then has the slash too.",
                .muted)
        }
        sheet.blank()
        sheet.text("Only tokens in this store are counted; consent itself is kept by the provider.", .muted)
    }
}

/// One sentence for the scopes that operators meet most.
enum ScopeMeanings {
    static func shortName(_ scope: String) -> String {
        guard scope.contains("://") || scope.hasPrefix("api:") else { return scope }
        return scope.split(separator: "/").last.map(String.init) ?? scope
    }

    static func resource(of scope: String, isMicrosoft: Bool) -> String {
        let folded = scope.asciiLowercased
        if ["openid", "profile", "email", "offline_access", "address", "phone"].contains(folded) { return "who you are (OpenID Connect)" }
        guard let slash = scope.lastIndex(of: "/"), scope.contains("://") || scope.isGUIDPrefixed else {
            return isMicrosoft ? "https://graph.microsoft.com" : "the provider's own"
        }
        return String(scope[..<slash])
    }

    static func of(_ scope: String) -> String? { sentences[shortName(scope).asciiLowercased] }

    private static let sentences: [String: String] = [
        "openid": "says who you are", "profile": "gives your name and picture", "email": "gives your mail address",
        "offline_access": "stays signed in when you are away", "address": "gives your postal address",
        "phone": "gives your telephone number",
        ".default": "everything that was consented to before", "user_impersonation": "acts as you at this resource",
        "user.read": "reads your own profile", "user.readwrite": "changes your own profile",
        "user.readbasic.all": "reads everybody's names",
        "user.read.all": "reads everybody's full profiles", "user.readwrite.all": "changes everybody's profiles",
        "user.invite.all": "invites guests", "people.read": "reads the people that matter to you", "contacts.read": "reads your contacts",
        "contacts.readwrite": "changes your contacts", "calendars.read": "reads your calendars",
        "calendars.readwrite": "changes your calendars",
        "mail.read": "reads your mail", "mail.readbasic": "reads your mail's headers", "mail.readwrite": "changes your mail",
        "mail.send": "sends mail as you", "files.read": "reads your files", "files.readwrite": "changes your files",
        "files.read.all": "reads every file that you can", "files.readwrite.all": "changes every file that you can",
        "sites.read.all": "reads every site that you can", "sites.readwrite.all": "changes every site that you can",
        "notes.read": "reads your notebooks", "tasks.read": "reads your tasks", "tasks.readwrite": "changes your tasks",
        "group.read.all": "reads every group", "group.readwrite.all": "changes every group",
        "groupmember.read.all": "reads who is in which group",
        "directory.read.all": "reads the whole directory", "directory.readwrite.all": "changes the directory",
        "directory.accessasuser.all": "does in the directory what you can",
        "application.read.all": "reads every application's registration",
        "application.readwrite.all": "changes every application's registration", "auditlog.read.all": "reads the sign-in and audit logs",
        "policy.read.all": "reads the tenant's policies", "team.readbasic.all": "reads the names of your teams",
        "chat.read": "reads your chats",
        "chat.readwrite": "reads and writes your chats", "presence.read": "reads whether you are there",
        "devicemanagementmanageddevices.read.all": "reads the managed devices", "api": "uses the API as you", "read": "reads",
        "write": "writes",
    ]
}

extension String {
    fileprivate var isGUIDPrefixed: Bool { prefix { $0 != "/" }.isGUID || hasPrefix("api:") }
}
