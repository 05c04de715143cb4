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
        ///   - idToken: the earlier one of the cache, whose subject the new one must have.
        case refresh(account: Account, redeemed: Secret, isRelative: Bool, idToken: CachedCredential?)
        /// The first use of a refresh token that an ADAL cache left for this account: it brings the account into the
        /// unified cache.
        case legacy(entry: LegacyEntry, account: Account)
        case authorizationCode(nonce: String)
        case deviceCode
        /// The broker of the machine; nil for an account that was not named to it.
        case broker(account: Account?)
        /// Questions and answers without a browser.
        case native
    }

    let context: ClientContext
    let request: TokenRequest
    let authority: Authority
    let metadata: ProviderMetadata
    var binding = TokenBinding.bearer
    let record: StepRecorder
    /// What was found out of the store, and taken of the disk, before the grant was asked for.
    var reservation: WriteReservation?

    var isEntra: Bool { authority.kind.isEntra }
    /// What is stored belongs to this issuer; nil at Entra ID.
    var issuer: String? { context.configuration.issuer(of: authority) }

    func keep(_ grant: TokenGrant, of origin: Origin) async throws(Failure) -> AcquiredToken {
        var grant = grant
        if grant.accessToken == nil, !request.scopes.withoutReserved.isEmpty {
            grant.flaw = grant.flaw ?? .untrusted(check: .tokenResponse, detail: "there is no access token in it")
        }
        if let flaw = grant.flaw, !origin.isRefresh { throw Failure(flaw) }
        let idToken = try await checkedIDToken(in: grant, origin)
        let person = try await person(grant, idToken, origin)
        if let flaw = grant.flaw {
            await keepRotated(grant, origin)
            var failure = Failure(flaw)
            failure.hint = "the sign-in is kept; tell the provider's administrator what its answer lacks"
            throw failure
        }
        let now = context.now()
        let asked = request.scopes.withoutReserved
        // RFC 6749 section 5.1: a scope that is left out is the scope that was asked for.
        let granted = grant.scopes?.withoutReserved ?? asked
        let declined = asked.declined(granted: granted, kind: authority.kind)
        // What was asked and given goes into the target as it was asked, so that the next silent call of this or
        // another program finds it.
        let target = granted.union(asked.subtracting(declined))
        let expiresOn =
            grant.accessToken == nil
            ? idToken?.claims.claims.date("exp") ?? now : now.addingTimeInterval(TimeInterval(grant.expiresIn))
        let realm = ResolvedRequest.realm(of: authority, tenantID: person.tenantID)

        let trouble = try await save(grant, origin, person, realm: realm, target: target, declined: declined, at: now)

        let token = AcquiredToken(
            accessToken: grant.accessToken ?? Secret(""), tokenType: grant.tokenType, expiresOn: expiresOn,
            extendedExpiresOn: grant.extendedExpiresIn.map { now.addingTimeInterval(TimeInterval($0)) },
            scopes: granted,
            tenantID: person.tenantID ?? realm, clientID: context.configuration.clientID,
            authority: resolved(person.tenantID),
            source: origin.isBroker ? .broker : origin.isSilent ? .refresh : .interactive, idTokenClaims: person.claims,
            account: person.account,
            correlationID: request.correlationID, trail: record.trail,
            proof: try grant.accessToken.flatMap { token throws(Failure) in
                try binding.proof(of: token, for: request.proof, now: now)
            },
            warning: trouble ?? idToken?.warning)
        guard declined.isEmpty else {
            throw Failure(
                .declinedScopes, "not granted: \(declined)",
                hint: "what was granted is kept; ask for these scopes alone, or sign in again and consent",
                correlationID: request.correlationID, grantedScopes: granted, declinedScopes: declined, result: token)
        }
        if grant.accessToken == nil, origin.isSilent { throw .noAccessToken(token) }
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
        let check = IDTokenCheck(
            metadata: metadata, clientID: context.configuration.clientID, nonce: nonce, previous: origin.previous,
            accessToken: grant.accessToken, now: context.now(), keys: context.provider.keys,
            maxAge: nonce == nil ? nil : request.maxAge, requiredACR: nonce == nil ? [] : request.acrValues)
        let kept = ProviderMetadataCache(context.cache, context.provider, context.now)
        if origin.isRefresh {
            await kept.recallKeys(of: metadata)
        } else {
            await context.provider.keys.forgetKept(metadata.keys)
        }
        switch await check.examine(UncheckedIDToken(secret)) {
        case .passed(let token):
            await kept.keepKeys(of: metadata)
            record.note(
                .idToken, .done,
                token.warning.map { "issuer, audience, expiry and signature verified, but \($0)" }
                    ?? "issuer, audience, times and signature verified")
            return token
        case .unchecked(let claims, let reason):
            record.note(.idToken, .failed, reason.message)
            // Nothing else of the answer is used. The new refresh token takes the old one's place, as that may have
            // been spent and nothing else is left of the sign-in then.
            var failure = Failure(reason)
            if isSamePerson(claims, grant, origin) {
                await keepRotated(grant, origin)
                if case .untrusted = reason {
                    failure.hint = .text(
                        "the sign-in is kept; "
                            + (reason.isOfTime ? "set this machine's clock, and try again" : "try again later"))
                }
            }
            if reason.isOfTime, origin.isSilent, let issued = claims.date("iat") {
                Throttle(path: context.cache.path, clientID: context.configuration.clientID, now: context.now, record)
                    .note(clockAt: authority, issued: issued)
            }
            throw failure
        case .wrong(let reason):
            // Nothing is kept: a stranger's refresh token under this account's name would be worse than a new sign-in.
            record.note(.idToken, .failed, reason.message)
            throw Failure(reason)
        }
    }

    private func resolved(_ tenantID: String?) -> Authority {
        guard authority.kind == .aad, let tenantID else { return authority }
        do { return try authority.withTenant(tenantID) } catch { return authority }
    }
}

extension TokenResponseProcessor.Origin {
    var isRefresh: Bool {
        if case .refresh = self { return true }
        return false
    }

    var isBroker: Bool {
        if case .broker = self { return true }
        return false
    }

    /// Whether it may bring an account into the store. One that was removed meanwhile stays removed.
    var createsAccount: Bool {
        switch self {
        case .refresh, .broker(.some): false
        case .legacy, .authorizationCode, .deviceCode, .native, .broker(nil): true
        }
    }

    /// The ID token that a refreshed one is compared with; nil where none is cached, or nothing of it can be read.
    var previous: PreviousIDToken? {
        guard case .refresh(_, _, _, let idToken) = self else { return nil }
        return idToken.flatMap { PreviousIDToken($0.secret) }
    }

    /// Whether nobody was asked.
    var isSilent: Bool {
        switch self {
        case .refresh, .legacy, .broker: true
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
        case .broker: "broker"
        }
    }
}
