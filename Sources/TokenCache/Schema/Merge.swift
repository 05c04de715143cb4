import FoundationEssentials
import Identity

// Merges the response of a token endpoint into a cache that other programs also write. I1: an existing entry, under any
// key, is changed in place; no duplicate is added. I2: a refresh creates nothing for an account that was removed in the
// meantime. I3: no other client's entry is removed, and no other issuer's entry is touched.

extension CacheEdit {
    /// - Returns: false if nothing was written, as the account was removed or signed out in the meantime.
    @discardableResult mutating func save(_ record: TokenRecord) -> Bool {
        let account = AccountID(
            homeAccountID: record.homeAccountID, environment: record.environment, issuer: record.issuer)
        guard !record.homeAccountID.isEmpty, record.createsAccount || isKnown(account, record) else { return false }
        // A mark that still exists has no effect: see isSignedOut.
        unmarkSignedOut(account, clientID: record.clientID)
        nameIssuer(besides: account)
        let target = Target(record, home: spelling(of: account), environment: environment(of: account))
        if let token = record.accessToken, !token.isEmpty { saveAccessToken(token, record, target) }
        if let token = record.refreshToken, !token.isEmpty { saveRefreshToken(token, record, target) }
        if let token = record.idToken, !token.isEmpty { saveIDToken(token, record, target) }
        if record.createsAccount {
            removeTokensOfOtherKeys(record, target)
            if record.refreshToken?.isEmpty == false { removeLegacy(replacedBy: record) }
            noteConsent(record, environment: target.environment)
            endRemovals(of: target.account, clientID: record.clientID)
            if let use = record.use { noteUse(use, of: target.account) }
        }
        if record.createsAccount || record.describesTenant { saveAccount(record, target) }
        if let name = record.tenantName, !record.realm.isEmpty {
            learnTenant(name, is: record.realm, of: target.account, clientID: record.clientID)
        }
        if let family = record.familyID ?? (record.isEntra ? "" : nil) {
            setFamily(family, clientID: record.clientID, environment: target.environment)
        }
        return true
    }

    /// The values of a record as written to the cache.
    struct Target {
        let home: String
        let environment: String
        let issuer: String?
        let client: WantedClient
        let cachedAt: String

        init(_ record: TokenRecord, home: String, environment: String) {
            self.home = home
            self.environment = environment
            issuer = record.issuer
            client = WantedClient(record.clientID)
            cachedAt = CacheEdit.seconds(record.cachedAt)
        }

        var account: AccountID { AccountID(homeAccountID: home, environment: environment, issuer: issuer) }

        /// The key that MSAL for Python would use. Two issuers of one host have the same; the second gets a number
        /// appended.
        func key(_ parts: String?...) -> String {
            ([home, environment] + parts.compactMap(\.self)).joined(separator: "-").asciiLowercased
        }
    }

    /// I2: the account exists and is not signed out of this client. A sign-out leaves no mark if no other client holds
    /// the account; if others gain it during the refresh, the account entry is theirs.
    private func isKnown(_ account: AccountID, _ record: TokenRecord) -> Bool {
        guard !snapshot.isSignedOut(account, clientID: record.clientID) else { return false }
        let client = WantedClient(record.clientID)
        let redeemed = record.redeemed.map { Array($0.reveal().utf8) }
        var isHeldByOthers = false
        for section in Section.credentials {
            for entry in snapshot.person(account, in: section) {
                if entry.isOf(client) { return true }
                if section == .refreshToken {
                    // A family token: the redeemed one, or any that this client can redeem.
                    if entry.filled("family_id") != nil || (redeemed.map { entry.isEqual("secret", $0) } ?? false) {
                        return true
                    }
                }
                isHeldByOthers = isHeldByOthers || entry.hasSecret
            }
        }
        return !isHeldByOthers && !snapshot.person(account, in: .account).isEmpty
    }

    /// Writes the issuer into entries of the same ID at another issuer, before the new entries make it ambiguous.
    private mutating func nameIssuer(besides account: AccountID) {
        guard let issuer = account.issuer, let other = snapshot.onlyIssuer(of: account), other != issuer else { return }
        for section in Section.credentials + [.account, .accountMetadata] {
            for entry in snapshot.homonyms(account, in: section) where entry.issuer == nil {
                update(entry, in: section, [("issuer", other)])
            }
        }
    }

    /// The alias already used for the account in the file, as .NET rejects duplicate tokens.
    private func environment(of account: AccountID) -> String {
        var account = account
        account.environment = account.environment.asciiLowercased
        let given = account.environment
        let sections: [Section] = [.account] + Section.credentials
        for section in sections {
            let held = snapshot.person(account, in: section).compactMap { $0.filled("environment")?.asciiLowercased }
            if held.contains(given) { return given }
            if let first = held.first { return first }
        }
        return given
    }

