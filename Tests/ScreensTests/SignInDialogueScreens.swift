import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

/// A sign-in without a browser: questions are asked on the screen.
@Suite struct SignInDialogueScreens {
    private func asked(_ question: SignInQuestion, rows: Int = 24, columns: Int = 80) -> State {
        var state = World.state(rows: rows, columns: columns)
        state.type("a")
        state.press(.enter)
        state.send(.signIn(.method(.native, reason: "as asked"), RequestID(1)), .question(question, RequestID(1)))
        return state
    }

    @Test func `A code that was sent is typed on the screen`() throws {
        var state = asked(.code(sentTo: "a***@example.org", length: 8, problem: "the code was wrong"))
        #expect(state.place == .question)
        state.type("1234 m?q")
        try expectScreen(
            "a code is asked for", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Sign in to work ────────────────────────────────── any work or school tenant ─
                 Your answers are sent only to the provider.
                 ▲ the code was wrong
                 code of 8 characters sent to a***@example.org (empty: send another)
                 F2 continues in a browser; Esc cancels the sign-in.

                 method    in the terminal, without a browser (as asked)














                 answer: 1234 m?q
                 Enter answer  F2 browser  Esc cancel  F1 help
                """#)
        #expect(state.press(.enter) == [.answer(.text(Secret("1234 m?q")), RequestID(1))])
        #expect(state.place == .progress)
        #expect(!state.picture().contains("1234"))
    }

    @Test func `A password is never drawn, and nothing of it stays`() throws {
        var state = asked(.password(username: "ada@example.org", problem: nil))
        state.type("correct horse")
        #expect(!state.picture().contains("correct") && !state.picture().contains("horse"))
        try expectScreen(
            "a password is asked for", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Sign in to work ────────────────────────────────── any work or school tenant ─
                 Your answers are sent only to the provider.
                 password of ada@example.org (empty: forgotten)
                 F2 continues in a browser; Esc cancels the sign-in.

                 method    in the terminal, without a browser (as asked)















                 password: •••••••••••••
                 Enter answer  F2 browser  Esc cancel  F1 help
                """#)
        #expect(state.press(.enter) == [.answer(.text(Secret("correct horse")), RequestID(1))])
        #expect(!String(describing: state).contains("horse"))
    }

    @Test func `One of several ways is chosen by arrows`() throws {
        var state = asked(
            .choose(["a code by mail to a***@example.org", "a code by SMS to ***42"]), rows: 10, columns: 40)
        state.press(.down, .down)
        try expectScreen(
            "a way is chosen", state,
            is: #"""
                 foyer  Sign in to work    ▲ plain file
                 Your answers are sent only to the
                 provider.
                 verification method
                   a code by mail to a***@example.org
                 ▸ a code by SMS to ***42
                 F2 continues in a browser; Esc cancels
                 the sign-in.                          ↓

                 Enter answer  Esc cancel  F1 help
                """#)
        #expect(state.press(.enter) == [.answer(.choice(1), RequestID(1))])
    }

    @Test func `F2 goes on in a browser, Esc gives the sign-in up`() {
        var state = asked(.username)
        #expect(state.press(.function(2)) == [.answer(.browser, RequestID(1))])
        var other = asked(.username)
        #expect(other.press(.escape) == [.cancel(RequestID(1))])
        #expect(other.place == .form)
    }

    @Test func `The next question begins empty, and one that comes after the end is dropped`() throws {
        var state = asked(.username)
        state.type("ada")
        state.press(.enter)
        state.send(.question(.password(username: "ada", problem: nil), RequestID(1)))
        #expect(state.progress?.question?.prompt?.field.isEmpty == true)
        state.send(.failed(Failure(.cancelled, "too many tries"), RequestID(1)))
        #expect(state.progress?.question == nil)
        state.send(.question(.username, RequestID(1)))
        #expect(state.place == .progress)
    }
}
