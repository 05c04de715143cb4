import FoundationEssentials
import Identity
import LegacyCaches
import TokenCache
import Wire

// What of a token endpoint's answer is written into the store, and what becomes of it when that does not work.

extension TokenResponseProcessor {
    /// Puts the new refresh token into the place of the one that was redeemed, and nothing else of the grant into the
    /// store.
    func keepRotated(_ grant: TokenGrant, _ origin: Origin) async {
        guard case .refresh(let account, let spent, let isRelative, _) = origin, !isRelative,
            let next = grant.refreshToken, next != spent
        else { return }
        let rotated = TokenRecord(
            clientID: context.configuration.clientID, homeAccountID: account.homeAccountID,
            environment: account.environment, realm: "",
            localAccountID: account.localAccountID, username: account.username, cachedAt: context.now(),
            refreshToken: next,
            // Nothing is said of the family, so that nothing is unlearnt of it.
            isEntra: false, createsAccount: false, redeemed: spent, keyID: isEntra ? nil : binding.keyID, issuer: issuer
        )
        guard await keep(rotated) == nil else { return }
        record.note(.save, .done, "only the new refresh token saved")
    }

    /// Stores what came for a refresh token that may be dead by now. What cannot be stored is kept in memory, and tried
    /// again as long as the program runs.
    ///
    /// - Returns: why it is not in the store.
    private func keep(_ rotated: TokenRecord) async -> String? {
        do throws(StoreError) {
            let isStored = try await context.cache.save(rotated, in: reservation) {
                record.note(.save, .skipped, "not yet: \($0.message)")
            }
            if isStored { return nil }
            record.note(.save, .skipped, "the account was removed meanwhile")
            return "\(rotated.username) was removed from \(context.cache.path) meanwhile; this token is not stored"
        } catch {
            record.note(.save, .failed, error.message)
            context.cache.keepUnsaved(rotated)
            return """
                \(error.message); the new refresh token is only in memory, and is lost if this program ends before it \
                is stored
                """
        }
    }

    /// - Returns: why a refreshed grant is not in the store.
    /// - Throws: `storeError` when a sign-in by a person could not be stored.
    func save(
        _ grant: TokenGrant, _ origin: Origin, _ person: Person, realm: String, target: ScopeSet, declined: ScopeSet,
        at now: Date
    ) async throws(Failure) -> String? {
        func later(_ seconds: Int?) -> Date? { seconds.map { now.addingTimeInterval(TimeInterval($0)) } }
        var redeemed: Secret?
        var refreshToken = grant.refreshToken
        if case .refresh(_, let spent, let isRelative, _) = origin {
            redeemed = isRelative ? nil : spent
            // A relative's token that did not change stays the relative's: it is not copied under this client's name.
            if isRelative, refreshToken == spent { refreshToken = nil }
        }
        var familyID = grant.familyID
        var upgrades: LegacyEntry?
        if case .legacy(let entry, _) = origin {
            upgrades = entry
            if refreshToken == nil {
                // RFC 6749 section 6: without a new one the old one goes on; its pending entry goes, so that it is kept
                // here.
                refreshToken = entry.refreshToken
                familyID = familyID ?? entry.familyID
            }
        }
        // Of the tenant that answered: a guest has another name in each.
        let described = person.claims.ofResponse
        let username = origin.isRefresh ? described?.username : nil
        var record = TokenRecord(
            clientID: context.configuration.clientID, homeAccountID: person.account.homeAccountID,
            environment: person.account.environment,
            realm: realm, localAccountID: person.localAccountID, username: username ?? person.account.username,
            name: (origin.isRefresh ? described?.string("name") : nil) ?? person.account.name,
            givenName: described?.string("given_name"), familyName: described?.string("family_name"),
            authorityType: authority.kind == .oidc ? "Generic" : authority.kind == .adfs ? "ADFS" : "MSSTS",
            accountSource: origin.accountSource,
            accessToken: grant.accessToken, tokenType: grant.tokenType, scopes: target, cachedAt: now,
            expiresOn: later(grant.expiresIn),
            extendedExpiresOn: later(grant.extendedExpiresIn), refreshOn: later(grant.refreshIn),
            refreshToken: refreshToken,
            // A broker says nothing of the family, so that nothing is unlearnt of it.
            familyID: familyID, isEntra: isEntra && !origin.isBroker, idToken: grant.idToken,
            clientInfo: grant.clientInfo?.raw,
            createsAccount: origin.createsAccount, redeemed: redeemed, keyID: binding.keyID,
            tenantName: ResolvedRequest.namesTenant(authority) && realm.isGUID ? authority.tenant : nil,
            describesTenant: described != nil,
            upgrades: upgrades, issuer: issuer)
        record.extCacheKey = request.extCacheKey
        if !origin.isSilent {
            record.asked = request.scopes.union(request.extraScopes).withoutReserved
            record.declined = declined
        }
        let keys = ProofKeys(context.configuration, context.cache, context.provider.nonces)
        let home = person.account.homeAccountID
        if !origin.isRefresh { record.replacedKeyIDs = try keys.add(binding, of: home, at: authority) }
        if origin.isSilent {
            if let trouble = await keep(record) { return trouble }
        } else {
            do throws(StoreError) {
                _ = try await context.cache.save(record, in: reservation) {
                    self.record.note(.save, .skipped, "not yet: \($0.message)")
                }
            } catch {
                self.record.note(.save, .failed, error.message)
                keys.discard(binding, of: home, at: authority)
                throw Failure(error)
            }
        }
        if !origin.isRefresh { keys.tidy(after: binding, of: home, at: authority) }
        self.record.note(.save, .done, "saved")
        if upgrades != nil { self.record.note(.legacyRefreshToken, .done, "upgraded from an ADAL cache") }
        if !origin.isRefresh, !origin.isBroker {
            Throttle(path: context.cache.path, clientID: context.configuration.clientID, now: context.now, self.record)
                .lift(person.account.id)
        }
        return nil
    }
}