    /// The spelling of the home account ID that is already used in the file, as other libraries compare it exactly.
    private func spelling(of account: AccountID) -> String {
        let home = WantedHome(account.homeAccountID, issuer: account.issuer)
        for section in [Section.account] + Section.credentials {
            let held = snapshot.person(account, in: section)
            if held.contains(where: { $0.isEqual("home_account_id", home.bytes) }) { return account.homeAccountID }
            if let first = held.lazy.compactMap({ $0.filled("home_account_id") }).first { return first }
        }
        return account.homeAccountID
    }

    private mutating func saveAccessToken(_ token: Secret, _ record: TokenRecord, _ target: Target) {
        let scopes = record.scopes
        if record.extCacheKey != nil { removeExpiredTokensOfSessions(target, at: record.cachedAt) }
        var kept: CacheEntry?
        for entry in snapshot.person(target.account, in: .accessToken)
        where entry.isOf(target.client)
            && entry.isBound(to: record.keyID, extCacheKey: record.extCacheKey)
            && (entry.text("realm") ?? "").asciiLowercased == record.realm.asciiLowercased
            && (entry.filled("token_type") ?? "Bearer").asciiLowercased == record.tokenType.asciiLowercased
            && entry.isDecodable
        {
            let held = ScopeSet(parsing: entry.text("target") ?? "")
            if kept == nil, held == scopes || held.withoutReserved == scopes.withoutReserved {
                kept = entry
            } else if !mayStay(entry, record),
                held.withoutReserved.intersects(scopes.withoutReserved) || (held.isEmpty && scopes.isEmpty)
            {
                // .NET throws if two tokens match one query.
                remove(entry, from: .accessToken)
            }
        }
        // Every writer stores an integer in a string here; without it, MSAL for Python fails for all accounts.
        let end = record.expiresOn ?? record.cachedAt.addingTimeInterval(3600)
        let fields: [Field] = [
            ("credential_type", record.isBearer ? "AccessToken" : "AccessToken_With_AuthScheme"),
            ("secret", token.reveal()), ("home_account_id", target.home), ("environment", target.environment),
            ("issuer", target.issuer), ("kid", record.keyID), ("ext_cache_key", record.extCacheKey),
            ("client_id", record.clientID), ("target", scopes.target), ("realm", record.realm),
            ("token_type", record.tokenType), ("cached_at", target.cachedAt), ("expires_on", Self.seconds(end)),
            ("extended_expires_on", Self.seconds(record.extendedExpiresOn ?? end)),
            ("refresh_on", record.refreshOn.map(Self.seconds)),
            ("requested_scopes", record.requested.flatMap { $0.isEmpty ? nil : $0.target }),
        ]
        if let kept {
            update(kept, in: .accessToken, changing(fields, of: kept) + extras(record, of: kept))
        } else {
            // Other token types have keys of their own in all libraries except Python's, where the last writer wins.
            var kind = record.isBearer ? "accesstoken" : "accesstoken_with_authscheme"
            if record.extCacheKey != nil { kind = "atext" }
            let key = target.key(kind, record.clientID, record.realm, scopes.target, record.extCacheKey)
            insert(record.isBearer ? key : key + "-" + record.tokenType.asciiLowercased, in: .accessToken, fields)
        }
    }

    /// Agents' sessions end without a word, so that their tokens would pile up.
    private mutating func removeExpiredTokensOfSessions(_ target: Target, at now: Date) {
        for entry in snapshot.person(target.account, in: .accessToken)
        where entry.isOf(target.client) && entry.filled("ext_cache_key") != nil && entry.isDecodable {
            let ends = ["expires_on", "extended_expires_on", "ext_expires_on"].compactMap { entry.date($0) }
            if let last = ends.max(), last < now { remove(entry, from: .accessToken) }
        }
    }

    /// Whether a token with other scopes is used as well: a place with few scopes, and the person, each have their own.
    private func mayStay(_ entry: CacheEntry, _ record: TokenRecord) -> Bool {
        guard record.requested != nil || entry.has("requested_scopes") else { return false }
        return entry.date("expires_on").map { $0 > record.cachedAt } ?? false
    }

    /// A sign-in has a new key or none, which makes tokens bound to the replaced key useless. At Entra ID, other
    /// programs can have tokens of the same client bound to their own keys.
    private mutating func removeTokensOfOtherKeys(_ record: TokenRecord, _ target: Target) {
        guard record.isEntra || record.keyID != nil || record.refreshToken?.isEmpty == false else { return }
        for entry in snapshot.person(target.account, in: .accessToken) where entry.isOf(target.client) {
            guard let key = entry.filled("kid"), key != record.keyID,
                !record.isEntra || record.replacedKeyIDs.contains(key)
            else {
                continue
            }
            remove(entry, from: .accessToken)
        }
    }

