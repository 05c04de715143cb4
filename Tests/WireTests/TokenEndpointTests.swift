import FoundationEssentials
import Identity
import Testing

@testable import Wire

@Suite struct TokenEndpointTests {
    private static let correlationID = UUID(uuidString: "7F2F5E0B-0000-4000-8000-000000000001") ?? UUID()
    private static let granted = #"{"access_token":"at","token_type":"Bearer","expires_in":3600}"#

    private enum Question: CaseIterable { case redeem, refresh, poll }

    private static func ask(
        _ question: Question, isEntra: Bool = false, anchor: String = "", claims: String? = nil,
        agentSession: String? = nil,
        _ respond: @escaping @Sendable (StubServer.Asked) -> StubServer.Reply
    ) async throws -> (Result<TokenAnswer, WireError>, [StubServer.Asked]) {
        try await StubServer.open(respond) { server async throws in
            try await Samples.transport { transport async throws in
                let endpoint = TokenEndpoint(
                    metadata: try Samples.metadata("http://127.0.0.1:\(server.port)"), clientID: "client/1",
                    isEntra: isEntra,
                    correlationID: correlationID, transport: transport)
                let result: Result<TokenAnswer, WireError>
                do throws(WireError) {
                    switch question {
                    case .redeem:
                        result = .success(
                            try await endpoint.redeem(
                                code: Secret("co de"), verifier: Secret("ver"), redirectURI: "http://localhost:5000",
                                scopes: ["a/read"],
                                claims: claims))
                    case .refresh:
                        result = .success(
                            try await endpoint.refresh(
                                token: Secret("rt"), scopes: ["a/read"], claims: claims, anchor: anchor,
                                agentSession: agentSession))
                    case .poll: result = .success(try await endpoint.poll(device: Secret("dc")))
                    }
                } catch { result = .failure(error) }
                return (result, server.asked)
            }
        }
    }

    private static func refusal(_ question: Question, _ reply: StubServer.Reply) async throws -> OAuthError? {
        guard case .success(.refused(let error)) = try await ask(question, { _ in reply }).0 else { return nil }
        return error
    }

    @Test func `A code is redeemed with the verifier and the same redirect URI, the client in the body, and no secret`()
        async throws
    {
        let (result, asked) = try await Self.ask(.redeem) { _ in .json(Self.granted) }
        guard case .success(.granted(let grant)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(grant.accessToken?.reveal() == "at")
        let one = try #require(asked.first)
        #expect(one.method == "POST")
        #expect(one.target == "/token")
        #expect(
            one.fields == [
                "client_id": "client%2F1", "grant_type": "authorization_code", "code": "co%20de",
                "code_verifier": "ver",
                "redirect_uri": "http%3A%2F%2Flocalhost%3A5000",
            ])
        #expect(one.header("authorization") == nil)
        #expect(one.header("content-type") == "application/x-www-form-urlencoded")
        #expect(one.header("accept") == "application/json")
        #expect(one.header("cookie") == nil)
    }

    @Test func `A plain provider's refresh repeats no scopes, and nothing of Entra ID is sent`() async throws {
        let (_, asked) = try await Self.ask(.refresh, anchor: "u.t") { _ in .json(Self.granted) }
        let one = try #require(asked.first)
        #expect(one.fields == ["client_id": "client%2F1", "grant_type": "refresh_token", "refresh_token": "rt"])
        #expect(!one.headers.contains { $0.name.hasPrefix("x-") || $0.name.contains("client-request-id") })
    }

    @Test func `Entra ID's refresh repeats scopes, asks for client_info, and says who asks and where to route`()
        async throws
    {
        let (_, asked) = try await Self.ask(.refresh, isEntra: true, anchor: "uid.utid", claims: #"{"a":1}"#) { _ in
            .json(Self.granted)
        }
        let one = try #require(asked.first)
        #expect(one.fields["scope"] == "a%2Fread%20openid%20profile%20offline_access")
        #expect(one.fields["client_info"] == "1")
        #expect(one.fields["claims"] == "%7B%22a%22%3A1%7D")
        #expect(one.header("x-client-sku") == "SilentFirst")
        #expect(one.header("client-request-id") == "7f2f5e0b-0000-4000-8000-000000000001")
        #expect(one.header("return-client-request-id") == "true")
        #expect(one.header("x-ms-lib-capability") == "retry-after, h429")
        #expect(one.header("x-anchormailbox") == "Oid:uid@utid")
    }

    @Test func `An agent's session is named in the query and in the form, and a person is not`() async throws {
        let (_, asked) = try await Self.ask(.refresh, isEntra: true, agentSession: "s&1") { _ in .json(Self.granted) }
        let one = try #require(asked.first)
        #expect(one.target == "/token?client_session=s%261" && one.fields["client_session"] == "s%261")
        let (_, others) = try await Self.ask(.refresh, isEntra: true) { _ in .json(Self.granted) }
        let other = try #require(others.first)
        #expect(other.target == "/token" && other.fields["client_session"] == nil)
    }

