package import Identity
package import LegacyCaches
import StrictJSON

// Refresh tokens of legacy caches that wait for their first use, in a section of the store's own file. Microsoft's
// libraries preserve unknown sections. Every field is a string, as any number makes MSAL for .NET clear the store.

extension CacheSnapshot {
    /// Pending legacy entries, in file order. An invalid entry is skipped.
    package var legacyEntries: [LegacyEntry] {
        guard hasLegacyEntries else { return [] }
        return entries(.legacy).prefix(LegacyCache.maximumItems).compactMap(\.legacyEntry)
    }

    var hasLegacyEntries: Bool { outline?.section(named: Section.legacy.name) != nil }

    /// The users of pending legacy entries that a client or its family can use, or of all; each once.
    func legacyAccounts(clientID: String?, isFamily: Bool) -> [Account] {
        let wanted = clientID?.asciiLowercased
        let useful = legacyEntries.filter { entry in
            wanted == nil || entry.clientID.asciiLowercased == wanted || (isFamily && entry.familyID?.isEmpty == false)
        }
        return useful.accounts
    }

    /// Whether a pending entry of another client, or without a user, could bring an account back after its removal.
    func canBeRestored(_ account: AccountID, clientID: String) -> Bool {
        guard hasLegacyEntries else { return false }
        let client = clientID.asciiLowercased
        let accounts = accounts().filter { $0.id.isSamePerson(as: account) }
        return legacyEntries.contains { entry in
            guard Cloud.isSame(entry.authority.environment, account.environment) else { return false }
            if entry.userID == nil, entry.homeAccountID == nil { return true }
            return entry.clientID.asciiLowercased != client && accounts.contains(where: entry.belongs(to:))
        }
    }

    /// The scopes of the token of an ADAL-only account; nil for other accounts.
    package func scopesOfLegacy(_ account: Account, clientID: String) -> ScopeSet? {
        account.origin == .adal ? legacyScopes(of: account, clientID: clientID) : nil
    }

    /// The scopes for the resource of a user's legacy entry, this client's first; nil if no entry has a resource. A
    /// resource that ends in a slash gets two before `.default`.
    package func legacyScopes(of account: Account, clientID: String) -> ScopeSet? {
        let mine = legacyEntries.filter { $0.belongs(to: account) }
        let own = mine.filter { $0.clientID.asciiLowercased == clientID.asciiLowercased }
        return (own.isEmpty ? mine : own).lazy.compactMap(\.scopes).first
    }

    /// Whether the user of a legacy entry is signed out of its client, as far as the user is known.
    package func isSignedOut(_ entry: LegacyEntry) -> Bool {
        isSignedOut(entry, among: accountsSignedOut(clientID: entry.clientID))
    }

    func isSignedOut(_ entry: LegacyEntry, among left: [Account]) -> Bool {
        if let home = entry.homeAccountID {
            let account = AccountID(
                homeAccountID: home, environment: entry.authority.environment, issuer: entry.authority.issuer)
            return isSignedOut(account, clientID: entry.clientID)
        }
        return left.contains(where: entry.belongs(to:))
    }

    func accountsSignedOut(clientID: String) -> [Account] {
        guard outline?.section(named: Section.accountMetadata.name) != nil else { return [] }
        return accounts(clientID: nil).filter { isSignedOut($0.id, clientID: clientID) }
    }

    func accountsHoldingRefreshTokens(clientID: String) -> [Account] {
        overviews(clientID: clientID).filter { overview in
            overview.account.origin == .msal && overview.credentials.contains { $0.kind == .refreshToken }
        }.map(\.account)
    }
}

extension LegacyEntry {
    /// Identifies an entry: client, authority, resource and user.
    var storeKey: String {
        let who = [homeAccountID ?? "", userID ?? "", objectID ?? ""]
        return (["legacyrefreshtoken", clientID, "\(authority)", resource ?? ""] + who).joined(separator: "-")
            .asciiLowercased
    }

    var fields: [CacheEdit.Field] {
        [
            ("credential_type", "LegacyRefreshToken"), ("kind", kind.rawValue), ("secret", refreshToken?.reveal()),
            ("client_id", clientID), ("authority", "\(authority)"), ("authority_kind", authority.kind.rawValue),
            ("environment", authority.environment), ("resource", resource), ("user_id", userID),
            ("user_id_shown", isUserIDShown ? nil : "false"), ("home_account_id", homeAccountID),
            ("local_account_id", objectID), ("realm", tenantID), ("identity_provider", identityProvider),
            ("name", name), ("family_id", familyID),
        ]
    }
}

extension CacheEntry {
    /// A pending entry, validated like an imported file's, as other programs also write the store.
    var legacyEntry: LegacyEntry? {
        do {
            guard let kind = filled("kind").flatMap(LegacyEntry.Kind.init(rawValue:)),
                let token = try LegacyFields.token(filled("secret"), "refresh token"), let address = filled("authority")
            else { return nil }
            let authority = try Authority(
                address, kind: filled("authority_kind").flatMap(Authority.Kind.init(rawValue:)))
            // The cloud is compared by this field elsewhere: if the two differed, the entry would match in two clouds.
            guard filled("environment") == authority.environment else { return nil }
            var entry = LegacyEntry(
                kind: kind, authority: authority, clientID: try LegacyFields.clientID(filled("client_id")))
            entry.resource = LegacyFields.optional(filled("resource"))
            entry.userID = LegacyFields.optional(filled("user_id"))
            entry.isUserIDShown = text("user_id_shown") != "false"
            entry.homeAccountID = LegacyFields.homeAccountID(filled("home_account_id"))
            entry.objectID = LegacyFields.optional(filled("local_account_id"))
            entry.tenantID = LegacyFields.optional(filled("realm"))
            entry.identityProvider = LegacyFields.optional(filled("identity_provider"))
            entry.name = LegacyFields.optional(filled("name"))
            entry.refreshToken = token
            entry.familyID = LegacyFields.optional(filled("family_id"))
            return entry
        } catch { return nil }
    }
}
