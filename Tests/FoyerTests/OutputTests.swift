import Foundation
import Identity
import StrictJSON
import Testing

@testable import foyer

@Suite struct OutputTests {
    @Test func `An error has every member of the contract, null where nothing is known`() throws {
        let object = try #require(Failure(.notFound, "no such account").json.object)
        #expect(
            Set(object.members.map(\.name)) == [
                "code", "message", "hint", "oauthError", "suberror", "description", "serverCodes", "claims",
                "correlationId", "grantedScopes", "declinedScopes",
            ])
        #expect(object["code"]?.string == "notFound" && object["message"]?.string == "no such account")
        #expect(object["hint"]?.string == "list them with \"foyer accounts\"")
        for name in ["oauthError", "suberror", "description", "claims", "correlationId"] {
            #expect(object[name] == .null, "\(name)")
        }
        #expect(object["serverCodes"]?.array == [] && object["grantedScopes"]?.array == [])
    }

    @Test func `An error says what the provider said, with its numbers`() throws {
        let id = try #require(UUID(uuidString: "7F2F5E0B-0000-4000-8000-000000000001"))
        let failure = Failure(
            .declinedScopes, "not granted: b", hint: "ask for fewer", oauthError: "invalid_grant",
            suberror: "consent_required", serverCodes: [65001], claims: "{}", correlationID: id, grantedScopes: ["a"],
            declinedScopes: ["b"], oauthDescription: "AADSTS65001: consent")
        let object = try #require(failure.json.object)
        #expect(object["hint"]?.string == "ask for fewer" && object["claims"]?.string == "{}")
        #expect(object["oauthError"]?.string == "invalid_grant" && object["suberror"]?.string == "consent_required")
        #expect(object["correlationId"]?.string == id.uuidString.lowercased())
        #expect(object["serverCodes"]?.array == [JSONValue(integer: 65001)])
        #expect(object["grantedScopes"]?.array == [.string("a")] && object["declinedScopes"]?.array == [.string("b")])
        #expect(object["description"]?.string == "AADSTS65001: consent")
    }

    @Test(
        arguments: [
            (Failure.Code.interactionRequired, 3), (.declinedScopes, 4), (.serverError, 5), (.unavailable, 6),
            (.storeError, 7), (.notFound, 8), (.ambiguous, 8), (.untrustedResponse, 9), (.usage, 64),
            (.invalidInput, 65),
            (.configuration, 78), (.cancelled, 130),
        ] as [(Failure.Code, Int32)])
    func `Each code has the exit status of the contract`(code: Failure.Code, status: Int32) {
        #expect(code.exitStatus == status)
    }

    @Test func `JSON is asked for before the options are read`() {
        #expect(Output(arguments: ["token", "--json"]).json && !Output(arguments: ["token"]).json)
    }

    @Test func `Providers and keyrings are told that foyer asks`() {
        #expect(Product.name == "foyer")
    }
}
