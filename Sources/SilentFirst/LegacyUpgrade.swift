import FoundationEssentials
import Identity
import TokenCache
import Wire

/// The last of the silent leg: a refresh token that ADAL left behind is redeemed at the v2 endpoint, and what comes back is kept in the unified
/// form, so that this happens once (facts 3.6).
///
/// Its entries wait in the store since they were taken over. Whoever it is, is what the provider says: the home account is never made up of an
/// object and a tenant identifier, which gives the wrong one for guests.
struct LegacyUpgrade {
    let application: PublicClientApplication
    let request: TokenRequest
    let record: TrailRecorder

    private var configuration: PublicClientApplication.Configuration { application.configuration }

    /// - Returns: nil when nothing that waits answers for the account.
    /// - Throws: `ambiguous` when several people are behind the name, who are never chosen between; else as the silent leg.
    func acquire(for account: Account, in snapshot: CacheSnapshot) async throws(Failure) -> AcquiredToken? {
        let asked = try Aim.authority(of: request, configuration)
        guard try !find(account, asked, in: snapshot).isEmpty else { return nil }
        let lock: RefreshLock
        do {
            let key = "adal \(account.username.asciiLowercased) \(account.environment) \(configuration.clientID)"
            lock = try await RefreshLock.acquire(path: application.cache.path, key: key, timeout: .seconds(60))
        } catch { throw Failure(error) }
        defer { lock.release() }
        let fresh = try application.snapshot()
        let waiting = try find(account, asked, in: fresh)
        guard !waiting.isEmpty else {
            // Another process was first; its account is in the unified form now.
            guard let upgraded = fresh.accounts(clientID: configuration.clientID).first(where: { account.isUpgraded(by: $0) }) else {
                return nil
            }
            record.note(.lock, .done, "another process upgraded it meanwhile")
            var request = request
            request.account = upgraded
            return try await Silent(application: application, request: request, record: record, snapshot: fresh).acquire().get()
        }
        return try await redeem(waiting, account, asked, fresh)
    }

    private func find(_ account: Account, _ asked: Authority, in snapshot: CacheSnapshot) throws(Failure) -> [LegacyEntry] {
        let pending = snapshot.pendingLegacyEntries()
        guard !pending.isEmpty else { return [] }
        var family: String? = "1"
        switch snapshot.familyMembership(clientID: configuration.clientID, environment: account.environment) {
        case .member(let id): family = id
        case .notMember: family = nil
        case .unknown: break
        }
        let isNamed = account.homeAccountID != pendingHome(account)
        let query = LegacyQuery(
            userID: account.username.isEmpty ? nil : account.username, homeAccountID: isNamed ? account.homeAccountID : nil,
            clientID: configuration.clientID, familyID: family, authority: asked)
        switch pending.find(query) {
        case .none: return []
        case .candidates(let entries): return entries
        case .ambiguous(let people):
            throw Failure(
                .ambiguous, "the name \(account.label) stands for \(people.count) people in what was taken over from ADAL",
                hint: "sign in once; the others stay where they are")
        }
    }

    /// The account's identifier where it is none of a home account.
    private func pendingHome(_ account: Account) -> String? {
        account.origin == .adal && account.homeAccountID.hasPrefix("adal:") ? account.homeAccountID : nil
    }

    private func redeem(_ entries: [LegacyEntry], _ account: Account, _ asked: Authority, _ snapshot: CacheSnapshot) async throws(Failure)
        -> AcquiredToken
    {
        let claims = try application.claims(for: request)
        let throttle = Throttle(application, record)
        var refusal: Failure?
        for entry in entries {
            guard let token = entry.refreshToken else { continue }
            let authority = try tenant(of: entry, at: asked)
            let question = Throttle.Question(
                authority: authority, account: account.id, token: token, scopes: request.scopes.withoutReserved, claims: claims, keyID: nil)
            if let held = throttle.held(question) {
                guard held.kind == .person, let error = held.error else { throw throttle.failure(held, host: authority.environment) }
                record.note(.throttle, .skipped, "\(authority.environment) wanted a person a moment ago (\(error))")
                refusal = refusal ?? Failure(OAuthError(error: error, suberror: held.suberror, codes: held.codes, claims: held.claims))
                continue
            }
            let spending = LegacySpending(
                application: application, request: request, record: record, entry: entry, token: token, account: account,
                authority: authority, metadata: try await metadata(authority, throttle), claims: claims, throttle: throttle,
                question: question, snapshot: snapshot)
            switch try await spending.finish() {
            case .token(let token): return token
            case .refused(let error):
                let failure = Failure(error)
                guard failure.code == .interactionRequired else { throw failure }
                refusal = refusal ?? failure
                if error.isDead {
                    do { try application.cache.forgetPending(refreshToken: token) } catch { throw Failure(error) }
                }
            }
        }
        throw refusal ?? Failure(.interactionRequired, "no refresh token of ADAL is left for \(account.label)")
    }

