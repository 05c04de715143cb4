import NIOCore
import NIOEmbedded
import Testing

@testable import Agent

@Suite struct TurnTests {
    private let channels = Channels()

    private func channel() throws -> EmbeddedChannel {
        let channel = channels.keep(EmbeddedChannel())
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/x")).wait()
        return channel
    }

    @Test func `One thing is answered at a time`() throws {
        let turn = RequestSlot(try channel())
        #expect(turn.begin() && !turn.begin())
        turn.answered()
        #expect(turn.begin(), "the client may have read the answer already")
        turn.answered()
        #expect(!turn.begin(), "who does not read is not answered any more")
        turn.written()
        #expect(turn.begin())
    }

    @Test func `A stop lets an answer go out, and ends who waits for none`() throws {
        let idle = try channel()
        RequestSlot(idle).stop()
        #expect(!idle.isActive)
        let busy = try channel()
        let turn = RequestSlot(busy)
        #expect(turn.begin())
        turn.stop()
        #expect(busy.isActive)
        turn.answered()
        #expect(busy.isActive)
        turn.written()
        #expect(!busy.isActive)
    }

    @Test func `While a newer program waits, a new connection gets its first answer, and an idle one ends`() throws {
        let fresh = try channel()
        let new = RequestSlot(fresh)
        new.stop(afterFirstRequest: true)
        #expect(fresh.isActive && new.begin())
        new.answered()
        #expect(fresh.isActive)
        new.written()
        #expect(!fresh.isActive)
        let served = try channel()
        let old = RequestSlot(served)
        #expect(old.begin())
        old.answered()
        old.written()
        old.stop(afterFirstRequest: true)
        #expect(!served.isActive)
        // Who never asks is not waited for.
        let silent = try channel()
        let last = RequestSlot(silent)
        last.stop(afterFirstRequest: true)
        last.stop()
        #expect(!silent.isActive)
    }

    @Test func `The request that began first says how long an upgrade would cut off`() throws {
        let connections = Connections()
        let now = ContinuousClock.now
        #expect(connections.longestRequest(at: now) == .zero)
        let turn = try #require(connections.open(channel(), isForwardSocket: false))
        #expect(connections.longestRequest(at: now.advanced(by: .seconds(9))) == .zero)
        #expect(turn.begin())
        let length = connections.longestRequest(at: ContinuousClock.now.advanced(by: .seconds(9)))
        #expect(length >= .seconds(9))
        turn.answered()
        #expect(connections.longestRequest(at: ContinuousClock.now.advanced(by: .seconds(9))) == .zero)
    }

    @Test func `Each wrong passphrase waits longer, up to half a minute`() {
        let tries = FailedUnlockDelay()
        let waits = (0..<8).map { _ in tries.next() }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    }
}
