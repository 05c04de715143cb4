import FoundationEssentials
import Identity
import LegacyCaches
import TokenCache
import Wire

// Whose answer a token endpoint's answer is: who signed in, or whether a refresh is still of the same person.

extension TokenResponseProcessor {
    /// Who it is, as the provider says.
    struct Person {
        var account: Account
        var claims: IDTokenClaims
        var tenantID: String?
        var localAccountID: String
    }

    func person(_ grant: TokenGrant, _ idToken: IDToken?, _ origin: Origin) async throws(Failure) -> Person {
        if case .refresh(let account, _, _, let earlier) = origin {
            return try refreshed(account, grant, idToken, earlier, origin.previous)
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
            record.note(.legacyRefreshToken, .failed, "for another person")
            throw Failure(
                .untrustedResponse, "the refresh token that an ADAL cache has of \(account.label) is of another person",
                hint: "nothing was stored; sign in as \(account.label)")
        }
        if case .legacy(let entry, _) = origin {
            try refuseSignedOut(
                AccountID(homeAccountID: home, environment: authority.environment, issuer: issuer), entry)
        }
        if case .broker(let account) = origin {
            if let account, account.homeAccountID != home {
                throw Failure(.untrustedResponse, "the broker answered for another account", hint: "nothing was stored")
            }
            let id = AccountID(homeAccountID: home, environment: authority.environment, issuer: issuer)
            if try context.snapshot().isSignedOut(id, clientID: context.configuration.clientID) {
                throw Failure(.interactionRequired, "the broker's account was signed out of this client")
            }
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
            tenantProfiles: [profile], clients: [context.configuration.clientID], issuer: issuer)
        return Person(account: account, claims: answer, tenantID: tenantID, localAccountID: local)
    }

    /// The response's own word on who signed in, never the cache's: the checked ID token, or the userinfo endpoint
    /// where a provider other than Entra ID sent none.
    private func whoSignedIn(_ grant: TokenGrant, _ idToken: IDToken?) async throws(Failure)
        -> (claims: IDTokenClaims, subject: String)
    {
        if let idToken { return (.checked(idToken.claims), idToken.claims.subject) }
        guard !isEntra, metadata.userInfo != nil, let accessToken = grant.accessToken else {
            throw Failure(.untrustedResponse, "the provider does not say who signed in")
        }
        do {
            let answer = try await UserInfo.fetch(
                metadata: metadata, accessToken: accessToken, of: nil, transport: context.provider.transport)
            record.note(.userInfo, .done, "requested: no ID token came")
            return (.userInfo(answer.claims), answer.subject)
        } catch {
            record.note(.userInfo, .failed, error.message)
            throw Failure(error)
        }
    }

    /// The claims that have the person's names. Where the ID token has no username, they may be had of the userinfo
    /// endpoint only (Core section 5.4), which is asked once, at the sign-in. It must answer for the ID token's
    /// subject, else nothing of it is used (Core section 5.3.2); the sign-in stands whatever it says.
    private func describing(_ claims: Claims, _ grant: TokenGrant, _ idToken: IDToken?) async -> Claims {
        guard authority.kind == .oidc, let idToken, claims.username == nil, metadata.userInfo != nil,
            let accessToken = grant.accessToken
        else { return claims }
        guard case .bearer = binding else {
            record.note(.userInfo, .skipped, "the access token is bound to a key")
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

    /// A legacy cache may bring back nobody who was signed out of this client. Where its entry did not say who that is
    /// until the provider did, it is noted beside the entry, so that the token is not redeemed again for nothing.
    private func refuseSignedOut(_ account: AccountID, _ entry: LegacyEntry) throws(Failure) {
        guard try context.snapshot().isSignedOut(account, clientID: context.configuration.clientID) else { return }
        record.note(.account, .failed, "signed out")
        if let token = entry.refreshToken {
            do { try context.cache.learnOwner(ofLegacy: token, homeAccountID: account.homeAccountID) } catch {
                record.note(.save, .failed, error.message)
            }
        }
        throw Failure(
            .interactionRequired, "the person whose token an ADAL cache has was signed out of this client",
            hint: .signInWith(remedy: "a sign-in brings them back"))
    }

    private func refreshed(
        _ account: Account, _ grant: TokenGrant, _ idToken: IDToken?, _ earlier: CachedCredential?,
        _ previous: PreviousIDToken?
    ) throws(Failure) -> Person {
        guard isAnswer(for: account, grant, idToken, previous) else {
            throw Failure(
                .untrustedResponse, "the refresh answered for another account",
                hint: "nothing was stored; sign in again")
        }
        let answer: IDTokenClaims =
            if let idToken { .checked(idToken.claims) } else { .cached(CachedClaims(earlier?.secret)) }
        let claims = answer.claims
        return Person(
            account: account, claims: answer, tenantID: isEntra ? claims.string("tid") ?? tenantOfAuthority : nil,
            localAccountID: claims.string("oid") ?? claims.string("sub") ?? account.localAccountID)
    }

    /// Whether a refresh says that it is the account's. Entra ID does so by `client_info`, and MSAL gives up without;
    /// here an ID token of the same person does as well. Elsewhere it is the subject, where an ID token came at all
    /// (Core section 12.2).
    private func isAnswer(for account: Account, _ grant: TokenGrant, _ idToken: IDToken?, _ previous: PreviousIDToken?)
        -> Bool
    {
        if isEntra, let info = grant.clientInfo { return "\(info.uid).\(info.utid)" == account.homeAccountID }
        guard let token = idToken?.claims else { return !isEntra }
        // The check of the ID token has compared the subjects. A cached token that cannot be read was no comparison.
        if previous != nil { return true }
        guard isEntra else { return token.subject == account.homeAccountID }
        let claims = token.claims
        let local = claims.string("oid") ?? token.subject
        return account.tenantProfiles.contains { $0.localAccountID == local }
            || claims.string("tid").map { "\(local).\($0)" == account.homeAccountID } ?? false
    }

    /// Whether an ID token that could not be checked says that it is of the person whose refresh token was redeemed.
    func isSamePerson(_ claims: Claims, _ grant: TokenGrant, _ origin: Origin) -> Bool {
        guard case .refresh(let account, _, _, _) = origin, let subject = claims.string("sub") else { return false }
        return subject == origin.previous?.subject ?? account.homeAccountID
            && grant.clientInfo.map({ "\($0.uid).\($0.utid)" == account.homeAccountID }) ?? true
    }

    private var tenantOfAuthority: String? { authority.tenant.isGUID ? authority.tenant : nil }
}

extension IDTokenClaims {
    /// What the response itself said of the person; nil where it said nothing, and only the cache does. Nothing else is
    /// stored of a person.
    var ofResponse: Claims? {
        switch self {
        case .checked(let token): token.claims
        case .userInfo(let claims): claims
        case .cached: nil
        }
    }
}

extension TokenResponseProcessor {
    /// Whether the answer to a legacy refresh token is of the person whose token it was: a file that says of a
    /// stranger's token that it is somebody else's must not make them one.
    ///
    /// The home account decides where the file, or the account, says it; else the object identifier where both are of
    /// one tenant; else the name. A guest has another name in each tenant, so that nothing can be compared where only
    /// the name of a guest is known.
    static func isAnswer(for entry: LegacyEntry, of account: Account, home: String, _ answer: IDTokenClaims) -> Bool {
        if let known = account.identifier ?? entry.homeAccountID { return known == home }
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
