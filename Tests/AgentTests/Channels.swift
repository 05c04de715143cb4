import NIOEmbedded

/// The channels of a test, which are closed at its end: an open one and its pipeline hold each other for good.
final class Channels {
    private var kept: [EmbeddedChannel] = []

    deinit { for channel in kept { _ = try? channel.finish(acceptAlreadyClosed: true) } }

    func keep(_ channel: EmbeddedChannel) -> EmbeddedChannel {
        kept.append(channel)
        return channel
    }
}
