import FoundationEssentials
import Identity
import TokenCache
import Wire

/// The interactive leg: picks how the person is asked, asks once, and checks that the answer is of that asking.
struct Interactive {
    let application: PublicClientApplication
    let request: TokenRequest
    let userAgents: UserAgents
    let record: TrailRecorder
    let onEvent: @Sendable (SignInEvent) -> Void

    /// How long a person may take in the browser, seconds: five minutes, as long as MSAL waits (atk-C10).
    private static let patience = 300

    private var configuration: PublicClientApplication.Configuration { application.configuration }

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

    private func run() async throws(Failure) -> AcquiredToken {
        let authority = try Aim.authority(of: request, configuration)
        let metadata = try await application.metadata(of: authority, record)
        let (method, reason) = try chooseMethod(metadata)
        record.note(.method, .done, "\(method.rawValue): \(reason)")
        onEvent(.method(method, reason: reason))
        let receipt = Receipt(application: application, request: request, authority: authority, metadata: metadata, record: record)
        let token: AcquiredToken
        switch method {
        case .device: token = try await byDeviceCode(authority, metadata, receipt)
        case .browser, .privateWindow, .text, .automatic, .native: token = try await byLoopback(method, authority, metadata, receipt)
        }
        try confirm(token)
        return token
    }

    private func chooseMethod(_ metadata: ProviderMetadata) throws(Failure) -> (SignInMethod, String) {
        var (method, reason) = request.method == .automatic ? userAgents.automatic() : (request.method, "as asked")
        if method == .device, metadata.device == nil {
            guard request.method == .automatic else {
                throw Failure(.serverError, "the provider has no device sign-in", hint: "use --via browser")
            }
            (method, reason) = (.browser, "the provider has no device sign-in")
        }
        return (method, reason)
    }

    /// Another person than the asked one may have signed in: their account is kept as what it is, and nobody is handed a stranger's token.
    private func confirm(_ token: AcquiredToken) throws(Failure) {
        guard let asked = request.account, !asked.id.isSamePerson(as: token.account.id) else { return }
        record.note(.account, .failed, "\(token.account.label) signed in, \(asked.label) was asked for")
        throw Failure(
            .interactionRequired, "\(token.account.label) signed in, but \(asked.label) was asked for",
            hint: "the new account is kept; choose the right one on the provider's page, or ask for \(token.account.label)")
    }

    // MARK: Device code, RFC 8628

    private func byDeviceCode(_ authority: Authority, _ metadata: ProviderMetadata, _ receipt: Receipt) async throws(Failure)
        -> AcquiredToken
    {
        let scopes = request.scopes.union(request.extraScopes)
        let authorization: DeviceAuthorization
        do {
            authorization = try await DeviceCode.request(
                metadata: metadata, clientID: configuration.clientID, scopes: scopes, claims: try application.claims(for: request),
                isEntra: authority.kind.isEntra, correlationID: request.correlationID, now: application.now(),
                transport: application.provider.transport)
        } catch let error as WireError {
            throw Failure(error)
        } catch let failure as Failure {
            throw failure
        } catch { throw Failure(.cancelled, "given up") }
        record.note(.deviceCode, .done, "code received")
        onEvent(.deviceCode(authorization.prompt))

        let endpoint = application.tokenEndpoint(metadata, authority, request.correlationID)
        var polling = DevicePolling(
            interval: authorization.prompt.interval,
            expiresIn: Int(exactly: authorization.prompt.expiresAt.timeIntervalSince(authorization.prompt.startedAt).rounded()) ?? 900,
            now: BootClock.now)
        var number = 0
        var delay = polling.first
        while true {
            do { try await Task.sleep(for: delay) } catch { throw Failure(.cancelled, "the sign-in was given up") }
            number += 1
            let answer: Result<TokenAnswer, WireError>
            do throws(WireError) { answer = .success(try await endpoint.poll(device: authorization.deviceCode)) } catch {
                answer = .failure(error)
            }
            switch polling.next(after: answer, now: BootClock.now) {
            case .granted(let grant):
                record.note(.deviceCode, .done, "approved, poll \(number)")
                return try await receipt.keep(grant, of: .deviceCode)
            case .wait(let pause, let why):
                delay = pause
                onEvent(
                    .poll(
                        DevicePoll(
                            answer: why, number: number, interval: polling.interval,
                            nextAt: application.now().addingTimeInterval(TimeInterval(pause.components.seconds)))))
            case .refused(let error):
                record.note(.deviceCode, .failed, error.error)
                throw Failure(error)
            case .expired:
                record.note(.deviceCode, .failed, "expired")
                throw Failure(.interactionRequired, "the code expired before it was used", hint: "start the sign-in again")
            case .failed(let error):
                throw Failure(error)
            }
        }
    }

