import NIOCore
import NIOEmbedded
import Testing

@testable import Agent

@Suite struct LineReaderTests {
    private let channels = Channels()

    private func channel(limit: Int = 16) throws -> EmbeddedChannel {
        let channel = channels.keep(EmbeddedChannel(handler: LineReader(limit: limit)))
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/x")).wait()
        return channel
    }

    private func lines(_ channel: EmbeddedChannel) throws -> [String] {
        var lines: [String] = []
        while let line = try channel.readInbound(as: ByteBuffer.self) { lines.append(String(buffer: line)) }
        return lines
    }

    @Test func `Lines come whole, however they were sent`() throws {
        let channel = try channel()
        for part in ["one\ntw", "o\n", "\n", "three"] { try channel.writeInbound(ByteBuffer(string: part)) }
        #expect(try lines(channel) == ["one", "two", ""])
        try channel.writeInbound(ByteBuffer(string: "\n"))
        #expect(try lines(channel) == ["three"])
        #expect(channel.isActive)
    }

    @Test(arguments: ["0123456789abcdef", "0123456789abcdef\n", "ok\n0123456789abcdef"])
    func `A line that is too long ends the connection`(text: String) throws {
        let channel = try channel()
        try channel.writeInbound(ByteBuffer(string: text))
        #expect(!channel.isActive)
    }

    @Test func `A line that does not end in time ends the connection`() throws {
        let channel = try channel()
        try channel.writeInbound(ByteBuffer(string: "a"))
        channel.embeddedEventLoop.advanceTime(by: LineReader.patience - .seconds(1))
        try channel.writeInbound(ByteBuffer(string: "b"))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func `The time begins with the line`() throws {
        let channel = try channel()
        try channel.writeInbound(ByteBuffer(string: "a\n"))
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        try channel.writeInbound(ByteBuffer(string: "b\nc"))
        channel.embeddedEventLoop.advanceTime(by: LineReader.patience)
        #expect(!channel.isActive)
    }
}
