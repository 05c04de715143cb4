import Glibc
import Testing

@testable import CommandSupport

/// Real sockets on loopback, whose owner root may change as that of a file.
@Suite struct LoopbackPeerTests {
    /// A connection to a port of 127.0.0.1, and its ends.
    private final class Connected {
        private let listener: Int32
        private let server: Int32
        let client: Int32
        let from: sockaddr_in
        let to: sockaddr_in

        init(isMapped: Bool = false, source: String = "127.0.0.1") throws {
            func socket(_ family: Int32) -> Int32 {
                Glibc.socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            }
            let listener = socket(AF_INET)
            let client = socket(isMapped ? AF_INET6 : AF_INET)
            var place = Self.address("127.0.0.1")
            try #require(Self.call(&place) { bind(listener, $0, $1) } == 0 && listen(listener, 1) == 0)
            var there = try Self.name { getsockname(listener, $0, $1) }
            to = there
            if isMapped {
                var mapped = sockaddr_in6()
                mapped.sin6_family = sa_family_t(AF_INET6)
                mapped.sin6_port = there.sin_port
                try #require(inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped.sin6_addr) == 1)
                try #require(Self.call(&mapped) { connect(client, $0, $1) } == 0)
            } else {
                var here = Self.address(source)
                try #require(Self.call(&here) { bind(client, $0, $1) } == 0)
                try #require(Self.call(&there) { connect(client, $0, $1) } == 0)
            }
            var server: Int32 = -1
            from = try Self.name {
                server = accept(listener, $0, $1)
                return server
            }
            (self.listener, self.server, self.client) = (listener, server, client)
        }

        private var isOpen = true

        func hangUp() {
            close(client)
            isOpen = false
        }

        deinit {
            for file in [listener, server] + (isOpen ? [client] : []) { close(file) }
        }

        private static func address(_ text: String) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            inet_pton(AF_INET, text, &address.sin_addr)
            return address
        }

        private static func name(_ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32)
            throws -> sockaddr_in
        {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
            }
            try #require(result >= 0)
            return address
        }

        private static func call<Address>(
            _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
        )
            -> Int32
        {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<Address>.size))
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `The kernel names who has connected, over IPv4 and over IPv6 to an address of IPv4`(isMapped: Bool) throws {
        let open = try Connected(isMapped: isMapped)
        #expect(LoopbackPeer.askedOwner(open.from, open.to) == geteuid())
        #expect(Set(LoopbackPeer.listedOwners(open.from, open.to)) == [geteuid()])
        #expect(LoopbackPeer.isKnownAsOwn(from: open.from, to: open.to))
        #expect(LoopbackPeer.isOwn(from: open.from, to: open.to))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a socket away"))
    func `Another user's connection is not own`() throws {
        let open = try Connected()
        try #require(fchown(open.client, 65534, gid_t.max) == 0)
        #expect(LoopbackPeer.askedOwner(open.from, open.to) == 65534)
        #expect(Set(LoopbackPeer.listedOwners(open.from, open.to)) == [65534])
        #expect(!LoopbackPeer.isKnownAsOwn(from: open.from, to: open.to))
        #expect(!LoopbackPeer.isOwn(from: open.from, to: open.to))
    }

    /// The kernel gives what is left of such a socket to root.
    @Test func `A connection that its process has closed is nobody's`() throws {
        let open = try Connected()
        open.hangUp()
        #expect(LoopbackPeer.askedOwner(open.from, open.to) == LoopbackPeer.nobody)
        #expect(Set(LoopbackPeer.listedOwners(open.from, open.to)) == [LoopbackPeer.nobody])
        #expect(!LoopbackPeer.isKnownAsOwn(from: open.from, to: open.to))
        #expect(!LoopbackPeer.isOwn(from: open.from, to: open.to))
    }

    @Test func `The same port of another address is another connection, and nobody is known there`() throws {
        let open = try Connected(source: "127.0.0.2")
        var elsewhere = open.from
        inet_pton(AF_INET, "127.0.0.1", &elsewhere.sin_addr)
        #expect(LoopbackPeer.isKnownAsOwn(from: open.from, to: open.to))
        #expect(LoopbackPeer.askedOwner(elsewhere, open.to) == nil)
        #expect(LoopbackPeer.listedOwners(elsewhere, open.to).isEmpty)
        #expect(!LoopbackPeer.isKnownAsOwn(from: elsewhere, to: open.to))
        #expect(LoopbackPeer.isOwn(from: elsewhere, to: open.to))
    }

    @Test func `Who listens at a port is not who has connected from it`() throws {
        let open = try Connected()
        #expect(LoopbackPeer.askedOwner(open.to, open.from) != nil)
        var free = open.from
        free.sin_port = UInt16(1).bigEndian
        #expect(LoopbackPeer.askedOwner(open.to, free) == nil)
    }
}
