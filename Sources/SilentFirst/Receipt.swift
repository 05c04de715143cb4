import FoundationEssentials
import Identity
import TokenCache
import Wire

/// What becomes of a grant: the ID token is checked, the account named, the store written, and only then the token handed out (atk-G1).
struct Receipt {
    /// How the grant was won.
    enum Origin {
        /// - Parameters:
        ///   - isRelative: another family member's token was redeemed; its entry stays as it is.
        ///   - idToken: the earlier one, whose subject the new one must have (T19).
        case refresh(account: Account, redeemed: Secret, isRelative: Bool, idToken: CachedCredential?)
        case authorizationCode(nonce: String)
        case deviceCode
    }

    let application: PublicClientApplication
    let request: TokenRequest
    let authority: Authority
    let metadata: ProviderMetadata
    let record: TrailRecorder

    private var isEntra: Bool { authority.kind.isEntra }

    func keep(_ grant: TokenGrant, of origin: Origin) async throws(Failure) -> AcquiredToken {
        let idToken = try await checkedIDToken(in: grant, origin)
        let person = try await person(grant, idToken, origin)
        let now = application.now()
        let asked = request.scopes.withoutReserved
        // RFC 6749 section 5.1: a scope that is left out is the scope that was asked for.
        let granted = grant.scopes?.withoutReserved ?? asked
        let declined = asked.declined(granted: granted)
        // What was asked and given goes into the target as it was asked, so that the next silent call of this or another program finds it.
        let target = granted.union(asked.subtracting(declined))
        let expiresOn = now.addingTimeInterval(TimeInterval(grant.expiresIn))
        let realm = Aim.realm(of: authority, tenantID: person.tenantID)

        try save(grant, origin, person, realm: realm, target: target, at: now)

        let token = AcquiredToken(
            accessToken: grant.accessToken, tokenType: grant.tokenType, expiresOn: expiresOn,
            extendedExpiresOn: grant.extendedExpiresIn.map { now.addingTimeInterval(TimeInterval($0)) }, scopes: granted,
            tenantID: person.tenantID ?? realm, clientID: application.configuration.clientID, authority: resolved(person.tenantID),
            source: origin.isRefresh ? .refresh : .interactive, idTokenClaims: person.claims, account: person.account,
            correlationID: request.correlationID, trail: record.trail)
        guard declined.isEmpty else {
            throw Failure(
                .declinedScopes, "not granted: \(declined)",
                hint: "what was granted is kept; ask for these scopes alone, or sign in again and consent",
                correlationID: request.correlationID, grantedScopes: granted, declinedScopes: declined)
        }
        return token
    }

    /// Core section 3.1.3.7 whenever there is an ID token; the code flow must bring one when `openid` was asked for, a refresh and a device
    /// grant need not.
    private func checkedIDToken(in grant: TokenGrant, _ origin: Origin) async throws(Failure) -> IDToken? {
        guard let secret = grant.idToken else {
            if case .authorizationCode = origin { throw Failure(.untrustedResponse, "the provider sent no ID token") }
            return nil
        }
        var nonce: String?
        if case .authorizationCode(let sent) = origin { nonce = sent }
        var previous: String?
        if case .refresh(_, _, _, let earlier) = origin, let earlier { previous = (try? DecodedJWT(earlier.secret))?.payload.string("sub") }
        do {
            let check = IDTokenCheck(
                metadata: metadata, clientID: application.configuration.clientID, nonce: nonce, previousSubject: previous,
                accessToken: grant.accessToken, now: application.now(), keys: application.provider.keys)
            let token = try await check.check(UncheckedIDToken(secret))
            record.note(.idToken, .done, "issuer, audience, times and signature")
            return token
        } catch {
            record.note(.idToken, .failed, error.message)
            throw Failure(error)
        }
    }

    /// Who it is, as the provider says.
    private struct Person {
        var account: Account
        var claims: Claims
        var tenantID: String?
        var localAccountID: String
    }

