import Identity
import Wire

/// The state machine of a sign-in without a browser: each reply or response leads to the next action.
///
/// It neither prompts nor sends. New accounts need an explicit request (`prompt=create`), in case of a typo.
struct NativeDialogue {
    enum Action {
        case ask(SignInQuestion)
        case send(NativeRequest)
        case wait(seconds: Int, NativeRequest)
        case done(TokenGrant)
        /// Continue in a browser, with the provider's reason, if any.
        case browser(reason: String?)
        case failed(Failure)
    }

    /// The part of the conversation that a challenge belongs to.
    enum Stage: Hashable { case signIn, secondFactor, registration, signUp, reset }

    private enum Waiting {
        case username
        case password(ContinuationToken)
        case code(NativeCode, Stage)
        case newPassword(ContinuationToken, Stage)
        case method([NativeMethod], ContinuationToken, Stage)
        case target(NativeMethod, ContinuationToken)
        case attributes(ContinuationToken, [NativeAttribute], [String: String])
        case provider(NativeRequest)
    }

    /// Wrong passwords, codes and attributes allowed per sign-in; the provider also counts them and locks the account.
    static let mostTries = 5
    /// Polls for a new password to take effect.
    static let mostPolls = 30

    private(set) var username: String
    private let signsUp: Bool
    private var waiting = Waiting.username
    private var tries = 0
    private var polls = 0

    init(username: String, signsUp: Bool) { (self.username, self.signsUp) = (username, signsUp) }

    mutating func begin() -> Action {
        guard !username.isEmpty else { return .ask(.username) }
        return send(signsUp ? .signUp(username: username) : .signIn(username: username))
    }

    // MARK: The person's answers

    mutating func told(_ reply: SignInReply) -> Action {
        switch (reply, waiting) {
        case (.browser, _): .browser(reason: nil)
        case (.text(let text), .username):
            began(text.reveal())
        case (.text(let text), .password(let continuation)):
            text.isEmpty ? send(.reset(username: username)) : send(.password(text, continuation))
        case (.text(let text), .code(let code, let stage)):
            send(text.isEmpty ? Self.challenge(code.continuation, stage) : .code(text, code, stage))
        case (.text(let text), .newPassword(let continuation, let stage)):
            text.isEmpty ? ask() : send(.newPassword(text, continuation, stage))
        case (.text(let text), .target(let method, let continuation)):
            text.isEmpty && method.target.isEmpty
                ? ask()
                : send(
                    .challengeRegistration(method, target: text.isEmpty ? method.target : text.reveal(), continuation))
        case (.text(let text), .attributes(let continuation, let wanted, let given)):
            answered(wanted, given, text.reveal(), continuation)
        case (.choice(let number), .method(let methods, let continuation, let stage)):
            methods.indices.contains(number) ? chosen(methods[number], continuation, stage) : ask()
        case (.text, .method), (.text, .provider), (.choice, _): ask()
        }
    }

    private mutating func began(_ text: String) -> Action {
        username = String(text.prefix(256)).filter { !$0.isWhitespace }
        return begin()
    }

    private mutating func answered(
        _ wanted: [NativeAttribute], _ given: [String: String], _ text: String, _ continuation: ContinuationToken
    )
        -> Action
    {
        guard let attribute = wanted.first(where: { given[$0.name] == nil }) else { return .failed(Self.confused) }
        guard !text.isEmpty || !attribute.isRequired else { return ask() }
        var given = given
        given[attribute.name] = text
        waiting = .attributes(continuation, wanted, given)
        return wanted.allSatisfy { given[$0.name] != nil }
            ? send(.attributes(given, continuation, wanted)) : ask()
    }

    private mutating func chosen(_ method: NativeMethod, _ continuation: ContinuationToken, _ stage: Stage) -> Action {
        guard stage == .registration else { return send(.challenge(continuation, method, stage)) }
        waiting = .target(method, continuation)
        return ask()
    }

    // MARK: The provider's answers

    mutating func answered(_ answer: NativeAnswer<ContinuationToken>) -> Action {
        advance(answer) { dialogue, continuation in
            guard case .provider(let sent) = dialogue.waiting else { return .failed(Self.confused) }
            switch sent {
            case .signIn: return dialogue.send(.challenge(continuation, nil, .signIn))
            case .signUp: return dialogue.send(.challenge(continuation, nil, .signUp))
            case .reset: return dialogue.send(.challenge(continuation, nil, .reset))
            case .code(_, _, .reset):
                dialogue.waiting = .newPassword(continuation, .reset)
                return dialogue.ask()
            case .code(_, _, .registration): return dialogue.send(.tokens(continuation))
            case .challenge, .challengeRegistration, .methods, .password, .code, .tokens, .attributes, .newPassword,
                .poll:
                return .failed(Self.confused)
            }
        }
    }

    mutating func answered(_ answer: NativeAnswer<NativeChallenge>, _ stage: Stage) -> Action {
        advance(answer) { dialogue, challenge in
            switch challenge {
            case .password(let continuation):
                dialogue.waiting =
                    stage == .signUp || stage == .reset ? .newPassword(continuation, stage) : .password(continuation)
            case .code(let code): dialogue.waiting = .code(code, stage)
            case .choose(let continuation): return dialogue.send(.methods(continuation, stage))
            }
            return dialogue.ask()
        }
    }

