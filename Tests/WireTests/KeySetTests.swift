import Identity
import Synchronization
import Testing

@testable import Wire

@Suite struct KeySetTests {
    /// What a provider says of its keys, changed by the tests.
    private final class List: Sendable {
        let reply: Mutex<StubServer.Reply>
        init(_ keys: String...) { reply = Mutex(Self.json(keys)) }
        func say(_ keys: String...) { reply.withLock { $0 = Self.json(keys) } }
        private static func json(_ keys: [String]) -> StubServer.Reply {
            .json(#"{"keys":[\#(keys.joined(separator: ","))]}"#)
        }
    }

    private static func open(_ list: List, _ body: (KeySet, WebAddress, StubServer) async throws -> Void) async throws {
        try await StubServer.open({ _ in list.reply.withLock { $0 } }) { server async throws in
            try await Samples.transport { transport async throws in
                try await body(
                    KeySet(transport: transport), try WebAddress("http://127.0.0.1:\(server.port)/keys"), server)
            }
        }
    }

    @Test func `Who needs a new key while it is being fetched waits for it`() async throws {
        let list = List(try Signer.es256.key(id: "k1"))
        try await Self.open(list) { keys, address, server in
            #expect(try await keys.keys(named: "k1", at: address).count == 1)
            list.say(try Signer.rs256.key(id: "k2"))
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await keys.keys(named: "k2", at: address).count } }
                for try await count in group { #expect(count == 1) }
            }
            #expect(server.asked.count == 2)
        }
    }

    @Test func `Keys that nobody had are fetched once for all who ask together`() async throws {
        try await Self.open(List(try Signer.es256.key(id: "k1"))) { keys, address, server in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await keys.keys(named: "k1", at: address).count } }
                for try await count in group { #expect(count == 1) }
            }
            #expect(server.asked.count == 1)
        }
    }

    @Test func `A fetch that failed is none: the next one asks again`() async throws {
        let list = List(try Signer.es256.key(id: "k1"))
        try await Self.open(list) { keys, address, server in
            _ = try await keys.keys(named: "k1", at: address)
            list.reply.withLock { $0 = .answer(404, "") }
            #expect(
                await Samples.error { () throws(WireError) in _ = try await keys.keys(named: "k2", at: address) } != nil
            )
            list.say(try Signer.rs256.key(id: "k2"))
            #expect(try await keys.keys(named: "k2", at: address).count == 1)
            // An answer without it holds for a while.
            #expect(try await keys.keys(named: "k3", at: address).isEmpty)
            let asked = server.asked.count
            #expect(try await keys.keys(named: "k3", at: address).isEmpty && server.asked.count == asked)
        }
    }

    @Test func `Who gives up while others wait is let go, and the others get the keys`() async throws {
        let asked = AsyncStream.makeStream(of: Void.self)
        let isOpen = Mutex(false)
        let key = try Signer.es256.key(id: "k1")
        try await StubServer.open({ _ in
            asked.continuation.yield()
            return isOpen.withLock { $0 } ? .json(#"{"keys":[\#(key)]}"#) : .raw("", .silence)
        }) { server async throws in
            try await Samples.transport { transport async throws in
                let keys = KeySet(transport: transport)
                let address = try WebAddress("http://127.0.0.1:\(server.port)/keys")
                let hasty = Task {
                    await Samples.error { () throws(WireError) in _ = try await keys.keys(named: "k1", at: address) }
                }
                for await _ in asked.stream { break }
                hasty.cancel()
                #expect(await hasty.value == .cancelled)
                // Nobody waits for the silent connection any more: the next one asks anew.
                isOpen.withLock { $0 = true }
                #expect(try await keys.keys(named: "k1", at: address).count == 1)
            }
        }
    }
}
