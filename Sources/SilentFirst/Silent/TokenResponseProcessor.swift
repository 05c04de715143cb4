import FoundationEssentials
import Identity
import LegacyCaches
import TokenCache
import Wire

/// What becomes of a grant: the ID token is checked, the account named, the store written, and only then the token
/// handed out.
struct TokenResponseProcessor {
    /// How the grant was won.
    enum Origin {
        /// - Parameters:
        ///   - isRelative: another family member's token was redeemed; its entry stays as it is.
        ///   - idToken: the earlier one, whose subject the new one must have.
        case refresh(account: Account, redeemed: Secret, isRelative: Bool, idToken: CachedCredential?)
        /// The first use of a refresh token that an ADAL cache left for this account: it brings the account into the
        /// unified cache.
        case legacy(entry: LegacyEntry, account: Account)
        case authorizationCode(nonce: String)
        case deviceCode
        /// Questions and answers without a browser.
        case native
    }

    let application: PublicClientApplication
    let request: TokenRequest
    let authority: Authority
    let metadata: ProviderMetadata
    var binding = TokenBinding.bearer
    let record: StepRecorder
    /// What was found out of the store, and taken of the disk, before the grant was asked for.
    var reservation: WriteReservation?

    private var isEntra: Bool { authority.kind.isEntra }
    /// What is stored belongs to this issuer; nil at Entra ID.
    private var issuer: String? { application.configuration.issuer(of: authority) }

    func keep(_ grant: TokenGrant, of origin: Origin) async throws(Failure) -> AcquiredToken {
        if let flaw = grant.flaw, !origin.isRefresh { throw Failure(flaw) }
        let idToken = try await checkedIDToken(in: grant, origin)
        let person = try await person(grant, idToken, origin)
        if let flaw = grant.flaw {
            await keepRotated(grant, origin)
            var failure = Failure(flaw)
            failure.hint = "the sign-in is kept; tell the provider's administrator what its answer lacks"
            throw failure
        }
        let now = application.now()
        let asked = request.scopes.withoutReserved
        // RFC 6749 section 5.1: a scope that is left out is the scope that was asked for.
        let granted = grant.scopes?.withoutReserved ?? asked
        let declined = asked.declined(granted: granted)
        // What was asked and given goes into the target as it was asked, so that the next silent call of this or
        // another program finds it.
        let target = granted.union(asked.subtracting(declined))
        let expiresOn = now.addingTimeInterval(TimeInterval(grant.expiresIn))
        let realm = ResolvedRequest.realm(of: authority, tenantID: person.tenantID)

        let trouble = try await save(grant, origin, person, realm: realm, target: target, declined: declined, at: now)

        let token = AcquiredToken(
            accessToken: grant.accessToken, tokenType: grant.tokenType, expiresOn: expiresOn,
            extendedExpiresOn: grant.extendedExpiresIn.map { now.addingTimeInterval(TimeInterval($0)) },
            scopes: granted,
            tenantID: person.tenantID ?? realm, clientID: application.configuration.clientID,
            authority: resolved(person.tenantID),
            source: origin.isSilent ? .refresh : .interactive, idTokenClaims: person.claims, account: person.account,
            correlationID: request.correlationID, trail: record.trail,
            proof: try binding.proof(of: grant.accessToken, for: request.proof, now: now),
            warning: trouble.map {
                """
                \($0.message); the new refresh token is only in memory, and is lost if this program ends before \
                it is stored
                """
            })
        guard declined.isEmpty else {
            throw Failure(
                .declinedScopes, "not granted: \(declined)",
                hint: "what was granted is kept; ask for these scopes alone, or sign in again and consent",
                correlationID: request.correlationID, grantedScopes: granted, declinedScopes: declined, result: token)
        }
        return token
    }

