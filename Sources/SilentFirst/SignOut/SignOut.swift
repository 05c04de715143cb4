import FoundationEssentials
import Identity
import Proofs
import SilentCore
import TokenCache
import Wire

/// The three parts of a sign-out: revocation, local removal, browser session.
struct SignOut {
    let context: ClientContext
    let held: HeldSignIn
    let options: SignOutOptions
    let userAgents: UserAgents
    let record: StepRecorder

    private var configuration: ClientConfiguration { context.configuration }
    private var account: Account { held.account }

    /// Revokes what an earlier sign-out could not, and nothing else: a sign-in that was made since stays.
    ///
    /// - Returns: whether nothing is left to revoke.
    func finish() async throws(Failure) -> Bool {
        let waiting = try context.snapshot().pendingRevocations(of: account.id, clientID: held.clientID)
        guard !waiting.isEmpty else { return true }
        let metadata = await metadata()
        let form = form(metadata, allowsLeaked: waiting.contains(where: \.asLeaked))
        let tokens = waiting.map(Revocable.init)
        let result = await revoke(tokens, true, metadata, form, await authentication(metadata, form, tokens))
        guard result.missed.isEmpty else { return false }
        do { try context.cache.finishSignOut(account.id, clientID: held.clientID) } catch { throw Failure(error) }
        return true
    }

    func run() async throws(Failure) -> SignOutOutcome {
        let turns = try await turns()
        defer { turns.locks.forEach { $0.release() } }
        let snapshot = try context.snapshot()
        let credentials = snapshot.credentials(of: account.id, clientID: options.wipe ? nil : held.clientID)
        let waiting = snapshot.pendingRevocations(of: account.id, clientID: options.wipe ? nil : held.clientID)
        var query = CredentialQuery(of: account, clientID: configuration.clientID)
        query.realms = account.tenantProfiles.filter(\.isHome).map(\.tenantID)
        // Prefer the home tenant's ID token: the browser session belongs to it.
        let idToken =
            snapshot.idToken(query)
            ?? credentials.first { $0.kind == .idToken && $0.clientID == configuration.clientID }
        let alive = credentials.filter { $0.kind == .accessToken && $0.expiresOn ?? .distantPast > context.now() }

        let metadata = await metadata()
        let allowsLeaked = options.revokesAsLeaked || waiting.contains(where: \.asLeaked)
        let form = form(metadata, allowsLeaked: allowsLeaked)
        let (grants, rest) = Self.split(credentials, waiting, alive, form)
        let revocable = (options.revokesTokens ? grants : []) + (options.revokesAccessTokens ? rest : [])
        let authentication = await authentication(metadata, form, revocable)
        let first = await revoke(grants, options.revokesTokens, metadata, form, authentication)
        var revoked = first.part
        if revoked == .done, let trouble = turns.trouble { revoked = .failed(trouble) }
        // Once the refresh token is revoked, finish the rest even if the caller cancels.
        if Task.isCancelled, revoked != .done {
            throw Failure(.cancelled, "the sign-out was cancelled before anything was removed here")
        }
        var accessTokens = SignOutOutcome.Part.notOffered
        if options.revokesAccessTokens {
            let isDone = rest.isEmpty && options.revokesTokens && grants.contains { $0.kind == .accessToken }
            accessTokens = isDone ? revoked : await revoke(rest, true, metadata, form, authentication).part
        }
        let dead = Set(
            ((revoked == .done ? grants : []) + (accessTokens == .done ? rest : [])).map { $0.secret.reveal() })
        let living = alive.filter { !dead.contains($0.secret.reveal()) }
        let pending = options.givesUpOnProvider ? [] : try pending(first.missed, snapshot, waiting)
        let count = try context.end(held, wipe: options.wipe, pending: pending).count
        record.note(
            .remove, .done, "\(count) entries removed" + (pending.isEmpty ? "" : "; the sign-out is not finished"))
        turns.locks.forEach { $0.release() }
        let (ended, pages) = await endSession(idToken, metadata)
        return SignOutOutcome(
            revoked: revoked, accessTokensRevoked: accessTokens, removed: .done, sessionEnded: ended,
            endSessionURL: pages?.shown, endSessionURLWithHint: pages.map { Secret($0.hinted.text) },
            accessTokensExpire: living.compactMap(\.expiresOn).max(),
            grantPage: revoked == .done || grants.isEmpty ? nil : grantPage(of: account), isFinished: pending.isEmpty)
    }

