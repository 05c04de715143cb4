import FoundationEssentials
import Identity
import Keys
import Testing

@testable import AppModel

/// What can be done about a failure is a menu, and Enter does the marked line.
@Suite struct RemedyTests {
    private func failed(_ failure: Failure, accounts: [Account] = [Sample.ada, Sample.grace]) -> AppState {
        var state = Sample.state(accounts)
        state.run(.open)
        state.send(.tick(Sample.now.addingTimeInterval(0.4)))
        state.send(
            .reply(.step(Step(.accessToken, .failed, "expired 12 min ago")), RequestID(1)),
            .reply(.failed(failure), RequestID(1)))
        return state
    }

    private static let rejected = Failure(
        .interactionRequired, "the provider rejected the refresh token", oauthError: "invalid_grant",
        serverCodes: [50173], correlationID: TokenRequest.unnumbered)

    @Test func `A rejected sign-in offers the sign-in, another way, the removal and a report`() {
        let state = failed(Self.rejected)
        for words in [
            "the provider rejected the refresh token AADSTS50173 · invalid_grant",
            "> Sign in again: as ada@example.org, by device code", "\nSign in another way…: ",
            "\nRemove the account here…: 0 tokens, only from foyer's own store", "\nCopy a report: ",
            "What was tried took 0.4 s", "cached token: expired 12 min ago",
        ] { #expect(state.words.contains(words), "\(words) in \(state.words)") }
    }

    @Test(arguments: [
        (SignInMethod.automatic, "method chosen automatically"), (.device, "by device code"),
        (.native, "in the terminal, without a browser"),
    ])
    func `What is tried again names its method`(method: SignInMethod, words: String) {
        let remedies = SignInEnd.refused.remedies(method: method, other: method)
        #expect(remedies.prefix(2).map(\.facts) == [words, words])
    }

    @Test func `What failed is said once, also where a step failed with it`() {
        let said = "cannot reach id.example.org: cannot resolve the host name"
        var state = Sample.state()
        state.run(.signIn, .start)
        state.send(
            .reply(.step(Step(.discovery, .failed, said)), RequestID(1)),
            .reply(.failed(Failure(.unavailable, said)), RequestID(1)))
        #expect(state.words.contains("provider metadata") && state.words.ranges(of: said).count == 1, "\(state.words)")
    }

    @Test(arguments: [["User.Read"], []] as [ScopeSet])
    func `A token without scopes has no empty line for them`(scopes: ScopeSet) throws {
        var state = Sample.state()
        state.run(.open)
        state.send(.reply(.acquired(try Sample.token(scopes: scopes)), RequestID(1)))
        #expect(state.words.contains("expires: ") && state.words.contains("scopes: ") != scopes.isEmpty)
    }

    @Test func `Each line does what it says, and the footer names it`() {
        let ends: [(label: String, isRight: (AppState, [Effect]) -> Bool)] = [
            ("sign in again", { state, _ in state.top is SignInProgress }),
            ("sign in another way", { state, _ in state.top is SignInForm }),
            ("remove the account here", { state, _ in state.top is RemovalConfirmation }),
            ("copy a report", { _, effects in effects.contains { if case .copy = $0 { true } else { false } } }),
        ]
        for (place, end) in ends.enumerated() {
            var state = failed(Self.rejected)
            state.send(.select(place))
            #expect(state.topPage.entry == place)
            #expect(state.offered.first { $0.command == .open }?.label == end.label)
            let effects = state.send(.key(.enter))
            #expect(end.isRight(state, effects), "\(end.label)")
        }
    }

    @Test func `What a sign-in does not mend is tried again, and the doctor is offered where it may help`() {
        var state = failed(Failure(.unavailable, "id.example.org does not answer"))
        #expect(state.words.contains("> Try again: ") && state.words.contains("\nRun the doctor: "))
        #expect(!state.words.contains("Sign in again"))
        #expect(state.send(.select(1), .key(.enter)).contains(.examine(RequestID(2))))
        state = failed(Failure(.serverError, "the provider refused"))
        #expect(!state.words.contains("Run the doctor"))
        let effects = state.send(.key(.enter))
        guard case .acquireSilently(let request, _, RequestID(2)) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(request.forceRefresh)
    }

    @Test func `A cached token that has ended is no error among the steps`() {
        let signs = failed(Self.rejected).topPage.text.paragraphs.compactMap {
            if case .fact(let fact) = $0 { fact.sign?.sign } else { Sign?.none }
        }
        #expect(signs == [.empty])
    }

    @Test func `A response that cannot be trusted is not tried again by Enter`() throws {
        var state = Sample.state()
        state.run(.signIn, .start)
        state.send(.reply(.failed(Failure(.untrustedResponse, "the issuer is another one")), RequestID(1)))
        #expect(state.words.contains("> Change the request: "))
        #expect(state.send(.key(.enter)).isEmpty)
        #expect(state.top is SignInForm)
    }

    @Test func `Where commands have names the menu is left to them`() {
        var context = Sample.context
        context.naming = .names
        var state = AppState(context: context, now: Sample.now)
        state.send(.loaded(Sample.list()))
        state.run(.open)
        state.send(.reply(.failed(Self.rejected), RequestID(1)))
        #expect(!state.words.contains("Copy a report"))
        state.run(.open)
        #expect(state.top is SignInProgress)
    }

    @Test func `The device code of an account begins at once, and Esc leads back to where it began`() {
        for opening in [[], [Command.details]] {
            var state = Sample.state()
            for command in opening { state.run(command) }
            let effects = state.send(.key(.character("d")))
            guard case .signIn(let wish, _) = effects.first else {
                Issue.record("\(effects)")
                return
            }
            #expect(wish.request.method == .device && wish.request.account == Sample.ada)
            #expect(wish.request.loginHint == "ada@example.org")
            #expect(state.top is SignInProgress)
            var other = state
            other.run(.switchMethod)
            let (id, next) = (RequestID(1), RequestID(2))
            #expect(other.run(.back) == [.cancel(next)] && other.stack.isEmpty)
            var asked = state
            asked.send(.reply(.question(.username), id))
            #expect(asked.run(.back) == [.cancel(id)] && asked.stack.isEmpty)
            #expect(state.run(.back) == [.cancel(id)] && state.stack.isEmpty)
        }
    }

    @Test func `After a device code that failed, the request is changed in the form, and its sign-in returns there`() {
        var state = Sample.state()
        state.run(.deviceCode)
        state.send(.reply(.failed(Failure(.serverError, "no")), RequestID(1)))
        state.run(.back)
        #expect(state.top is SignInForm)
        state.run(.start, .back)
        #expect(state.top is SignInForm)
    }
}
