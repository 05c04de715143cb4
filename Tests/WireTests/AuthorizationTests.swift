import Identity
import Proofs
import Testing

@testable import Wire

@Suite struct AuthorizeRequestTests {
    private static func fields(
        _ metadata: ProviderMetadata, isEntra: Bool, scopes: ScopeSet = ["api/read"], reserved: ScopeSet? = nil,
        prompt: Prompt? = nil,
        claims: String? = nil
    ) throws -> [String: String] {
        let request = AuthorizeRequest(
            metadata: metadata, clientID: "c 1", redirectURI: "http://localhost:5000", scopes: scopes,
            reservedScopes: reserved,
            state: "s", nonce: "n", pkce: PKCE(verifier: Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")),
            prompt: prompt,
            loginHint: "ada@example.org",
            domainHint: nil, claims: claims, isEntra: isEntra)
        return try #require(FormEncoding.decode(try request.address().query ?? ""))
    }

    @Test func `Every request has code, state, nonce and an S256 challenge`() throws {
        let fields = try Self.fields(Samples.metadata(), isEntra: false)
        #expect(fields["response_type"] == "code")
        #expect(fields["state"] == "s")
        #expect(fields["nonce"] == "n")
        #expect(fields["code_challenge"] == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(fields["code_challenge_method"] == "S256")
        #expect(fields["redirect_uri"] == "http://localhost:5000")
        #expect(fields["client_id"] == "c 1")
        #expect(fields["login_hint"] == "ada@example.org")
        #expect(fields["code_verifier"] == nil)
    }

    @Test func `Entra ID gets what it knows, other providers only what the standards have`() throws {
        let entra = try Self.fields(Samples.metadata(), isEntra: true)
        #expect(entra["client_info"] == "1")
        #expect(entra["response_mode"] == "query")
        let plain = try Self.fields(Samples.metadata(), isEntra: false)
        #expect(plain["client_info"] == nil)
        #expect(plain["response_mode"] == nil)
    }

    @Test func `offline_access is asked for where the provider has it or does not say`() throws {
        func scopes(_ known: ScopeSet, isEntra: Bool = false) throws -> String? {
            try Self.fields(Samples.metadata(scopes: known), isEntra: isEntra)["scope"]
        }
        #expect(try scopes([]) == "api/read openid profile offline_access")
        #expect(try scopes(["openid", "offline_access"]) == "api/read openid profile offline_access")
        #expect(try scopes(["openid", "profile"]) == "api/read openid profile")
        #expect(try scopes(["openid", "profile"], isEntra: true) == "api/read openid profile offline_access")
    }

    @Test func `Scopes that were chosen are sent as they are, with openid; nothing that was named is left out`() throws
    {
        func scopes(_ asked: ScopeSet, chosen: ScopeSet?, isEntra: Bool = false) throws -> String? {
            try Self.fields(
                Samples.metadata(scopes: ["openid", "profile"]), isEntra: isEntra, scopes: asked, reserved: chosen)[
                    "scope"]
        }
        #expect(try scopes(["api/read"], chosen: []) == "api/read openid")
        #expect(try scopes(["openid", "api/read"], chosen: ["openid"]) == "openid api/read")
        // What else was chosen for the client goes with scopes of the moment.
        #expect(try scopes(["api/write"], chosen: ["openid", "offline_access"]) == "api/write openid offline_access")
        // The provider announces no offline_access: still nothing is taken away from what was named.
        #expect(try scopes(["api/read", "offline_access"], chosen: nil) == "api/read offline_access openid profile")
        #expect(
            try scopes(["api/read", "offline_access"], chosen: ["offline_access"]) == "api/read offline_access openid")
        #expect(try scopes(["api/read"], chosen: [], isEntra: true) == "api/read openid profile offline_access")
    }