    /// Entra ID refresh tokens have neither tenant nor scopes, so a client has one per account. A refresh updates the
    /// entry of the redeemed token. A sign-in removes the client's other tokens, as readers that take the first would
    /// get a stale one.
    private mutating func saveRefreshToken(_ token: Secret, _ record: TokenRecord, _ target: Target) {
        let entries = snapshot.person(target.account, in: .refreshToken)
        let own = entries.filter {
            $0.isOf(target.client) && $0.isPlain && $0.isDecodable
        }
        var fields: [Field] = [
            ("secret", token.reveal()), ("last_modification_time", target.cachedAt), ("issuer", target.issuer),
        ]
        // RFC 9449 section 5: a refresh token issued with DPoP is bound to that key. Entra ID does not bind them.
        if !record.isEntra { fields.append(("kid", record.keyID)) }
        if !record.createsAccount, let redeemed = record.redeemed.map({ Array($0.reveal().utf8) }),
            let spent = own.first(where: { $0.isEqual("secret", redeemed) })
                ?? entries.first(where: { $0.isEqual("secret", redeemed) })
        {
            if let family = record.familyID { fields.append(("family_id", family)) }
            update(spent, in: .refreshToken, fields + extras(record, of: spent))
            return
        }
        let newest = own.max {
            ($0.date("last_modification_time") ?? .distantPast) < ($1.date("last_modification_time") ?? .distantPast)
        }
        if !record.createsAccount, let newest, let modified = newest.date("last_modification_time"),
            modified > record.cachedAt
        {
            // Another process has saved a newer one.
            return
        }
        let family = record.familyID.flatMap { $0.isEmpty ? nil : $0 }
        if let newest {
            update(
                newest, in: .refreshToken,
                fields + [
                    ("family_id", record.familyID == nil && !record.isEntra ? newest.filled("family_id") : family)
                ]
                    + extras(record, of: newest))
            guard record.createsAccount else { return }
            for entry in own where entry.index != newest.index { remove(entry, from: .refreshToken) }
        } else {
            insert(
                target.key("refreshtoken", record.clientID, "", record.scopes.target), in: .refreshToken,
                [
                    ("credential_type", "RefreshToken"), ("home_account_id", target.home),
                    ("environment", target.environment),
                    ("client_id", record.clientID), ("target", record.scopes.target), ("family_id", family),
                ] + fields)
        }
    }

    private mutating func saveIDToken(_ token: Secret, _ record: TokenRecord, _ target: Target) {
        let held = snapshot.person(target.account, in: .idToken).filter {
            $0.isOf(target.client)
                && ($0.text("realm") ?? "").asciiLowercased == record.realm.asciiLowercased
                && $0.isPlain && !$0.isV1IDToken && $0.isDecodable
        }
        if let first = held.first {
            update(
                first, in: .idToken,
                [("secret", token.reveal()), ("issuer", target.issuer)] + extras(record, of: first))
            for entry in held.dropFirst() { remove(entry, from: .idToken) }
        } else {
            insert(
                target.key("idtoken", record.clientID, record.realm, ""), in: .idToken,
                [
                    ("credential_type", "IdToken"), ("secret", token.reveal()), ("home_account_id", target.home),
                    ("environment", target.environment), ("issuer", target.issuer), ("realm", record.realm),
                    ("client_id", record.clientID),
                ])
        }
    }

    /// Keeps an entry's environment and its spelling of the tenant, the user and the client.
    func changing(_ fields: [Field], of entry: CacheEntry) -> [Field] {
        let kept: [(name: String, isHere: Bool)] = [
            ("environment", entry.has("environment")), ("realm", entry.has("realm")),
            ("home_account_id", entry.has("home_account_id")), ("client_id", entry.has("client_id")),
        ]
        return fields.filter { field in !kept.contains { $0.isHere && $0.name == field.name } }
    }

    /// Updates fields that only .NET writes: `client_info` in every entry, and a second name for the extended expiry.
    private func extras(_ record: TokenRecord, of entry: CacheEntry) -> [Field] {
        var fields: [Field] = []
        if let info = record.clientInfo, entry.has("client_info") { fields.append(("client_info", info)) }
        if record.accessToken != nil, entry.has("ext_expires_on") {
            fields.append(
                (
                    "ext_expires_on",
                    Self.seconds(
                        record.extendedExpiresOn ?? record.expiresOn ?? record.cachedAt.addingTimeInterval(3600))
                ))
        }
        return fields
    }

    static func seconds(_ date: Date) -> String { String(date.epochSeconds) }
}
