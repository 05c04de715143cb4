import FoundationEssentials
import Identity
import LegacyCaches
import Proofs
import SilentCore
import TokenCache
import Wire

// Determines the account of a token response: who signed in, or whether a refresh returned the same user.

extension TokenResponseProcessor {
    struct Person {
        var account: Account
        var claims: IDTokenClaims
        var idToken: Secret?
        var tenantID: String?
        var localAccountID: String
        /// The names in the response itself; ``account`` may have older ones.
        var username: String?
        var name: String?
    }

    func person(_ grant: TokenGrant, _ idToken: IDToken?, _ origin: Origin) async throws(Failure) -> Person {
        if case .refresh(let account, _, _, let earlier) = origin {
            return try await refreshed(account, grant, idToken, earlier, origin)
        }
        let (answer, subject) = try await whoSignedIn(grant, idToken)
        let claims = answer.claims
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
            !Self.isAnswer(for: entry, of: account, home: home, answer)
        {
            record.note(.legacyRefreshToken, .failed, "for another user")
            throw Failure(
                .untrustedResponse, "the refresh token for \(account.label) in an ADAL cache belongs to another user",
                hint: "nothing was stored; sign in as \(account.label)", naming: account.names)
        }
        if case .legacy(let entry, _) = origin {
            try refuseSignedOut(
                AccountID(homeAccountID: home, environment: authority.environment, issuer: issuer), entry)
        }
        if case .broker(let account) = origin {
            if let account, !account.isIdentified(by: home) {
                throw Failure(.untrustedResponse, "the broker returned another account", hint: "nothing was stored")
            }
            let id = AccountID(homeAccountID: home, environment: authority.environment, issuer: issuer)
            if try context.snapshot().isSignedOut(id, clientID: context.configuration.clientID) {
                throw Failure(.interactionRequired, "the broker's account was signed out of this client")
            }
        }
        // A login hint does not prove who signed in, so an account without a username shows its subject.
        let names = await describing(claims, grant, idToken)
        let username =
            names.username ?? origin.legacyName ?? (metadata.isOAuthOnly && answer.ofResponse == nil ? subject : "")
        let profile = TenantProfile(
            tenantID: ResolvedRequest.realm(of: authority, tenantID: tenantID), localAccountID: local,
            username: username, name: names.string("name"),
            isHome: tenantID.map { home.asciiLowercased.hasSuffix("." + $0.asciiLowercased) } ?? true)
        var account = Account(
            homeAccountID: home, environment: authority.environment, username: username, name: names.string("name"),
            tenantProfiles: [profile], clients: [context.configuration.clientID], issuer: issuer)
        if case .broker(let known?) = origin {
            account = known
            account.takeNames(
                username: names.username, name: names.string("name"), localAccountID: local, tenantID: profile.tenantID)
        }
        return Person(
            account: account, claims: answer, idToken: idToken?.secret, tenantID: tenantID, localAccountID: local,
            username: names.username, name: names.string("name"))
    }

    /// The user according to the ID token, else (except for Entra ID) to the userinfo endpoint; never to the cache.
    private func whoSignedIn(_ grant: TokenGrant, _ idToken: IDToken?) async throws(Failure)
        -> (claims: IDTokenClaims, subject: String)
    {
        if let idToken { return (.checked(idToken.claims), idToken.claims.subject) }
        if metadata.isOAuthOnly { return try await owner(of: grant) }
        guard !isEntra, metadata.userInfo != nil, let accessToken = grant.accessToken else {
            throw Failure(.untrustedResponse, "the response does not identify the user")
        }
        do {
            let answer = try await UserInfo.fetch(
                metadata: metadata, accessToken: accessToken, of: nil, transport: context.provider.transport)
            record.note(.userInfo, .done, "requested: no ID token received")
            return (.userInfo(answer.claims), answer.subject)
        } catch {
            record.note(.userInfo, .failed, error.message)
            throw Failure(error)
        }
    }

