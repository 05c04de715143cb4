import Identity
import Synchronization
import Testing

@testable import Wire

@Suite struct DiscoveryTests {
    private static func document(_ origin: String, _ more: String = "") -> String {
        #"{"issuer":"\#(origin)","authorization_endpoint":"\#(origin)/a","token_endpoint":"\#(origin)/t","jwks_uri":"\#(origin)/k"\#(more)}"#
    }

    private static let allEndpoints = #","device_authorization_endpoint":null,"revocation_endpoint":null"#

    /// The server's own port is in the host header of each request.
    private static func origin(_ asked: StubServer.Asked) -> String { "http://" + (asked.header("host") ?? "") }

    private static func discover(
        path: String = "", kind: Authority.Kind = .oidc,
        _ respond: @escaping @Sendable (StubServer.Asked) -> StubServer.Reply
    ) async throws -> (Result<ProviderMetadata, WireError>, [StubServer.Asked]) {
        try await StubServer.open(respond) { server async throws in
            try await Samples.transport { transport async throws in
                let authority = try Authority("http://127.0.0.1:\(server.port)\(path)", kind: kind)
                let discovery = Discovery(transport: transport)
                let result: Result<ProviderMetadata, WireError>
                do throws(WireError) { result = .success(try await discovery.metadata(for: authority)) } catch {
                    result = .failure(error)
                }
                return (result, server.asked)
            }
        }
    }

    @Test func `OpenID Connect appends the well-known part to the path`() async throws {
        let (result, asked) = try await Self.discover(path: "/realms/lab") {
            .json(Self.document(Self.origin($0) + "/realms/lab", Self.allEndpoints))
        }
        #expect(try result.get().issuer.hasSuffix("/realms/lab"))
        #expect(asked.map(\.target) == ["/realms/lab/.well-known/openid-configuration"])
        #expect(asked.first?.header("accept") == "application/json")
    }

