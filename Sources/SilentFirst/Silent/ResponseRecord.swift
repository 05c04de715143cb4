import FoundationEssentials
import Identity
import LegacyCaches
import Proofs
import SilentCore
import TokenCache
import Wire

// Saves a token response to the store, and handles failures to do so.

extension TokenResponseProcessor {
    /// Saves a record whose old refresh token may be invalid; after a failure it stays in memory. Returns the reason.
    func keep(_ rotated: TokenRecord) async -> String? {
        do throws(StoreError) {
            let isStored = try await context.cache.save(rotated, in: reservation) {
                record.note(.save, .skipped, "not yet: \($0.message)")
            }
            if isStored { return nil }
            record.note(.save, .skipped, "the account was removed in the meantime")
            return "\(rotated.username) was removed from \(context.cache.path) in the meantime; this token is not saved"
        } catch {
            record.note(.save, .failed, error.message)
            context.cache.keepUnsaved(rotated)
            return """
                \(error.message); the new refresh token is only in memory and is lost if this program exits before it \
                is saved
                """
        }
    }

    /// - Returns: the reason that a silent response was not saved.
    /// - Throws: `storeError` if an interactive sign-in could not be saved.
    func save(
        _ grant: TokenGrant, _ origin: Origin, _ person: Person, realm: String, target: ScopeSet, declined: ScopeSet,
        at now: Date
    ) async throws(Failure) -> String? {
        func later(_ seconds: Int?) -> Date? { seconds.map { now.addingTimeInterval(TimeInterval($0)) } }
        var redeemed: Secret?
        var refreshToken = grant.refreshToken
        if case .refresh(_, let spent, let isRelative, _) = origin {
            redeemed = isRelative ? nil : spent
            // An unchanged family token stays with its own client and is not copied to this client.
            if isRelative, refreshToken == spent { refreshToken = nil }
        }
        var familyID = grant.familyID
        var upgrades: LegacyEntry?
        if case .legacy(let entry, _) = origin {
            upgrades = entry
            if refreshToken == nil {
                // RFC 6749 section 6: without a new token, the old one stays valid. Its pending entry is removed.
                refreshToken = entry.refreshToken
                familyID = familyID ?? entry.familyID
            }
        }
        // From the responding tenant, because a guest's names differ by tenant.
        let described = person.claims.ofResponse
        var record = TokenRecord(of: person.account, clientID: context.configuration.clientID, cachedAt: now)
        record.issuer = issuer
        record.realm = realm
        record.localAccountID = person.localAccountID
        record.username = person.username ?? person.account.username
        record.name = person.name ?? person.account.name
        record.hasUsername = person.username != nil || !origin.isSilent
        record.hasName = person.name != nil
        record.isSilent = origin.isSilent
        record.givenName = described?.string("given_name")
        record.familyName = described?.string("family_name")
        record.authorityType = authority.kind.isStandard ? "Generic" : authority.kind == .adfs ? "ADFS" : "MSSTS"
        record.accountSource = origin.accountSource
        record.accessToken = grant.accessToken
        record.tokenType = grant.tokenType
        record.scopes = target
        record.expiresOn = Self.end(of: grant, from: now)
        record.extendedExpiresOn = later(grant.extendedExpiresIn)
        record.refreshOn = later(grant.refreshIn)
        record.refreshToken = refreshToken
        record.familyID = familyID
        // A broker does not report the family, so the stored membership must not change.
        record.isEntra = isEntra && !origin.isBroker
        record.idToken = grant.idToken
        record.clientInfo = grant.clientInfo?.raw
        record.createsAccount = origin.createsAccount
        record.redeemed = redeemed
        record.keyID = binding.keyID
        record.tenantName = ResolvedRequest.namesTenant(authority) && realm.isGUID ? authority.tenant : nil
        record.describesTenant = described != nil
        record.upgrades = upgrades
        record.extCacheKey = request.extCacheKey
        if request.isForPlace, authority.kind.isStandard { record.requested = request.scopes.withoutReserved }
        if !origin.isSilent {
            record.asked = request.scopes.union(request.extraScopes).withoutReserved
            record.declined = declined
            record.use = ClientUse(
                clientID: context.configuration.clientID, name: context.configuration.clientName,
                authority: authority.address.text, kind: authority.kind, directory: realm, at: now)
        }
        let keys = ProofKeys(context.cached)
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
            Throttle(context.cache, clientID: context.configuration.clientID, now: context.now, self.record)
                .lift(person.account.id)
        }
        return nil
    }
}