    /// The tokens to keep, in order to revoke them later.
    private func pending(_ missed: [Revocable], _ snapshot: CacheSnapshot, _ waiting: [PendingRevocation])
        throws(Failure) -> [PendingRevocation]
    {
        guard !missed.isEmpty else { return [] }
        let others = snapshot.pendingRevocations().count - waiting.count
        guard others + missed.count <= PendingRevocation.most else {
            throw Failure(.storeError, "too many sign-outs wait for their providers")
        }
        let authority = self.authority(of: account)
        return missed.map { token in
            if let known = token.waiting { return known }
            let use = snapshot.uses(of: account.id, clientID: token.clientID).first
            return PendingRevocation(
                account: account.id,
                use: use
                    ?? ClientUse(
                        clientID: token.clientID, authority: authority.address.text, kind: authority.kind,
                        directory: account.homeTenantID ?? ""),
                secret: token.secret, kind: token.kind, asLeaked: options.revokesAsLeaked, since: context.now())
        }
    }

    private func authority(of account: Account) -> Authority {
        ResolvedRequest.place(of: account, configuration.authority, configuration)
    }

    /// The server's own page, on which the user ends what was granted.
    private func grantPage(of account: Account) -> WebAddress? {
        let authority = self.authority(of: account)
        return configuration.knownServer(of: authority)?
            .page(at: authority.address, clientID: configuration.clientID)
            ?? Cloud.containing(host: account.environment)?.grantPage(
                isPersonal: account.homeTenantID == Account.personalTenant)
    }

    /// Waits for running refreshes of these credentials, so that their new refresh tokens are revoked too. Returns the
    /// locks, and the reason if one was not available; the sign-out then continues.
    private func turns() async throws(Failure) -> (locks: [RefreshLock], trouble: String?) {
        let snapshot = try context.snapshot()
        let clients =
            options.wipe
            ? Set(snapshot.credentials(of: account.id, clientID: nil).map(\.clientID)) : [configuration.clientID]
        let names = Set(
            clients.flatMap { clientID in
                let names = SilentDecision.turnNames(of: account, clientID: clientID)
                return [names.refresh, names.upgrade]
            })
        var locks: [RefreshLock] = []
        let begin = ContinuousClock.now
        // A fixed order avoids deadlock between concurrent sign-outs.
        for name in names.sorted() {
            do throws(StoreError) {
                let left = max(.zero, Self.longestTurn - (ContinuousClock.now - begin))
                locks.append(
                    try await RefreshLock.acquire(context.cache, key: name, timeout: left) {
                        record.note(.lock, .skipped, "waiting for another refresh of this account")
                    })
            } catch {
                switch error.situation {
                case .locked: return (locks, "another call is refreshing it and may store a new refresh token")
                case .cancelled, .moved:
                    locks.forEach { $0.release() }
                    throw Failure(error)
                // A store that cannot be locked cannot be written either; the removal reports that.
                default: return (locks, nil)
                }
            }
        }
        return (locks, nil)
    }

    /// Long enough for a refresh, which has its own deadline.
    private static let longestTurn: Duration = .seconds(30)

    /// A refresh token is only sent to the provider that ``held`` matches, not even to revoke it.
    private func metadata() async -> Result<ProviderMetadata, Failure> {
        do throws(Failure) { return .success(try await context.metadata(of: authority(of: account), record)) } catch {
            return .failure(error)
        }
    }

