import Identity
import Testing

@testable import Wire

@Suite struct TokenGrantTests {
    private static func grant(_ more: String, token: String = #""a""#, type: String = #""Bearer""#) throws -> TokenGrant
    {
        try TokenGrant(
            try Samples.object(#"{"access_token":\#(token),"token_type":\#(type)\#(more.isEmpty ? "" : "," + more)}"#))
    }

    private static func refusal(_ more: String, token: String = #""a""#, type: String = #""Bearer""#) -> String? {
        do {
            _ = try grant(more, token: token, type: type)
            return nil
        } catch { return (error as? WireError)?.check }
    }

    @Test(arguments: [
        ("3600", 3600), ("\"3600\"", 3600), ("3600.0", 3600), ("3.6e3", 3600), ("3599.9", 3599), ("\"3599.9\"", 3599),
        ("31536000", 31_536_000), ("31536001", 31_536_000), ("315360000", 31_536_000), ("null", 3600),
        ("1763700000", 3600), ("\"1763700000\"", 3600), ("4611686018427387904", 3600), ("9223372036854775808", 3600),
        ("1e300", 3600),
    ])
    func `A length of time is read, cut to a year, and a date is not taken for one`(written: String, seconds: Int)
        throws
    {
        let grant = try Self.grant("\"expires_in\":\(written)")
        #expect(grant.expiresIn == seconds && grant.flaw == nil)
    }

    @Test func `RFC 6749 section 5.1: without expires_in an hour is assumed`() throws {
        #expect(try Self.grant("").expiresIn == 3600)
    }

    @Test(arguments: [
        "true", "\"soon\"", "\"\"", "\"-1\"", "\"1e3\"", "[3600]", "{}", "\" 3600\"", "\"\u{0663}\"",
        "\"99999999999999999999999\"",
    ])
    func `What is no length of time leaves the access token unused, and the refresh token known`(written: String) throws
    {
        let grant = try Self.grant("\"expires_in\":\(written),\"refresh_token\":\"r\"")
        #expect(grant.flaw?.check == "token response" && grant.refreshToken == Secret("r"))
    }

    @Test(arguments: ["0", "-1", "-9223372036854775808", "0.5", "\"0\""])
    func `RFC 6749 appendix A.14: a token that was over when it came is not used`(written: String) throws {
        #expect(try Self.grant("\"expires_in\":\(written)").flaw?.check == "token response")
    }

    @Test(arguments: [#"["a","b"]"#, "[]", "5", "{}", "true"])
    func `RFC 6749 section 3.3: scopes are one text, and what else stands there is not guessed`(written: String) throws
    {
        let grant = try Self.grant("\"scope\":\(written),\"refresh_token\":\"r\"")
        #expect(grant.flaw?.check == "token response" && grant.scopes == nil && grant.refreshToken == Secret("r"))
    }

    @Test func `Hints that make no sense are dropped, and the token is kept`() throws {
        let grant = try Self.grant(#""ext_expires_in":"never","refresh_in":true,"foci":[1],"client_info":5"#)
        #expect(grant.extendedExpiresIn == nil)
        #expect(grant.refreshIn == nil)
        #expect(grant.familyID == nil)
        #expect(grant.clientInfo == nil)
        let good = try Self.grant(#""ext_expires_in":7200,"refresh_in":"1800","foci":"1""#)
        #expect(good.extendedExpiresIn == 7200)
        #expect(good.refreshIn == 1800)
        #expect(good.familyID == "1")
    }

    @Test(arguments: ["Bearer", "bearer", "BEARER", "bEaReR"]) func `The token type is Bearer in any case`(type: String)
        throws
    {
        #expect(try Self.grant("", type: "\"\(type)\"").tokenType == "Bearer")
    }

    @Test(arguments: [
        "\"mac\"", "\"DPoP\"", "\"\"", "\"Bearer \"", "\"Bearer\\u001b[31m\"", "null", "5", "[\"Bearer\"]",
    ])
    func `Any other token type is refused`(type: String) {
        #expect(Self.refusal("", type: type) == "token type")
    }

    @Test(arguments: [
        "\"a\\r\\nX: y\"", "\"a\\u001b[31m\"", "\"a b\"", "\"ünïcode\"", "\"a\\u0000\"", "\"a\\u007f\"", "\"\\u202e\"",
        "5", "[\"a\"]",
        "{}", "true",
    ])
    func `A token with characters that no token may have is refused`(token: String) {
        #expect(Self.refusal("", token: token) == "token response")
        #expect(Self.refusal("\"refresh_token\":\(token)") == "token response")
        #expect(Self.refusal("\"id_token\":\(token)") == "token response")
    }

    @Test(arguments: ["null", "\"\""]) func `Without an access token there is nothing to keep`(token: String) {
        #expect(Self.refusal("", token: token) == "token response")
    }

    @Test func `No refresh token and no ID token is no fault`() throws {
        let grant = try Self.grant(#""refresh_token":null,"id_token":"""#)
        #expect(grant.refreshToken == nil)
        #expect(grant.idToken == nil)
    }

    @Test func `A token of four hundred thousand characters is a token`() throws {
        #expect(
            try Self.grant("", token: "\"" + String(repeating: "t", count: 400_000) + "\"").accessToken?.count
                == 400_000
        )
    }

    @Test func `Scopes come reordered, twice, or not at all`() throws {
        #expect(try Self.grant(#""scope":"b a b  A""#).scopes == ["a", "b"])
        for absent in ["", #""scope":null"#, #""scope":"""#, #""scope":" ""#] {
            let grant = try Self.grant(absent)
            #expect(grant.scopes == nil && grant.flaw == nil)
        }
    }

    @Test func `client_info is base64url or base64 of uid and utid`() throws {
        let url = try Self.grant(#""client_info":"eyJ1aWQiOiJ1fj4_Iiwi dXRpZCI6InQifQ""#)
        #expect(url.clientInfo == nil)
        let good = Base64URL.encode(Array(#"{"uid":"u~>?","utid":"t"}"#.utf8))
        #expect(try Self.grant("\"client_info\":\"\(good)\"").clientInfo?.uid == "u~>?")
        let standard = good.replacing("-", with: "+").replacing("_", with: "/")
        #expect(try Self.grant("\"client_info\":\"\(standard)==\"").clientInfo?.utid == "t")
        for wrong in [
            #"{"uid":"u"}"#, #"{"uid":"","utid":"t"}"#, #"{"uid":"u\u000a","utid":"t"}"#, #"{"uid":1,"utid":"t"}"#,
            "[]",
        ] {
            let coded = Base64URL.encode(Array(wrong.utf8))
            #expect(try Self.grant("\"client_info\":\"\(coded)\"").clientInfo == nil)
        }
    }

    @Test func `Printing a grant shows no token`() throws {
        let grant = try Self.grant(#""refresh_token":"rt-secret","id_token":"id-secret""#, token: #""at-secret""#)
        #expect(!"\(grant) \(String(reflecting: grant))".contains("-secret"))
    }
}
