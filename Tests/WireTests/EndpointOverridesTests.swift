import Identity
import StrictJSON
import Testing

@testable import Wire

/// Endpoints and issuers given by hand, and metadata that is kept across processes.
@Suite struct EndpointOverridesTests {
    private static func discover(
        _ manual: @Sendable (String) throws -> EndpointOverrides, at path: String = "",
        kind: Authority.Kind = .oidc,
        _ respond: @escaping @Sendable (StubServer.Asked) -> StubServer.Reply
    ) async throws -> (Result<ProviderMetadata, WireError>, [StubServer.Asked]) {
        try await StubServer.open(respond) { server async throws in
            try await Samples.transport { transport async throws in
                let origin = "http://127.0.0.1:\(server.port)"
                let manual = try manual(origin)
                let authority = try Authority(origin + path, kind: kind)
                do throws(WireError) {
                    return (
                        .success(try await Discovery(transport: transport).metadata(for: authority, manual: manual)),
                        server.asked
                    )
                } catch { return (.failure(error), server.asked) }
            }
        }
    }

    private static func document(_ asked: StubServer.Asked, issuer: String? = nil, without: String? = nil)
        -> StubServer.Reply
    {
        let origin = "http://" + (asked.header("host") ?? "")
        let members = [
            ("issuer", issuer ?? origin), ("authorization_endpoint", origin + "/a"), ("token_endpoint", origin + "/t"),
            ("jwks_uri", origin + "/k"), ("device_authorization_endpoint", origin + "/d"),
            ("revocation_endpoint", origin + "/r"),
        ].filter { $0.0 != without }
        return .json(
            JSONValue.object(JSONObject(members.map { JSONMember(name: $0.0, value: .string($0.1)) })).serialized())
    }