    /// The client's authentication, read once for all tokens, and only if there is something to revoke with it.
    private func authentication(
        _ metadata: Result<ProviderMetadata, Failure>, _ form: RevocationForm?, _ tokens: [Revocable]
    ) async -> Result<ClientAuthentication?, Failure> {
        guard case .success(let found) = metadata, form == .standard, !tokens.isEmpty else {
            return .success(nil)
        }
        let authority = self.authority(of: account)
        do throws(Failure) { return .success(try await context.authentication(found, at: authority)) } catch {
            return .failure(error)
        }
    }

    /// Nil if the provider revokes nothing, or only what the user did not ask for.
    private func form(_ metadata: Result<ProviderMetadata, Failure>, allowsLeaked: Bool) -> RevocationForm? {
        guard case .success(let metadata) = metadata else { return nil }
        let authority = self.authority(of: account)
        let form = RevocationForm(configuration.knownServer(of: authority), at: authority, metadata)
        if case .credentialList = form, !allowsLeaked { return nil }
        return form
    }

    /// A token that a sign-out ends at the provider.
    private struct Revocable {
        let secret: Secret
        let kind: CachedCredential.Kind
        let clientID: String
        /// The entry of an earlier sign-out, which is not finished.
        var waiting: PendingRevocation?

        init(_ credential: CachedCredential) {
            (secret, kind, clientID) = (credential.secret, credential.kind, credential.clientID)
        }

        init(_ waiting: PendingRevocation) {
            (secret, kind, clientID) = (waiting.secret, waiting.kind, waiting.use.clientID)
            self.waiting = waiting
        }
    }

    /// The tokens whose revocation ends the grants, and further access tokens.
    ///
    /// RFC 7009: refresh tokens first, because many providers then revoke the access tokens of the same grant. Without
    /// a refresh token, the access token is the grant. A list of leaked credentials ends only those in it.
    private static func split(
        _ held: [CachedCredential], _ waiting: [PendingRevocation], _ alive: [CachedCredential], _ form: RevocationForm?
    ) -> (grants: [Revocable], rest: [Revocable]) {
        let refreshTokens = held.filter { $0.kind == .refreshToken }
        let renewable = Set(refreshTokens.map(\.clientID))
        var isList = false
        if case .credentialList = form { isList = true }
        let isOfGrant = { (token: CachedCredential) in isList || !renewable.contains(token.clientID) }
        return (
            (refreshTokens + alive.filter(isOfGrant)).map(Revocable.init) + waiting.map(Revocable.init),
            alive.filter { !isOfGrant($0) }.map(Revocable.init)
        )
    }

    /// Each token is revoked with the client ID that it was issued to.
    ///
    /// - Returns: the result, and the tokens for which the provider was not reached.
    private func revoke(
        _ tokens: [Revocable], _ isWanted: Bool, _ metadata: Result<ProviderMetadata, Failure>,
        _ form: RevocationForm?, _ authentication: Result<ClientAuthentication?, Failure>
    ) async -> (part: SignOutOutcome.Part, missed: [Revocable]) {
        guard isWanted else { return (.notOffered, []) }
        guard !tokens.isEmpty else {
            record.note(.revoke, .skipped, "no token to revoke")
            return (.notOffered, [])
        }
        guard Cloud.containing(host: account.environment) == nil else {
            record.note(.revoke, .skipped, "Microsoft Entra ID revokes no tokens")
            return (.notOffered, [])
        }
        switch metadata {
        case .failure(let failure):
            record.note(.revoke, failed: failure)
            return (.failed(failure.message), tokens)
        case .success(let metadata):
            guard let form else {
                record.note(.revoke, .skipped, "the provider has no revocation endpoint")
                return (.notOffered, [])
            }
            let own: ClientAuthentication?
            switch authentication {
            case .success(let found): own = found
            case .failure(let failure):
                record.note(.revoke, failed: failure)
                return (.failed(failure.message), tokens)
            }
            var trouble: String?
            var missed: [Revocable] = []
            for token in tokens {
                do {
                    let outcome = try await SignOutEndpoints.revoke(
                        token.secret, hint: token.kind == .refreshToken ? "refresh_token" : "access_token",
                        clientID: token.clientID, form: form,
                        authentication: token.clientID == configuration.clientID ? own : nil, metadata: metadata,
                        transport: context.provider.transport)
                    if case .refused(let why) = outcome { trouble = why }
                } catch {
                    trouble = error.message
                    missed.append(token)
                }
            }
            if let trouble {
                record.note(.revoke, .failed, trouble)
                return (.failed(trouble), missed)
            }
            record.note(.revoke, .done, Self.words(tokens) + " revoked")
            return (.done, [])
        }
    }