    /// Core section 3.1.3.7 whenever there is an ID token; the code flow must bring one when `openid` was asked for, a
    /// refresh and a device grant need not.
    private func checkedIDToken(in grant: TokenGrant, _ origin: Origin) async throws(Failure) -> IDToken? {
        guard let secret = grant.idToken else {
            if case .authorizationCode = origin { throw Failure(.untrustedResponse, "the provider sent no ID token") }
            return nil
        }
        var nonce: String?
        if case .authorizationCode(let sent) = origin { nonce = sent }
        var previous = Claims()
        if case .refresh(_, _, _, let earlier) = origin, let earlier {
            previous = (try? DecodedJWT(earlier.secret))?.payload ?? Claims()
        }
        let check = IDTokenCheck(
            metadata: metadata, clientID: application.configuration.clientID, nonce: nonce,
            previousSubject: previous.string("sub"),
            accessToken: grant.accessToken, now: application.now(), keys: application.provider.keys,
            maxAge: nonce == nil ? nil : request.maxAge, requiredACR: nonce == nil ? [] : request.acrValues,
            previousNonce: previous.string("nonce"))
        let kept = ProviderMetadataCache(application)
        if origin.isRefresh {
            await kept.recallKeys(of: metadata)
        } else {
            await application.provider.keys.forgetKept(metadata.keys)
        }
        switch await check.examine(UncheckedIDToken(secret)) {
        case .passed(let token):
            await kept.keepKeys(of: metadata)
            record.note(.idToken, .done, "issuer, audience, times and signature")
            return token
        case .unchecked(let claims, let reason):
            record.note(.idToken, .failed, reason.message)
            // Nothing else of the answer is used. The new refresh token takes the old one's place, as that may have
            // been spent and nothing else is left of the sign-in then.
            if isSamePerson(claims, grant, origin) { await keepRotated(grant, origin) }
            throw Failure(reason)
        case .wrong(let reason):
            // Nothing is kept: a stranger's refresh token under this account's name would be worse than a new sign-in.
            record.note(.idToken, .failed, reason.message)
            throw Failure(reason)
        }
    }

    /// Whether an ID token that could not be checked says that it is of the person whose refresh token was redeemed.
    private func isSamePerson(_ claims: Claims, _ grant: TokenGrant, _ origin: Origin) -> Bool {
        guard case .refresh(let account, _, _, let earlier) = origin, let subject = claims.string("sub") else {
            return false
        }
        return subject == earlier.flatMap({ try? DecodedJWT($0.secret).payload.string("sub") }) ?? account.homeAccountID
            && grant.clientInfo.map({ "\($0.uid).\($0.utid)" == account.homeAccountID }) ?? true
    }

    /// Puts the new refresh token into the place of the one that was redeemed, and nothing else of the grant into the
    /// store.
    private func keepRotated(_ grant: TokenGrant, _ origin: Origin) async {
        guard case .refresh(let account, let spent, let isRelative, _) = origin, !isRelative,
            let next = grant.refreshToken, next != spent
        else { return }
        let rotated = TokenRecord(
            clientID: application.configuration.clientID, homeAccountID: account.homeAccountID,
            environment: account.environment, realm: "",
            localAccountID: account.localAccountID, username: account.username, cachedAt: application.now(),
            refreshToken: next,
            // Nothing is said of the family, so that nothing is unlearnt of it.
            isEntra: false, createsAccount: false, redeemed: spent, keyID: isEntra ? nil : binding.keyID, issuer: issuer
        )
        guard await keep(rotated) == nil else { return }
        record.note(.save, .done, "only the new refresh token")
    }

    /// Stores what came for a refresh token that may be dead by now. What cannot be stored is kept in memory, and tried
    /// again as long as the program runs.
    private func keep(_ rotated: TokenRecord) async -> StoreError? {
        do throws(StoreError) {
            try await application.cache.save(rotated, in: reservation) {
                record.note(.save, .skipped, "not yet: \($0.message)")
            }
            return nil
        } catch {
            record.note(.save, .failed, error.message)
            application.cache.keepUnsaved(rotated)
            return error
        }
    }

    /// Who it is, as the provider says.
    private struct Person {
        var account: Account
        var claims: Claims
        var tenantID: String?
        var localAccountID: String
        /// Whether the answer itself described the person in this tenant.
        var isDescribed = true
    }

