import Explain
import FoundationEssentials
import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

/// Few keys, and what is asked for.
@Suite struct UpdateTests {
    static let request = TokenRequest(
        scopes: ["https://graph.microsoft.com/User.Read"], account: World.ada, correlationID: TokenRequest.unnumbered)

    @Test func `Enter asks silently, with the default client and its scopes`() {
        var state = World.state()
        #expect(state.press(.enter) == [.acquireSilently(Self.request, World.use(World.work), RequestID(1))])
        #expect(state.place == .acquisition)
    }

    @Test func `Escape and a key that arrive together do what they do one after the other`() {
        var state = World.state()
        state.type("?")
        #expect(state.press(.alt("q")) == [.quit])
        #expect(state.place == .picker)
        state.press(.alt("a"))
        #expect(state.place == .form)
        state.press(.alt("q"))
        #expect(state.place == .form, "where text is typed, Alt with a letter closes nothing")
    }

    @Test func `A key with Alt that somebody chose is that key`() throws {
        var context = World.context
        context.keyChanges = try KeyChanges(
            [KeyChanges.Change(context: .picker, command: .signIn, keys: [.alt("q")], line: 1)], of: Registry.keyTables)
        var state = World.state(context: context)
        #expect(state.press(.alt("q")).isEmpty)
        #expect(state.place == .form)
    }

    @Test func `Enter makes the call that was planned for the client in view`() throws {
        var state = World.state(hasAllUses: true)
        state.type("t")
        guard case .acquireSilently(let request, World.use(World.azureCLI), RequestID(1)) = state.press(.enter).first
        else {
            Issue.record("no silent call for the client in view")
            return
        }
        let planned = World.planner.call(World.ada, World.use(World.azureCLI), World.now).request
        #expect(request.account?.id == World.ada.id && request.scopes == planned.scopes)
    }