    /// `2 refresh tokens, 1 access token`.
    private static func words(_ tokens: [Revocable]) -> String {
        [(CachedCredential.Kind.refreshToken, "refresh token"), (.accessToken, "access token")].compactMap {
            kind, words in
            let count = tokens.count { $0.kind == kind }
            return count == 0 ? nil : "\(count) \(words)\(count == 1 ? "" : "s")"
        }.joined(separator: ", ")
    }

    private func endSession(_ idToken: CachedCredential?, _ metadata: Result<ProviderMetadata, Failure>)
        async -> (SignOutOutcome.Part, (shown: WebAddress, hinted: WebAddress)?)
    {
        guard options.endsBrowserSession else { return (.notOffered, nil) }
        let provider: ProviderMetadata
        switch metadata {
        case .success(let metadata): provider = metadata
        case .failure(let failure): return (.failed(failure.message), nil)
        }
        let hint = account.username.isEmpty ? nil : account.username
        func address(_ idToken: Secret?, _ listener: LoopbackListener?, _ state: String?) -> WebAddress? {
            SignOutEndpoints.endSessionAddress(
                metadata: provider, idTokenHint: idToken, logoutHint: hint, clientID: configuration.clientID,
                postLogoutRedirectURI: listener?.redirectURI, state: state)
        }
        // URLs for later use have no redirect, because no listener will be running.
        guard let shown = address(nil, nil, nil), let hinted = address(idToken?.secret, nil, nil) else {
            record.note(.endSession, .skipped, "the provider has no end-session page")
            return (.notOffered, nil)
        }
        let pages = (shown, hinted)
        let state = Random.token(bytes: 32)
        let listener = await listen(provider, state)
        defer { listener?.close() }
        do {
            try await userAgents.openBrowser(address(idToken?.secret, listener, listener.map { _ in state }) ?? hinted)
            record.note(.endSession, .done, "page opened")
        } catch {
            record.note(.endSession, .failed, error.message)
            return (.failed(error.message), pages)
        }
        guard let listener else { return (.opened, pages) }
        record.note(
            .endSession, .waiting, "for the browser's redirect, at most \(Self.patience) s")
        do {
            switch try await listener.signOutReturn(timeout: .seconds(Self.patience)) {
            case .confirmed:
                record.note(.endSession, .done, "redirect received")
                return (.done, pages)
            case .unconfirmed:
                record.note(.endSession, .done, "the browser returned without the expected state")
                return (.opened, pages)
            }
        } catch {
            // Providers without this redirect URI registered end on their own page, which alone shows the result.
            let why =
                Task.isCancelled
                ? "cancelled" : "no redirect from the browser; see its page"
            record.note(.endSession, .failed, why)
            return (Task.isCancelled ? .failed("cancelled; the page was opened") : .opened, pages)
        }
    }

    /// Listens for the redirect after the sign-out, if configured (OpenID Connect RP-Initiated Logout section 3).
    private func listen(_ provider: ProviderMetadata, _ state: String) async -> LoopbackListener? {
        guard provider.endSession != nil, context.provider.opensPorts, let place = configuration.postLogoutRedirectURI
        else { return nil }
        do {
            return try await LoopbackListener.start(redirectURI: place, signOutState: state) { [record] in
                record.note(.endSession, .skipped, $0.words)
            }
        } catch {
            record.note(.endSession, .failed, error.message)
            return nil
        }
    }

    /// Seconds to wait for the browser, because users confirm on a page first.
    private static let patience = 120
}
