import FoundationEssentials
import Identity
import LegacyCaches
import Proofs
import SilentCore
import TokenCache
import Wire

/// Processes a grant: checks the ID token, identifies the account, writes the store, and only then returns the token.
struct TokenResponseProcessor {
    enum Origin {
        /// - Parameters:
        ///   - isRelative: whether another family member's token was redeemed; its entry is unchanged.
        ///   - idToken: the previous cached ID token, whose subject the new one must have.
        case refresh(account: Account, redeemed: Secret, isRelative: Bool, idToken: CachedCredential?)
        /// The first use of an ADAL cache's refresh token, which adds this account to the unified cache.
        case legacy(entry: LegacyEntry, account: Account)
        case authorizationCode(nonce: String)
        case deviceCode
        /// This machine's broker; nil if the request named no account.
        case broker(account: Account?)
        case native
    }

    let context: ClientContext
    let request: TokenRequest
    let authority: Authority
    let metadata: ProviderMetadata
    /// The client's, for introspection; nil for a public client.
    var authentication: ClientAuthentication?
    var binding = TokenBinding.bearer
    let record: StepRecorder
    /// Reserves space and checks the store before the grant is requested.
    var reservation: WriteReservation?

    var isEntra: Bool { authority.kind.isEntra }
    /// The issuer for stored entries; nil at Entra ID.
    var issuer: String? { context.configuration.issuer(of: authority) }

    func keep(_ grant: TokenGrant, of origin: Origin) async throws(Failure) -> AcquiredToken {
        if let flaw = grant.flaw ?? lack(in: grant) { throw await refused(grant, origin, because: flaw) }
        let idToken = try await checkedIDToken(in: grant, origin)
        let person = try await person(grant, idToken, origin)
        let now = context.now()
        let asked = request.scopes.withoutReserved
        // RFC 6749 section 5.1: an omitted scope means the requested scope.
        var granted = grant.scopes?.withoutReserved ?? asked
        if let known = context.configuration.knownServer(of: authority) { granted = known.completed(granted) }
        if authority.kind == .b2c {
            granted = granted.completedByB2C(asked: asked, clientID: context.configuration.clientID)
        }
        let declined = asked.declined(granted: granted, kind: authority.kind)
        // Granted scopes are saved as requested, so that the next silent call of any program finds them.
        let target = granted.union(asked.subtracting(declined))
        let expiresOn =
            grant.accessToken == nil
            ? idToken?.claims.claims.date("exp") ?? now : Self.end(of: grant, from: now)
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
            correlationID: request.correlationID, trail: record.trail, idToken: person.idToken,
            proof: try grant.accessToken.flatMap { token throws(Failure) in
                try binding.proof(of: token, for: request.proof, now: now)
            },
            warning: trouble ?? idToken?.warning)
        guard declined.isEmpty else {
            throw Failure(
                .declinedScopes, "not granted: \(declined)",
                hint: "the granted scopes were saved; request these separately, or sign in again and consent",
                correlationID: request.correlationID, grantedScopes: granted, declinedScopes: declined, result: token)
        }
        if grant.accessToken == nil, origin.isSilent { throw .noAccessToken(token) }
        return token
    }

    static func end(of grant: TokenGrant, from now: Date) -> Date {
        grant.expiresIn.map { now.addingTimeInterval(TimeInterval($0)) } ?? .noAnnouncedEnd
    }

    /// RFC 6749 section 5.1 and Core section 3.1.3.3 require an access token. Azure AD B2C sends none for `openid
    /// profile` alone.
    private func lack(in grant: TokenGrant) -> WireError? {
        guard grant.accessToken == nil, !authority.mayOmitAccessToken || !request.scopes.withoutReserved.isEmpty else {
            return nil
        }
        return .untrusted(check: .tokenResponse, detail: "there is no access token in it")
    }

    /// Core section 3.1.3.7. The code flow must return an ID token with `openid`; a refresh or device grant need not. A
    /// server with OAuth 2.0 alone, which only the settings can say, issues none.
    private func checkedIDToken(in grant: TokenGrant, _ origin: Origin) async throws(Failure) -> IDToken? {
        if metadata.isOAuthOnly { return nil }
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
            if let keys = metadata.keys { await context.provider.keys.forgetKept(keys) }
        }
        switch await check.examine(UncheckedIDToken(secret)) {
        case .passed(let token):
            await kept.keepKeys(of: metadata)
            let checked =
                token.warning.map { "issuer, audience, expiry and signature verified, but \($0)" }
                ?? "issuer, audience, times and signature verified"
            record.note(
                .idToken, .done,
                token.isSignatureVerified
                    ? checked : "issuer, audience and times verified; the provider has no keys for its signature")
            return token
        case .unchecked(let claims, let reason):
            record.note(.idToken, .failed, reason.message)
            if reason.isOfTime, origin.isSilent, let issued = claims.date("iat") {
                Throttle(context.cache, clientID: context.configuration.clientID, now: context.now, record)
                    .note(clockAt: authority, issued: issued)
            }
            throw await refused(grant, origin, because: reason, advice: reason.isOfTime ? nil : "try again later")
        case .wrong(let reason):
            record.note(.idToken, .failed, reason.message)
            throw await refused(grant, origin, because: reason)
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

    /// Whether it may add an account to the store. An account removed in the meantime stays removed.
    var createsAccount: Bool {
        switch self {
        case .refresh, .broker(.some): false
        case .legacy, .authorizationCode, .deviceCode, .native, .broker(nil): true
        }
    }

    /// The ID token to compare a refreshed one with; nil if none is cached, or it is unreadable.
    var previous: PreviousIDToken? {
        guard case .refresh(_, _, _, let idToken) = self else { return nil }
        return idToken.flatMap { PreviousIDToken($0.secret) }
    }

    var isSilent: Bool {
        switch self {
        case .refresh, .legacy, .broker: true
        case .authorizationCode, .deviceCode, .native: false
        }
    }

    var legacyName: String? {
        guard case .legacy(let entry, _) = self else { return nil }
        return entry.userID
    }

    /// The grant type, as stored by MSAL for Python.
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
