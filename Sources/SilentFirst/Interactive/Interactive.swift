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
        (self.context, self.request, self.userAgents) = (context.watched, request.steppedUp, userAgents)
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
        try checkRedirectURI(at: authority)
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
            if let granted = error.result { try await SignInConfirmation(self).confirm(granted) }
            throw error
        }
        try await SignInConfirmation(self).confirm(token)
        return token
    }

    /// Before anything is sent, if a browser will be opened.
    private func checkRedirectURI(at authority: Authority) throws(Failure) {
        let address = configuration.redirectURI(at: authority)
        guard context.provider.opensPorts, LoopbackRedirectURI.address(address) == nil else { return }
        let method = request.method == .automatic ? userAgents.automatic().method : request.method
        guard method != .device, method != .native else { return }
        try LoopbackRedirectURI.check(address, named: "the redirect URI", code: .configuration)
    }

    /// Before the user consents to anything: afterwards it would be in vain.
    private func checkOAuthOnly(_ authority: Authority, _ support: ProviderSupport) throws(Failure) {
        guard !request.scopes.union(request.extraScopes).contains("openid") else { throw .openIDAtOAuth }
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