    @Test func `An answer for a screen that is gone changes nothing but the list`() throws {
        var state = World.state()
        state.press(.enter)
        #expect(state.press(.escape) == [.cancel(RequestID(1))])
        let before = state
        #expect(
            state.send(.acquired(try World.token(), RequestID(1)), .ended(milliseconds: 1, RequestID(1))) == [.load])
        #expect(state.send(.failed(Failure(.cancelled, "cancelled"), RequestID(1))).isEmpty)
        #expect(state.send(.step(Step(.save, .done, ""), RequestID(1))).isEmpty)
        // The activity of the session hears of it all the same.
        #expect(state.activity != before.activity)
        #expect(state == before)
    }

    @Test func `An answer for an older flight of the same screen is dropped`() throws {
        var state = World.state()
        state.type("a")
        state.press(.enter)
        let effects = state.type("m")
        #expect(effects.first == .cancel(RequestID(1)))
        state.send(.signIn(.deviceCode(try World.devicePrompt("LATE-CODE")), RequestID(1)))
        #expect(state.progress?.device == nil)
    }

    @Test(arguments: [[Key.enter], [.down, .enter, .enter], [.character("m"), .enter]])
    func `When a person is needed, Enter signs in with client, claims and name filled in, m by the form`(
        _ keys: [Key]
    ) throws {
        var state = World.state()
        state.press(.enter)
        let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1"}}}"#
        state.send(.failed(Failure(.interactionRequired, "step up", claims: claims), RequestID(1)))
        for key in keys.dropLast() { #expect(state.press(key).isEmpty) }
        #expect(state.place == (keys.count == 1 ? .acquisition : .form))
        guard case .signIn(let wish, RequestID(2)) = state.press(keys[keys.count - 1]).first else {
            Issue.record("no sign-in")
            return
        }
        #expect(state.place == .progress)
        #expect(wish.clientID == World.work)
        #expect(wish.request.claims == claims)
        #expect(wish.request.loginHint == "ada@example.org")
        #expect(wish.request.account == World.ada)
        #expect(wish.authority == "https://login.microsoftonline.com/organizations")
    }

    @Test func `Another login hint is another person: nobody is held to the first`() {
        var form = SignInForm(World.context, World.use(World.work), request: Self.request, claims: nil)
        form.moveFocus(to: .loginHint, in: World.context)
        form.edit(.control("u"), World.context)
        "eve@example.org".forEach { form.edit(.character($0), World.context) }
        #expect(form.signInRequest(World.context)?.request.account == nil)
    }

    @Test func `The form takes any authority that may be used, and names the field that is wrong`() {
        var state = World.state()
        state.type("a")
        state.press(.backTab, .control("u"), .key("not an address"), .enter)
        #expect(state.place == .form)
        state.press(.control("u"), .key("https://id.example.org/realms/lab"), .enter)
        #expect(state.place == .progress)
    }

    @Test func `The method is changed by cancelling and starting again`() throws {
        var state = World.state()
        state.type("a")
        state.press(.enter)
        state.send(.signIn(.method(.device, reason: "no display"), RequestID(1)))
        let effects = state.type("m")
        guard effects.count == 2, case .signIn(let wish, RequestID(2)) = effects[1] else {
            Issue.record("\(effects)")
            return
        }
        #expect(effects[0] == .cancel(RequestID(1)))
        #expect(wish.request.method == .browser)
    }

    @Test func `Code and address are copied, opened and pasted by keys`() throws {
        var state = World.state()
        state.type("a")
        state.press(.enter)
        state.send(
            .signIn(
                .deviceCode(try World.devicePrompt(complete: "https://id.example.org/device?code=BCDF-GHJK")),
                RequestID(1)))
        #expect(state.type("c") == [.copy("BCDF-GHJK")])
        #expect(state.type("b") == [.openBrowser(try WebAddress("https://id.example.org/device?code=BCDF-GHJK"))])
        #expect(state.type("p").isEmpty)
        state.press(.escape)
        state.press(.enter)
        state.send(.signIn(.browser(try World.browserPrompt()), RequestID(2)))
        state.type("p")
        #expect(state.place == .paste)
        #expect(state.press(.key("code-from-there\n"), .enter) == [.paste("code-from-there", RequestID(2))])
        #expect(state.place == .paste)
        state.send(.signIn(.redirectReceived, RequestID(2)))
        #expect(state.place == .progress)
    }

    @Test func `The code is gone when the sign-in is done, failed or expired`() throws {
        let ends: [Message] = [
            .signIn(.completed, RequestID(1)), .failed(Failure(.cancelled, "declined"), RequestID(1)),
            .tick(World.seconds(900)),
            .acquired(try World.token(), RequestID(1)),
        ]
        for end in ends {
            var state = World.state()
            state.type("a")
            state.press(.enter)
            state.send(
                .signIn(
                    .deviceCode(try World.devicePrompt(complete: "https://id.example.org/d?c=BCDF-GHJK")), RequestID(1))
            )
            #expect(state.picture().contains("BCDF-GHJK"))
            state.send(end)
            #expect(!state.picture().contains("BCDF"))
            #expect(state.type("c").isEmpty)
            #expect(!"\(state)".contains("BCDF-GHJK"))
        }
    }

    @Test func `After a sign-in Enter selects the new account`() throws {
        var state = World.state()
        state.type("a")
        state.press(.enter)
        let token = try World.token(World.lin, source: .interactive)
        #expect(state.send(.acquired(token, RequestID(1)), .ended(milliseconds: 1, RequestID(1))) == [.load])
        state.send(.loaded(World.roster(World.accounts)))
        state.press(.enter)
        #expect(state.place == .picker)
        #expect(state.selectedAccount?.account == World.lin)
    }

    @Test func `Leaving asks first, throws away what was typed ahead, and the safe answer is marked`() {
        var state = World.state(hasAllUses: true)
        #expect(state.type("x") == [] && state.question != nil)
        #expect(state.press(.enter).isEmpty)
        #expect(state.place == .picker)
        state.type("x")
        #expect(
            state.press(.right, .enter) == [.remove(World.ada, World.use(World.work), RemovalChoices(), RequestID(1))])
        state.press(.escape)
        state.type("o")
        #expect(state.type("ty") == [.signOut(World.ada, World.use(World.azureCLI), RemovalChoices(), RequestID(2))])
        let outcome = SignOutOutcome(revoked: .done, removed: .done, sessionEnded: .done)
        #expect(state.send(.signedOut(outcome, RequestID(2)), .ended(milliseconds: 1, RequestID(2))) == [.load])
    }

    @Test func `A screen that cannot be read is not operated`() {
        var state = World.state(rows: 5, columns: 20)
        #expect(state.type("xy").isEmpty)
        #expect(state.press(.control("c")) == [.quit])
        #expect(state.press(.control("l"), .control("z")) == [.redraw, .suspend])
    }

    @Test func `q quits at the top and goes back below`() {
        var state = World.state()
        state.type("i")
        #expect(state.type("q").isEmpty)
        #expect(state.type("q") == [.quit])
    }

    @Test func `A reload keeps the selection on its account`() {
        var state = World.state()
        state.type("j")
        #expect(state.type("r") == [.load])
        state.send(.loaded(World.roster([World.accounts[1]])))
        #expect(state.selectedAccount?.account == World.grace)
        state.send(.storeFailed(message: "gone", hint: nil))
        #expect(state.selectedAccount == nil)
    }

    @Test func `A locked store leaves nothing of it on the screen or to be undone, and opens again by itself`() throws {
        var state = World.state(rows: 40, columns: 130)
        let undo = UndoableRemoval(RequestID(7), account: World.ada.label, World.use(World.work))
        state.type("j")
        state.send(.undoable(undo))
        state.press(.enter)
        state.send(.acquired(try World.token(), RequestID(1)))
        let locked = Message.storeLocked(message: "the store is locked", hint: "run: foyer store unlock")
        #expect(state.send(locked).contains(.forgetRemovals))
        let picture = state.picture()
        #expect(picture.contains("the store is locked") && picture.contains("foyer store unlock"))
        for account in World.accounts { #expect(!picture.contains(account.account.label)) }
        #expect(state.type("u").isEmpty && state.context.undoable.isEmpty && state.context.activity.records.isEmpty)
        #expect(state.stack.isEmpty && state.selectedAccount == nil)
        // A page that was opened since stays.
        state.type(",")
        #expect(state.send(locked) == [] && !state.stack.isEmpty)
        state.press(.escape)
        state.send(.loaded(World.roster(World.accounts)))
        #expect(state.picture().contains(World.ada.label))
    }

    @Test func `A lock ends the requests of the interface`() {
        var state = World.state()
        state.press(.enter)
        #expect(state.send(.storeLocked(message: "locked", hint: nil)).contains(.cancel(RequestID(1))))
    }

    @Test func `No secret is on any screen, nor in the end-session address`() throws {
        var state = World.state(rows: 60, columns: 140)
        state.type("i")
        for _ in 0..<5 {
            #expect(!state.picture().contains("opaque-secret"))
            #expect(!state.picture().contains(World.idToken.prefix(30)))
            state.type("j")
        }
        state.press(.escape, .enter)
        state.send(.acquired(try World.token(), RequestID(1)))
        #expect(!state.picture().contains("very-secret"))
    }

    @Test func `A token is shown on purpose only, whole, and for ten seconds`() {
        var state = World.state(rows: 40, columns: 130)
        state.type("i")
        #expect(!state.picture().contains("opaque-secret"))
        state.type("R")
        #expect(state.picture().contains("opaque-secret") && state.picture().contains("shown for 10 seconds"))
        _ = update(&state, .tick(World.seconds(9.5)))
        #expect(state.picture().contains("shown for 1 second"))
        _ = update(&state, .tick(World.seconds(10)))
        #expect(!state.picture().contains("opaque-secret"))
        state.type("RR")
        #expect(!state.picture().contains("opaque-secret"), "pressed again it is hidden")
        state.type("Rjk")
        #expect(!state.picture().contains("opaque-secret"), "another token was looked at meanwhile")
    }

    @Test
    func `A token that was handed to the clipboard goes after a minute, or with the program, and the screen says so`() {
        var state = World.state()
        state.type("i")
        #expect(!state.holdsClipboard)
        _ = update(&state, .key(.character("Y")))
        #expect(state.holdsClipboard && state.isMoving && state.notice?.contains("cleared in 60 s") == true)
        let start = state.now
        #expect(update(&state, .tick(start.addingTimeInterval(59))).isEmpty && state.holdsClipboard)
        #expect(update(&state, .tick(start.addingTimeInterval(60))) == [.clearClipboard])
        #expect(!state.holdsClipboard && state.notice?.contains("cleared from the clipboard") == true)
        #expect(update(&state, .tick(start.addingTimeInterval(61))).isEmpty)
        // Something else that is copied takes its place.
        _ = update(&state, .key(.character("Y")))
        state.press(.escape, .enter)
        let failure = Failure(.serverError, "no", correlationID: TokenRequest.unnumbered)
        state.send(.failed(failure, RequestID(1)))
        #expect(state.type("c") == [.copy(TokenRequest.unnumbered.uuidString.lowercased())])
        #expect(!state.holdsClipboard)
    }

    @Test func `A sign-out that is given up tells what had been done before its screen goes`() {
        var state = World.state()
        state.type("oy")
        #expect(state.press(.escape) == [.cancel(RequestID(1))])
        #expect(state.departure?.isGivenUp == true && state.picture().contains("partial results follow"))
        state.send(
            .signedOut(SignOutOutcome(revoked: .done, removed: .done, sessionEnded: .failed("cancelled")), RequestID(1))
        )
        #expect(state.picture().contains("removed here") && state.picture().contains("cancelled"))
        #expect(state.press(.escape).isEmpty && state.departure == nil)
    }

    @Test func `A token goes to the clipboard only by the key for it`() {
        var state = World.state()
        state.type("i")
        #expect(update(&state, .key(.character("Y"))) == [.copySecret(Secret("opaque-secret"))])
        #expect(state.notice?.contains("clipboard") == true)
        for place in Registry.keyTables.map(\.context) where place != .inspector && place != .tokenDetails {
            #expect(!KeyTable.of(place).bindings.contains { $0.command == .copySecret || $0.command == .reveal })
        }
    }

    private static let findings: [(Verification, String)] = [
        (.right(key: "key-1"), "signature valid (key key-1)"),
        (.wrong("it does not fit the issuer's key"), "signature INVALID: it does not fit"),
        (.notVerifiable("only the resource can"), "signature: only its resource can check it"),
        (.failed("login.example was not reached"), "signature not checked: login.example was not reached"),
    ]

    @Test(arguments: findings)
    func `What became of a signature's check is said, and a late answer for another screen is dropped`(
        finding: Verification, words: String
    ) throws {
        var state = World.state(rows: 40, columns: 200)
        state.type("i")
        let place = try #require(
            TokenInspector.credentials(state.overview(of: World.ada.row)).firstIndex { $0.kind == .idToken })
        state.type(String(repeating: "j", count: place))
        #expect(state.picture().contains("signature not checked"))
        let effects = update(&state, .key(.character("v")))
        guard case .verify(_, _, let id)? = effects.first else {
            Issue.record("nothing was asked for")
            return
        }
        #expect(state.picture().contains("fetching the issuer's keys"))
        _ = update(&state, .verified(finding, RequestID(999)))
        #expect(state.picture().contains("fetching the issuer's keys"))
        _ = update(&state, .verified(finding, id))
        #expect(state.picture().contains(words))
        state.press(.escape)
        _ = update(&state, .verified(finding, id))
        #expect(state.stack.isEmpty)
    }

    @Test func `A finding belongs to the very token it was made of, and goes when the store is read again`() throws {
        var state = World.state(rows: 40, columns: 200)
        state.type("i")
        let place = try #require(
            TokenInspector.credentials(state.overview(of: World.ada.row)).firstIndex { $0.kind == .idToken })
        state.type(String(repeating: "j", count: place))
        guard case .verify(let token, _, let id)? = update(&state, .key(.character("v"))).first else {
            Issue.record("nothing was asked for")
            return
        }
        // Another program puts another token under the same key while the keys are fetched, and after.
        let others = World.accounts.map { overview in
            var overview = overview
            for index in overview.credentials.indices where overview.credentials[index].id == token.id {
                overview.credentials[index].secret = Secret(
                    World.jwt(#"{"alg":"RS256","kid":"key-1"}"#, #"{"sub":"another"}"#))
            }
            return overview
        }
        let right = "signature valid"
        _ = update(&state, .verified(.right(key: "key-1"), id))
        #expect(state.picture().contains(right))
        // What is told when it arrives goes with the next key.
        state.press(.control("l"))
        _ = update(&state, .loaded(World.roster(others)))
        #expect(!state.picture().contains(right))
        _ = update(&state, .key(.character("v")))
        _ = update(&state, .verified(.right(key: "key-1"), id))
        #expect(!state.picture().contains(right), "a late answer is of the token from before")
        _ = update(&state, .loaded(World.roster(World.accounts)))
        #expect(!state.picture().contains(right))
        #expect(state.picture().contains("signature not checked"))
    }
}

extension Key {
    /// A pasted text.
    static func key(_ text: String) -> Key { .paste(text) }
}
