import Broker
import CommandSupport
import FoundationEssentials
import Identity
import StrictJSON
import Testing

/// What callers send, as they were seen to send it, and what is made of it.
@Suite struct BrokerRequestTests {
    private static let correlation = "0f0e0d0c-0b0a-4908-8706-050403020100"

    private func read(_ method: BrokerInterface.Method, _ json: String) throws(BrokerRefusal) -> BrokerRequest {
        try BrokerRequest(method, correlationID: Self.correlation, json: json)
    }

    @Test func `A silent request of MSAL's run-time is understood`() throws {
        let request = try read(
            .acquireTokenSilently,
            """
            {"authParameters":{"accessTokenToRenew":"","account":{"homeAccountId":"u.t","username":"ada@example.org",
            "environment":"login.windows.net","realm":"t"},
            "additionalQueryParametersForAuthorization":{"msal_client_sku":"MSAL.Python"},
            "authority":"https://login.microsoftonline.com/common","authorizationType":1,"clientId":"c","decodedClaims":"",
            "enrollmentId":"","isTestMode":false,"password":"","popParams":null,"redirectUri":"r",
            "requestedScopes":["User.Read","Mail.Read"],"username":"ada@example.org","uxContextHandle":-1}}
            """)
        #expect(request.correlationID.uuidString.lowercased() == Self.correlation)
        #expect(
            request.options.clientID == "c" && request.options.authority == "https://login.microsoftonline.com/common")
        #expect(request.options.scopes == ["User.Read", "Mail.Read"])
        #expect(request.homeAccountID == "u.t" && request.username == "ada@example.org")
        #expect(request.options.claims == nil && !request.options.forceRefresh && !request.wantsProof)
    }

    @Test func `An account beside the parameters, as browsers send it, is found`() throws {
        let request = try read(
            .acquireTokenSilently, #"{"account":{"homeAccountId":"u.t"},"authParameters":{"clientId":"c"}}"#)
        #expect(request.homeAccountID == "u.t" && request.options.clientID == "c")
    }

    @Test(arguments: [
        (#"{\"access_token\":{\"xms_cc\":{\"values\":[\"cp1\"]}}}"#, false),
        (#"{\"access_token\":{\"nbf\":{\"essential\":true,\"value\":\"1\"},\"xms_cc\":{\"values\":[\"cp1\"]}}}"#, true),
        (#"{\"id_token\":{\"acr\":null}}"#, true), (#"{}"#, false), ("", false),
    ])
    func `Only claims beyond the capabilities are a challenge`(claims: String, isChallenge: Bool) throws {
        let request = try read(
            .acquireTokenSilently, #"{"authParameters":{"clientId":"c","decodedClaims":"\#(claims)"}}"#)
        #expect((request.options.claims != nil) == isChallenge)
    }

    @Test func `A token to renew, and a token bound to a key, are wished for`() throws {
        let request = try read(
            .acquireTokenSilently,
            #"{"authParameters":{"clientId":"c","accessTokenToRenew":"old","popParams":{"shr_claims":"x"}}}"#)
        #expect(request.options.forceRefresh && request.wantsProof)
        let empty = try read(
            .acquireTokenSilently, #"{"authParameters":{"clientId":"c","popParams":{"shr_claims":"","nonce":null}}}"#)
        #expect(!empty.wantsProof)
    }

    @Test(arguments: [
        "", "null", "[]", "{", #"{"authParameters":{}}"#, #"{"clientId":""}"#, #"{"clientId":"a b"}"#,
        #"{"clientId":"c","requestedScopes":["a\"b"]}"#, #"{"clientId":"c","decodedClaims":"[]"}"#,
        #"{"clientId":"c","authority":"\#(String(repeating: "a", count: 20_000))"}"#,
        #"{"clientId":"c","requestedScopes":[\#(Array(repeating: "\"s\"", count: 257).joined(separator: ","))]}"#,
        String(repeating: "[", count: 100), String(repeating: " ", count: BrokerRequest.longest + 1),
    ])
    func `What is no request, or has no bounds, is refused by the contract's number`(json: String) {
        let refusal = #expect(throws: BrokerRefusal.self) {
            _ = try BrokerRequest(.getAccounts, correlationID: "", json: json)
        }
        #expect(refusal?.status == .apiContractViolation)
    }

    @Test(arguments: [
        ("https://id.example.org/tenant", "https://id.example.org:8443/common", "https://id.example.org:8443/tenant"),
        ("https://id.example.org:9/tenant", "https://id.example.org:8443/common", "https://id.example.org:9/tenant"),
        ("https://other.example.org/t", "https://id.example.org:8443/common", "https://other.example.org/t"),
        ("https://127.0.0.1/t", "http://127.0.0.1:8080/organizations", "http://127.0.0.1:8080/t"),
        (
            "https://login.microsoftonline.com/common", "https://login.microsoftonline.com/t",
            "https://login.microsoftonline.com/common"
        ),
        ("nothing", "https://id.example.org", "nothing"),
    ])
    func `The port that MSAL's run-time leaves out comes from the settings, for that host alone`(
        named: String, configured: String, expected: String
    ) {
        #expect(BrokerRequest.authority(named, configured: configured) == expected)
    }

    // MARK: Answers

    private static let account = Account(
        homeAccountID: "11111111-0000-4000-8000-000000000001.22222222-0000-4000-8000-000000000002",
        environment: "login.microsoftonline.com", username: "ada@example.org", name: "Ada King Lovelace",
        tenantProfiles: [
            TenantProfile(tenantID: "t", localAccountID: "oid", username: "ada@example.org", isHome: true)
        ])

    @Test func `A token's answer has every member that callers insist on, and times in milliseconds`() throws {
        let answer = BrokerAnswer.token(
            accessToken: Secret("at"), idToken: Secret("a.b.c"), account: Self.account, tenantID: "t",
            scopes: ["User.Read", "Mail.Read"], expiresOn: Date(timeIntervalSince1970: 1_700_000_000),
            extendedExpiresOn: nil)
        let response = try #require(answer["brokerTokenResponse"])
        #expect(response["accessToken"]?.string == "at" && response["accessTokenType"]?.integer == 0)
        #expect(response["idToken"]?.string == "a.b.c")
        #expect(response["expiresOn"]?.integer == 1_700_000_000_000)
        #expect(response["extendedExpiresOn"]?.integer == 1_700_000_000_000)
        #expect(response["grantedScopes"]?.string == "User.Read Mail.Read")
        let info = try #require(response["clientInfo"]?.string.flatMap { Base64URL.decode($0) })
        let parsed = try JSONValue(parsing: info)
        #expect(parsed["uid"]?.string == "11111111-0000-4000-8000-000000000001")
        #expect(parsed["utid"]?.string == "22222222-0000-4000-8000-000000000002")
        let account = try #require(response["account"])
        #expect(account["environment"]?.string == "login.windows.net")
        #expect(account["givenName"]?.string == "Ada" && account["familyName"]?.string == "King Lovelace")
    }

    @Test func `An account of the list has what sso-mib drops it without`() throws {
        let account = try #require(BrokerAnswer.accounts([Self.account])["accounts"]?.array?.first)
        for name in [
            "environment", "givenName", "homeAccountId", "localAccountId", "name", "realm", "username",
        ] { #expect(account[name]?.string?.isEmpty == false, "\(name)") }
        #expect(account["passwordExpiry"]?.integer == 0)
        #expect(account["realm"]?.string?.isGUID == true)
    }

    // MARK: Refusals

    @Test(arguments: [
        (Failure.Code.interactionRequired, Int64(2)), (.declinedScopes, 2), (.serverError, 6), (.unavailable, 4),
        (.storeError, 15), (.notFound, 2), (.ambiguous, 2), (.untrustedResponse, 11), (.usage, 6), (.invalidInput, 6),
        (.configuration, 9), (.cancelled, 7),
    ])
    func `Each failure has its number on the bus`(code: Failure.Code, status: Int64) throws {
        let json = BrokerRefusal(Failure(code, "so it is"), hint: "do that").json
        let error = try #require(json["brokerTokenResponse"]?["error"])
        #expect(error["status"]?.integer == status)
        #expect(error["context"]?.string == "foyer: so it is; do that")
        // Callers take an error without one for none.
        #expect(error["tag"]?.integer != nil && error["subStatus"]?.integer == 0 && error["errorCode"]?.integer == 0)
    }

    @Test func `A policy that wants the device is told by its own number`() {
        let refusal = BrokerRefusal(Failure(.serverError, "refused", serverCodes: [53000]), hint: nil)
        #expect(refusal.status == .deviceNotRegistered && refusal.errorCode == 53000)
        #expect(refusal.context.contains("AADSTS53000"))
    }
}