    @Test func `An endpoint given by hand takes the place of the provider's, and the others stay`() async throws {
        let (result, asked) = try await Self.discover({ EndpointOverrides(token: try WebAddress($0 + "/mine")) }) {
            Self.document($0)
        }
        let metadata = try result.get()
        #expect(
            metadata.token.path == "/mine" && metadata.authorization.path == "/a" && metadata.revocation?.path == "/r")
        #expect(asked.count == 1)
    }

    private static let byHand: @Sendable (String) throws -> EndpointOverrides = {
        EndpointOverrides(authorization: try WebAddress($0 + "/a"), token: try WebAddress($0 + "/t"))
    }

    @Test func `With the endpoints of a sign-in by hand a provider may have no metadata, or no keys in it`()
        async throws
    {
        let (none, asked) = try await Self.discover(Self.byHand) { _ in .answer(404, "") }
        let metadata = try none.get()
        #expect(metadata.keys == nil && !metadata.isOAuthOnly && metadata.token.path == "/t" && asked.count == 2)

        let (bare, _) = try await Self.discover(Self.byHand) {
            $0.target.contains("oauth-authorization-server")
                ? .answer(404, "") : Self.document($0, without: "jwks_uri")
        }
        #expect(try bare.get().keys == nil && bare.get().device?.path == "/d")
    }

    /// AppAuth's sample for B2C, with endpoints alone.
    @Test(arguments: [
        ("/te/b2c.example/B2C_1_SignIn", "{tenantid}"),
        ("/tfp/b2c.example/b2c_1_signin", "{tenantid}"),
        ("/te/22222222-AAAA-4AAA-8AAA-222222222222/B2C_1_SignIn", "22222222-aaaa-4aaa-8aaa-222222222222"),
    ])
    func `With the endpoints by hand a B2C policy may have no metadata, and its tokens have its tenant's issuer`(
        path: String, tenant: String
    ) async throws {
        for hasKeys in [true, false] {
            let (result, asked) = try await Self.discover(
                { origin in
                    var manual = try Self.byHand(origin)
                    if hasKeys { manual.keys = try WebAddress(origin + "/k") }
                    return manual
                }, at: path, kind: .b2c
            ) { _ in .answer(404, "") }
            let metadata = try result.get()
            #expect(metadata.issuer.hasSuffix("/\(tenant)/v2.0/") && metadata.issuer.hasPrefix("http://127.0.0.1:"))
            #expect((metadata.keys != nil) == hasKeys && metadata.mayLackTenantID)
            #expect(asked.count == (hasKeys ? 0 : 1))
        }
        let (refused, _) = try await Self.discover(Self.byHand, at: path, kind: .b2c) { _ in .answer(403, "") }
        #expect(throws: WireError.self) { try refused.get() }
    }

    @Test func `Metadata of a B2C policy is no template unless its endpoints are by hand`() async throws {
        let issuer: @Sendable (StubServer.Asked) -> String = {
            "http://" + ($0.header("host") ?? "") + "/{tenantid}/v2.0/"
        }
        for (manual, isAccepted) in [({ _ in EndpointOverrides() }, false), (Self.byHand, true)]
            as [(@Sendable (String) throws -> EndpointOverrides, Bool)]
        {
            let (result, _) = try await Self.discover(manual, at: "/b2c.example/b2c_1", kind: .b2c) {
                Self.document($0, issuer: issuer($0))
            }
            #expect(((try? result.get()) != nil) == isAccepted)
        }
    }

    @Test(arguments: ["openid-configuration", "oauth-authorization-server"])
    func `Keys of either document are used where the endpoints are by hand`(place: String) async throws {
        let (result, _) = try await Self.discover(Self.byHand) {
            $0.target.contains(place) ? Self.document($0) : .answer(404, "")
        }
        #expect(try result.get().keys?.path == "/k")
        let (merged, _) = try await Self.discover(Self.byHand) {
            Self.document($0, without: $0.target.contains(place) ? nil : "jwks_uri")
        }
        #expect(try merged.get().keys?.path == "/k")
    }

    /// Otherwise a provider whose keys cannot be fetched for a moment would lose its signatures.
    @Test(arguments: [500, 403, 302], ["openid-configuration", "oauth-authorization-server"])
    func `Metadata that is not certainly missing does not say that there are no keys`(status: Int, place: String)
        async throws
    {
        for isOtherThere in [true, false] {
            let (result, _) = try await Self.discover(Self.byHand) {
                if $0.target.contains(place) { return .answer(status, "") }
                return isOtherThere ? Self.document($0, without: "jwks_uri") : .answer(404, "")
            }
            #expect(throws: WireError.self) { try result.get() }
        }
    }

    @Test func `An unusable address of keys is not read as none`() async throws {
        let (result, _) = try await Self.discover(Self.byHand) {
            let origin = "http://" + ($0.header("host") ?? "")
            return .json(#"{"issuer":"\#(origin)","jwks_uri":17}"#)
        }
        #expect(throws: WireError.self) { try result.get() }
    }

    @Test func `An endpoint that stands in neither document is given by hand`() async throws {
        let (missing, _) = try await Self.discover({ _ in EndpointOverrides() }) {
            $0.target.contains("oauth-authorization-server")
                ? .answer(404, "") : Self.document($0, without: "token_endpoint")
        }
        guard case .failure(.unsupported) = missing else {
            Issue.record("\(missing)")
            return
        }
        let (result, asked) = try await Self.discover({ EndpointOverrides(token: try WebAddress($0 + "/mine")) }) {
            Self.document($0, without: "token_endpoint")
        }
        #expect(try result.get().token.path == "/mine")
        #expect(asked.count == 1)
    }

    @Test func `With authorization, token and keys by hand nobody is asked`() async throws {
        let (result, asked) = try await Self.discover({ origin in
            EndpointOverrides(
                authorization: try WebAddress(origin + "/a"), token: try WebAddress(origin + "/t"),
                keys: try WebAddress(origin + "/k"))
        }) { _ in .answer(500, "") }
        let metadata = try result.get()
        #expect(asked.isEmpty && metadata.issuer.hasPrefix("http://127.0.0.1:") && metadata.device == nil)
    }

    @Test func `Another issuer is refused with both names, and accepted only when it was set, byte for byte`()
        async throws
    {
        let (refused, _) = try await Self.discover({ _ in EndpointOverrides() }) {
            Self.document($0, issuer: "https://other.example")
        }
        guard case .failure(let error) = refused else {
            Issue.record("taken")
            return
        }
        #expect(error.check == "issuer")
        #expect(error.message.contains("http://127.0.0.1:") && error.message.contains("https://other.example"))
        #expect(error.hint?.description.contains("issuer") == true)
        for (set, isTaken) in [
            ("https://other.example", true), ("https://other.example/", false), ("https://Other.example", false),
            ("https://third.example", false),
        ] {
            let (result, _) = try await Self.discover({ _ in EndpointOverrides(issuer: set) }) {
                Self.document($0, issuer: "https://other.example")
            }
            #expect((try? result.get().issuer) == (isTaken ? "https://other.example" : nil), "\(set)")
        }
    }

    @Test func `An issuer that was set is the only one: the authority's own is then refused`() async throws {
        let (result, _) = try await Self.discover({ _ in EndpointOverrides(issuer: "https://other.example") }) {
            Self.document($0)
        }
        guard case .failure(let error) = result else {
            Issue.record("taken")
            return
        }
        #expect(error.check == "issuer")
    }

    // MARK: Kept across processes

    private static func full() throws -> ProviderMetadata {
        try ProviderMetadata(
            Samples.object(
                """
                {"issuer":"https://id.example.org","authorization_endpoint":"https://id.example.org/a","token_endpoint":"https://id.example.org/t",
                "jwks_uri":"https://id.example.org/k","device_authorization_endpoint":"https://id.example.org/d",
                "userinfo_endpoint":"https://id.example.org/u","revocation_endpoint":"https://id.example.org/r",
                "end_session_endpoint":"https://id.example.org/e","registration_endpoint":"https://id.example.org/c",
                "pushed_authorization_request_endpoint":"https://id.example.org/p","require_pushed_authorization_requests":true,
                "authorization_response_iss_parameter_supported":true,"scopes_supported":["openid","a"],
                "response_modes_supported":["query","form_post"],"dpop_signing_alg_values_supported":["ES256","RS256"],
                "id_token_signing_alg_values_supported":["none","RS256"],"code_challenge_methods_supported":["S256"]}
                """), of: try Authority("https://id.example.org", kind: .oidc))
    }

    @Test func `Metadata comes back from its document as it was`() throws {
        let metadata = try Self.full()
        #expect(metadata.requiresPushedAuthorization && metadata.announcesIssuer && metadata.offersProofs)
        #expect(metadata.pushedAuthorization?.path == "/p" && metadata.responseModes == ["query", "form_post"])
        let text = JSONValue.object(metadata.document).serialized()
        let again = try ProviderMetadata(
            try Samples.object(text), of: try Authority("https://id.example.org", kind: .oidc))
        #expect(again == metadata)
    }

    @Test func `A document that was kept is believed no more than a new one`() throws {
        let document = try Self.full().document
        #expect(throws: WireError.self) {
            _ = try ProviderMetadata(document, of: try Authority("https://other.example", kind: .oidc))
        }
        var members = document.members.filter { $0.name != "token_endpoint" }
        members.append(JSONMember(name: "token_endpoint", value: "http://127.0.0.1:1/steal"))
        #expect(throws: WireError.self) {
            _ = try ProviderMetadata(JSONObject(members), of: try Authority("https://id.example.org", kind: .oidc))
        }
    }

    @Test func `What an earlier process kept is used for the rest of its day, and no longer`() async throws {
        try await StubServer.open({ Self.document($0) }) { server async throws in
            try await Samples.transport { transport async throws in
                let authority = try Authority("http://127.0.0.1:\(server.port)", kind: .oidc)
                let kept = try await Discovery(transport: transport).metadata(for: authority)
                for (age, requests) in [(0, 1), (86_399, 1), (86_400, 2), (-1, 3), (Int.max, 4)] {
                    let discovery = Discovery(transport: transport)
                    await discovery.remember(kept, for: authority, age: age)
                    #expect(try await discovery.metadata(for: authority) == kept)
                    #expect(server.asked.count == requests, "\(age)")
                }
                let discovery = Discovery(transport: transport)
                await discovery.remember(kept, for: authority, age: 0)
                await discovery.forget(authority)
                _ = try await discovery.metadata(for: authority)
                #expect(server.asked.count == 5)
            }
        }
    }
}
