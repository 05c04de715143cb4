import Identity
import StrictJSON
import Testing

@testable import SilentFirst
@testable import Wire

/// What a sign-in without a browser asks and sends next, told every answer by hand: no provider, no person, no clock.
@Suite struct NativeDialogueTests {
    private static func token(_ text: String) throws -> ContinuationToken {
        try #require(ContinuationToken(JSONObject([JSONMember(name: "continuation_token", value: .string(text))])))
    }

    private static func refusal(
        _ error: String, _ suberror: String? = nil, codes: [Int] = [], attributes: [String] = []
    ) -> NativeRefusal {
        NativeRefusal(OAuthError(error: error, suberror: suberror, codes: codes), attributes: attributes)
    }

    private static func stray(_ move: NativeDialogue.Action? = nil) {
        Issue.record("another move was due than \(move.map { "\($0)" } ?? "this")")
    }

    private static func code(_ text: String) throws -> NativeCode {
        NativeCode(continuation: try token(text), sentTo: "a***@example.org", channel: "email", length: 8)
    }

    private static let grant: TokenGrant? = TokenGrant(
        JSONObject([JSONMember(name: "access_token", value: "at"), JSONMember(name: "token_type", value: "Bearer")]))

    /// A sign-in that has come to the question for the password.
    private static func atPassword() throws -> NativeDialogue {
        var dialogue = NativeDialogue(username: "ada@example.org", signsUp: false)
        guard case .send(.signIn(username: "ada@example.org")) = dialogue.begin(),
            case .send(.challenge(_, nil, .signIn)) = dialogue.answered(.next(try token("t1"))),
            case .ask(.password(username: "ada@example.org", problem: nil)) = dialogue.answered(
                .next(.password(try token("t2"))), .signIn)
        else { throw WireError.unsupported("it does not ask for the password") }
        return dialogue
    }

    /// A dialogue in which a password was sent to the token endpoint.
    private static func atToken() throws -> NativeDialogue {
        var dialogue = try atPassword()
        guard case .send(.password) = dialogue.told(.text(Secret("right"))) else {
            throw WireError.unsupported("it does not send the password")
        }
        return dialogue
    }

    @Test func `The name is asked for when nobody gave it, and blanks in it do not count`() {
        var dialogue = NativeDialogue(username: "", signsUp: false)
        guard case .ask(.username) = dialogue.begin() else { return Self.stray() }
        guard case .ask(.username) = dialogue.told(.text(Secret("  "))) else { return Self.stray() }
        guard case .send(.signIn(username: "ada@example.org")) = dialogue.told(.text(Secret(" ada@example.org\n")))
        else {
            return Self.stray()
        }
    }

