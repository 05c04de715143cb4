import FoundationEssentials
import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

/// Every end of a sign-in, and the keys that lead on from it.
@Suite struct SignInEndScreens {
    private func ended(_ failure: Failure, rows: Int = 24, columns: Int = 80) -> State {
        var state = World.state(rows: rows, columns: columns)
        state.type("a")
        state.press(.enter)
        state.send(.signIn(.method(.device, reason: "no display here"), RequestID(1)), .failed(failure, RequestID(1)))
        return state
    }

    private func labels(_ state: State) -> [String] { state.labels }

    @Test(arguments: [
        (Failure(.cancelled, "the sign-in was declined", oauthError: "access_denied"), SignInEnd.cancelled),
        (Failure(.cancelled, "the sign-in was cancelled"), .cancelled),
        (
            Failure(.interactionRequired, "the code expired before it was used", signInProblem: .nobodyAnswered),
            .timedOut
        ),
        (
            Failure(.interactionRequired, "eve signed in, but ada was requested", signInProblem: .otherAccount),
            .otherAccount
        ),
        (Failure(.interactionRequired, "3 failed attempts", signInProblem: .wrongAnswers), .wrongAnswers),
        (Failure(.interactionRequired, "there is no account ada", signInProblem: .account), .refused),
        (Failure(.unavailable, "id.example.org does not answer"), .offline),
        (Failure(.serverError, "no", oauthError: "unauthorized_client"), .refused),
        (Failure(.interactionRequired, "step up", oauthError: "invalid_grant", serverCodes: [50076]), .refused),
        (Failure(.untrustedResponse, "the nonce is another"), .untrusted),
        (Failure(.storeError, "the disk is full"), .here),
        (Failure(.declinedScopes, "not all"), .declined),
    ])
    func `Each end is told by its own words and leads on`(failure: Failure, end: SignInEnd) {
        let state = ended(failure)
        #expect(state.progress?.end == end)
        #expect(state.picture().contains(end.title.words))
        #expect(state.picture().contains(failure.message))
        #expect(labels(state).contains("back"))
        let isLast = [.declined, .untrusted, .here].contains(end)
        #expect(labels(state).contains("other method") != isLast)
    }

