import FoundationEssentials
import Identity
import Proofs
import StrictJSON
import Testing

@testable import Wire

/// What goes into an authorization request beyond the code flow itself, and how it is pushed.
@Suite struct AuthorizeParametersTests {
    private static func request(
        _ metadata: ProviderMetadata, isEntra: Bool = false, responseMode: ResponseMode = .query, maxAge: Int? = nil,
        acrValues: [String] = [],
        homeAccountID: String? = nil, instanceAware: Bool = false, correlationID: UUID? = nil, boundTo: ProofKey? = nil,
        extra: ExtraParameters = .none
    ) -> AuthorizeRequest {
        AuthorizeRequest(
            metadata: metadata, clientID: "c", redirectURI: "http://127.0.0.1:1/", scopes: ["a"], state: "s",
            nonce: "n", pkce: PKCE(),
            prompt: .login, loginHint: "ada", domainHint: "contoso.com", claims: nil, isEntra: isEntra,
            responseMode: responseMode,
            maxAge: maxAge, acrValues: acrValues, homeAccountID: homeAccountID, instanceAware: instanceAware,
            correlationID: correlationID,
            boundTo: boundTo, extra: extra)
    }

    private static func fields(_ request: AuthorizeRequest) throws -> [String: String] {
        try #require(FormEncoding.decode(try request.address().query ?? ""))
    }

    @Test
    func `Entra ID gets the account's hints, its own cloud's consent and the correlation identifier; others do not`()
        throws
    {
        let id = UUID()
        let metadata = try Samples.metadata()
        let entra = try Self.fields(
            Self.request(
                metadata, isEntra: true, homeAccountID: "uid.more.utid", instanceAware: true, correlationID: id))
        #expect(entra["login_req"] == "uid.more" && entra["domain_req"] == "utid" && entra["instance_aware"] == "true")
        #expect(entra["client-request-id"] == id.uuidString.lowercased() && entra["response_mode"] == "query")
        let plain = try Self.fields(
            Self.request(metadata, homeAccountID: "uid.utid", instanceAware: true, correlationID: id))
        for name in ["login_req", "domain_req", "instance_aware", "client-request-id", "response_mode", "client_info"] {
            #expect(plain[name] == nil, "\(name)")
        }
        #expect(plain["prompt"] == "login" && plain["login_hint"] == "ada" && plain["domain_hint"] == "contoso.com")
    }

