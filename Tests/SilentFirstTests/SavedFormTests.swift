import FoundationEssentials
import Identity
import Testing

@testable import SilentFirst

/// The saved form of accounts and requests: its keys are a promise, so each type has one fixed text.
@Suite struct SavedFormTests {
    private static let account = Account(
        homeAccountID: "uid.utid", environment: "login.microsoftonline.com", username: "ada@contoso.example",
        name: "Ada",
        tenantProfiles: [
            TenantProfile(
                tenantID: "utid", localAccountID: "uid", username: "ada@contoso.example", name: "Ada", isHome: true,
                claims: .noIDToken)
        ], clients: ["c1"], origin: .adal, issuer: "https://id.example.org")
    private static let accountText =
        #"{"clients":["c1"],"environment":"login.microsoftonline.com","homeAccountId":"uid.utid","#
        + #""issuer":"https://id.example.org","name":"Ada","origin":"adal","tenantProfiles":[{"isHome":true,"#
        + #""localAccountId":"uid","name":"Ada","tenantId":"utid","username":"ada@contoso.example"}],"#
        + #""username":"ada@contoso.example"}"#
    private static let correlationID = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"

    private static func request() throws -> TokenRequest {
        var request = TokenRequest(
            scopes: ["User.Read", "Mail.Read"], account: account,
            authority: try Authority("https://id.example.org", kind: .oidc), tenant: "t", claims: "{}",
            resource: "https://api.example.org", forceRefresh: true,
            proof: ResourceRequest(method: "GET", address: try WebAddress("https://api.example.org/x"), nonce: "n"),
            agentSession: "s", correlationID: try #require(UUID(uuidString: correlationID)), method: .privateWindow,
            prompt: .selectAccount, loginHint: "ada", domainHint: "contoso.example", extraScopes: ["Files.Read"],
            extraQueryParameters: ["a": "b"], responseMode: .formPost, maxAge: 60, acrValues: ["mfa"])
        request.stepUp = StepUpChallenge(wwwAuthenticate: [
            #"Bearer error="insufficient_user_authentication", acr_values="gold", max_age="5""#
        ])
        return request
    }

    private static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func value<Value: Decodable>(_ text: String, _ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    @Test func `An account is saved without claims and reads back`() throws {
        #expect(try Self.text(Self.account) == Self.accountText)
        var expected = Self.account
        expected.tenantProfiles[0].claims = .notRead
        #expect(try Self.value(Self.accountText, Account.self).hasSameContent(as: expected))
        let least = try Self.value(#"{"homeAccountId":"a","environment":"e","later":1}"#, Account.self)
        #expect(least.hasSameContent(as: Account(homeAccountID: "a", environment: "e", username: "")))
    }

    @Test func `A request reads back with every member`() throws {
        let request = try Self.request()
        let text =
            #"{"account":\#(Self.accountText),"acrValues":["mfa"],"agentSession":"s","#
            + #""authority":{"kind":"oidc","url":"https://id.example.org"},"claims":"{}","#
            + #""correlationId":"\#(Self.correlationID)","domainHint":"contoso.example","#
            + #""extraQueryParameters":{"a":"b"},"extraScopes":["Files.Read"],"forceRefresh":true,"loginHint":"ada","#
            + #""maxAge":60,"method":"private","prompt":"select_account","#
            + #""proof":{"method":"GET","nonce":"n","url":"https://api.example.org/x"},"#
            + #""resource":"https://api.example.org","responseMode":"form_post","scopes":["User.Read","Mail.Read"],"#
            + #""stepUp":{"acrValues":["gold"],"maxAge":5,"scopes":[]},"tenant":"t"}"#
        #expect(try Self.text(request) == text)
        var expected = request
        expected.account?.tenantProfiles[0].claims = .notRead
        let read = try Self.value(text, TokenRequest.self)
        #expect(read == expected)
        #expect(try #require(read.account).hasSameContent(as: try #require(expected.account)))

        let least = try Self.value(#"{"scopes":["a"],"prompt":null}"#, TokenRequest.self)
        #expect(least == TokenRequest(scopes: ["a"], correlationID: least.correlationID))
        #expect(least.correlationID != (try Self.value(#"{"scopes":["a"]}"#, TokenRequest.self).correlationID))
    }

    @Test func `A query and the options of a sign-out read back, and a missing key has the usual value`() throws {
        let query = AccountQuery(
            identifier: "i", username: "u", localAccountID: "l", tenantID: "t", returnOnlySignedIn: false)
        let text =
            #"{"identifier":"i","localAccountId":"l","returnOnlySignedIn":false,"tenantId":"t","username":"u"}"#
        #expect(try Self.text(query) == text)
        #expect(try Self.value(text) == query)
        #expect(try Self.value("{}") == AccountQuery())

        let options = SignOutOptions(
            wipe: true, revokesTokens: false, revokesAccessTokens: true, revokesAsLeaked: true,
            givesUpOnProvider: true, endsBrowserSession: false)
        let flags =
            #"{"endsBrowserSession":false,"givesUpOnProvider":true,"revokesAccessTokens":true,"revokesAsLeaked":true,"#
            + #""revokesTokens":false,"wipe":true}"#
        #expect(try Self.text(options) == flags)
        #expect(try Self.value(flags) == options)
        #expect(try Self.value("{}") == SignOutOptions())
    }

    @Test(arguments: [
        #"{"scopes":["a b"]}"#, #"{"scopes":["a","A"]}"#, #"{"scopes":["a\"b"]}"#, #"{}"#,
        #"{"scopes":[],"prompt":"later"}"#, #"{"scopes":[],"method":"telepathy"}"#,
        #"{"scopes":[],"responseMode":"fragment"}"#, #"{"scopes":[],"maxAge":"1"}"#,
        #"{"scopes":[],"authority":{"url":"ftp://x"}}"#,
        #"{"scopes":[],"authority":{"url":"https://x","kind":"saml"}}"#,
        #"{"scopes":[],"proof":{"method":"G T","url":"https://x"}}"#,
        #"{"scopes":[],"proof":{"method":"GET","url":"http://x"}}"#, #"{"scopes":[],"stepUp":{}}"#,
        #"{"scopes":[],"stepUp":{"maxAge":-1}}"#, #"{"scopes":[],"account":{"homeAccountId":"a"}}"#,
        #"{"scopes":[],"account":{"homeAccountId":"a","environment":"e","origin":"other"}}"#,
        #"{"scopes":[],"account":{"homeAccountId":"a","environment":"e","tenantProfiles":[{"tenantId":"t"}]}}"#,
        #"{"scopes":[],"correlationId":"1"}"#,
    ])
    func `An invalid value is an error, not a default`(text: String) {
        #expect(throws: DecodingError.self) { try Self.value(text, TokenRequest.self) }
    }
}