    mutating func answered(_ answer: NativeAnswer<NativeMethods>, _ stage: Stage) -> Action {
        advance(answer) { dialogue, list in
            dialogue.waiting = .method(list.methods, list.continuation, stage)
            return list.methods.count == 1 ? dialogue.chosen(list.methods[0], list.continuation, stage) : dialogue.ask()
        }
    }

    mutating func answered(_ answer: NativeAnswer<NativeTokens>) -> Action {
        advance(answer) { dialogue, tokens in
            switch tokens {
            case .granted(let grant): return .done(grant)
            case .secondFactor(let continuation): return dialogue.send(.challenge(continuation, nil, .secondFactor))
            case .registration(let continuation): return dialogue.send(.methods(continuation, .registration))
            }
        }
    }

    mutating func answered(_ answer: NativeAnswer<NativeSignUp>) -> Action {
        advance(answer) { dialogue, step in
            switch step {
            case .done(let continuation): return dialogue.send(.tokens(continuation))
            // Both need a challenge first, whose response requests a code or the password.
            case .verification(let continuation), .password(let continuation):
                return dialogue.send(.challenge(continuation, nil, .signUp))
            case .attributes(let continuation, let wanted):
                guard !wanted.isEmpty else { return .failed(Self.confused) }
                dialogue.waiting = .attributes(continuation, wanted, [:])
                return dialogue.ask()
            }
        }
    }

    mutating func answered(_ answer: NativeAnswer<NativeReset>) -> Action {
        advance(answer) { dialogue, step in
            switch step {
            case .done(let continuation?): return dialogue.send(.tokens(continuation))
            // The new password is set but yields no token: the user signs in with it.
            case .done(nil): return dialogue.send(.signIn(username: dialogue.username))
            case .wait(let continuation, let seconds):
                dialogue.polls += 1
                guard dialogue.polls <= Self.mostPolls else {
                    return .failed(
                        Failure(
                            .unavailable, "the new password has not taken effect yet",
                            hint: "sign in with it later"))
                }
                dialogue.waiting = .provider(.poll(continuation))
                return .wait(seconds: seconds, .poll(continuation))
            case .failed: return .failed(Failure(.serverError, "the provider could not set the new password"))
            }
        }
    }

    private mutating func advance<Next>(_ answer: NativeAnswer<Next>, _ next: (inout NativeDialogue, Next) -> Action)
        -> Action
    {
        switch answer {
        case .next(let value): next(&self, value)
        case .browser(let reason): .browser(reason: reason)
        case .refused(let refusal): refused(refusal)
        }
    }

    private mutating func refused(_ refusal: NativeRefusal) -> Action {
        guard case .provider(let sent) = waiting else { return .failed(Self.confused) }
        // There are several verification methods. Without a new continuation token, the sent one remains valid.
        if refusal.error.suberror == "introspect_required", case .challenge(let continuation, nil, let stage) = sent {
            return send(.methods(continuation, stage))
        }
        switch (refusal.reason, sent) {
        case (.wrongPassword, .password(_, let continuation)):
            return again(.password(continuation), "wrong password")
        case (.wrongCode, .code(_, let code, let stage)): return again(.code(code, stage), "wrong code")
        case (.unfitPassword(let problem), .newPassword(_, let continuation, let stage)):
            return again(.newPassword(continuation, stage), Self.words(problem))
        case (.unfitAttributes, .attributes(let given, let continuation, let wanted)):
            let unfit = refusal.attributes.isEmpty ? wanted.map(\.name) : refusal.attributes
            return again(.attributes(continuation, wanted, given.filter { !unfit.contains($0.key) }), "not accepted")
        case (.resetRequired, _): return send(.reset(username: username))
        case (.unsupported, _): return .browser(reason: "the provider does not support this sign-in")
        default: return .failed(Self.failure(refusal, username))
        }
    }

    private mutating func again(_ step: Waiting, _ problem: String) -> Action {
        tries += 1
        guard tries < Self.mostTries else {
            return .failed(
                Failure(
                    .interactionRequired, "\(tries) failed attempts", hint: "sign in again, or in a browser",
                    signInProblem: .wrongAnswers))
        }
        waiting = step
        return ask(problem: problem)
    }

    // MARK: Moves

    private mutating func send(_ request: NativeRequest) -> Action {
        waiting = .provider(request)
        return .send(request)
    }

    private static func challenge(_ continuation: ContinuationToken, _ stage: Stage) -> NativeRequest {
        .challenge(continuation, nil, stage)
    }

    private func ask(problem: String? = nil) -> Action {
        switch waiting {
        case .username: return .ask(.username)
        case .password: return .ask(.password(username: username, problem: problem))
        case .code(let code, _): return .ask(.code(sentTo: code.sentTo, length: code.length, problem: problem))
        case .newPassword: return .ask(.newPassword(problem: problem))
        case .method(let methods, _, _):
            return .ask(.choose(methods.map { $0.target.isEmpty ? $0.channel : "\($0.channel) \($0.target)" }))
        case .target(let method, _):
            let known = method.target.isEmpty ? nil : "empty: \(method.target)"
            return .ask(
                .attribute(
                    name: "address for codes by \(method.channel)", isRequired: known == nil, hint: known,
                    problem: problem))
        case .attributes(_, let wanted, let given):
            guard let next = wanted.first(where: { given[$0.name] == nil }) else { return .failed(Self.confused) }
            return .ask(.attribute(name: next.name, isRequired: next.isRequired, hint: next.pattern, problem: problem))
        case .provider: return .failed(Self.confused)
        }
    }
}
