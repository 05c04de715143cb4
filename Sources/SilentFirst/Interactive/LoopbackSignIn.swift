import FoundationEssentials
import Identity
import Proofs
import SilentCore
import TokenCache
import Wire

/// Authorization code with PKCE and a loopback redirect (RFC 8252), in the method's browser.
struct LoopbackSignIn {
    let flow: Interactive
    let parameters: Interactive.SignInParameters

    private var request: TokenRequest { flow.request }
    private var isEntra: Bool { parameters.authority.kind.isEntra }

    func run(_ method: SignInMethod) async throws(Failure) -> AcquiredToken {
        do {
            let extra = try extraParameters()
            try checkResponseMode()
            let state = Random.token(bytes: 32)
            let nonce = Random.token(bytes: 32)
            let pkce = PKCE()
            let instances = flow.context.provider.instances
            let expectation = AuthorizationExpectation(
                state: state, metadata: parameters.metadata, responseMode: request.responseMode
            ) {
                instances.isRecognized($0)
            }
            // Bound before the browser opens, so that no other process can take the port.
            let listener = try await listener(expectation)
            defer { listener.close() }
            let authorization = AuthorizeRequest(
                metadata: parameters.metadata, clientID: flow.configuration.clientID, redirectURI: listener.redirectURI,
                scopes: request.scopes.union(request.extraScopes), reservedScopes: flow.reservedScopes(parameters),
                state: state, nonce: nonce, pkce: pkce, prompt: prompt(), loginHint: request.loginHint,
                domainHint: request.domainHint, claims: parameters.claims, isEntra: isEntra,
                responseMode: request.responseMode, maxAge: request.maxAge, acrValues: request.acrValues,
                homeAccountID: request.account?.identifier, instanceAware: flow.configuration.instanceAware,
                correlationID: request.correlationID, resource: request.resource, boundTo: parameters.binding.dpopKey,
                extra: extra)
            let address = try await address(of: authorization)
            flow.onEvent(
                .browser(
                    BrowserPrompt(
                        authorizationURL: address, redirectURI: listener.redirectURI, port: listener.port,
                        expiresAt: flow.context.now().addingTimeInterval(
                            TimeInterval(flow.userAgents.patience.components.seconds)))))
            await open(address, method)
            let answer: Answer
            do throws(WireError) {
                answer = try await self.answer(from: listener, expectation) { code throws(WireError) in
                    try await granted(code, pkce, listener.redirectURI)
                }
            } catch { throw unanswered(error) }
            flow.onEvent(.redirectReceived)
            flow.onEvent(.userAgent(.redirected))
            switch answer {
            case .granted(let grant):
                flow.record.note(.redirect, .done, "code pasted")
                return try await keep(grant, nonce: nonce, with: parameters)
            case .response(.refused(let error)):
                flow.record.note(.redirect, .failed, "refused (\(error.error))")
                throw refusal(error)
            case .response(.code(let code, let cloudHost)):
                flow.record.note(.redirect, .done, "code received on port \(listener.port)")
                return try await redeem(
                    code, pkce, listener.redirectURI, nonce: nonce, with: try await moved(to: cloudHost))
            }
        } catch let error as WireError {
            throw Failure(error, inSignIn: true)
        } catch let failure as Failure {
            throw failure
        } catch { throw Failure(.cancelled, "the sign-in was cancelled") }
    }

    private func listener(_ expectation: AuthorizationExpectation) async throws(WireError) -> LoopbackListener {
        let redirectURI = flow.redirectURI(parameters)
        guard flow.context.provider.opensPorts else { return LoopbackListener.withoutPort(redirectURI: redirectURI) }
        return try await LoopbackListener.start(redirectURI: redirectURI, expectation: expectation) {
            switch $0 {
            case .answer(let words): flow.onEvent(.strayAnswer(words))
            case .other(let words): flow.onEvent(.strayRequest(words))
            }
        }
    }

