import Identity
import Proofs
import SilentCore
import TokenCache
import Wire

// A token response of which nothing is handed out. At a sign-in nothing of it is stored. At a refresh, its new refresh
// token replaces the redeemed one: the provider's own token endpoint sent it over TLS in exchange for the account's
// token, which is spent if the provider rotates them. A forged response could as well have no ID token at all, so
// keeping the refresh token of one with a bad ID token gives nothing away; each later refresh is checked again. A
// refresh token of another user is never stored, and the account keeps its own.

extension TokenResponseProcessor {
    /// The user that the response to a refresh token names.
    enum Owner {
        case account
        case other
        /// Neither `client_info` nor an ID token says it, and no server with OAuth alone says it.
        case unnamed
    }

    /// - Parameters:
    ///   - claims: of the ID token, checked or not: they can only show that the response is for another user.
    ///   - previous: the cached ID token, whose subject the new one must have (Core section 12.2).
    func owner(of grant: TokenGrant, _ claims: Claims?, _ account: Account, _ previous: PreviousIDToken?) -> Owner {
        var owner = Owner.unnamed
        if isEntra, let info = grant.clientInfo {
            guard account.isIdentified(by: "\(info.uid).\(info.utid)") else { return .other }
            owner = .account
        }
        guard let claims, let subject = claims.string("sub") else { return owner }
        if let previous { return previous.subject == subject ? .account : .other }
        guard isEntra else { return subject == account.homeAccountID ? .account : .other }
        if case .account = owner { return owner }
        let local = claims.string("oid") ?? subject
        let isHere = account.tenantProfiles.contains { $0.localAccountID.isSameIgnoringCase(as: local) }
        return isHere || claims.string("tid").map { account.isIdentified(by: "\(local).\($0)") } == true
            ? .account : .other
    }

    /// The failure for a response that fails a check, after its refresh token was saved as far as it may be.
    ///
    /// - Parameter advice: the next step; by default, that of the check.
    func refused(_ grant: TokenGrant, _ origin: Origin, because reason: WireError, advice: String? = nil) async
        -> Failure
    {
        await refused(grant, origin, Failure(reason), advice ?? Self.advice(for: reason))
    }

    /// - Parameter owner: as the server says; by default, as the response does.
    func refused(_ grant: TokenGrant, _ origin: Origin, _ message: String, owner: Owner? = nil) async -> Failure {
        await refused(grant, origin, Failure(.untrustedResponse, message), "try again, or sign in again", owner)
    }

    /// The failure for a response whose user the server does not tell now: like one that fails a check, it costs the
    /// access token, and its new refresh token is stored. The next refresh asks again.
    func unconfirmed(_ grant: TokenGrant, _ origin: Origin, because reason: WireError) async -> Failure {
        var failure = Failure(reason)
        failure.message = "the server does not say whose the refreshed token is: \(failure.message)"
        let advice =
            failure.code == .untrustedResponse
            ? "check that the scopes include what its account URL requires" : "try again later"
        return await refused(grant, origin, failure, advice)
    }

    private func refused(
        _ grant: TokenGrant, _ origin: Origin, _ failure: Failure, _ advice: String, _ owner: Owner? = nil
    ) async -> Failure {
        guard case .refresh(let account, let spent, let isRelative, _) = origin else { return failure }
        let claims = grant.idToken.flatMap { try? DecodedJWT($0).payload }
        let kept: String
        switch owner ?? self.owner(of: grant, claims, account, origin.previous) {
        case .other:
            record.note(.save, .skipped, "the response is for another account: nothing of it saved")
            kept = "nothing of the response was stored; the account keeps its earlier refresh token"
        case .unnamed where isEntra:
            // Entra ID's refresh tokens can be reused, so the earlier one is as good.
            record.note(.save, .skipped, "the response names no account: nothing of it saved")
            kept = "nothing was stored; the sign-in is kept"
        case .account, .unnamed:
            guard !isRelative, let next = grant.refreshToken, next != spent else {
                kept = "nothing was stored; the sign-in is kept"
                break
            }
            if let trouble = await keep(rotated(next, of: account, insteadOf: spent)) {
                kept = trouble
            } else {
                record.note(.save, .done, "only the new refresh token saved")
                kept = "the sign-in is kept: only the new refresh token was stored"
            }
        }
        var failure = failure
        if failure.code == .untrustedResponse || failure.code == .unavailable {
            failure.hint = .text("\(kept); \(advice)")
            failure.names += account.names
        }
        return failure
    }

    private func rotated(_ next: Secret, of account: Account, insteadOf spent: Secret) -> TokenRecord {
        var rotated = TokenRecord(of: account, clientID: context.configuration.clientID, cachedAt: context.now())
        rotated.issuer = issuer
        rotated.refreshToken = next
        // The family is unknown here, so the stored membership must not change.
        rotated.isEntra = false
        rotated.createsAccount = false
        rotated.redeemed = spent
        rotated.keyID = isEntra ? nil : binding.keyID
        return rotated
    }

    private static func advice(for reason: WireError) -> String {
        if reason.isOfTime { return "set this machine's clock, and try again" }
        switch reason {
        case .untrusted(check: .tokenResponse, _), .untrusted(check: .tokenType, _):
            return "report the response to the provider's administrator"
        case .untrusted(check: .idTokenSubject, _): return "sign in again if it is no longer accepted"
        default: return "check the authority, and any proxy in between"
        }
    }
}
