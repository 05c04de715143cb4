import Glibc
import Identity
import Synchronization
import Testing
import Waiting

@testable import Wire

/// Over real sockets on loopback.
@Suite struct OneTimeAddressTests {
    private static let destination = "https://id.example.org/authorize?client_id=c&state=secret-state"

    private static func open<T>(
        isOwn: @escaping @Sendable (sockaddr_in, sockaddr_in) -> Bool = { _, _ in true },
        _ body: (OneTimeAddress) async throws -> T
    ) async throws -> T {
        let page = try await OneTimeAddress.start(for: WebAddress(destination), lifetime: Waiting.end, isOwn: isOwn)
        defer { page.close() }
        return try await body(page)
    }

    private static func get(_ page: OneTimeAddress, _ target: String? = nil) async -> (status: String, lines: [String])
    {
        let reply = await RawHTTPClient.get(target ?? page.address.path, port: page.address.port ?? 0)
        let lines = reply.split(separator: "\r\n").map(String.init)
        return (String(reply.split(separator: " ").dropFirst().first ?? ""), lines)
    }

    private static func location(_ lines: [String]) -> String? {
        lines.first { $0.lowercased().hasPrefix("location: ") }.map { String($0.dropFirst(10)) }
    }

    @Test func `The first request is sent on and every other is not; nothing is kept and no referrer told`()
        async throws
    {
        try await Self.open { page async throws in
            #expect(page.address.host == "127.0.0.1" && page.address.query == nil && page.address.path.utf8.count >= 40)
            #expect(!page.address.text.contains("state"))
            let first = await Self.get(page)
            #expect(first.status == "302" && Self.location(first.lines) == Self.destination)
            let headers = first.lines.map { $0.lowercased() }
            #expect(headers.contains("cache-control: no-store") && headers.contains("referrer-policy: no-referrer"))
            #expect(await page.isUsed(within: Waiting.end))
            let second = await Self.get(page)
            #expect(second.status == "410" && Self.location(second.lines) == nil)
            #expect(!second.lines.joined().contains("secret-state"))
        }
    }

    @Test(arguments: ["/", "/favicon.ico", "/?x", ""])
    func `Who does not know the path learns nothing and uses nothing up`(target: String) async throws {
        try await Self.open { page async throws in
            let stray = await Self.get(page, target.isEmpty ? page.address.path + "x" : target)
            #expect(stray.status == "404" && !stray.lines.joined().contains("secret-state"))
            let post = "POST \(page.address.path) HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
            #expect(await RawHTTPClient.ask(post, port: page.address.port ?? 0).contains(" 405 "))
            #expect(await Self.get(page).status == "302")
        }
    }

    @Test func `Another user's process is refused and uses nothing up`() async throws {
        let isAllowed = Mutex(false)
        let ends = Mutex<[(from: sockaddr_in, to: sockaddr_in)]>([])
        try await Self.open(isOwn: { from, to in
            ends.withLock { $0.append((from, to)) }
            return isAllowed.withLock { $0 }
        }) { page async throws in
            let refused = await Self.get(page)
            #expect(refused.status == "403" && !refused.lines.joined().contains("secret-state"))
            isAllowed.withLock { $0 = true }
            #expect(await Self.get(page).status == "302")
            let loopback = UInt32(0x7f00_0001).bigEndian
            for (from, to) in ends.withLock({ $0 }) {
                #expect(from.sin_addr.s_addr == loopback && to.sin_addr.s_addr == loopback && from.sin_port > 0)
                #expect(Int(UInt16(bigEndian: to.sin_port)) == page.address.port)
            }
        }
    }

    @Test func `Two have two paths, and a use that does not come is not waited for longer than said`() async throws {
        try await Self.open { one async throws in
            try await Self.open { other async throws in
                #expect(one.address.path != other.address.path)
                #expect(await one.isUsed(within: .milliseconds(20)) == false)
            }
        }
    }

    @Test func `Its time over, nobody listens any more`() async throws {
        let page = try await OneTimeAddress.start(for: WebAddress(Self.destination), lifetime: .milliseconds(10))
        #expect(await eventually { RawHTTPClient(port: page.address.port ?? 0) == nil })
    }
}
