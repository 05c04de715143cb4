import FoundationEssentials
import Identity
import Proofs
import SilentCore
import TokenCache
import Wire

/// The interactive flow: chooses a method, prompts once, and checks that the response matches the request.
struct Interactive {
    let context: ClientContext
    let request: TokenRequest
    let userAgents: UserAgents
    let record: StepRecorder
    let onEvent: @Sendable (SignInEvent) -> Void

    init(
        context: ClientContext, request: TokenRequest, userAgents: UserAgents, record: StepRecorder,
        onEvent: @escaping @Sendable (SignInEvent) -> Void
    ) {
        (self.context, self.request, self.userAgents) = (context, request.steppedUp, userAgents)
        (self.record, self.onEvent) = (record, onEvent)
    }

    var configuration: ClientConfiguration { context.configuration }

    func acquire() async -> Result<AcquiredToken, Failure> {
        do throws(Failure) {
            let token = try await run()
            onEvent(.completed)
            return .success(token)
        } catch {
            let failure = record.failed(error, correlationID: request)
            onEvent(.failed(failure))
            return .failure(failure)
        }
    }

    struct SignInParameters: Sendable {
        var authority: Authority
        var metadata: ProviderMetadata
        /// Nil for a public client. Read before the user is prompted.
        var authentication: ClientAuthentication?
        var binding: TokenBinding
        /// The claims challenge, merged with the application's capabilities.
        var claims: String?
        /// Ensures that the store can save the response before the user is prompted.
        var reservation: WriteReservation
    }

    private func run() async throws(Failure) -> AcquiredToken {
        guard request.agentSession == nil else {
            throw Failure(.usage, "an agent's session cannot sign in", hint: "sign in outside of the session")
        }
        let authority = try ResolvedRequest.authority(of: request, configuration)
        let claims = try configuration.claims(for: request)
        try request.check(at: authority)
        let metadata = try await context.metadata(of: authority, record)
        let support = ProviderSupport(authority, metadata, configuration)
        if metadata.isOAuthOnly { try checkOAuthOnly(authority, support) }
        let authentication = try await context.authentication(metadata, at: authority)
        let binding = try ProofKeys(context.cached).binding(for: request, metadata, at: authority)
        let reservation: WriteReservation
        do throws(StoreError) { reservation = try await context.cache.reserve() } catch {
            record.note(.save, .failed, error.message)
            throw Failure(error)
        }
        defer { reservation.release() }
        let parameters = SignInParameters(
            authority: authority, metadata: metadata, authentication: authentication, binding: binding, claims: claims,
            reservation: reservation)
        let (method, reason) = try support.method(for: request.method, automatic: userAgents.automatic)
        record.note(.method, .done, "\(method.words) (\(reason))")
        onEvent(.method(method, reason: reason))
        let token: AcquiredToken
        do throws(Failure) { token = try await sign(in: parameters, by: method) } catch {
            // A token with fewer scopes can also belong to a different user.
            if let granted = error.result { try await confirm(granted) }
            throw error
        }
        try await confirm(token)
        return token
    }

    /// Before the user consents to anything: afterwards it would be in vain.
    private func checkOAuthOnly(_ authority: Authority, _ support: ProviderSupport) throws(Failure) {
        guard !request.scopes.union(request.extraScopes).contains("openid") else {
            throw Failure(
                .usage,
                "the scope openid requires the kind oidc: ID tokens of a server with OAuth alone are not checked",
                hint: "remove openid from the scopes, or set the kind oidc")
        }
        guard support.namesAccount || request.accountName != nil else { throw Failure.unnamed(authority) }
    }

    private func sign(in parameters: SignInParameters, by method: SignInMethod) async throws(Failure) -> AcquiredToken {
        switch method {
        case .device: return try await DeviceSignIn(flow: self, parameters: parameters).run()
        case .browser, .privateWindow, .text, .automatic:
            return try await LoopbackSignIn(flow: self, parameters: parameters).run(method)
        case .native:
            if let token = try await NativeSignIn(flow: self, parameters: parameters).run() { return token }
            // The provider or the user switches to a browser: use the default method.
            let usual = userAgents.automatic().method
            let next: SignInMethod =
                usual == .native || (usual == .device && parameters.metadata.device == nil) ? .browser : usual
            onEvent(.method(next, reason: "the sign-in continues in a browser"))
            return try await sign(in: parameters, by: next)
        }
    }

