import Foundation
import FoundationNetworking
import Synchronization
import Testing
import Waiting

@testable import Sandbox

/// The same provider, through a socket.
struct ServerTests {
    private func fetch(_ url: String, host: String? = nil, body: Data? = nil) async throws -> (Data, HTTPURLResponse) {
        var request = URLRequest(url: try #require(URL(string: url)))
        if let host { request.setValue(host, forHTTPHeaderField: "Host") }
        if let body {
            request.httpMethod = "POST"
            request.httpBody = body
        }
        let (data, response) = try await URLSession(configuration: .ephemeral).data(for: request)
        return (data, try #require(response as? HTTPURLResponse))
    }

    @Test func `Endpoints are told in the terms of the address that was used, and of no other`() async throws {
        let provider = try await SandboxProvider.start()
        let (data, _) = try await fetch("http://localhost:\(provider.port)/oidc/.well-known/openid-configuration")
        #expect(
            try JSON(parsing: String(decoding: data, as: UTF8.self))["issuer"]?.string
                == "http://localhost:\(provider.port)/oidc")
        let (_, stranger) = try await fetch(provider.baseURL + "/", host: "evil.example")
        #expect(stranger.statusCode == 421)
        await provider.stop()
    }

    @Test func `Each cloud answers on its own address, and on no other name`() async throws {
        let provider = try await SandboxProvider.start()
        let path = "/organizations/v2.0/.well-known/openid-configuration"
        let (data, _) = try await fetch(provider.sovereignBaseURL + path)
        let issuer = try JSON(parsing: String(decoding: data, as: UTF8.self))["issuer"]?.string
        #expect(issuer == provider.sovereignBaseURL + "/{tenantid}/v2.0")
        let (_, stranger) = try await fetch(provider.sovereignBaseURL + path, host: "127.0.0.1:\(provider.port)")
        #expect(stranger.statusCode == 421)
        await provider.stop()
    }

    @Test func `The front page links to every authority's document, and every link works`() async throws {
        let browser = try await BrowserClient()
        let provider = browser.provider
        let page = provider.answer(SandboxRequest("GET", "/")).body
        let links = page.split(separator: "href=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }.filter {
            $0.hasPrefix("http")
        }
        #expect(links.count == 22)
        for link in links {
            let rest = link.dropFirst("http://".count)
            let slash = try #require(rest.firstIndex(of: "/"))
            let answer = provider.answer(
                SandboxRequest("GET", String(rest[slash...]), headers: ["host": String(rest[..<slash])]))
            #expect(answer.status == 200, "\(link)")
        }
        await provider.stop()
    }

    @Test func `A request body is bounded, and a swollen answer is not`() async throws {
        let provider = try await SandboxProvider.start()
        let (_, refused) = try await fetch(provider.baseURL + "/oidc/token", body: Data(repeating: 97, count: 70_000))
        #expect(refused.statusCode == 413)
        provider.bend(Fault(.hugeBody(bytes: 1 << 20), endpoint: "keys", times: 1))
        let (data, _) = try await fetch(provider.baseURL + "/oidc/jwks")
        #expect(data.count > 1 << 20)
        await provider.stop()
    }

    @Test func `A cut-off answer is an error for the client`() async throws {
        let provider = try await SandboxProvider.start()
        provider.bend(Fault(.cutOff, endpoint: "keys", times: 1))
        await #expect(throws: (any Error).self) { try await fetch(provider.baseURL + "/oidc/jwks") }
        await provider.stop()
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)), arguments: ["release", "faults/clear", "reset"])
    func `A held answer is given when it is released, or with the end of the faults`(command: String) async throws {
        let provider = try await SandboxProvider.start()
        let keys = provider.baseURL + "/oidc/jwks"
        provider.bend(Fault(.held, endpoint: "keys", times: 1))
        let isGiven = Mutex(false)
        async let status = {
            defer { isGiven.withLock { $0 = true } }
            return try await fetch(keys).1.statusCode
        }()
        #expect(await eventually { provider.requests("keys") == 1 })
        // The next one does not wait for it.
        #expect(try await fetch(keys).1.statusCode == 200)
        #expect(!isGiven.withLock { $0 })
        _ = try await fetch(provider.baseURL + "/_sandbox/" + command, body: Data("{}".utf8))
        #expect(try await status == 200)
        await provider.stop()
    }

    @Test func `With TLS there is an authority to trust, and it goes when the sandbox goes`() async throws {
        var options = SandboxProvider.Options()
        options.tls = true
        let provider = try await SandboxProvider.start(options)
        let file = try #require(provider.caFile)
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(provider.baseURL.hasPrefix("https://127.0.0.1:"))
        await provider.stop()
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func `A port that is taken is a failure, not a wait`() async throws {
        let provider = try await SandboxProvider.start()
        var options = SandboxProvider.Options()
        options.port = provider.port
        await #expect(throws: SandboxProvider.StartError.self) { _ = try await SandboxProvider.start(options) }
        await provider.stop()
    }
}
