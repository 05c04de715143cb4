import FoundationEssentials
import Identity
import Synchronization
import Testing

@testable import Wire

/// What is sent a second time, and what never is.
@Suite struct ResendTests {
    private static func refresh(
        isEntra: Bool, _ reply: @escaping @Sendable (Int) -> StubServer.Reply
    ) async throws -> (Result<TokenAnswer, WireError>, Int) {
        let count = Mutex(0)
        return try await StubServer.open({ _ in
            reply(
                count.withLock {
                    $0 += 1
                    return $0
                })
        }) { server async throws in
            try await Samples.transport { transport async throws in
                let endpoint = TokenEndpoint(
                    metadata: try Samples.metadata("http://127.0.0.1:\(server.port)"), clientID: "c", isEntra: isEntra,
                    correlationID: UUID(),
                    transport: transport)
                do throws(WireError) {
                    return (
                        .success(
                            try await endpoint.refresh(token: Secret("rt"), scopes: ["a"], claims: nil, anchor: "")),
                        server.asked.count
                    )
                } catch { return (.failure(error), server.asked.count) }
            }
        }
    }

    private static let grant = StubServer.Reply.json(#"{"access_token":"at","token_type":"Bearer"}"#)

    @Test func `A 500 and then a 200 is a success after one retry`() async throws {
        let (result, count) = try await Self.refresh(isEntra: false) { $0 == 1 ? .answer(500, "") : Self.grant }
        guard case .success(.granted) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(count == 2)
    }

    @Test func `A 4xx is not sent again`() async throws {
        let (_, count) = try await Self.refresh(isEntra: true) { _ in .answer(400, #"{"error":"invalid_grant"}"#) }
        #expect(count == 1)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"])
    func `A refresh token is sent again once when the connection broke after it went out`(answer: String) async throws {
        let (result, count) = try await Self.refresh(isEntra: false) { _ in .raw(answer) }
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.mayPass && error.isNotReached && count == 2)
    }

    @Test func `A refresh token whose answer does not come in time is not sent again`() async throws {
        try await StubServer.open({ _ in .raw("HTTP/1.1 200 OK\r\n", .silence) }) { server async throws in
            // On a busy machine the time can be over before the request is there.
            for timeout in [0.3, 3, 30] where server.asked.isEmpty {
                let transport = Transport(NetworkSettings(timeout: timeout))
                let endpoint = TokenEndpoint(
                    metadata: try Samples.metadata("http://127.0.0.1:\(server.port)"), clientID: "c", isEntra: false,
                    correlationID: UUID(),
                    transport: transport)
                await #expect(throws: WireError.self) {
                    try await endpoint.refresh(token: Secret("rt"), scopes: ["a"], claims: nil, anchor: "")
                }
                await transport.close()
            }
            #expect(server.asked.count == 1)
        }
    }

    @Test(arguments: [true, false]) func `After a broken connection the second answer counts`(isEntra: Bool)
        async throws
    {
        let (result, count) = try await Self.refresh(isEntra: isEntra) { $0 == 1 ? .raw("") : Self.grant }
        guard case .success(.granted) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(count == 2)
    }

    @Test(arguments: [429, 500, 503]) func `Who names a time to wait is asked once`(status: Int) async throws {
        let (result, count) = try await Self.refresh(isEntra: true) { _ in
            .answer(status, "", headers: ["Retry-After: 30"])
        }
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.retryAfter == 30 && error.mayPass && !error.isNotReached && count == 1)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
        ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
        ("Saturday, 21-Nov-26 08:00:00 GMT", 1_795_248_000), ("Tue, 31 Dec 2999 23:59:60 GMT", 32_503_680_000),
    ])
    func `RFC 9110 section 5.6.7: a date is read in its three forms`(text: String, seconds: Int) {
        let now = Date(timeIntervalSince1970: 1_795_248_000)
        #expect(HTTPDate.parse(text, now: now) == Date(timeIntervalSince1970: TimeInterval(seconds)))
    }

    @Test(arguments: [
        "", "x", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 94 08:49:37 GMT",
        "Thu, 29 Feb 2023 00:00:00 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, -6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 99999 08:49:37 GMT", "1994-11-06T08:49:37Z", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun, ٠٦ Nov 1994 08:49:37 GMT",
    ])
    func `RFC 9110 section 5.6.7: what is no date is none`(text: String) {
        #expect(HTTPDate.parse(text, now: Date(timeIntervalSince1970: 1_795_248_000)) == nil)
    }
}
