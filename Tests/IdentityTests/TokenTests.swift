import FoundationEssentials
import Testing

@testable import Identity

@Suite struct DecodedJWTTests {
    private func token(_ header: String, _ payload: String, _ signature: String = "AA") -> Secret {
        Secret("\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8))).\(signature)")
    }

    @Test func `The example of RFC 7519 section 3.1`() throws {
        let text =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
            + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let token = try DecodedJWT(Secret(text))
        #expect(token.header.string("alg") == "HS256" && token.payload.string("iss") == "joe")
        #expect(token.payload.date("exp") == Date(timeIntervalSince1970: 1_300_819_380))
        #expect(token.payload.json("http://example.com/is_root") == "true")
        #expect(token.signature.count == 32 && text.hasPrefix(token.signingInput + "."))
    }

    @Test func `What is no JWT says why`() {
        for (text, problem) in [
            ("a.b", DecodedJWT.Problem.notThreeParts), ("a.b.c.d", .notThreeParts), ("a.b.c.d.e", .encrypted),
            ("=.e30.", .base64(part: 1)),
            ("e30.e30=.", .base64(part: 2)), ("e30.e30.A", .base64(part: 3)), ("W10.e30.", .json(part: 1)),
            ("e30.W10.", .json(part: 2)),
            ("..", .json(part: 1)),
            (String(repeating: "a", count: 262_145), .tooLong),
        ] {
            #expect(throws: problem) { _ = try DecodedJWT(Secret(text)) }
        }
        #expect(throws: DecodedJWT.Problem.json(part: 2)) { _ = try DecodedJWT(token("{}", "{\"iss\":1,\"iss\":2}")) }
    }

    @Test func `Claims of a wrong type are missing`() throws {
        let claims = try DecodedJWT(
            token("{}", "{\"aud\":[\"a\",1,\"b\"],\"one\":\"x\",\"n\":\"5\",\"exp\":-1,\"far\":1e15,\"t\":1.5}")
        )
        .payload
        #expect(
            claims.strings("aud") == ["a", "b"] && claims.strings("one") == ["x"] && claims.strings("none").isEmpty)
        #expect(claims.integer("n") == nil && claims.date("exp") == nil && claims.date("far") == nil)
        #expect(claims.date("t") == Date(timeIntervalSince1970: 1.5))
    }
}

@Suite struct SecretTests {
    @Test func `A secret shows its length only`() {
        let secret = Secret("FAKE-SECRET")
        #expect("\(secret)" == "<secret of 11 bytes>" && String(reflecting: secret) == "<secret of 11 bytes>")
        var text = ""
        dump(secret, to: &text)
        dump([secret], to: &text)
        #expect(!text.contains("FAKE"))
        #expect(
            secret.isEqual(constantTime: Secret("FAKE-SECRET")) && !secret.isEqual(constantTime: Secret("FAKE-SECREX")))
    }
}

@Suite struct AccountTests {
    @Test func `The home tenant stands after the last dot`() {
        let tenant = "c0c0c0c0-0000-4000-8000-000000000001"
        #expect(Account(homeAccountID: "u.\(tenant)", environment: "e", username: "").homeTenantID == tenant)
        #expect(Account(homeAccountID: "u.v", environment: "e", username: "").homeTenantID == nil)
        #expect(Account(homeAccountID: "sub", environment: "e", username: "", name: "N").label == "N")
    }

    @Test func `One person has one home identity in all names of a cloud`() {
        let one = AccountID(homeAccountID: "a", environment: "login.windows.net")
        #expect(one.isSamePerson(as: AccountID(homeAccountID: "a", environment: "login.microsoftonline.com")))
        #expect(!one.isSamePerson(as: AccountID(homeAccountID: "A", environment: "login.windows.net")))
    }

    @Test(arguments: [
        "", "c0c0c0c0-0000-4000-8000-00000000000", "c0c0c0c000004000800000000000000001",
        "g0c0c0c0-0000-4000-8000-000000000001",
    ])
    func `What is no GUID is none`(_ text: String) { #expect(!text.isGUID) }
}
