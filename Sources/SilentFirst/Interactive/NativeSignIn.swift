import Identity
import SilentCore
import Wire

enum NativeRequest {
    case signIn(username: String), signUp(username: String), reset(username: String)
    /// - Parameter method: the chosen method; nil lets the provider choose.
    case challenge(ContinuationToken, NativeMethod?, NativeDialogue.Stage)
    case challengeRegistration(NativeMethod, target: String, ContinuationToken)
    case methods(ContinuationToken, NativeDialogue.Stage)
    case password(Secret, ContinuationToken)
    case code(Secret, NativeCode, NativeDialogue.Stage)
    case newPassword(Secret, ContinuationToken, NativeDialogue.Stage)
    /// Empty values are valid but not sent.
    case attributes([String: String], ContinuationToken, [NativeAttribute])
    /// After a sign-up, a reset or a registration: no further verification.
    case tokens(ContinuationToken)
    case poll(ContinuationToken)
}

/// Signs in to Entra External ID with prompts in the terminal, and saves the result like any other sign-in.
struct NativeSignIn {
    let flow: Interactive
    let parameters: Interactive.SignInParameters

    /// Limit on prompts and requests per sign-in, in case a provider loops.
    private static let mostMoves = 100

    private var request: TokenRequest { flow.request }

    /// - Returns: nil to continue in a browser.
    func run() async throws(Failure) -> AcquiredToken? {
        guard request.proof == nil else {
            throw Failure(
                .usage, "a sign-in without a browser cannot issue key-bound tokens",
                hint: .useMethod([.browser]))
        }
        let provider: NativeAuthentication
        do {
            provider = try NativeAuthentication(
                authority: parameters.authority, clientID: flow.configuration.clientID,
                correlationID: request.correlationID,
                transport: flow.context.provider.transport)
        } catch { throw Failure(error) }
        var dialogue = NativeDialogue(
            username: request.loginHint ?? request.account?.username ?? "", signsUp: request.prompt == .create)
        var move = dialogue.begin()
        for _ in 0..<Self.mostMoves {
            if Task.isCancelled { throw Self.givenUp }
            switch move {
            case .ask(let question):
                guard let reply = await flow.userAgents.answer(question) else { throw Self.givenUp }
                move = dialogue.told(reply)
            case .send(let next): move = try await send(next, to: provider, &dialogue)
            case .wait(let seconds, let next):
                do { try await Task.sleep(for: .seconds(seconds)) } catch { throw Self.givenUp }
                move = try await send(next, to: provider, &dialogue)
            case .done(let grant):
                flow.record.note(.native, .done, "signed in as \(dialogue.username)", naming: [dialogue.username])
                return try await flow.processor(parameters).keep(grant, of: .native)
            case .browser(let reason):
                flow.record.note(.native, .skipped, "continue in a browser" + (reason.map { ": " + $0 } ?? ""))
                return nil
            case .failed(let failure):
                flow.record.note(.native, failed: failure)
                throw failure
            }
        }
        throw Failure(.untrustedResponse, "too many prompts from the provider", hint: .useMethod([.browser]))
    }

    private static let givenUp = Failure(.cancelled, "the sign-in was cancelled")

    private func send(_ next: NativeRequest, to provider: NativeAuthentication, _ dialogue: inout NativeDialogue)
        async throws(Failure)
        -> NativeDialogue.Action
    {
        let scopes = request.scopes
        let claims = parameters.claims
        do throws(WireError) {
            switch next {
            case .signIn(let username): return dialogue.answered(try await provider.signIn(username: username))
            case .signUp(let username): return dialogue.answered(try await provider.signUp(username: username))
            case .reset(let username): return dialogue.answered(try await provider.resetPassword(username: username))
            case .challenge(let token, _, .signUp):
                return dialogue.answered(try await provider.challengeSignUp(token), .signUp)
            case .challenge(let token, _, .reset):
                return dialogue.answered(try await provider.challengeReset(token), .reset)
            case .challenge(let token, let method, let stage):
                return dialogue.answered(try await provider.challenge(token, method: method), stage)
            case .challengeRegistration(let method, let target, let token):
                let answer = try await provider.challengeRegistration(token, method: method, target: target)
                return dialogue.answered(answer, .registration)
            case .methods(let token, .registration):
                return dialogue.answered(try await provider.registrationMethods(token), .registration)
            case .methods(let token, let stage): return dialogue.answered(try await provider.methods(token), stage)
            case .password(let password, let token):
                return dialogue.answered(
                    try await provider.tokens(password: password, token, scopes: scopes, claims: claims))
            case .code(let text, let code, .signUp):
                return dialogue.answered(try await provider.continueSignUp(code: text, code.continuation))
            case .code(let text, let code, .reset):
                return dialogue.answered(try await provider.continueReset(code: text, code.continuation))
            case .code(let text, let code, .registration):
                return dialogue.answered(try await provider.continueRegistration(code: text, code.continuation))
            case .code(let text, let code, let stage):
                return dialogue.answered(
                    try await provider.tokens(
                        code: text, code.continuation, scopes: scopes, isSecondFactor: stage == .secondFactor,
                        claims: claims))
            case .newPassword(let password, let token, .reset):
                return dialogue.answered(try await provider.submitReset(newPassword: password, token))
            case .newPassword(let password, let token, _):
                return dialogue.answered(try await provider.continueSignUp(password: password, token))
            case .attributes(let given, let token, _):
                let filled = given.filter { !$0.value.isEmpty }
                return dialogue.answered(try await provider.continueSignUp(attributes: filled, token))
            case .tokens(let token):
                return dialogue.answered(
                    try await provider.tokens(for: token, username: dialogue.username, scopes: scopes, claims: claims))
            case .poll(let token): return dialogue.answered(try await provider.pollReset(token))
            }
        } catch { throw Failure(error) }
    }
}

extension NativeDialogue {
    static var confused: Failure {
        Failure(.untrustedResponse, "the provider's response does not match the request", hint: .useMethod([.browser]))
    }

    static func words(_ problem: NativeRefusal.PasswordProblem) -> String {
        switch problem {
        case .tooWeak: "too weak"
        case .tooShort: "too short"
        case .tooLong: "too long"
        case .invalid: "it contains characters that are not allowed"
        case .recentlyUsed: "it was used before"
        case .banned: "it is too easy to guess"
        }
    }

    /// A refusal that no other reply in this sign-in can fix.
    static func failure(_ refusal: NativeRefusal, _ username: String) -> Failure {
        var failure = Failure(refusal.error)
        failure.names = [username]
        switch refusal.reason {
        case .userNotFound:
            failure.message = "there is no account \(username)"
            failure.hint = .createAccount
        case .userExists:
            failure.message = "an account \(username) already exists"
            failure.hint = .doNotCreateAccount
        case .noPassword:
            failure.message = "\(username) has no password"
            failure.hint = .useMethod([.browser])
        case .expired:
            failure.message = "the sign-in took too long"
            failure.hint = "start it again"
        case .blocked: failure.hint = .useMethod([.browser])
        case .wrongPassword, .wrongCode, .unfitPassword, .unfitAttributes, .resetRequired, .unsupported, .other:
            return failure
        }
        failure.code = refusal.reason == .blocked ? .serverError : .interactionRequired
        if refusal.reason != .blocked {
            failure.signInProblem = refusal.reason == .expired ? .nobodyAnswered : .account
        }
        return failure
    }
}
