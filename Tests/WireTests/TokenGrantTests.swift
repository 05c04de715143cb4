import FoundationEssentials
import Identity
import Testing

@testable import Wire

@Suite struct TokenGrantTests {
    private static let now = Date(timeIntervalSince1970: 1_763_700_000)

    private static func grant(_ more: String, token: String = #""a""#, type: String = #""Bearer""#) throws -> TokenGrant
    {
        TokenGrant(
            try Samples.object(#"{"access_token":\#(token),"token_type":\#(type)\#(more.isEmpty ? "" : "," + more)}"#),
            now: now)
    }

    /// The check that an answer with a refresh token fails. The access token is then withheld, the refresh token known.
    private static func flaw(_ more: String = "", token: String = #""a""#, type: String = #""Bearer""#) throws
        -> String?
    {
        let grant = try grant(#""refresh_token":"r"\#(more.isEmpty ? "" : "," + more)"#, token: token, type: type)
        #expect(grant.refreshToken == Secret("r"))
        if grant.flaw != nil { #expect(grant.accessToken == nil) }
        return grant.flaw?.check
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
        #expect(try Self.flaw("\"expires_in\":\(written)") == "token response")
        #expect(try Self.flaw("\"expires_on\":\(written)") == "token response")
    }

    @Test(
        arguments: [
            ("1763701800", nil, 1800), ("\"1763701800\"", nil, 1800), ("1763701800.9", nil, 1800),
            ("4102444800", nil, 31_536_000), ("1763701800", "600", 600), ("1763701800", "null", 1800),
            ("null", nil, 3600),
        ] as [(String, String?, Int)])
    func `An end that is stated as a time alone is the end, and a length of time comes before it`(
        end: String, length: String?, seconds: Int
    ) throws {
        let grant = try Self.grant("\"expires_on\":\(end)" + (length.map { ",\"expires_in\":\($0)" } ?? ""))
        #expect(grant.expiresIn == seconds && grant.flaw == nil)
    }

    @Test(arguments: ["1763700000", "1763699999", "0", "\"3600\""]) func `A stated end that is over is no usable token`(
        end: String
    ) throws {
        #expect(try Self.flaw("\"expires_on\":\(end)") == "token response")
    }

    @Test(arguments: ["-1", "1e300", "253402300800", "\"2026-01-01T00:00:00Z\"", "true", "{}"])
    func `A stated end that is no time is not taken for none`(end: String) throws {
        #expect(try Self.flaw("\"expires_on\":\(end)") == "token response")
    }

    @Test(arguments: ["0", "-1", "-9223372036854775808", "0.5", "\"0\""])
    func `RFC 6749 appendix A.14: a token that was over when it came is not used`(written: String) throws {
        #expect(try Self.grant("\"expires_in\":\(written)").flaw?.check == "token response")
    }

    @Test(arguments: [#"["a","b"]"#, "[]", "5", "{}", "true"])
    func `RFC 6749 section 3.3: scopes are one text, and what else stands there is not guessed`(written: String) throws
    {
        #expect(try Self.flaw("\"scope\":\(written)") == "token response")
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
    func `Any other token type withholds the access token, and the refresh token is known`(type: String) throws {
        #expect(try Self.flaw(type: type) == "token type")
    }

    @Test func `Without a token type the access token is withheld, and the refresh token is known`() throws {
        let grant = TokenGrant(try Samples.object(#"{"access_token":"a","refresh_token":"r"}"#))
        #expect(grant.flaw?.check == "token type" && grant.accessToken == nil && grant.refreshToken == Secret("r"))
    }

    @Test(arguments: [
        "\"a\\r\\nX: y\"", "\"a\\u001b[31m\"", "\"a b\"", "\"ünïcode\"", "\"a\\u0000\"", "\"a\\u007f\"", "\"\\u202e\"",
        "5", "[\"a\"]",
        "{}", "true",
    ])
    func `A token with characters that no token may have is refused, and the refresh token beside it is known`(
        token: String
    ) throws {
        #expect(try Self.flaw(token: token) == "token response")
        #expect(try Self.flaw("\"id_token\":\(token)") == "token response")
        let grant = try Self.grant("\"refresh_token\":\(token)")
        #expect(grant.flaw?.check == "token response" && grant.refreshToken == nil && grant.accessToken == nil)
    }

    @Test(arguments: ["null", "\"\""]) func `Without an access token only the refresh token is left`(token: String)
        throws
    {
        #expect(try Self.flaw(token: token) == "token response")
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
