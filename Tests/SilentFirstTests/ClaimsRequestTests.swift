import Identity
import Testing

@Suite struct ClaimsRequestTests {
    @Test func `A challenge without capabilities is passed on letter for letter`() throws {
        let challenge = #"{ "access_token" : {"nbf":{"essential":true, "value":"1"}} }"#
        #expect(try ClaimsRequest.merged(challenge: challenge, capabilities: []) == challenge)
    }

    @Test func `Capabilities join the challenge without displacing it`() throws {
        let merged = try ClaimsRequest.merged(
            challenge: #"{"access_token":{"nbf":{"essential":true}}}"#, capabilities: ["cp1"])
        #expect(merged == #"{"access_token":{"nbf":{"essential":true},"xms_cc":{"values":["cp1"]}}}"#)
    }

    @Test func `Nothing to ask for is no claims request`() throws {
        #expect(try ClaimsRequest.merged(challenge: nil, capabilities: []) == nil)
        #expect(!ClaimsRequest.isValid("[]"))
        #expect(!ClaimsRequest.isValid("{"))
    }

    @Test(arguments: [
        (#"{"access_token":{}}"#, true), (#"{"id_token":{"acr":null}}"#, true), (#"{"userinfo":null}"#, true),
        (#"{"nonce":"1"}"#, true), (#"{"id_token":"acr"}"#, false), (#"{"access_token":5}"#, false),
        (#"{"userinfo":["name"]}"#, false), (#"{"access_token":{},"id_token":true}"#, false),
    ])
    func `Each place of claims has an object of them`(text: String, isValid: Bool) {
        #expect(ClaimsRequest.isValid(text) == isValid)
    }
}
