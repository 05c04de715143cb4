import FoundationEssentials
import Identity
import Testing

@testable import AppModel

@Suite struct FailuresTests {
    private static let refused = Failure(
        .interactionRequired, "the provider rejected the refresh token", hint: "sign in again",
        oauthError: "invalid_grant",
        serverCodes: [50076])

    private func state() throws -> AppState {
        var state = Sample.state()
        state.run(.open)
        state.send(.reply(.failed(Self.refused), RequestID(1)), .reply(.ended(milliseconds: 5), RequestID(1)))
        state.run(.back)
        // A removal that failed is no failure of a sign-in.
        state.run(.remove, .yes)
        state.send(.reply(.failed(Failure(.storeError, "the store is locked")), RequestID(2)))
        state.run(.back)
        return state
    }

    @Test func `Failed sign-ins and refreshes are listed with time, account and what is so`() throws {
        var state = try state()
        state.run(.failures)
        #expect(
            state.topPage.rows() == [
                "04:00, foyer, ada@example.org, needs sign-in, 5 ms"
            ])
    }

    @Test func `A failure tells what the provider said and what to do`() throws {
        var state = try state()
        state.run(.failures)
        for part in [
            "account: ada@example.org", "AADSTS50076 · invalid_grant", "AADSTS50076: ", "What you can do",
            "sign in again",
        ] {
            #expect(state.words.contains(part), "\(part)")
        }
    }

    @Test func `Where no provider said anything there is advice all the same`() {
        var state = Sample.state()
        state.run(.open)
        state.send(.reply(.failed(Failure(.unavailable, "the provider was not reached")), RequestID(1)))
        state.run(.failures)
        #expect(!state.words.contains("the provider said") && state.words.contains("try again later"))
    }

    @Test func `A token without a sign-in says which key signs in again`() {
        var state = Sample.state()
        state.run(.open)
        state.send(.reply(.failed(Failure(.interactionRequired, "no usable token")), RequestID(1)))
        state.run(.failures)
        #expect(state.words.contains("press Enter on the account to sign in again"), "\(state.words)")
    }

    @Test func `A session without failures says so`() {
        var state = Sample.state()
        state.run(.failures)
        #expect(state.words == "no failures" && !state.isOffered(.open))
    }

    @Test func `No token of a failure is kept`() throws {
        var failure = Failure(.declinedScopes, "not all was granted")
        failure.result = try Sample.token()
        var state = Sample.state()
        state.run(.open)
        state.send(.reply(.failed(failure), RequestID(1)))
        guard case .failed(let kept)? = state.context.activity.records.first?.outcome else {
            Issue.record("no failure was noted")
            return
        }
        #expect(kept.result == nil)
    }
}