    /// Handles a missing redirect. A provider that does not recognize the client or the redirect URI shows an error
    /// page and does not redirect (RFC 6749 section 4.1.2.1), so a wrong registration looks like a timeout.
    private func unanswered(_ error: WireError) -> Failure {
        let client = flow.configuration.clientID
        let place = flow.redirectURI(parameters)
        let kind = isEntra ? "as a mobile and desktop application" : "as a native client"
        let registration =
            """
            if the page showed a client or redirect URI error, check client ID \(client) and register \(place) \
            \(kind)
            """
        switch error {
        case .timedOut:
            return Failure(
                .unavailable,
                """
                no redirect within \(flow.userAgents.patience.components.seconds) s; see the page in the \
                browser
                """,
                hint: .browserDidNotReturn(registration: registration))
        case .cancelled: return Failure(.cancelled, error.message, hint: .text(registration))
        default: return Failure(error, inSignIn: true)
        }
    }

    /// `prompt=none` fails with these errors if interaction is required (OpenID Connect Core section 3.1.2.6).
    private func refusal(_ error: OAuthError) -> Failure {
        var failure = Failure(error, inSignIn: true)
        let wantsPerson = ["login_required", "interaction_required", "consent_required", "account_selection_required"]
        guard request.prompt == Prompt.none, failure.code == .interactionRequired || wantsPerson.contains(error.error)
        else {
            return failure
        }
        failure.code = .interactionRequired
        failure.message = "the browser has no session that works without a prompt (\(error.error))"
        failure.hint = .letProviderAsk
        return failure
    }

    private func redeem(
        _ code: Secret, _ pkce: PKCE, _ redirectURI: String, nonce: String,
        with parameters: Interactive.SignInParameters
    ) async throws -> AcquiredToken {
        let reply = try await flow.tokenEndpoint(parameters).redeem(
            code: code, verifier: pkce.verifier, redirectURI: redirectURI, scopes: request.scopes,
            claims: parameters.claims, resource: request.resource)
        switch reply {
        case .refused(let error):
            flow.record.note(.redeem, .failed, "rejected (\(error.error))")
            throw Failure(error, inSignIn: true)
        case .granted(let grant): return try await keep(grant, nonce: nonce, with: parameters)
        }
    }

    private func keep(_ grant: TokenGrant, nonce: String, with parameters: Interactive.SignInParameters) async throws
        -> AcquiredToken
    {
        flow.record.note(.redeem, .done, "exchanged for tokens")
        let token = try await flow.processor(parameters).keep(grant, of: .authorizationCode(nonce: nonce))
        flow.onEvent(.userAgent(.completed))
        return token
    }

    /// Redeems a code that was pasted alone. Only the provider can judge it; a rejection does not end the sign-in.
    private func granted(_ code: Secret, _ pkce: PKCE, _ redirectURI: String) async throws(WireError) -> TokenGrant {
        let reply = try await flow.tokenEndpoint(parameters).redeem(
            code: code, verifier: pkce.verifier, redirectURI: redirectURI, scopes: request.scopes,
            claims: parameters.claims, resource: request.resource)
        switch reply {
        case .granted(let grant): return grant
        case .refused(let error): throw .refused(error)
        }
    }

    /// The user's cloud if that responded (`cloud_instance_host_name`): the code is only redeemed there.
    private func moved(to host: String?) async throws(Failure) -> Interactive.SignInParameters {
        guard let host, parameters.authority.kind == .aad, !Cloud.isSame(host, parameters.authority.environment),
            host != parameters.authority.address.hostAndPort
        else { return parameters }
        let authority: Authority
        do { authority = try parameters.authority.withHost(host) } catch {
            throw Failure(.untrustedResponse, "the provider named a cloud that is not allowed: \(error)")
        }
        var moved = parameters
        moved.authority = authority
        moved.metadata = try await flow.context.metadata(of: authority, flow.record)
        moved.authentication = try await flow.context.authentication(moved.metadata, at: authority)
        return moved
    }