    /// Where many tenants are asked for, the one that the entry is of: a legacy cache has no home tenant to put in their place.
    private func tenant(of entry: LegacyEntry, at asked: Authority) throws(Failure) -> Authority {
        guard asked.isTenantIndependent else { return asked }
        let tenant = entry.tenantID ?? entry.authority.tenant
        guard tenant.isGUID || tenant.contains(".") else { return asked }
        do { return try asked.withTenant(tenant) } catch { return asked }
    }

    private func metadata(_ authority: Authority, _ throttle: Throttle) async throws(Failure) -> ProviderMetadata {
        if let held = throttle.held(metadataOf: authority) { throw throttle.failure(held, host: authority.environment) }
        do { return try await application.providerMetadata(of: authority, record) } catch {
            throttle.note(error, metadataOf: authority)
            throw Failure(error)
        }
    }
}

/// One legacy refresh token on its way to the provider; like ``Spending``, not given up when the caller is.
private struct LegacySpending: Sendable {
    let application: PublicClientApplication
    let request: TokenRequest
    let record: TrailRecorder
    let entry: LegacyEntry
    let token: Secret
    let account: Account
    let authority: Authority
    let metadata: ProviderMetadata
    let claims: String?
    let throttle: Throttle
    let question: Throttle.Question
    let snapshot: CacheSnapshot

    func finish() async throws(Failure) -> Spending.Outcome {
        if Task.isCancelled { throw Failure(.cancelled, "given up") }
        let sending = Task { () -> Result<Spending.Outcome, Failure> in
            do throws(Failure) { return .success(try await send()) } catch { return .failure(error) }
        }
        return try await sending.value.get()
    }

    private func send() async throws(Failure) -> Spending.Outcome {
        let binding = try ProofKeys(application).binding(for: request, account, at: authority)
        let endpoint = application.tokenEndpoint(metadata, authority, request.correlationID, binding)
        let answer: TokenAnswer
        do {
            answer = try await endpoint.refresh(
                token: token, scopes: request.scopes.withoutReserved, claims: claims, anchor: entry.homeAccountID)
        } catch {
            record.note(.legacyRefreshToken, .failed, error.message)
            throttle.note(error, question)
            throw Failure(error)
        }
        switch answer {
        case .refused(let error):
            record.note(.legacyRefreshToken, .failed, [error.error, error.suberror].compactMap { $0 }.joined(separator: ", "))
            throttle.note(error, question)
            return .refused(error)
        case .granted(let grant):
            record.note(.legacyRefreshToken, .done, "upgraded from an ADAL cache, redeemed at \(authority.environment)")
            let receipt = Receipt(
                application: application, request: request, authority: authority, metadata: metadata, binding: binding, record: record)
            return .token(try await receipt.keep(grant, of: .legacy(entry, in: snapshot)))
        }
    }
}

extension OAuthError {
    /// Whether the refresh token will never work again. A step that only a person can take (a second factor, consent, a new password) leaves it alive.
    fileprivate var isDead: Bool {
        guard error == "invalid_grant" else { return false }
        return suberror.map { ["bad_token", "token_expired", "client_mismatch"].contains($0) } ?? true
    }
}

extension Account {
    /// Whether a unified account is the person of this one, which a legacy cache named.
    func isUpgraded(by account: Account) -> Bool {
        guard origin == .adal, account.origin == .msal, Cloud.isSame(environment, account.environment) else { return false }
        if homeAccountID == account.homeAccountID { return true }
        let name = username.asciiLowercased
        return !name.isEmpty && homeAccountID.hasPrefix("adal:")
            && (account.username.asciiLowercased == name || account.tenantProfiles.contains { $0.username.asciiLowercased == name })
    }
}
