import NIOEmbedded
import Testing

@testable import Agent

@Suite struct ConnectionsTests {
    private let channels = Channels()

    private func fill(_ connections: Connections, isForwardSocket: Bool) -> [RequestSlot] {
        (0..<1000).compactMap { _ in
            connections.open(channels.keep(EmbeddedChannel()), isForwardSocket: isForwardSocket)
        }
    }

    @Test func `Where it is full there is room for the person still, and only so much`() {
        let connections = Connections()
        let turns = fill(connections, isForwardSocket: false)
        #expect(turns.map(\.room) == .init(repeating: .usual, count: 256) + .init(repeating: .reserved, count: 32))
        #expect(connections.isFull)
        connections.closed(turns[0])
        #expect(!connections.isFull)
        #expect(connections.open(channels.keep(EmbeddedChannel()), isForwardSocket: false)?.room == .usual)
    }

    @Test func `Other hosts have a share of their own, and cannot take that of this machine`() {
        let connections = Connections()
        #expect(fill(connections, isForwardSocket: true).map(\.room) == .init(repeating: .forwarded, count: 128))
        #expect(!connections.isFull)
        #expect(fill(connections, isForwardSocket: false).count == 288)
    }
}