    /// The URL to open; the request is pushed first if the provider requires it (RFC 9126).
    private func address(of authorization: AuthorizeRequest) async throws(WireError) -> WebAddress {
        guard PushedAuthorization.isNeeded(parameters.metadata, wished: flow.configuration.pushesAuthorizationRequests)
        else {
            return try authorization.address()
        }
        let address = try await PushedAuthorization.push(
            authorization, authentication: parameters.authentication, correlationID: request.correlationID,
            transport: flow.context.provider.transport)
        flow.record.note(.pushedRequest, .done, parameters.metadata.pushedAuthorization?.hostAndPort ?? "")
        return address
    }

    private func extraParameters() throws(Failure) -> ExtraParameters {
        let sorted = request.extraQueryParameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        do { return try ExtraParameters(sorted) } catch {
            throw Failure(.usage, error.description, hint: .useOwnParameter)
        }
    }

    private func checkResponseMode() throws(Failure) {
        let offered = parameters.metadata.responseModes
        guard request.responseMode != .query, !offered.isEmpty, !offered.contains(request.responseMode.rawValue) else {
            return
        }
        throw Failure(
            .serverError, "unsupported response mode \(request.responseMode.rawValue)",
            hint: "omit the response mode")
    }

    /// After a sign-out of this client, requires credentials unless the request sets a prompt, as in MSAL.
    private func prompt() -> Prompt? {
        if let prompt = request.prompt { return prompt }
        guard let account = request.account, let snapshot = try? flow.context.cache.read() else { return nil }
        return snapshot.isSignedOut(account.id, clientID: flow.configuration.clientID) ? .login : nil
    }

    private func open(_ address: WebAddress, _ method: SignInMethod) async {
        flow.onEvent(.userAgent(.started(method)))
        do {
            try await flow.userAgents.open(address, by: method)
            flow.record.note(.browser, .done, "opened")
            flow.onEvent(.userAgent(.loaded))
        } catch {
            flow.record.note(.browser, .failed, error.message)
            flow.onEvent(.userAgent(.failed(error.message)))
            flow.onEvent(.browserUnavailable(error.message))
        }
    }

    private enum Answer {
        /// From the browser, or from its pasted URL.
        case response(AuthorizationAnswer)
        /// For a pasted code that the provider accepted.
        case granted(TokenGrant)
    }

    /// Waits for the redirect to the listener or for pasted text, whichever comes first.
    ///
    /// - Parameter redeem: redeems a code that was pasted without its URL.
    private func answer(
        from listener: LoopbackListener, _ expectation: AuthorizationExpectation,
        redeem: @escaping @Sendable (Secret) async throws(WireError) -> TokenGrant
    ) async throws(WireError) -> Answer {
        let pasted = flow.userAgents.pastedLines()
        let first = await withTaskGroup(of: Result<Answer, WireError>?.self) { group in
            group.addTask {
                do throws(WireError) {
                    return .success(.response(try await listener.response(timeout: flow.userAgents.patience)))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { [record = flow.record, onEvent = flow.onEvent] in
                for await line in pasted {
                    do throws(WireError) {
                        switch try PastedRedirect.answer(line, expectation) {
                        case .address(let response): return .success(.response(response))
                        case .code(let code): return .success(.granted(try await redeem(code)))
                        }
                    } catch {
                        let why = Self.words(error)
                        record.note(.redirect, .failed, "pasted text: \(why)")
                        onEvent(.pastedTextRefused(why))
                    }
                }
                return nil
            }
            defer { group.cancelAll() }
            for await result in group { if let result { return result } }
            return .failure(WireError.cancelled)
        }
        return try first.get()
    }

    private static func words(_ error: WireError) -> String {
        guard case .refused(let refusal) = error else { return error.message }
        return "the provider rejected the code (\(refusal.error)); paste the whole URL"
    }
}

extension TokenBinding {
    /// The key that an authorization code can be bound to (RFC 9449 section 10).
    fileprivate var dpopKey: ProofKey? {
        if case .dpop(let key, _) = self { return key }
        return nil
    }
}