    @Test(arguments: ["uid", "", "u\r\nX: y.t", "u d.t"]) func `A routing hint that is none is left out`(anchor: String)
        async throws
    {
        let (_, asked) = try await Self.ask(.refresh, isEntra: true, anchor: anchor) { _ in .json(Self.granted) }
        #expect(asked.first?.header("x-anchormailbox") == nil)
        #expect(asked.first?.header("x") == nil)
    }

    @Test func `A poll has the grant type, the device code and the client`() async throws {
        let (_, asked) = try await Self.ask(.poll) { _ in .json(Self.granted) }
        #expect(
            asked.first?.fields == [
                "client_id": "client%2F1", "grant_type": "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code",
                "device_code": "dc",
            ])
    }

    @Test(arguments: [
        (400, #"{"error":"invalid_grant","error_description":"gone"}"#, "invalid_grant"), (400, "", "invalid_grant"),
        (401, "", "invalid_grant"),
        (401, #"{"detail":"Token is invalid"}"#, "invalid_grant"),
        (400, #"{"error":"invalid_request"}"#, "invalid_grant"),
        (400, #"{"error":"invalid_request","error_codes":[90014]}"#, "invalid_request"),
        (403, #"{"error":"invalid_grant"}"#, "invalid_grant"),
        (400, "error=invalid_grant&error_description=no+more", "invalid_grant"),
        (401, #"{"error":"invalid_client"}"#, "invalid_client"),
        (200, #"{"error":"invalid_grant"}"#, "invalid_grant"),
        (200, #"{"error":"invalid_grant","access_token":"a","token_type":"Bearer"}"#, "invalid_grant"),
        (400, #"{"error":5}"#, "invalid_grant"),
        (400, #"{"error":""}"#, "invalid_grant"),
    ])
    func `A refused refresh is a refusal, however the provider words it`(status: Int, body: String, error: String)
        async throws
    {
        #expect(try await Self.refusal(.refresh, .answer(status, body, type: "text/html"))?.error == error)
    }

    @Test(arguments: [
        (400, "<html>Blocked by proxy</html>"), (403, "<!doctype html>"), (404, ""), (400, "[]"), (418, #"{"x":1}"#),
        (200, ""),
        (403, ""), (403, #"{"detail":"Token is invalid"}"#), (403, #"{"message":"Forbidden"}"#),
        (200, "<html>"),
        (407, ""),
    ])
    func `A page of something in between costs nobody the refresh token`(status: Int, body: String) async throws {
        let (result, _) = try await Self.ask(.refresh) { _ in .answer(status, body, type: "text/html") }
        guard case .failure(.notJSON) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test(
        arguments: [400, 401], ["{}", #"{"message":"Unauthorized"}"#, #"{"error":null}"#, #"{"code":401,"ok":false}"#])
    func `JSON that names no error, as a gateway sends it, asks nobody to sign in`(status: Int, body: String)
        async throws
    {
        for isEntra in [true, false] {
            let (result, asked) = try await Self.ask(.refresh, isEntra: isEntra) { _ in .answer(status, body) }
            guard case .failure(let error) = result, case .serverFailure(_, let found) = error else {
                Issue.record("\(result)")
                return
            }
            #expect(found == status && error.mayPass && !error.isNotReached && asked.count == 1)
        }
    }

    @Test(arguments: [400, 401], ["", #"{"detail":"Token is invalid"}"#, #"{"error":""}"#, #"{"error":5}"#])
    func `Entra ID names its errors: without a name nobody is asked to sign in`(status: Int, body: String) async throws
    {
        guard
            case .failure(.serverFailure) = try await Self.ask(.refresh, isEntra: true, { _ in .answer(status, body) })
                .0
        else {
            Issue.record("\(status) \(body) is a refusal")
            return
        }
    }

    @Test(arguments: [201, 202, 299])
    func `A success with another status than 200 withholds the access token, and the refresh token is known`(
        status: Int
    ) async throws {
        let body = #"{"access_token":"at","token_type":"Bearer","expires_in":3600,"refresh_token":"next"}"#
        guard case .success(.granted(let grant)) = try await Self.ask(.refresh, { _ in .answer(status, body) }).0 else {
            Issue.record("not read")
            return
        }
        #expect(grant.flaw?.check == "token response")
        #expect(grant.accessToken == nil && grant.refreshToken == Secret("next"))
    }

    @Test func `Without words only a refresh is taken for refused`() async throws {
        let (result, _) = try await Self.ask(.redeem) { _ in .answer(400, "") }
        guard case .failure(.notJSON) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test(arguments: [500, 502, 503, 504, 599])
    func `A 5xx is a failure that passes; it has spent nothing, so it is asked once more, and no more`(status: Int)
        async throws
    {
        let (result, asked) = try await Self.ask(.refresh) { _ in .answer(status, #"{"error":"invalid_grant"}"#) }
        guard case .failure(let error) = result, case .serverFailure(_, let found) = error else {
            Issue.record("\(result)")
            return
        }
        #expect(found == status)
        #expect(error.mayPass && !error.isNotReached)
        #expect(asked.count == 2)
    }

    @Test(arguments: [
        ("2", 2), ("99999999", 3600), ("99999999999999999999", 3600), ("Fri, 31 Dec 9999 23:59:59 GMT", 3600),
        ("Sun, 06 Nov 1994 08:50:07 GMT", 30), ("Sunday, 06-Nov-94 08:50:07 GMT", 30), ("Sun Nov  6 08:50:07 1994", 30),
    ])
    func `Retry-After is read in seconds and in each form of a date, from the provider's clock, and bounded to an hour`(
        written: String, seconds: Int
    ) async throws {
        for status in [429, 503, 500, 400, 403, 408] {
            let (result, asked) = try await Self.ask(.refresh) { _ in
                .answer(status, "", headers: ["Retry-After: \(written)", "Date: Sun, 06 Nov 1994 08:49:37 GMT"])
            }
            guard case .failure(.throttled(_, let found)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(found == seconds)
            #expect(asked.count == 1)
        }
    }

    @Test func `A refusal with a time to wait stays a refusal, and has the time`() async throws {
        let (result, _) = try await Self.ask(.refresh) { _ in
            .answer(400, #"{"error":"unauthorized_client"}"#, headers: ["Retry-After: 30"])
        }
        guard case .success(.refused(let error)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.error == "unauthorized_client" && error.retryAfter == 30)
    }

    @Test func `A request that the provider waited for in vain may pass (408)`() async throws {
        let (result, _) = try await Self.ask(.refresh) { _ in .answer(408, "<p>too late</p>") }
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.mayPass)
    }

    @Test(arguments: ["0", "-5", "", "soon", "1.5", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 2094 08:49:37 GMT"])
    func `A time that is over, or none, is no time to wait; 429 asks to wait all the same`(written: String) async throws
    {
        let headers = ["Retry-After: \(written)", "Date: Sun, 06 Nov 1994 08:49:37 GMT"]
        let (result, asked) = try await Self.ask(.refresh) { _ in .answer(429, "", headers: headers) }
        guard case .failure(.throttled(_, nil)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(asked.count == 1)
        let (other, _) = try await Self.ask(.refresh) { _ in .answer(503, "", headers: headers) }
        guard case .failure(.serverFailure) = other else {
            Issue.record("\(other)")
            return
        }
    }

    @Test func `A poll that met a 5xx keeps its pace`() async throws {
        let (_, asked) = try await Self.ask(.poll) { _ in .answer(503, "") }
        #expect(asked.count == 1)
    }

    @Test func `A redirect gets neither code nor verifier nor refresh token`() async throws {
        for status in [301, 302, 303, 307, 308] {
            for question in Question.allCases {
                let (result, asked) = try await Self.ask(question) {
                    .answer(status, "", headers: ["Location: http://\($0.header("host") ?? "")/other"])
                }
                guard case .failure(.redirected) = result else {
                    Issue.record("\(result)")
                    return
                }
                #expect(asked.count == 1)
            }
        }
    }

    @Test func `Error texts are cleaned and bounded, and Entra ID's additions are read`() async throws {
        let body = """
            {"error":"interaction_required\\u001b]52;c;x\\u0007","error_description":"AADSTS50076: more\\u001b[2J. Trace ID: 1\\r\\nCorrelation ID: 2",\
            "suberror":"basic_action","error_codes":[50076,"x",1e99,99999999999999999999],"claims":"{\\"access_token\\":{}}",\
            "correlation_id":"7f2f5e0b-0000-4000-8000-000000000001"}
            """
        let error = try #require(try await Self.refusal(.refresh, .answer(400, body)))
        #expect(error.error == "interaction_required]52;c;x")
        #expect(error.description == "AADSTS50076: more[2J.")
        #expect(error.suberror == "basic_action")
        #expect(error.codes == [50076])
        #expect(error.claims == #"{"access_token":{}}"#)
        #expect(error.correlationID == "7f2f5e0b-0000-4000-8000-000000000001")
        let long = try #require(
            try await Self.refusal(
                .refresh,
                .answer(
                    400,
                    #"{"error":"\#(String(repeating: "e", count: 5000))","error_description":"\#(String(repeating: "d", count: 300_000))"}"#
                )))
        #expect(long.error.count == 100)
        #expect(long.description?.count == 1000)
    }

    @Test(
        arguments: [
            ("invalid_grant", nil, true), ("invalid_grant", "bad_token", true),
            ("invalid_grant", "client_mismatch", false),
            ("unauthorized_client", "protection_policy_required", false), ("invalid_grant", "message_only", false),
            ("interaction_required", "basic_action", true),
            ("login_required", nil, true), ("consent_required", nil, true), ("invalid_client", nil, false),
            ("unauthorized_client", nil, false),
            ("invalid_scope", nil, false), ("temporarily_unavailable", nil, false), ("server_error", nil, false),
            ("invalid_request", nil, false),
        ] as [(String, String?, Bool)])
    func `A person is asked only when that mends it`(error: String, suberror: String?, needsPerson: Bool) {
        #expect(OAuthError(error: error, suberror: suberror).needsPerson == needsPerson)
    }
}