    @Test func `A right password ends it`() throws {
        var dialogue = try Self.atToken()
        guard case .done(let grant) = dialogue.answered(.next(.granted(try #require(Self.grant)))) else {
            return Self.stray()
        }
        #expect(grant.accessToken?.reveal() == "at")
    }

    @Test func `A wrong password is asked for again, and the fifth ends the sign-in`() throws {
        var dialogue = try Self.atToken()
        for _ in 1..<NativeDialogue.mostTries {
            let wrong = dialogue.answered(
                NativeAnswer<NativeTokens>.refused(Self.refusal("invalid_grant", codes: [50126])))
            guard case .ask(.password(_, problem: "wrong password")) = wrong else {
                return Self.stray(wrong)
            }
            guard case .send(.password) = dialogue.told(.text(Secret("wrong"))) else { return Self.stray() }
        }
        let last = dialogue.answered(NativeAnswer<NativeTokens>.refused(Self.refusal("invalid_grant", codes: [50126])))
        guard case .failed(let failure) = last else { return Self.stray(last) }
        #expect(failure.code == .interactionRequired)
    }

    @Test func `An empty password resets it: code, new password, a wait, and in`() throws {
        var dialogue = try Self.atPassword()
        guard case .send(.reset(username: "ada@example.org")) = dialogue.told(.text(Secret(""))),
            case .send(.challenge(_, nil, .reset)) = dialogue.answered(.next(try Self.token("r1"))),
            case .ask(.code(sentTo: "a***@example.org", length: 8, problem: nil)) = dialogue.answered(
                .next(.code(try Self.code("r2"))), .reset),
            case .send(.code(_, _, .reset)) = dialogue.told(.text(Secret("12345678"))),
            case .ask(.newPassword(problem: nil)) = dialogue.answered(.next(try Self.token("r3"))),
            case .send(.newPassword(_, _, .reset)) = dialogue.told(.text(Secret("short"))),
            case .ask(.newPassword(problem: "too short")) = dialogue.answered(
                NativeAnswer<NativeReset>.refused(Self.refusal("invalid_grant", "password_too_short"))),
            case .send(.newPassword(_, _, .reset)) = dialogue.told(.text(Secret("long enough"))),
            case .wait(seconds: 2, .poll) = dialogue.answered(
                .next(NativeReset.wait(try Self.token("r4"), seconds: 2))),
            case .send(.tokens) = dialogue.answered(.next(NativeReset.done(try Self.token("r5"))))
        else { return Self.stray() }
    }

    @Test func `A new password that never takes effect is not asked about for ever`() throws {
        var dialogue = try Self.atPassword()
        var move = NativeDialogue.Action.browser(reason: nil)
        for _ in 0...NativeDialogue.mostPolls {
            move = dialogue.answered(.next(NativeReset.wait(try Self.token("r"), seconds: 1)))
        }
        guard case .failed(let failure) = move else { return Self.stray(move) }
        #expect(failure.code == .unavailable)
    }

    @Test func `A second factor lets the person choose, and one way is no choice`() throws {
        let ways = ["sms", "email"].map { NativeMethod(id: $0, channel: $0, target: "***") }
        var dialogue = try Self.atToken()
        guard
            case .send(.challenge(_, nil, .secondFactor)) = dialogue.answered(
                .next(.secondFactor(try Self.token("m1")))),
            case .send(.methods(_, .secondFactor)) = dialogue.answered(
                .next(.choose(try Self.token("m2"))), .secondFactor)
        else { return Self.stray() }
        var refused = try Self.atToken()
        _ = refused.answered(.next(.secondFactor(try Self.token("m1"))))
        let asked = refused.answered(
            NativeAnswer<NativeChallenge>.refused(
                Self.refusal("invalid_request", "introspect_required", codes: [901_001])), .secondFactor)
        guard case .send(.methods(_, .secondFactor)) = asked else { return Self.stray(asked) }
        var alone = dialogue
        guard
            case .ask(.choose(["sms ***", "email ***"])) = dialogue.answered(
                .next(NativeMethods(continuation: try Self.token("m3"), methods: ways)), .secondFactor),
            case .ask(.choose) = dialogue.told(.choice(7)), case .ask(.choose) = dialogue.told(.text(Secret("1"))),
            case .send(.challenge(_, let chosen?, .secondFactor)) = dialogue.told(.choice(1))
        else { return Self.stray() }
        #expect(chosen.id == "email")
        let only = alone.answered(
            .next(NativeMethods(continuation: try Self.token("m3"), methods: [ways[0]])), .secondFactor)
        guard case .send(.challenge(_, let single?, .secondFactor)) = only else { return Self.stray(only) }
        #expect(single.id == "sms")
    }

    @Test func `A second factor is set up: where to, code, and in`() throws {
        var dialogue = try Self.atToken()
        let way = NativeMethod(id: "e", channel: "email", target: "ada@example.org")
        guard case .send(.methods(_, .registration)) = dialogue.answered(.next(.registration(try Self.token("g1")))),
            case .ask(.attribute(_, isRequired: false, hint: "empty: ada@example.org", problem: nil)) =
                dialogue.answered(
                    .next(NativeMethods(continuation: try Self.token("g2"), methods: [way])), .registration),
            case .send(.challengeRegistration(_, target: "ada@example.org", _)) = dialogue.told(.text(Secret(""))),
            case .ask(.code) = dialogue.answered(.next(.code(try Self.code("g3"))), .registration),
            case .send(.code(_, _, .registration)) = dialogue.told(.text(Secret("12345678"))),
            case .send(.tokens) = dialogue.answered(.next(try Self.token("g4")))
        else { return Self.stray() }
    }

    @Test func `A sign-up asks for the code, what the tenant wants to know, and the password`() throws {
        var dialogue = NativeDialogue(username: "new@example.org", signsUp: true)
        let wanted = [
            NativeAttribute(name: "displayName", isRequired: true, pattern: nil),
            NativeAttribute(name: "city", isRequired: false, pattern: nil),
        ]
        guard case .send(.signUp(username: "new@example.org")) = dialogue.begin(),
            case .send(.challenge(_, nil, .signUp)) = dialogue.answered(.next(try Self.token("s1"))),
            case .ask(.code) = dialogue.answered(.next(.code(try Self.code("s2"))), .signUp),
            case .send(.code(_, _, .signUp)) = dialogue.told(.text(Secret("00000000"))),
            case .ask(.code(_, _, problem: "wrong code")) = dialogue.answered(
                NativeAnswer<NativeSignUp>.refused(Self.refusal("invalid_grant", "invalid_oob_value"))),
            case .send(.challenge(_, nil, .signUp)) = dialogue.told(.text(Secret(""))),
            case .ask(.code) = dialogue.answered(.next(.code(try Self.code("s3"))), .signUp),
            case .send(.code(_, _, .signUp)) = dialogue.told(.text(Secret("12345678"))),
            case .ask(.attribute(name: "displayName", isRequired: true, _, _)) = dialogue.answered(
                .next(NativeSignUp.attributes(try Self.token("s4"), wanted))),
            case .ask(.attribute(name: "displayName", _, _, _)) = dialogue.told(.text(Secret(""))),
            case .ask(.attribute(name: "city", isRequired: false, _, _)) = dialogue.told(.text(Secret("New"))),
            case .send(.attributes(["displayName": "New", "city": ""], _, _)) = dialogue.told(.text(Secret(""))),
            case .ask(.attribute(name: "displayName", _, _, problem: "not accepted")) = dialogue.answered(
                NativeAnswer<NativeSignUp>.refused(
                    Self.refusal("invalid_grant", "attribute_validation_failed", attributes: ["displayName"]))),
            case .send(.attributes) = dialogue.told(.text(Secret("Newer"))),
            case .send(.challenge(_, nil, .signUp)) = dialogue.answered(
                .next(NativeSignUp.password(try Self.token("s5")))),
            case .ask(.newPassword(problem: nil)) = dialogue.answered(.next(.password(try Self.token("s6"))), .signUp),
            case .send(.newPassword(_, _, .signUp)) = dialogue.told(.text(Secret("long enough"))),
            case .send(.tokens) = dialogue.answered(.next(NativeSignUp.done(try Self.token("s7"))))
        else { return Self.stray() }
    }

    @Test func `Nobody's account is made by a slip: an unknown name is a failure that says how`() throws {
        var dialogue = NativeDialogue(username: "adda@example.org", signsUp: false)
        _ = dialogue.begin()
        let move = dialogue.answered(
            NativeAnswer<ContinuationToken>.refused(Self.refusal("user_not_found", codes: [50034])))
        guard case .failed(let failure) = move else { return Self.stray(move) }
        #expect(failure.code == .interactionRequired && failure.serverCodes == [50034])
        #expect(failure.hint == .createAccount)
    }

    @Test func `The provider and the person can have the rest in a browser`() throws {
        var dialogue = try Self.atPassword()
        guard case .browser(reason: nil) = dialogue.told(.browser) else { return Self.stray() }
        dialogue = try Self.atToken()
        guard case .browser(reason: "policy") = dialogue.answered(NativeAnswer<NativeTokens>.browser(reason: "policy"))
        else {
            return Self.stray()
        }
        let unsupported = dialogue.answered(
            NativeAnswer<NativeTokens>.refused(Self.refusal("unsupported_challenge_type")))
        guard case .browser = unsupported else { return Self.stray(unsupported) }
    }

    @Test func `An answer to nothing that was asked ends it`() throws {
        var dialogue = try Self.atPassword()
        let move = dialogue.answered(.next(try Self.token("stray")))
        guard case .failed(let failure) = move else { return Self.stray(move) }
        #expect(failure.code == .untrustedResponse)
    }
}
