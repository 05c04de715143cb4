import Explain
import Identity
import Keys
import Testing

@testable import AppModel
@testable import Screens

@Suite struct InspectorVerdictTests {
    private static let forged = World.jwt(
        #"{"alg":"none","typ":"JWT"}"#,
        #"{"iss":"https://evil.example/","aud":"https://graph.microsoft.com","exp":1795230600,"#
            + #""scp":"Group.ReadWrite.All","wids":["62e90394-69f5-4237-9190-012177145e10"]}"#)

    private func pasted(_ token: String, rows: Int = 40, columns: Int = 120) -> State {
        var state = World.state(rows: rows, columns: columns)
        state.type("ip")
        state.press(.paste(token))
        return state
    }

    @Test
    func `An expired and unsigned token with a critical scope and a Global Administrator is not told as harmless`() {
        let picture = pasted(Self.forged, columns: 160).picture()
        #expect(picture.contains("expired 50 min ago · unsigned (alg none) · critical scope · Global Administrator"))
    }

    @Test func `The inspector and the command give a permission the same risk`() throws {
        let look = DecodedToken(try DecodedJWT(Secret(Self.forged)))
        let picture = pasted(Self.forged).picture()
        for permission in look.permissions {
            let risk = try #require(permission.risk)
            #expect(picture.contains(permission.name) && picture.contains(risk.word))
        }
        #expect(!picture.contains("no description"))
    }

    @Test func `A host that only the token names is asked when a person has allowed it, and not before`() throws {
        var state = pasted(World.jwt(#"{"alg":"RS256"}"#, #"{"iss":"https://login.microsoftonline.com/t/v2.0"}"#))
        guard case .verify(let token, nil, let id)? = state.type("v").first else {
            Issue.record("nothing was asked for")
            return
        }
        state.send(.verified(.mayAsk(host: "login.microsoftonline.com"), id))
        #expect(state.place == .dialog && state.picture().contains("fetched from login.microsoftonline.com"))
        // The safe answer is the marked one.
        #expect(state.press(.enter).isEmpty)
        #expect(state.picture().contains("signature not checked"))

        guard case .verify(_, nil, let again)? = state.type("v").first else { return }
        state.send(.verified(.mayAsk(host: "login.microsoftonline.com"), again))
        #expect(state.type("y") == [.verify(token, mayAsk: "login.microsoftonline.com", again)])
        state.send(.verified(.right(key: "k1"), again))
        #expect(state.picture().contains("signature valid (key k1)"))
    }
}