    /// The user according to the server, else as named in the request: not every server says who signed in.
    private func owner(of grant: TokenGrant) async throws(Failure) -> (claims: IDTokenClaims, subject: String) {
        do {
            if let owner = try await ownerAtServer(of: grant) { return owner }
        } catch { throw Failure(error) }
        guard let name = request.accountName else { throw Failure.unnamed(authority) }
        record.note(.userInfo, .skipped, "the server does not say who signed in; named in the request")
        return (.cached(CachedClaims(nil)), name)
    }

    /// The user according to the server's own account URL, its userinfo endpoint or introspection, in that order; nil
    /// if it has none of them for this token.
    private func ownerAtServer(of grant: TokenGrant) async throws(WireError) -> (
        claims: IDTokenClaims, subject: String
    )? {
        guard let token = grant.accessToken else { return nil }
        let transport = context.provider.transport
        var isBearer = false
        if case .bearer = binding { isBearer = true }
        do {
            if isBearer, let endpoint = context.configuration.account(of: authority) {
                let owner = try await TokenOwner.fetch(endpoint, accessToken: token, transport: transport)
                record.note(.userInfo, .done, "account requested from \(endpoint.address.hostAndPort)")
                return (.userInfo(owner.claims), owner.identifier)
            }
            if isBearer, metadata.userInfo != nil {
                let answer = try await UserInfo.fetch(
                    metadata: metadata, accessToken: token, of: nil, transport: transport)
                record.note(.userInfo, .done, "requested: the server issues no ID tokens")
                return (.userInfo(answer.claims), answer.subject)
            }
            if metadata.introspection != nil {
                let owner = try await TokenOwner.introspect(
                    accessToken: token, clientID: context.configuration.clientID, authentication: authentication,
                    metadata: metadata, transport: transport)
                record.note(.userInfo, .done, "token introspected: the server issues no ID tokens")
                return (.userInfo(owner.claims), owner.identifier)
            }
            return nil
        } catch {
            record.note(.userInfo, .failed, error.message)
            throw error
        }
    }

    /// The user of a refreshed token at a server with OAuth alone; nil if the server does not say it.
    ///
    /// - Throws: the failure for a token of another user, or one whose user the server does not tell now.
    private func confirmedOwner(_ grant: TokenGrant, _ account: Account, _ origin: Origin) async throws(Failure)
        -> Claims?
    {
        let found: (claims: IDTokenClaims, subject: String)?
        do { found = try await ownerAtServer(of: grant) } catch {
            throw await unconfirmed(grant, origin, because: error)
        }
        guard let found else { return nil }
        guard found.subject == account.homeAccountID else {
            record.note(.account, .failed, "the refreshed token is another account's")
            throw await refused(grant, origin, "the refresh returned another account", owner: .other)
        }
        return found.claims.ofResponse
    }

    /// The claims with the user's names. If the ID token has no username, it may only be available from the userinfo
    /// endpoint (Core section 5.4), which is queried once, at sign-in. Its response is ignored unless the subject
    /// matches the ID token's (Core section 5.3.2), and never fails the sign-in.
    private func describing(_ claims: Claims, _ grant: TokenGrant, _ idToken: IDToken?) async -> Claims {
        guard authority.kind == .oidc, let idToken, claims.username == nil, metadata.userInfo != nil,
            let accessToken = grant.accessToken
        else { return claims }
        guard case .bearer = binding else {
            record.note(.userInfo, .skipped, "the access token is key-bound, no user info")
            return claims
        }
        do {
            let answer = try await UserInfo.fetch(
                metadata: metadata, accessToken: accessToken, of: idToken,
                transport: context.provider.transport)
            record.note(.userInfo, .done, "requested: the ID token has no username")
            return answer.claims
        } catch {
            record.note(.userInfo, .failed, error.message)
            return claims
        }
    }

    /// A legacy cache must not restore an account that was signed out of this client. If the entry did not identify its
    /// owner before, it is recorded with the entry, so that the token is not redeemed again.
    private func refuseSignedOut(_ account: AccountID, _ entry: LegacyEntry) throws(Failure) {
        guard try context.snapshot().isSignedOut(account, clientID: context.configuration.clientID) else { return }
        record.note(.account, .failed, "signed out")
        if let token = entry.refreshToken {
            do { try context.cache.learnOwner(ofLegacy: token, homeAccountID: account.homeAccountID) } catch {
                record.note(.save, .failed, error.message)
            }
        }
        throw Failure(
            .interactionRequired, "the ADAL account was signed out of this client",
            hint: .signInWith(remedy: "sign in again"))
    }

