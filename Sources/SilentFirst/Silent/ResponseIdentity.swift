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
        var claims: Claims
        var tenantID: String?
        var localAccountID: String
        /// Whether the answer itself described the person in this tenant.
        var isDescribed = true
    }

    func person(_ grant: TokenGrant, _ idToken: IDToken?, _ origin: Origin) async throws(Failure) -> Person {
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
                    transport: context.provider.transport)
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
            tenantProfiles: [profile], clients: [context.configuration.clientID], issuer: issuer)
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
                transport: context.provider.transport)
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
        guard try context.snapshot().isSignedOut(account, clientID: context.configuration.clientID) else {
            return
        }
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

    /// Whether an ID token that could not be checked says that it is of the person whose refresh token was redeemed.
    func isSamePerson(_ claims: Claims, _ grant: TokenGrant, _ origin: Origin) -> Bool {
        guard case .refresh(let account, _, _, let earlier) = origin, let subject = claims.string("sub") else {
            return false
        }
        return subject == earlier.flatMap({ try? DecodedJWT($0.secret).payload.string("sub") }) ?? account.homeAccountID
            && grant.clientInfo.map({ "\($0.uid).\($0.utid)" == account.homeAccountID }) ?? true
    }

    private var tenantOfAuthority: String? { authority.tenant.isGUID ? authority.tenant : nil }
}

extension TokenResponseProcessor {
    /// Whether the answer to a legacy refresh token is of the person whose token it was: a file that says of a
    /// stranger's token that it is somebody else's must not make them one.
    ///
    /// The home account decides where the file, or the account, says it; else the object identifier where both are of
    /// one tenant; else the name. A guest has another name in each tenant, so that nothing can be compared where only
    /// the name of a guest is known.
    static func isAnswer(for entry: LegacyEntry, of account: Account, home: String, claims: Claims) -> Bool {
        if let known = account.identifier ?? entry.homeAccountID { return known == home }
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