    private func person(_ grant: TokenGrant, _ idToken: IDToken?, _ origin: Origin) async throws(Failure) -> Person {
        if case .refresh(let account, _, _, let earlier) = origin {
            return try refreshed(account, grant, idToken, earlier)
        }
        var claims = idToken?.claims ?? Claims()
        if claims.isEmpty {
            guard !isEntra, metadata.userInfo != nil else {
                throw Failure(.untrustedResponse, "the provider does not say who signed in")
            }
            do {
                claims = try await UserInfo.fetch(
                    metadata: metadata, accessToken: grant.accessToken, subject: nil,
                    transport: application.provider.transport)
                record.note(.userInfo, .done, "asked, for no ID token came")
            } catch {
                record.note(.userInfo, .failed, error.message)
                throw Failure(error)
            }
        }
        guard let subject = claims.string("sub"), !subject.isEmpty else {
            throw Failure(.untrustedResponse, "the ID token has no subject")
        }
        let tenantID = isEntra ? claims.string("tid") : nil
        let home: String
        if isEntra, let info = grant.clientInfo {
            home = "\(info.uid).\(info.utid)"
        } else if isEntra, let object = claims.string("oid"), let tenantID {
            home = "\(object).\(tenantID)"
        } else {
            home = subject
        }
        let local = claims.string("oid") ?? subject
        if case .legacy(let entry, let account) = origin,
            !Self.isAnswer(for: entry, of: account, home: home, claims: claims)
        {
            record.note(.legacyRefreshToken, .failed, "it is of another person")
            throw Failure(
                .untrustedResponse, "the refresh token that an ADAL cache has of \(account.label) is of another person",
                hint: "nothing was stored; sign in as \(account.label)")
        }
        if case .legacy(let entry, _) = origin {
            try refuseSignedOut(
                AccountID(homeAccountID: home, environment: authority.environment, issuer: issuer), entry)
        }
        // What was typed before the sign-in, a login hint, proves nothing of who signed in: an account without a
        // username shows its subject.
        let names = await describing(claims, grant, idToken)
        let username = names.username ?? origin.legacyName ?? ""
        let profile = TenantProfile(
            tenantID: ResolvedRequest.realm(of: authority, tenantID: tenantID), localAccountID: local,
            username: username, name: names.string("name"),
            isHome: tenantID.map { home.hasSuffix("." + $0) } ?? true)
        let account = Account(
            homeAccountID: home, environment: authority.environment, username: username, name: names.string("name"),
            tenantProfiles: [profile], clients: [application.configuration.clientID], issuer: issuer)
        return Person(account: account, claims: claims, tenantID: tenantID, localAccountID: local)
    }

    /// The claims that have the person's names. Where the ID token has no username, they may be had of the userinfo
    /// endpoint only (Core section 5.4), which is asked once, at the sign-in. It must answer for the ID token's
    /// subject, else nothing of it is used (Core section 5.3.2); the sign-in stands whatever it says.
    private func describing(_ claims: Claims, _ grant: TokenGrant, _ idToken: IDToken?) async -> Claims {
        guard authority.kind == .oidc, idToken != nil, let subject = claims.string("sub"), claims.username == nil,
            metadata.userInfo != nil
        else { return claims }
        guard case .bearer = binding else {
            record.note(.userInfo, .skipped, "the access token is bound to a key")
            return claims
        }
        do {
            let answer = try await UserInfo.fetch(
                metadata: metadata, accessToken: grant.accessToken, subject: subject,
                transport: application.provider.transport)
            record.note(.userInfo, .done, "asked, for the ID token has no username")
            return answer
        } catch {
            record.note(.userInfo, .failed, error.message)
            return claims
        }
    }

    /// A legacy cache may bring back nobody who was signed out of this client. Where its entry did not say who that is
    /// until the provider did, it is noted beside the entry, so that the token is not redeemed again for nothing.
    private func refuseSignedOut(_ account: AccountID, _ entry: LegacyEntry) throws(Failure) {
        guard try application.snapshot().isSignedOut(account, clientID: application.configuration.clientID) else {
            return
        }
        record.note(.account, .failed, "signed out")
        if let token = entry.refreshToken {
            do { try application.cache.learnOwner(ofLegacy: token, homeAccountID: account.homeAccountID) } catch {
                record.note(.save, .failed, error.message)
            }
        }
        throw Failure(
            .interactionRequired, "the person whose token an ADAL cache has was signed out of this client",
            hint: .signInWith(remedy: "a sign-in brings them back"))
    }

    private func refreshed(_ account: Account, _ grant: TokenGrant, _ idToken: IDToken?, _ earlier: CachedCredential?)
        throws(Failure)
        -> Person
    {
        guard isAnswer(for: account, grant, idToken, earlier) else {
            throw Failure(
                .untrustedResponse, "the refresh answered for another account",
                hint: "nothing was stored; sign in again")
        }
        let claims = idToken?.claims ?? earlier.flatMap { try? DecodedJWT($0.secret).payload } ?? Claims()
        return Person(
            account: account, claims: claims, tenantID: isEntra ? claims.string("tid") ?? tenantOfAuthority : nil,
            localAccountID: claims.string("oid") ?? claims.string("sub") ?? account.localAccountID,
            isDescribed: idToken != nil)
    }

