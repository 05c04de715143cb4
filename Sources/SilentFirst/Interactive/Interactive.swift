import FoundationEssentials
import Identity
import TokenCache
import Wire

/// The interactive flow: picks how the person is asked, asks once, and checks that the answer is of that asking.
struct Interactive {
    let context: ClientContext
    let request: TokenRequest
    let userAgents: UserAgents
    let record: StepRecorder
    let onEvent: @Sendable (SignInEvent) -> Void

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

    /// What the person is asked for, and where: the same for every method.
    struct SignInParameters: Sendable {
        var authority: Authority
        var metadata: ProviderMetadata
        var binding: TokenBinding
        /// A challenge with this application's capabilities in it.
        var claims: String?
        /// That the store can take the answer was found out before anybody is asked.
        var reservation: WriteReservation
    }

    private func run() async throws(Failure) -> AcquiredToken {
        guard request.agentSession == nil else {
            throw Failure(.usage, "an agent's session cannot sign in", hint: "sign in outside of the session")
        }
        let authority = try ResolvedRequest.authority(of: request, configuration)
        let claims = try configuration.claims(for: request)
        let metadata = try await context.metadata(of: authority, record)
        let binding = try ProofKeys(configuration, context.cache, context.provider.nonces).binding(
            for: request, metadata, at: authority)
        let reservation: WriteReservation
        do throws(StoreError) { reservation = try await context.cache.reserve() } catch {
            record.note(.save, .failed, error.message)
            throw Failure(error)
        }
        defer { reservation.release() }
        let parameters = SignInParameters(
            authority: authority, metadata: metadata, binding: binding, claims: claims, reservation: reservation)
        let (method, reason) = try chooseMethod(parameters)
        record.note(.method, .done, "\(method.words) (\(reason))")
        onEvent(.method(method, reason: reason))
        let token: AcquiredToken
        do throws(Failure) { token = try await sign(in: parameters, by: method) } catch {
            // Fewer scopes than were asked for, and perhaps of another person: then what was granted is a stranger's.
            if let granted = error.result { try await confirm(granted) }
            throw error
        }
        try await confirm(token)
        return token
    }

    private func sign(in parameters: SignInParameters, by method: SignInMethod) async throws(Failure) -> AcquiredToken {
        switch method {
        case .device: return try await DeviceSignIn(flow: self, parameters: parameters).run()
        case .browser, .privateWindow, .text, .automatic:
            return try await LoopbackSignIn(flow: self, parameters: parameters).run(method)
        case .native:
            if let token = try await NativeSignIn(flow: self, parameters: parameters).run() { return token }
            // The provider or the person wants a browser for the rest: the one that is usual here.
            let usual = userAgents.automatic().method
            let next: SignInMethod =
                usual == .native || (usual == .device && parameters.metadata.device == nil) ? .browser : usual
            onEvent(.method(next, reason: "the sign-in continues in a browser"))
            return try await sign(in: parameters, by: next)
        }
    }

    private func chooseMethod(_ parameters: SignInParameters) throws(Failure) -> (SignInMethod, String) {
        var (method, reason) = request.method == .automatic ? userAgents.automatic() : (request.method, "as chosen")
        if method == .device, parameters.metadata.device == nil {
            guard request.method == .automatic else {
                throw Failure(.serverError, "the provider has no device sign-in", hint: .useMethod([.browser]))
            }
            (method, reason) = (.browser, "the provider has no device sign-in")
        }
        if method == .native, parameters.authority.kind != .ciam {
            throw Failure(
                .usage, "only Entra External ID signs in without a browser", hint: .useMethod([.browser, .device]))
        }
        return (method, reason)
    }

    func processor(_ parameters: SignInParameters) -> TokenResponseProcessor {
        TokenResponseProcessor(
            context: context, request: request, authority: parameters.authority, metadata: parameters.metadata,
            binding: parameters.binding,
            record: record, reservation: parameters.reservation)
    }

    func tokenEndpoint(_ parameters: SignInParameters) -> TokenEndpoint {
        context.tokenEndpoint(parameters.metadata, parameters.authority, request.correlationID, parameters.binding)
    }

    /// Another person than the asked one may have signed in: their account is kept as what it is, and nobody is handed
    /// a stranger's token.
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
                record.note(.remove, .done, "\(asked.label) was made anew; the tokens of the one before are removed")
            } catch { record.note(.remove, .failed, error.message) }
            return
        }
        record.note(.account, .failed, "\(token.account.label) signed in, \(asked.label) was requested")
        throw Failure(
            .interactionRequired, "\(token.account.label) signed in, but \(asked.label) was requested",
            hint:
                """
                the new account is kept; choose the right one on the provider's page, or ask for \
                \(token.account.label)
                """,
            signInProblem: .otherAccount)
    }

    /// Whether nothing that is kept of an account works any more: none of its refresh tokens is there, or the provider
    /// refuses them for good. A person who was only renamed still has theirs, and whoever has the name now is another.
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

extension Account {
    /// Whether another account can be this person's, made anew: of the same tenant of Entra ID and by the same name,
    /// which nobody else there has at the same time. Personal accounts are not made by an administrator, and B2C's are
    /// one for each policy.
    fileprivate func mayBeSucceeded(by other: Account) -> Bool {
        guard issuer == nil, other.issuer == nil, Cloud.isSame(environment, other.environment),
            let tenant = homeTenantID?.asciiLowercased, tenant == other.homeTenantID?.asciiLowercased,
            tenant != Self.personalTenant, !username.isEmpty,
            [self, other].allSatisfy({ $0.homeAccountID.dropLast(tenant.utf8.count + 1).isGUID })
        else { return false }
        return username.asciiLowercased == other.username.asciiLowercased
    }
}
