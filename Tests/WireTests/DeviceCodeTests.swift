import FoundationEssentials
import Identity
import Testing

@testable import Wire

@Suite struct DeviceCodeTests {
    private static let now = Date(timeIntervalSince1970: 1_763_700_000)

    private static func request(_ reply: StubServer.Reply, isEntra: Bool = false) async throws -> (
        Result<DeviceAuthorization, WireError>, [StubServer.Asked]
    ) {
        try await StubServer.open({ _ in reply }) { server async throws in
            try await Samples.transport { transport async throws in
                let metadata = try Samples.metadata("http://127.0.0.1:\(server.port)")
                let result: Result<DeviceAuthorization, WireError>
                do throws(WireError) {
                    result = .success(
                        try await DeviceCode.request(
                            metadata: metadata, clientID: "c", scopes: ["a"], claims: nil, isEntra: isEntra,
                            correlationID: UUID(),
                            now: now,
                            transport: transport))
                } catch { result = .failure(error) }
                return (result, server.asked)
            }
        }
    }

    private static func answer(
        code: String = #""WDJB-MJHT""#, device: String = #""dev""#,
        uri: String = #""verification_uri":"https://example.org/device""#,
        more: String = ""
    ) -> StubServer.Reply {
        .json(#"{"device_code":\#(device),"user_code":\#(code),\#(uri)\#(more.isEmpty ? "" : "," + more)}"#)
    }

    private static func prompt(_ reply: StubServer.Reply) async throws -> DeviceCodePrompt {
        try await request(reply).0.get().prompt
    }

    @Test func `The request has the client and the scopes`() async throws {
        let (_, asked) = try await Self.request(Self.answer())
        #expect(asked.first?.target == "/device")
        #expect(asked.first?.fields == ["client_id": "c", "scope": "a%20openid%20profile%20offline_access"])
    }

    @Test func `An absent interval is five seconds, and the code is shown as it came`() async throws {
        let prompt = try await Self.prompt(Self.answer(more: #""expires_in":"600""#))
        #expect(prompt.interval == 5)
        #expect(prompt.userCode == "WDJB-MJHT")
        #expect(prompt.expiresAt == Self.now.addingTimeInterval(600))
        #expect(prompt.verificationURIComplete == nil)
    }

    @Test(arguments: [
        ("0", 1), ("-5", 1), ("7", 7), ("\"7\"", 7), ("7.9", 7), ("1e300", 600), ("true", 5), ("null", 5),
        ("\"inf\"", 5), ("\"nan\"", 5),
        ("[]", 5),
    ])
    func `An interval out of bounds is brought within them`(written: String, interval: Int) async throws {
        #expect(try await Self.prompt(Self.answer(more: "\"interval\":\(written)")).interval == interval)
    }

    @Test(arguments: ["\"WDJBMJHT\"", "\"wdjb-mjht\"", "\"123-456-789\""])
    func `User codes come with and without a dash`(code: String)
        async throws
    {
        #expect("\"\(try await Self.prompt(Self.answer(code: code)).userCode)\"" == code)
    }

    @Test(arguments: [
        "\"\"", "null", "5", "\"AB\\u001b[31mCD\"", "\"AB\\nCD\"", "\"\\u202eAB\"", "\"ВDЕF\"", "\"call +1 555\"",
        "\"\(String(repeating: "A", count: 65))\"",
    ])
    func `A user code that could not be shown as it is, is refused`(code: String) async throws {
        guard case .failure(let error) = try await Self.request(Self.answer(code: code)).0 else {
            Issue.record("taken: \(code)")
            return
        }
        #expect(error.check == "device code")
    }

    @Test(arguments: ["null", "\"\"", "5", "\"a b\"", "\"a\\u0000\""])
    func `A device code that cannot be sent back is refused`(
        device: String
    ) async throws {
        guard case .failure(let error) = try await Self.request(Self.answer(device: device)).0 else {
            Issue.record("taken: \(device)")
            return
        }
        #expect(error.check == "device code")
    }

    @Test func `Verification addresses come under an old name, with queries, and with spaces`() async throws {
        #expect(
            try await Self.prompt(Self.answer(uri: #""verification_url":"https://example.org/device?x=1""#))
                .verificationURI.query == "x=1")
        #expect(
            try await Self.prompt(
                Self.answer(more: #""verification_uri_complete":"https://example.org/device?code=A B""#)
            )
            .verificationURIComplete?.query
                == "code=A%20B")
    }

    @Test(arguments: [
        "javascript:alert(1)", "http://example.org/device", "https://example.org@evil.example/", "file:///etc/passwd",
        "-x", "device", "",
    ])
    func `A verification address that may not be opened is refused; as a convenience it is left out`(address: String)
        async throws
    {
        guard
            case .failure(.badEndpoint("verification_uri", _)) = try await Self.request(
                Self.answer(uri: #""verification_uri":"\#(address)""#)
            ).0
        else {
            Issue.record("taken: \(address)")
            return
        }
        #expect(
            try await Self.prompt(Self.answer(more: #""verification_uri_complete":"\#(address)""#))
                .verificationURIComplete == nil)
    }

    @Test(arguments: [
        ("https://example.org/device?code=AB", true), ("https://example.org:443/device", true),
        ("https://example.org:8443/device", false),
        ("https://evil.example/device?code=AB", false), ("https://example.org.evil.example/", false),
        ("https://login.example.org/", false),
    ])
    func `An address with the code in it is shown only when it is of the origin that the person can compare`(
        address: String, isShown: Bool
    )
        async throws
    {
        let prompt = try await Self.prompt(Self.answer(more: #""verification_uri_complete":"\#(address)""#))
        #expect(prompt.verificationURIComplete?.text == (isShown ? address : nil))
        #expect(prompt.verificationURI.text == "https://example.org/device")
    }

    @Test(arguments: [(400, "unauthorized_client"), (200, "access_denied")]) func `A refusal keeps the provider's word`(
        status: Int, name: String
    ) async throws {
        guard case .failure(.refused(let error)) = try await Self.request(.answer(status, #"{"error":"\#(name)"}"#)).0
        else {
            Issue.record("no refusal")
            return
        }
        #expect(error.error == name)
    }

    @Test func `A provider without the endpoint is said to have none`() async throws {
        var metadata = try Samples.metadata()
        metadata.device = nil
        let plain = metadata
        let error = await Samples.error { () async throws(WireError) in
            _ = try await DeviceCode.request(
                metadata: plain, clientID: "c", scopes: [], claims: nil, isEntra: false, correlationID: UUID(),
                now: Self.now,
                transport: Transport(NetworkSettings()))
        }
        #expect(error == .unsupported("the provider has no device sign-in"))
    }
}