    /// Whether a refresh says that it is the account's. Entra ID does so by `client_info`, and MSAL gives up without;
    /// here an ID token of the same person does as well. Elsewhere it is the subject, where an ID token came at all
    /// (Core section 12.2).
    private func isAnswer(for account: Account, _ grant: TokenGrant, _ idToken: IDToken?, _ earlier: CachedCredential?)
        -> Bool
    {
        if isEntra, let info = grant.clientInfo { return "\(info.uid).\(info.utid)" == account.homeAccountID }
        guard let claims = idToken?.claims else { return !isEntra }
        // The check of the ID token has compared the subjects.
        if earlier != nil { return true }
        guard isEntra else { return claims.string("sub") == account.homeAccountID }
        guard let local = claims.string("oid") ?? claims.string("sub") else { return false }
        return account.tenantProfiles.contains { $0.localAccountID == local }
            || claims.string("tid").map { "\(local).\($0)" == account.homeAccountID } ?? false
    }

    private var tenantOfAuthority: String? { authority.tenant.isGUID ? authority.tenant : nil }

    private func resolved(_ tenantID: String?) -> Authority {
        guard authority.kind == .aad, let tenantID else { return authority }
        do { return try authority.withTenant(tenantID) } catch { return authority }
    }

    /// - Returns: why a refreshed grant is only in memory.
    /// - Throws: `storeError` when a sign-in by a person could not be stored.
    private func save(
        _ grant: TokenGrant, _ origin: Origin, _ person: Person, realm: String, target: ScopeSet, declined: ScopeSet,
        at now: Date
    ) async throws(Failure) -> StoreError? {
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
        let username = origin.isRefresh && person.isDescribed ? person.claims.username : nil
        var record = TokenRecord(
            clientID: application.configuration.clientID, homeAccountID: person.account.homeAccountID,
            environment: person.account.environment,
            realm: realm, localAccountID: person.localAccountID, username: username ?? person.account.username,
            name: (origin.isRefresh && person.isDescribed ? person.claims.string("name") : nil) ?? person.account.name,
            givenName: person.claims.string("given_name"), familyName: person.claims.string("family_name"),
            authorityType: authority.kind == .oidc ? "Generic" : authority.kind == .adfs ? "ADFS" : "MSSTS",
            accountSource: origin.accountSource,
            accessToken: grant.accessToken, tokenType: grant.tokenType, scopes: target, cachedAt: now,
            expiresOn: later(grant.expiresIn),
            extendedExpiresOn: later(grant.extendedExpiresIn), refreshOn: later(grant.refreshIn),
            refreshToken: refreshToken,
            familyID: familyID, isEntra: isEntra, idToken: grant.idToken, clientInfo: grant.clientInfo?.raw,
            createsAccount: !origin.isRefresh, redeemed: redeemed, keyID: binding.keyID,
            tenantName: ResolvedRequest.namesTenant(authority) && realm.isGUID ? authority.tenant : nil,
            describesTenant: person.isDescribed,
            upgrades: upgrades, issuer: issuer)
        if !origin.isSilent {
            record.asked = request.scopes.union(request.extraScopes).withoutReserved
            record.declined = declined
        }
        let keys = ProofKeys(application)
        let home = person.account.homeAccountID
        if !origin.isRefresh { record.replacedKeyIDs = try keys.add(binding, of: home, at: authority) }
        if origin.isSilent {
            if let trouble = await keep(record) { return trouble }
        } else {
            do throws(StoreError) {
                try await application.cache.save(record, in: reservation) {
                    self.record.note(.save, .skipped, "not yet: \($0.message)")
                }
            } catch {
                self.record.note(.save, .failed, error.message)
                keys.discard(binding, of: home, at: authority)
                throw Failure(error)
            }
        }
        if !origin.isRefresh { keys.tidy(after: binding, of: home, at: authority) }
        self.record.note(.save, .done, "written")
        if upgrades != nil { self.record.note(.legacyRefreshToken, .done, "upgraded from an ADAL cache") }
        if !origin.isRefresh { Throttle(application, self.record).lift(person.account.id) }
        return nil
    }
}

extension TokenResponseProcessor.Origin {
    var isRefresh: Bool {
        if case .refresh = self { return true }
        return false
    }

    /// Whether nobody was asked.
    var isSilent: Bool {
        switch self {
        case .refresh, .legacy: true
        case .authorizationCode, .deviceCode, .native: false
        }
    }

    /// The name that an ADAL cache had of the person.
    var legacyName: String? {
        guard case .legacy(let entry, _) = self else { return nil }
        return entry.userID
    }

    /// The grant type, as MSAL for Python keeps it.
    var accountSource: String {
        switch self {
        case .refresh, .legacy: "refresh_token"
        case .authorizationCode: "authorization_code"
        case .deviceCode: "urn:ietf:params:oauth:grant-type:device_code"
        case .native: "native_authentication"
        }
    }
}
