import NIOCore
import Synchronization

/// The connections of an endpoint whose request has not come as a whole: nobody waits for them when it closes.
final class SilentConnections: Sendable {
    private struct State {
        var isClosed = false
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = Mutex(State())

    /// One that comes after ``closeAll()`` is closed, too.
    func add(_ channel: any Channel) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.channels[ObjectIdentifier(channel)] = channel }
            return state.isClosed
        }
        if isClosed { channel.close(promise: nil) }
    }

    func remove(_ channel: any Channel) {
        state.withLock { state in _ = state.channels.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    func closeAll() {
        let channels = state.withLock { state in
            state.isClosed = true
            defer { state.channels = [:] }
            return Array(state.channels.values)
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