    @Test func `Max_age and acr_values are asked for; form_post anywhere; the key of the tokens in dpop_jkt`() throws {
        let key = ProofKey()
        let fields = try Self.fields(
            Self.request(
                try Samples.metadata(), responseMode: .formPost, maxAge: 0, acrValues: ["loa2", "loa1"], boundTo: key))
        #expect(
            fields["max_age"] == "0" && fields["acr_values"] == "loa2 loa1" && fields["response_mode"] == "form_post")
        #expect(fields["dpop_jkt"] == key.thumbprint)
    }

    @Test func `Parameters of the application's own go along, escaped`() throws {
        let extra = try ExtraParameters([("slice", "testslice"), ("ui_locales", "de fr&prompt=none")])
        let fields = try Self.fields(Self.request(try Samples.metadata(), extra: extra))
        #expect(
            fields["slice"] == "testslice" && fields["ui_locales"] == "de fr&prompt=none" && fields["prompt"] == "login"
        )
    }

    @Test(arguments: [
        ("state", "reserved"), ("State", "reserved"), ("code_challenge", "reserved"), ("claims", "reserved"),
        ("redirect_uri", "reserved"),
        ("request_uri", "reserved"), ("response_mode", "reserved"), ("twice", "duplicate"), ("TWICE", "duplicate"),
        ("", "malformed"),
        ("a b", "malformed"), ("é", "malformed"),
    ])
    func `A parameter that the program sets, or that is given twice, is an error of its own kind`(
        name: String, kind: String
    ) throws {
        do {
            _ = try ExtraParameters([("twice", "1"), (name, "x")])
            Issue.record("taken")
        } catch {
            switch error {
            case .reserved: #expect(kind == "reserved")
            case .duplicate: #expect(kind == "duplicate")
            case .malformed: #expect(kind == "malformed")
            }
            #expect(!error.description.isEmpty)
        }
    }

    @Test func `Values that no address can hold are refused, and so are too many`() {
        #expect(throws: ExtraParameters.Problem.self) { _ = try ExtraParameters([("a", "x\r\ny")]) }
        #expect(throws: ExtraParameters.Problem.self) {
            _ = try ExtraParameters([("a", String(repeating: "x", count: 1025))])
        }
        #expect(throws: ExtraParameters.Problem.self) { _ = try ExtraParameters((0..<33).map { ("p\($0)", "") }) }
    }

    // MARK: RFC 9126

    private static func push(_ reply: StubServer.Reply) async throws -> (
        Result<WebAddress, WireError>, [StubServer.Asked]
    ) {
        try await StubServer.open({ _ in reply }) { server async throws in
            try await Samples.transport { transport async throws in
                var metadata = try Samples.metadata("http://127.0.0.1:\(server.port)")
                metadata.pushedAuthorization = try WebAddress("http://127.0.0.1:\(server.port)/par")
                let request = Self.request(metadata, maxAge: 60)
                do throws(WireError) {
                    return (
                        .success(
                            try await PushedAuthorization.push(request, correlationID: UUID(), transport: transport)),
                        server.asked
                    )
                } catch { return (.failure(error), server.asked) }
            }
        }
    }

    @Test func `RFC 9126: the request is posted, and the address has the client and the reference only`() async throws {
        let (result, asked) = try await Self.push(
            .answer(201, #"{"request_uri":"urn:ietf:params:oauth:request_uri:6esc_11","expires_in":60}"#))
        let address = try result.get()
        #expect(
            FormEncoding.decode(address.query ?? "") == [
                "client_id": "c", "request_uri": "urn:ietf:params:oauth:request_uri:6esc_11",
            ])
        let first = try #require(asked.first)
        #expect(first.method == "POST" && first.target == "/par" && first.fields["request_uri"] == nil)
        for name in ["client_id", "response_type", "state", "nonce", "code_challenge", "redirect_uri", "max_age"] {
            #expect(first.fields[name] != nil, "\(name)")
        }
    }

    @Test func `RFC 9126: a refusal keeps the provider's word, and an answer without a reference is none`() async throws
    {
        guard case .failure(.refused(let error)) = try await Self.push(.answer(400, #"{"error":"invalid_request"}"#)).0
        else {
            Issue.record("not refused")
            return
        }
        #expect(error.error == "invalid_request")
        for body in ["{}", #"{"request_uri":5}"#, #"{"request_uri":""}"#, #"{"request_uri":"a b"}"#] {
            guard case .failure(let error) = try await Self.push(.answer(201, body)).0 else {
                Issue.record("taken: \(body)")
                return
            }
            #expect(error.check == "pushed request")
        }
    }

    @Test func `RFC 9126 section 5: pushed where it is required, and where it is offered and wished`() async throws {
        var metadata = try Samples.metadata()
        #expect(!PushedAuthorization.isNeeded(metadata, wished: true))
        metadata.pushedAuthorization = try WebAddress("https://id.example.org/par")
        #expect(
            PushedAuthorization.isNeeded(metadata, wished: true)
                && !PushedAuthorization.isNeeded(metadata, wished: false))
        metadata.requiresPushedAuthorization = true
        #expect(PushedAuthorization.isNeeded(metadata, wished: false))
        metadata.pushedAuthorization = nil
        let request = Self.request(metadata)
        try await Samples.transport { transport async throws in
            let error = await Samples.error { () async throws(WireError) in
                _ = try await PushedAuthorization.push(request, correlationID: UUID(), transport: transport)
            }
            guard case .unsupported = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