    private func person(_ grant: TokenGrant, _ idToken: IDToken?, _ origin: Origin) async throws(Failure) -> Person {
        if case .refresh(let account, _, _, let earlier) = origin {
            return try refreshed(account, grant, idToken, earlier)
        }
        var claims = idToken?.claims ?? Claims()
        if claims.isEmpty {
            guard !isEntra, metadata.userInfo != nil else { throw Failure(.untrustedResponse, "the provider does not say who signed in") }
            do {
                claims = try await UserInfo.fetch(
                    metadata: metadata, accessToken: grant.accessToken, subject: nil, transport: application.provider.transport)
                record.note(.userInfo, .done, "asked, for no ID token came")
            } catch {
                record.note(.userInfo, .failed, error.message)
                throw Failure(error)
            }
        }
        guard let subject = claims.string("sub"), !subject.isEmpty else { throw Failure(.untrustedResponse, "the ID token has no subject") }
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
        let username =
            ["preferred_username", "upn", "email"].lazy.compactMap { claims.string($0) }.first { !$0.isEmpty } ?? request.loginHint ?? ""
        let profile = TenantProfile(
            tenantID: Aim.realm(of: authority, tenantID: tenantID), localAccountID: local, username: username, name: claims.string("name"),
            isHome: tenantID.map { home.hasSuffix("." + $0) } ?? true)
        let account = Account(
            homeAccountID: home, environment: authority.environment, username: username, name: claims.string("name"),
            tenantProfiles: [profile], clients: [application.configuration.clientID])
        return Person(account: account, claims: claims, tenantID: tenantID, localAccountID: local)
    }

    private func refreshed(_ account: Account, _ grant: TokenGrant, _ idToken: IDToken?, _ earlier: CachedCredential?) throws(Failure)
        -> Person
    {
        if isEntra, let info = grant.clientInfo, "\(info.uid).\(info.utid)" != account.homeAccountID {
            throw Failure(.untrustedResponse, "the refresh answered for another account")
        }
        let claims = idToken?.claims ?? earlier.flatMap { try? DecodedJWT($0.secret).payload } ?? Claims()
        return Person(
            account: account, claims: claims, tenantID: isEntra ? claims.string("tid") ?? tenantOfAuthority : nil,
            localAccountID: claims.string("oid") ?? claims.string("sub") ?? account.localAccountID)
    }

    private var tenantOfAuthority: String? { authority.tenant.isGUID ? authority.tenant : nil }

    private func resolved(_ tenantID: String?) -> Authority {
        guard authority.kind == .aad, let tenantID else { return authority }
        do { return try authority.withTenant(tenantID) } catch { return authority }
    }

    private func save(_ grant: TokenGrant, _ origin: Origin, _ person: Person, realm: String, target: ScopeSet, at now: Date)
        throws(Failure)
    {
        func later(_ seconds: Int?) -> Date? { seconds.map { now.addingTimeInterval(TimeInterval($0)) } }
        var redeemed: Secret?
        var refreshToken = grant.refreshToken
        if case .refresh(_, let spent, let isRelative, _) = origin {
            redeemed = isRelative ? nil : spent
            // A relative's token that did not change stays the relative's: it is not copied under this client's name.
            if isRelative, refreshToken == spent { refreshToken = nil }
        }
        let record = TokenRecord(
            clientID: application.configuration.clientID, homeAccountID: person.account.homeAccountID,
            environment: person.account.environment,
            realm: realm, localAccountID: person.localAccountID, username: person.account.username, name: person.account.name,
            givenName: person.claims.string("given_name"), familyName: person.claims.string("family_name"),
            authorityType: authority.kind == .oidc ? "Generic" : authority.kind == .adfs ? "ADFS" : "MSSTS",
            accountSource: origin.accountSource,
            accessToken: grant.accessToken, tokenType: grant.tokenType, scopes: target, cachedAt: now, expiresOn: later(grant.expiresIn),
            extendedExpiresOn: later(grant.extendedExpiresIn), refreshOn: later(grant.refreshIn), refreshToken: refreshToken,
            familyID: grant.familyID, isEntra: isEntra, idToken: grant.idToken, clientInfo: grant.clientInfo?.raw,
            createsAccount: !origin.isRefresh, redeemed: redeemed)
        do {
            try application.cache.save(record)
            self.record.note(.save, .done, "written")
        } catch {
            self.record.note(.save, .failed, error.message)
            throw Failure(error)
        }
    }
}

extension Receipt.Origin {
    var isRefresh: Bool {
        if case .refresh = self { return true }
        return false
    }

    /// The grant type, as MSAL for Python keeps it.
    var accountSource: String {
        switch self {
        case .refresh: "refresh_token"
        case .authorizationCode: "authorization_code"
        case .deviceCode: "urn:ietf:params:oauth:grant-type:device_code"
        }
    }
}