    /// The redirect URI of this sign-in.
    func redirectURI(_ parameters: SignInParameters) -> String {
        configuration.redirectURI(at: parameters.authority)
    }

    /// The requested ones of `openid`, `profile` and `offline_access`; nil for all that the provider supports.
    func reservedScopes(_ parameters: SignInParameters) -> ScopeSet? {
        configuration.reservedScopes(asking: request.scopes.union(request.extraScopes), at: parameters.authority)
    }

    func processor(_ parameters: SignInParameters) -> TokenResponseProcessor {
        TokenResponseProcessor(
            context: context, request: request, authority: parameters.authority, metadata: parameters.metadata,
            authentication: parameters.authentication, binding: parameters.binding,
            record: record, reservation: parameters.reservation)
    }

    func tokenEndpoint(_ parameters: SignInParameters) -> TokenEndpoint {
        context.tokenEndpoint(
            parameters.metadata, parameters.authority, parameters.authentication, request.correlationID,
            parameters.binding)
    }

    /// If a different user signed in, keeps that account but does not return its token.
    private func confirm(_ token: AcquiredToken) async throws(Failure) {
        guard let asked = request.account, !asked.isNamesake(of: token.account),
            !asked.id.isSamePerson(as: token.account.id)
        else {
            return
        }
        if asked.mayBeSucceeded(by: token.account), await hasEnded(asked) {
            do throws(StoreError) {
                _ = try await BlockingExecutor.run { [context, configuration] () throws(StoreError) in
                    try context.cache.forget(asked.id, clientID: configuration.clientID)
                }
                record.note(
                    .remove, .done, "\(asked.label) was recreated; its earlier tokens are removed", naming: asked.names)
            } catch { record.note(.remove, .failed, error.message) }
            return
        }
        let names = token.account.names + asked.names
        record.note(
            .account, .failed, "\(token.account.label) signed in, \(asked.label) was requested", naming: names)
        throw Failure(
            .interactionRequired, "\(token.account.label) signed in, but \(asked.label) was requested",
            hint:
                """
                the new account is saved; choose the right one on the provider's page, or request \
                \(token.account.label)
                """,
            signInProblem: .otherAccount, naming: names)
    }

    /// Whether all credentials of an account are invalid: it has no refresh tokens left, or the provider rejects them
    /// permanently. A renamed user still has valid ones, so a new holder of the name is someone else.
    private func hasEnded(_ account: Account) async -> Bool {
        var request = TokenRequest(scopes: request.scopes, account: account)
        request.authority = self.request.authority
        request.forceRefresh = true
        let silent = Silent(context: context, request: request, record: StepRecorder { _ in })
        guard case .failure(let failure) = await silent.acquire(), failure.code == .interactionRequired else {
            return false
        }
        guard let error = failure.oauthError else { return true }
        return failure.suberror == RefreshQueue.accountDeleted
            || OAuthError(
                error: error, suberror: failure.suberror, codes: failure.serverCodes, claims: failure.claims
            ).isOfTheToken
    }
}

extension ProviderSupport {
    init(_ authority: Authority, _ metadata: ProviderMetadata, _ configuration: ClientConfiguration) {
        self.init(kind: authority.kind, hasDeviceCode: metadata.device != nil)
        if configuration.clientSecret(at: authority) == nil, let known = configuration.knownServer(of: authority) {
            missingSecret = known.secret
        }
        namesAccount =
            !metadata.isOAuthOnly || configuration.account(of: authority) != nil || metadata.userInfo != nil
            || metadata.introspection != nil
    }
}

extension Account {
    /// Whether another account can be a recreation of this one: same Entra ID tenant and username, which is unique
    /// there. Excludes personal accounts, which administrators do not create, and B2C, with separate accounts per
    /// policy.
    fileprivate func mayBeSucceeded(by other: Account) -> Bool {
        guard issuer == nil, other.issuer == nil, Cloud.isSame(environment, other.environment),
            let tenant = homeTenantID?.asciiLowercased, tenant == other.homeTenantID?.asciiLowercased,
            tenant != Self.personalTenant, !username.isEmpty,
            [self, other].allSatisfy({ $0.homeAccountID.dropLast(tenant.utf8.count + 1).isGUID })
        else { return false }
        return username.asciiLowercased == other.username.asciiLowercased
    }
}