    @Test func `A query that the endpoint has of its own stays, RFC 6749 section 3.1`() throws {
        let metadata = try Samples.metadata(authorization: "https://id.example.org/authorize?p=b2c_1_x")
        #expect(try Self.fields(metadata, isEntra: false)["p"] == "b2c_1_x")
    }

    @Test func `A claims request arrives letter for letter`() throws {
        let claims = #"{"access_token":{"nbf":{"essential":true, "value":"1604106651"}}}"#
        #expect(try Self.fields(Samples.metadata(), isEntra: true, claims: claims)["claims"] == claims)
    }

    @Test func `An address that became too long for a browser is refused`() async throws {
        let claims = String(repeating: "{", count: 800)
        #expect(throws: WireError.badEndpoint(name: "authorization URL", .tooLong)) {
            try Self.fields(Samples.metadata(), isEntra: true, claims: claims)
        }
    }
}

@Suite struct AuthorizationResponseTests {
    private static func answer(_ query: String, issuer: String? = nil, announces: Bool = false) throws
        -> AuthorizationAnswer
    {
        let expectation = AuthorizationExpectation(
            state: "right", metadata: try Samples.metadata(issuer: issuer, announcesIssuer: announces))
        return try expectation.answer(try #require(FormEncoding.decode(query)))
    }

    private static func failed(_ query: String, issuer: String? = nil, announces: Bool = false) -> String? {
        do {
            _ = try answer(query, issuer: issuer, announces: announces)
            return nil
        } catch { return (error as? WireError)?.check }
    }

    @Test func `A code comes through, and parameters nobody asked for are ignored`() throws {
        let answer = try Self.answer("code=abc.%7E1&state=right&session_state=x&client_info=y&scope=a+b")
        guard case .code(let code, cloudHost: _) = answer else {
            Issue.record("no code")
            return
        }
        #expect(code.reveal() == "abc.~1")
    }

    @Test(arguments: [
        "code=a", "code=a&state=", "code=a&state=wrong", "code=a&state=righ", "code=a&state=right%00",
        "error=access_denied",
    ])
    func `State comes before everything`(query: String) {
        #expect(Self.failed(query) == "state")
    }

    @Test func `Another issuer is refused, also with an error and also unannounced`() {
        #expect(Self.failed("code=a&state=right&iss=https://evil.example", announces: true) == "issuer")
        #expect(Self.failed("code=a&state=right&iss=https://evil.example") == "issuer")
        #expect(Self.failed("error=access_denied&state=right&iss=https://evil.example", announces: true) == "issuer")
    }

    @Test(arguments: [
        "https://id.example.org/", "https://ID.example.org", "https://id.example.org:443", "https://%69d.example.org",
        "",
    ])
    func `Issuers are compared as texts, not as addresses`(found: String) {
        #expect(Self.failed("code=a&state=right&iss=" + FormEncoding.escape(found), announces: true) == "issuer")
    }

    @Test func `A code without the announced iss is refused`() {
        #expect(Self.failed("code=a&state=right", announces: true) == "issuer")
        #expect(Self.failed("state=right", announces: true) == "issuer")
        #expect(Self.failed("code=a&state=right") == nil)
    }

    @Test(arguments: ["access_denied", "login_required", "temporarily_unavailable", "server_error"])
    func `An error without the announced iss is the error that it is, never a code, and needs the right state`(
        name: String
    ) throws {
        for more in ["", "&code=a"] {
            guard
                case .refused(let error) = try Self.answer("error=\(name)&state=right\(more)", announces: true)
            else {
                Issue.record("taken for a code")
                return
            }
            #expect(error.error == name)
        }
        #expect(Self.failed("error=\(name)&state=wrong", announces: true) == "state")
        #expect(Self.failed("error=\(name)&state=right&iss=https://evil.example", announces: true) == "issuer")
    }

    @Test func `Entra ID's template takes any tenant in the place for one, and nothing else`() {
        let template = "https://login.microsoftonline.com/{tenantid}/v2.0"
        let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
        #expect(
            Self.failed("code=a&state=right&iss=https://login.microsoftonline.com/\(tenant)/v2.0", issuer: template)
                == nil)
        for wrong in ["evil", "{tenantid}", "", "\(tenant)/x", "../\(tenant)"] {
            #expect(
                Self.failed(
                    "code=a&state=right&iss=" + FormEncoding.escape("https://login.microsoftonline.com/\(wrong)/v2.0"),
                    issuer: template)
                    == "issuer")
        }
    }

    @Test(arguments: [
        "state=right", "state=right&code=", "state=right&code=a%0D%0Ab", "state=right&code=%E2%80%AE",
        "state=right&code=a%20b",
    ])
    func `RFC 6749 A.11: what is no code is refused`(query: String) {
        #expect(Self.failed(query) == "code")
    }

    @Test func `Error texts come clean of control characters and bounded`() throws {
        let text = "%1B%5D52;c;AAAA%07" + String(repeating: "x", count: 5000)
        guard case .refused(let error) = try Self.answer("state=right&error=access_denied%1B&error_description=\(text)")
        else {
            Issue.record("no refusal")
            return
        }
        #expect(error.error == "access_denied")
        #expect(error.description?.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
        #expect(error.description?.count == 1000)
    }

    @Test func `A pasted address is checked like a redirect, wrapped lines and all`() throws {
        let expectation = AuthorizationExpectation(
            state: "right", metadata: try Samples.metadata(announcesIssuer: true))
        let address = "  http://localhost:5000/?code=ab\n c&state=right&iss=https%3A%2F%2Fid.example.org#\n"
        guard case .address(.code(let code, cloudHost: _)) = try PastedRedirect.answer(address, expectation) else {
            Issue.record("no code")
            return
        }
        #expect(code.reveal() == "abc")
        #expect(throws: WireError.self) {
            try PastedRedirect.answer("http://localhost:5000/?code=abc&state=wrong", expectation)
        }
        #expect(throws: WireError.self) { try PastedRedirect.answer("http://localhost:5000/?code=abc", expectation) }
        #expect(throws: WireError.self) {
            try PastedRedirect.answer("code=abc&state=right&iss=https://evil.example", expectation)
        }
    }

    @Test func `A pasted code alone is taken, since verifier and nonce bind it; anything else is not`() throws {
        let expectation = AuthorizationExpectation(state: "right", metadata: try Samples.metadata())
        guard case .code(let code) = try PastedRedirect.answer(" 0.AbC-dEf_123 \n", expectation) else {
            Issue.record("no code")
            return
        }
        #expect(code.reveal() == "0.AbC-dEf_123")
        for nonsense in ["", "   ", "\u{1B}[31m", "ünïcode", String(repeating: "a", count: 20_000)] {
            #expect(throws: WireError.self) { try PastedRedirect.answer(nonsense, expectation) }
        }
    }
}

@Suite struct FormEncodingTests {
    @Test func `What is encoded is decoded to the same, whatever is in it`() {
        let fields = [("a", "ä &=+%#\u{0}\u{1F3E0}"), ("b c", ""), ("https://x/?y", "~-._")]
        let decoded = FormEncoding.decode(FormEncoding.encode(fields.map { (name: $0.0, value: $0.1) }))
        #expect(decoded == Dictionary(uniqueKeysWithValues: fields))
    }

    @Test(arguments: ["a=1&a=2", "a=%", "a=%4", "a=%GG", "a=%C3%28", "a=%FF", "%C0%80=1"])
    func `RFC 6749 section 3.1: twice the same name, broken escapes and what is not UTF-8 are refused`(query: String) {
        #expect(FormEncoding.decode(query) == nil)
    }

    @Test func `More than sixty-four fields are refused`() {
        #expect(FormEncoding.decode((0..<64).map { "a\($0)=1" }.joined(separator: "&"))?.count == 64)
        #expect(FormEncoding.decode((0..<65).map { "a\($0)=1" }.joined(separator: "&")) == nil)
    }
}
