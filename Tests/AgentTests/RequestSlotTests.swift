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
        #expect(busy.isActive && turn.isBusy)
        turn.answered()
        #expect(busy.isActive && turn.isBusy)
        turn.written()
        #expect(!busy.isActive)
    }

    @Test func `Each wrong passphrase waits longer, up to half a minute`() {
        let tries = FailedUnlockDelay()
        let waits = (0..<8).map { _ in tries.next() }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    }
}
