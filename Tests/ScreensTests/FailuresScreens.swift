import FoundationEssentials
import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

/// The page of what failed: a list, with the text of the marked failure beside it or in its place.
@Suite struct FailuresScreens {
    private func state(rows: Int, columns: Int) -> State {
        var state = World.state(rows: rows, columns: columns)
        state.press(.enter)
        let refused = Failure(
            .interactionRequired, "the provider rejected the refresh token",
            hint: "sign in again to answer the provider",
            oauthError: "invalid_grant", serverCodes: [50076],
            correlationID: TokenRequest.unnumbered, oauthDescription: "multi-factor authentication is needed")
        state.send(.failed(refused, RequestID(1)), .ended(milliseconds: 412, RequestID(1)))
        state.press(.escape)
        state.send(.tick(World.seconds(120)))
        state.type("g")
        state.press(.enter)
        state.send(.failed(Failure(.unavailable, "id.example.org does not answer"), RequestID(2)))
        state.press(.escape)
        state.type("F")
        return state
    }

    @Test func `The failures of the session are listed, the latest first`() throws {
        let lines = state(rows: 10, columns: 80).picture().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0].contains("Failures"))
        #expect(lines[1].contains("✖ 04:02  foyer      lin              unreachable"))
        #expect(lines[2].contains("▲ 04:00  foyer      ada@example.org  needs sign-in  412 ms"))
        #expect(lines[9].contains("Enter read") && lines[9].contains("? help"))
    }

    @Test func `One failure tells what the provider said and what to do`() throws {
        var state = state(rows: 24, columns: 80)
        state.press(.down, .enter)
        #expect(state.place == .failureDetails)
        for words in [
            "ada@example.org", "What the provider said", "AADSTS50076 · invalid_grant",
            "multi-factor authentication is needed", "What you can do", "sign in again to answer the provider",
        ] {
            #expect(state.picture().contains(words), "\(words)")
        }
        #expect(state.type("c") == [.copy(TokenRequest.unnumbered.uuidString.lowercased())])
    }

    @Test func `On a wide screen the list and the failure stand beside each other`() throws {
        let picture = state(rows: 24, columns: 120).picture()
        #expect(picture.contains("04:02  foyer      lin") && picture.contains("What you can do"))
    }
}