    private func refreshed(
        _ account: Account, _ grant: TokenGrant, _ idToken: IDToken?, _ earlier: CachedCredential?, _ origin: Origin
    ) async throws(Failure) -> Person {
        switch owner(of: grant, idToken?.claims.claims, account, origin.previous) {
        case .account: break
        case .other: throw await refused(grant, origin, "the refresh returned another account")
        case .unnamed:
            // MSAL requires `client_info`; an ID token of the same user says it as well.
            if isEntra { throw await refused(grant, origin, "the refresh does not say which account it is for") }
        }
        let confirmed = metadata.isOAuthOnly ? try await confirmedOwner(grant, account, origin) : nil
        let answer: IDTokenClaims =
            if let idToken {
                .checked(idToken.claims)
            } else {
                confirmed.map { .userInfo($0) } ?? .cached(CachedClaims(earlier?.secret))
            }
        let claims = answer.claims
        var person = Person(
            account: account, claims: answer, idToken: idToken?.secret ?? earlier?.secret,
            tenantID: isEntra ? claims.string("tid") ?? tenantOfAuthority : nil,
            localAccountID: claims.string("oid") ?? claims.string("sub") ?? account.localAccountID)
        guard let described = answer.ofResponse else { return person }
        person.username = described.username(after: CachedClaims(earlier?.secret).claims)
        person.name = described.string("name")
        person.account.takeNames(
            username: person.username, name: person.name, localAccountID: person.localAccountID,
            tenantID: ResolvedRequest.realm(of: authority, tenantID: person.tenantID))
        noteRenaming(from: account, to: person.account)
        return person
    }

    private func noteRenaming(from before: Account, to now: Account) {
        guard !before.username.isEmpty, before.username.lowercased() != now.username.lowercased() else { return }
        record.note(.account, .done, "\(before.username) is now \(now.username)", naming: before.names + now.names)
    }

    private var tenantOfAuthority: String? { authority.tenant.isGUID ? authority.tenant : nil }
}

extension TokenRequest {
    /// The name of the account if the server does not say who signed in.
    var accountName: String? {
        [loginHint, account?.identifier].compactMap(\.self).first { IDTokenCheck.isSubject($0) }
    }
}

extension Failure {
    static func unnamed(_ authority: Authority) -> Failure {
        Failure(.usage, "\(authority.provider) does not say who signs in", hint: .nameSignedIn)
    }
}

extension IDTokenClaims {
    /// The response's own claims about the user; nil if only the cache has some. Only these are saved.
    var ofResponse: Claims? {
        switch self {
        case .checked(let token): token.claims
        case .userInfo(let claims): claims
        case .cached: nil
        }
    }
}

extension TokenResponseProcessor {
    /// Whether the response to a legacy refresh token is for its owner, because the file can name the wrong user.
    ///
    /// Compares the home account if known, else the object identifier if both are of one tenant, else the username. A
    /// guest's username differs by tenant, so it cannot be compared.
    static func isAnswer(for entry: LegacyEntry, of account: Account, home: String, _ answer: IDTokenClaims) -> Bool {
        if let known = account.identifier ?? entry.homeAccountID {
            return HomeAccountID.isSame(known, home, issuer: entry.authority.issuer)
        }
        guard let claims = answer.ofResponse else { return false }
        if let object = entry.objectID, let tenant = entry.tenantID, let answered = claims.string("oid"),
            claims.string("tid")?.asciiLowercased == tenant.asciiLowercased
        {
            return answered.asciiLowercased == object.asciiLowercased
        }
        guard let name = entry.userID?.asciiLowercased, entry.isUserIDShown, !entry.isGuest else { return true }
        return ["preferred_username", "upn", "unique_name", "email", "sub", "oid"].contains {
            claims.string($0)?.asciiLowercased == name
        }
    }
}
