import Testing

@testable import Identity

/// RFC 9110 section 11.6.1, and what Entra's resources say in it.
@Suite struct ClaimsChallengeTests {
    private static let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1604106651"}}}"#
    private static let coded =
        "eyJhY2Nlc3NfdG9rZW4iOnsibmJmIjp7ImVzc2VudGlhbCI6dHJ1ZSwidmFsdWUiOiIxNjA0MTA2NjUxIn19fQ=="

    @Test(arguments: [
        #"Bearer realm="", authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize", error="insufficient_claims", claims="CODED""#,
        #"bearer error="insufficient_claims",claims="CODED",authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize""#,
        #"Negotiate, Basic realm="x, y", Bearer authorization_uri = "https://login.microsoftonline.com/common/oauth2/authorize" , error = insufficient_claims, claims="CODED""#,
        #"Negotiate dG9rZW4=, Bearer claims="CODED", error="insufficient\_claims", authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize""#,
    ])
    func `A challenge is found among others, and its claims are passed on letter for letter`(_ field: String) throws {
        for coded in [Self.coded, Self.coded.replacing("=", with: "")] {
            let challenge = try #require(ClaimsChallenge(wwwAuthenticate: [field.replacing("CODED", with: coded)]))
            #expect(challenge.claims == Self.claims)
            #expect(challenge.authority?.host == "login.microsoftonline.com")
        }
    }

    @Test func `It is found in a second field`() {
        #expect(
            ClaimsChallenge(wwwAuthenticate: [
                "Negotiate", #"Bearer error="insufficient_claims", claims="\#(Self.coded)""#,
            ]) != nil)
    }

    @Test(arguments: [
        "", "Bearer", #"Bearer error="invalid_token", claims="CODED""#,
        #"Basic error="insufficient_claims", claims="CODED""#,
        #"Bearer error="insufficient_claims""#, #"Bearer error="insufficient_claims", claims="!!""#,
        #"Bearer error="insufficient_claims", claims="W10""#,
        #"Bearer error="insufficient_claims", claims="CODED", claims="CODED""#,
        #"Bearer error="insufficient_claims", claims="CODED"#, #"Bearer error="insufficient_claims" claims="CODED""#,
        #"error="insufficient_claims", claims="CODED""#,
    ])
    func `What is no such challenge, or breaks the grammar, is none`(_ field: String) {
        #expect(ClaimsChallenge(wwwAuthenticate: [field.replacing("CODED", with: Self.coded)]) == nil)
    }

    @Test func `Challenges are taken apart as RFC 9110 has them`() throws {
        let text =
            #", Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple",, Negotiate YWJj=="#
        let challenges = AuthenticationChallenge.read([text])
        #expect(challenges.map(\.scheme) == ["Newauth", "Basic", "Negotiate"])
        #expect(
            challenges[0]["title"] == #"Login to "apps""# && challenges[0]["type"] == "1"
                && challenges[1]["realm"] == "simple")
        #expect(challenges[2].token == "YWJj==" && challenges[2].parameters.isEmpty)
    }

    @Test func `The nonce of a proof is read, and everything is bounded`() {
        #expect(ClaimsChallenge.proofNonce(wwwAuthenticate: [#"Bearer, PoP nonce="n1", x=y"#]) == "n1")
        #expect(ClaimsChallenge.proofNonce(wwwAuthenticate: [#"Bearer nonce="n1""#]) == nil)
        #expect(AuthenticationChallenge.read(["Bearer a=\"" + String(repeating: "x", count: 40_000) + "\""]).isEmpty)
        #expect(AuthenticationChallenge.read([String(repeating: "A,", count: 1000)]).isEmpty)
        #expect(AuthenticationChallenge.read(["Bearer " + (0..<100).map { "p\($0)=1" }.joined(separator: ",")]).isEmpty)
    }

    @Test(arguments: [
        "Bearer a=\"\\", "Bearer a=\"\u{7}\"", "Bearer a=", "=", "\"", "Bearer \"a\"", ",,,", "a b c", "Bearer a=b c=d",
    ])
    func `No field is a trap`(_ field: String) {
        #expect(AuthenticationChallenge.read([field]).allSatisfy { $0.parameters.count <= 1 })
    }
}