    // MARK: Authorization code with PKCE on a loopback address, RFC 8252

    private func byLoopback(_ method: SignInMethod, _ authority: Authority, _ metadata: ProviderMetadata, _ receipt: Receipt)
        async throws(Failure) -> AcquiredToken
    {
        do {
            let state = Random.token(bytes: 32)
            let nonce = Random.token(bytes: 32)
            let pkce = PKCE()
            // Bound before the browser opens, so that nobody else can take the port (N6, atk-H11).
            let expectation = AuthorizationExpectation(state: state, metadata: metadata)
            let listener = try await LoopbackListener.start(redirectURI: configuration.redirectURI, expectation: expectation) {
                onEvent(.strayRequest($0))
            }
            defer { listener.close() }
            let address = try AuthorizeRequest(
                metadata: metadata, clientID: configuration.clientID, redirectURI: listener.redirectURI,
                scopes: request.scopes.union(request.extraScopes), state: state, nonce: nonce, pkce: pkce, prompt: prompt(authority),
                loginHint: request.loginHint, domainHint: request.domainHint, claims: try application.claims(for: request),
                isEntra: authority.kind.isEntra
            ).address()
            onEvent(
                .browser(
                    BrowserPrompt(
                        authorizationURL: address, redirectURI: listener.redirectURI, port: listener.port,
                        expiresAt: application.now().addingTimeInterval(TimeInterval(Self.patience)))))
            await open(address, method)
            let answer = try await answer(from: listener, expectation)
            onEvent(.redirectReceived)
            switch answer {
            case .refused(let error):
                record.note(.redirect, .failed, error.error)
                throw Failure(error)
            case .code(let code, cloudHost: _):
                record.note(.redirect, .done, "code received on port \(listener.port)")
                let endpoint = application.tokenEndpoint(metadata, authority, request.correlationID)
                let reply = try await endpoint.redeem(
                    code: code, verifier: pkce.verifier, redirectURI: listener.redirectURI, scopes: request.scopes,
                    claims: try application.claims(for: request))
                switch reply {
                case .refused(let error):
                    record.note(.redeem, .failed, error.error)
                    throw Failure(error)
                case .granted(let grant):
                    record.note(.redeem, .done, "code exchanged")
                    return try await receipt.keep(grant, of: .authorizationCode(nonce: nonce))
                }
            }
        } catch let error as WireError {
            throw Failure(error)
        } catch let failure as Failure {
            throw failure
        } catch { throw Failure(.cancelled, "the sign-in was given up") }
    }

    /// After a sign-out of this client the next page asks for credentials, whatever the browser holds; MSAL does the same.
    private func prompt(_ authority: Authority) -> Prompt? {
        if let prompt = request.prompt { return prompt }
        guard let account = request.account, let snapshot = try? application.cache.read() else { return nil }
        return snapshot.isSignedOut(account.id, clientID: configuration.clientID) ? .login : nil
    }

    private func open(_ address: WebAddress, _ method: SignInMethod) async {
        do {
            if method == .text {
                try await userAgents.openTextBrowser(address)
            } else {
                try await userAgents.openBrowser(address)
            }
            record.note(.browser, .done, "opened")
        } catch {
            record.note(.browser, .failed, error.message)
            onEvent(.browserUnavailable(error.message))
        }
    }

    /// Whichever comes first: the redirect to the listener, or what the person pastes.
    private func answer(from listener: LoopbackListener, _ expectation: AuthorizationExpectation) async throws(WireError)
        -> AuthorizationAnswer
    {
        let pasted = userAgents.pastedLines()
        let first = await withTaskGroup(of: Result<AuthorizationAnswer, WireError>?.self) { group in
            group.addTask {
                do throws(WireError) { return .success(try await listener.response(timeout: .seconds(Self.patience))) } catch {
                    return .failure(error)
                }
            }
            group.addTask { [record] in
                for await line in pasted {
                    do throws(WireError) {
                        return .success(try PastedRedirect.answer(line, expectation))
                    } catch {
                        record.note(.redirect, .failed, "pasted text: \(error.message)")
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
}
