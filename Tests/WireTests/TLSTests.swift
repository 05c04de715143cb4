import Identity
import Testing
import Waiting

@testable import Wire

@Suite struct TLSTests {
    private static func authority(_ name: String = "server authority") throws -> HomemadeCertificate {
        try HomemadeCertificate(.init(commonName: name, names: [], address: nil, isAuthority: true, usage: nil))
    }

    /// What comes of a request to a server with this certificate, and how many requests the server saw.
    private static func ask(
        _ certificate: HomemadeCertificate, trusting authority: HomemadeCertificate?, host: String = "127.0.0.1"
    )
        async throws
        -> (WireError?, Int)
    {
        func run(_ file: String?) async throws -> (WireError?, Int) {
            try await StubServer.open(tls: try certificate.context(), { _ in .json("{}") }) { server async throws in
                try await Samples.transport(certificateFile: file) { transport async throws in
                    let request = HTTPRequest(
                        try WebAddress("https://\(host):\(server.port)/x"), body: .form([("code", "secret")]))
                    let error = await Samples.error { () async throws(WireError) in
                        _ = try await transport.send(request)
                    }
                    return (error, server.asked.count)
                }
            }
        }
        guard let authority else { return try await run(nil) }
        return try await authority.file(run)
    }

    @Test(arguments: ["127.0.0.1", "localhost"]) func `A server that a named authority vouches for is spoken to`(
        host: String
    )
        async throws
    {
        let authority = try Self.authority()
        let (error, seen) = try await Self.ask(
            try HomemadeCertificate(.init(), issuer: authority), trusting: authority, host: host)
        #expect(error == nil)
        #expect(seen == 1)
    }

    @Test(arguments: [
        ("expired", HomemadeCertificate.Claims(begins: "190101000000Z", ends: "200101000000Z")),
        ("not yet valid", .init(begins: "480101000000Z")),
        ("for another name", .init(names: ["id.example.org"], address: nil)),
        ("for another address", .init(names: [], address: [127, 0, 0, 2])), ("for clients", .init(usage: 2)),
        ("without any alternative name", .init(commonName: "127.0.0.1", names: [], address: nil)),
    ])
    func `A certificate that is wrong in one way is refused, and nothing is sent`(
        flaw: String, claims: HomemadeCertificate.Claims
    ) async throws {
        let authority = try Self.authority()
        let (error, seen) = try await Self.ask(try HomemadeCertificate(claims, issuer: authority), trusting: authority)
        guard case .tls(_, let problem) = error else {
            Issue.record("\(flaw): \(String(describing: error))")
            return
        }
        #expect(problem.words.contains("certificate"), "\(flaw): \(problem)")
        #expect(error?.mayPass == false)
        #expect(seen == 0)
    }

    @Test(arguments: ["localhost", "127.0.0.1"]) func `A common name stands for no host, even where it fits`(
        host: String
    ) async throws {
        let authority = try Self.authority()
        let certificate = try HomemadeCertificate(.init(commonName: host, names: [], address: nil), issuer: authority)
        let (error, seen) = try await Self.ask(certificate, trusting: authority, host: host)
        #expect(
            error == .tls(host: error?.host ?? "", host == "localhost" ? .noName : .otherName),
            "\(String(describing: error))")
        #expect(seen == 0)
    }

    @Test func `A certificate whose time is over, or has not come, is told from one that nobody vouches for`()
        async throws
    {
        let authority = try Self.authority()
        for (claims, problem) in [
            (
                HomemadeCertificate.Claims(begins: "190101000000Z", ends: "200131000000Z"),
                TLSProblem.expired("2020-01-31")
            ),
            (.init(begins: "480102000000Z"), .notYetValid("2048-01-02")), (.init(usage: 2), .untrusted),
        ] {
            let (error, seen) = try await Self.ask(
                try HomemadeCertificate(claims, issuer: authority), trusting: authority)
            #expect(error == .tls(host: error?.host ?? "", problem), "\(String(describing: error))")
            #expect(seen == 0)
            #expect((error?.hint == .trustAuthority) == (problem == .untrusted))
        }
    }

    @Test func `A certificate of nobody, of itself, or of another authority is refused`() async throws {
        let leaf = try HomemadeCertificate(.init(), issuer: try Self.authority())
        for authority in [nil, try Self.authority()] {
            guard case (.tls, 0) = try await Self.ask(leaf, trusting: authority) else {
                Issue.record("spoken to")
                return
            }
        }
        guard case (.tls, 0) = try await Self.ask(try HomemadeCertificate(.init()), trusting: nil) else {
            Issue.record("spoken to")
            return
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `A handshake that is never answered ends at the deadline, and closing does not wait for it`() async throws {
        try await StubServer.open({ _ in .json("{}") }) { server async throws in
            try await Samples.transport(timeout: .milliseconds(200)) { transport async throws in
                let request = HTTPRequest(try WebAddress("https://127.0.0.1:\(server.port)/x"), body: .form([]))
                let error = await Samples.error { () async throws(WireError) in _ = try await transport.send(request) }
                #expect(error == .timedOut(host: "127.0.0.1:\(server.port)"))
            }
            #expect(server.asked.isEmpty)
        }
    }

    @Test(arguments: ["/nowhere/ca.pem", "/dev/null", "/etc/hostname"])
    func `A certificate file without certificates is an error, not the system's trust`(file: String) async throws {
        try await Samples.transport(certificateFile: file) { transport async throws in
            let request = HTTPRequest(try WebAddress("https://127.0.0.1:1/x"))
            let error = await Samples.error { () async throws(WireError) in _ = try await transport.send(request) }
            guard case .trustFile(file, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(error?.hint == .nameCertificateFile && error?.message.contains(file) == true)
            #expect(error?.mayPass == false)
        }
    }
}

extension WireError {
    /// The host that a failed handshake was with.
    fileprivate var host: String? {
        if case .tls(let host, _) = self { return host }
        return nil
    }
}