    @Test func `RFC 8414 puts the well-known part before the path, and is asked when the other document is not there`()
        async throws
    {
        let (result, asked) = try await Self.discover(path: "/realms/lab") {
            $0.target.hasPrefix("/.well-known/oauth-authorization-server")
                ? .json(Self.document(Self.origin($0) + "/realms/lab")) : .answer(404, "<html>", type: "text/html")
        }
        _ = try result.get()
        #expect(
            asked.map(\.target) == [
                "/realms/lab/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/realms/lab",
            ])
    }

    @Test func `An endpoint that stands in the OAuth document only is found there, and the rest is not taken from it`()
        async throws
    {
        let (result, _) = try await Self.discover {
            let origin = Self.origin($0)
            return $0.target.contains("oauth-authorization-server")
                ? .json(
                    #"{"issuer":"\#(origin)","token_endpoint":"\#(origin)/other","device_authorization_endpoint":"\#(origin)/d"}"#
                )
                : .json(Self.document(origin))
        }
        #expect(try result.get().device?.path == "/d")
        #expect(try result.get().token.path == "/t")
    }

    @Test(arguments: [
        #"{"issuer":"https://evil.example","device_authorization_endpoint":"https://evil.example/d"}"#,
        #"{"issuer":"ORIGIN","device_authorization_endpoint":"javascript:alert(1)"}"#, "<html>", "",
    ])
    func `An OAuth document that cannot be used is as good as none`(other: String) async throws {
        let (result, _) = try await Self.discover {
            $0.target.contains("oauth-authorization-server")
                ? .json(other.replacing("ORIGIN", with: Self.origin($0))) : .json(Self.document(Self.origin($0)))
        }
        #expect(try result.get().device == nil)
    }

    @Test(arguments: [
        (Authority.Kind.aad, "/organizations", "/organizations/v2.0/.well-known/openid-configuration"),
        (.b2c, "/contoso/b2c_1_x", "/contoso/b2c_1_x/v2.0/.well-known/openid-configuration"),
        (.b2c, "/tfp/contoso/b2c_1_x", "/tfp/contoso/b2c_1_x/v2.0/.well-known/openid-configuration"),
        (.b2c, "/te/contoso/b2c_1_x", "/te/contoso/b2c_1_x/v2.0/.well-known/openid-configuration"),
        (.adfs, "/adfs", "/adfs/.well-known/openid-configuration"),
        (.adfs, "", "/adfs/.well-known/openid-configuration"),
        (.ciam, "/contoso", "/contoso/v2.0/.well-known/openid-configuration"),
    ])
    func `Microsoft's products have their documents where each keeps it`(
        kind: Authority.Kind, path: String, target: String
    ) async throws {
        let tails: [Authority.Kind: String] = [
            .b2c: "/c0c0c0c0-0000-4000-8000-000000000001/v2.0/", .adfs: "/adfs",
            .ciam: "/c0c0c0c0-0000-4000-8000-000000000001/v2.0",
        ]
        let (result, asked) = try await Self.discover(path: path, kind: kind) {
            let origin = Self.origin($0)
            return .json(
                Self.document(origin).replacing(
                    "\"issuer\":\"\(origin)\"", with: "\"issuer\":\"\(origin)\(tails[kind] ?? "")\""))
        }
        _ = try result.get()
        #expect(asked.map(\.target) == [target])
    }

    @Test(arguments: [
        "", "[]", "5", "null", "{}x", "{\"issuer\":1,}", "{'issuer':1}", "\u{FEFF}{}", "{\"a\":1,\"a\":2}",
        "{\"a\":NaN}",
    ])
    func `What is not one JSON object is no metadata`(body: String) async throws {
        let (result, _) = try await Self.discover { _ in .json(body) }
        guard case .failure(.notJSON) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func `Brackets without end are refused before they cost anything`() async throws {
        let (result, _) = try await Self.discover { _ in .json(String(repeating: "[", count: 100_000)) }
        guard case .failure(.notJSON) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func `A captive portal's page is named as what it is`() async throws {
        let (result, _) = try await Self.discover { _ in
            .answer(200, "\n <!DOCTYPE html><title>Hotel</title>", type: "text/html")
        }
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.message.contains("a web page"))
        #expect(error.hint?.description.contains("captive portal") == true)
        #expect(!error.message.contains("Hotel"))
    }

    @Test func `A redirect is not followed`() async throws {
        let (result, asked) = try await Self.discover { _ in .answer(302, "", headers: ["Location: /elsewhere"]) }
        guard case .failure(.redirected(_, 302)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(!asked.contains { $0.target == "/elsewhere" })
    }

    @Test func `A document that is not there is a matter of the authority, not of the provider's administrator`()
        async throws
    {
        let (result, _) = try await Self.discover(path: "/realms/lap") { _ in .answer(404, "{}") }
        guard case .failure(.unsupported(let words, let hint)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(
            words.hasSuffix("/realms/lap/.well-known/openid-configuration")
                && hint?.description.contains("check the authority") == true)
    }

    @Test func `An unknown tenant is refused in the provider's words`() async throws {
        let (result, _) = try await Self.discover(path: "/11111111-2222-3333-4444-555555555555", kind: .aad) { _ in
            .answer(
                400,
                #"{"error":"invalid_tenant","error_description":"AADSTS90002: no such tenant.\r\nTrace ID: x","error_codes":[90002]}"#
            )
        }
        guard case .failure(.refused(let error)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.error == "invalid_tenant")
        #expect(error.codes == [90002])
        #expect(error.description == "AADSTS90002: no such tenant.")
    }

    @Test func `Metadata is kept for a day and no longer; a failure is not kept`() async throws {
        let clock = Mutex(Duration.seconds(1000))
        let isUp = Mutex(false)
        let respond: @Sendable (StubServer.Asked) -> StubServer.Reply = { asked in
            isUp.withLock { $0 } ? .json(Self.document(Self.origin(asked), Self.allEndpoints)) : .answer(429, "{}")
        }
        try await StubServer.open(respond) { server async throws in
            try await Samples.transport { transport async throws in
                let authority = try Authority("http://127.0.0.1:\(server.port)", kind: .oidc)
                let discovery = Discovery(transport: transport) { clock.withLock { $0 } }
                let failure = await Samples.error { () async throws(WireError) in
                    _ = try await discovery.metadata(for: authority)
                }
                #expect(failure?.mayPass == true)
                isUp.withLock { $0 = true }
                for _ in 0..<3 { _ = try await discovery.metadata(for: authority) }
                #expect(server.asked.count == 2)
                clock.withLock { $0 += .seconds(86_399) }
                _ = try await discovery.metadata(for: authority)
                #expect(server.asked.count == 2)
                clock.withLock { $0 += .seconds(1) }
                _ = try await discovery.metadata(for: authority)
                #expect(server.asked.count == 3)
            }
        }
    }
}