    @Test func `Declined scopes: what was granted is kept and gone to, and consent can be asked for again`() throws {
        let failure = Failure(
            .declinedScopes, "Mail.Send was declined", grantedScopes: ["User.Read"], declinedScopes: ["Mail.Send"],
            result: try World.token(source: .interactive))
        var state = ended(failure)
        try expectScreen(
            "declined", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity ●1   ▲ plain file
                ─ Sign in to work ────────────────────────────────── any work or school tenant ─
                 ◐ signed in, with fewer scopes than requested
                 ✖ Mail.Send was declined
                 granted     User.Read
                 declined    Mail.Send

                 What you can do
                 ▌ Show the account       with what was granted
                   Ask for consent again  for what was declined
                   Change the request     back to the form: client, scopes, method
                   Copy a report          time, codes and correlation id, without secrets

                 method    device code (no display here)









                 Enter show the account  a ask again  y copy…  Esc back  ? help
                """#)
        guard case .signIn(let wish, RequestID(2)) = state.type("a").first else {
            Issue.record("consent is not asked for")
            return
        }
        #expect(wish.request.prompt == .consent)
        var other = ended(failure)
        other.press(.enter)
        #expect(other.place == .picker && other.selectedAccount?.id == World.ada.row)
        #expect(!state.picture().contains("very-secret-access-token"))
    }

    @Test func `Timed out: Enter starts anew, m takes another method and gives nothing up twice`() throws {
        var state = ended(
            Failure(.interactionRequired, "the code expired before it was used", hint: "start the sign-in again"))
        try expectScreen(
            "timed out", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity ●1   ▲ plain file
                ─ Sign in to work ────────────────────────────────── any work or school tenant ─
                 ✖ the provider refused
                 ✖ the code expired before it was used
                   start the sign-in again

                 What you can do
                 ▌ Try again            by device code
                   Sign in another way  by browser
                   Change the request   back to the form: client, scopes, method
                   Copy a report        time, codes and correlation id, without secrets

                 method    device code (no display here)










                 Enter try again  m other method  y copy…  Esc back  ? help
                """#)
        var other = state
        guard case .signIn(let again, RequestID(2)) = state.press(.enter).first else {
            Issue.record("Enter does not start anew")
            return
        }
        #expect(again.request.method == .automatic)
        let effects = other.type("m")
        #expect(effects.count == 1, "an old flight that has ended is not cancelled")
        guard case .signIn(let next, RequestID(2)) = effects.first else { return }
        #expect(next.request.method == .browser)
    }

    @Test func `A browser that never came back is a person who did not answer, not a provider that is away`() throws {
        var state = World.state()
        state.type("a")
        state.press(.enter)
        state.send(.signIn(.browser(try World.browserPrompt()), RequestID(1)))
        var redirected = state
        let failure = Failure(.unavailable, "the browser did not answer in time")
        state.send(.failed(failure, RequestID(1)))
        #expect(state.progress?.end == .timedOut)
        redirected.send(.signIn(.redirectReceived, RequestID(1)), .failed(failure, RequestID(1)))
        #expect(redirected.progress?.end == .offline)
    }

    @Test func `A claims request that comes with the refusal goes with the next try`() {
        let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
        var state = ended(Failure(.interactionRequired, "step up", oauthError: "interaction_required", claims: claims))
        guard case .signIn(let again, _) = state.press(.enter).first else {
            Issue.record("no second try")
            return
        }
        #expect(again.request.claims == claims)
    }

    @Test func `The correlation identifier of a failure can be copied`() {
        let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        var state = ended(Failure(.serverError, "no", correlationID: id))
        #expect(state.type("c") == [.copy("01020304-0506-0708-090a-0b0c0d0e0f10")])
    }

    @Test func `Offline: the doctor is one key away, and the sign-in is still there afterwards`() {
        var state = ended(Failure(.unavailable, "id.example.org does not answer"))
        #expect(state.type("!").first == .examine(RequestID(2)))
        state.press(.escape)
        #expect(state.place == .progress)
    }

    @Test func `What was tried silently stands above what is tried with the person`() throws {
        var state = World.state()
        state.press(.enter)
        state.send(
            .step(Step(.accessToken, .failed, "expired"), RequestID(1)),
            .step(Step(.refresh, .failed, "invalid_grant"), RequestID(1)),
            .failed(Failure(.interactionRequired, "the sign-in is over", oauthError: "invalid_grant"), RequestID(1)))
        state.press(.enter)
        state.press(.enter)
        state.send(
            .signIn(.method(.browser, reason: "a display is here"), RequestID(2)),
            .signIn(.step(Step(.discovery, .done, "login.microsoftonline.com")), RequestID(2)),
            .signIn(.browser(try World.browserPrompt()), RequestID(2)),
            .signIn(.strayRequest("GET /favicon.ico"), RequestID(2)))
        try expectScreen(
            "the ladder", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity ●1   ▲ plain file
                ─ Sign in to work ────────────────────────────────── any work or school tenant ─
                 ✔ client   ● approve   ○ check the response   ○ store

                  1  Open        the URL below in a browser
                  2  Sign in as  ada@example.org and approve:
                     low         User.Read: signs you in and reads your own profile
                  3  Come back   sign-in continues automatically

                 ━━━━━━━━━━━━━━━━━━━━━━━━ expires in 05:00
                 waiting for the redirect on localhost:49152
                 Browser on another machine? p to paste the final URL.
                 ignored, not the response to this sign-in: 1 request
                   GET /favicon.ico

                 https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize?client_i
                 d=11111111-2222-3333-4444-555555555555&response_type=code&state=abc

                 client    work, 11111111-2222-3333-4444-555555555555
                 tenant    any work or school tenant
                 provider  login.microsoftonline.com
                 account   ada@example.org
                                                                                               ↓
                 c copy  b browser  p paste  m other method  y copy…  Esc cancel  ? help
                """#)
    }

    @Test
    func `Another method keeps everything else of the form, cancels the old flight, and stands in the form afterwards`()
    {
        var state = World.state()
        state.type("a")
        state.press(.tab, .tab, .tab)
        state.type("example.org")
        guard case .signIn(let first, RequestID(1)) = state.press(.enter).first else {
            Issue.record("no sign-in")
            return
        }
        state.send(.signIn(.method(.device, reason: "no display here"), RequestID(1)))
        let effects = state.type("m")
        #expect(effects.first == .cancel(RequestID(1)))
        guard case .signIn(let second, RequestID(2)) = effects.last else {
            Issue.record("no other method")
            return
        }
        var expected = first
        expected.request.method = .browser
        #expect(second == expected)
        state.press(.escape)
        guard let form = state.form else {
            Issue.record("the form is gone")
            return
        }
        #expect(form.method == .browser && form.tenant.text == "example.org")
    }

    @Test func `Strays are counted all, and the latest three are told`() {
        var progress = SignInProgress(
            SignInRequest(clientID: World.work, request: UpdateTests.request), in: World.context)
        for number in 1...1000 { progress.receive(.signIn(.strayRequest("GET /\(number)"))) }
        #expect(progress.strays == 1000)
        #expect(progress.strayRequests == ["GET /998", "GET /999", "GET /1000"])
    }
}
