import Glibc
package import StrictJSON
import Synchronization
import SystemPackage
import TokenCache

/// A blocking connection to the agent.
package final class AgentConnection: Sendable {
    /// The reason for no connection. Only agent commands report it: tokens need no agent.
    package enum Trouble: Error, Hashable, Sendable {
        case notRunning
        case silent
        /// All its connections are in use; it gives no tokens over this one.
        case busy(connections: Int64)
        /// The socket or its listener belongs to another user.
        case notOurs(why: String)
        case otherProtocol
    }

    /// The wait for the agent's first line if the caller can do without it. A dead or stopped agent is detected sooner;
    /// a busy machine, or a start by systemd, takes time.
    package static let patience: Duration = .milliseconds(250)
    /// The first and later checks of an agent that has sent nothing: asleep with a connection pending, it hangs.
    private static let firstLook: Duration = .milliseconds(20)
    private static let nextLook: Duration = .milliseconds(4)
    /// Consecutive checks that must find it asleep.
    private static let looks = 3
    /// Time without a heartbeat until the agent counts as dead.
    private static let silence: Duration = .seconds(4)

    package let serverVersion: String
    private let file: Int32
    private let received: Mutex<[UInt8]>

    /// - Parameter forPerson: whether to accept an agent that is too busy for tokens.
    package init(_ place: AgentPlace, patience: Duration = AgentConnection.patience, forPerson: Bool = false)
        throws(Trouble)
    {
        let until = ContinuousClock.now + patience
        // Usually there is no folder; this check costs one system call.
        guard access(place.path, F_OK) == 0 else { throw .notRunning }
        if let distrust = place.distrust { throw .notOurs(why: distrust) }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let file = socket(AF_UNIX, kind, 0)
        guard file >= 0 else { throw .notRunning }
        do throws(Trouble) {
            try Self.connect(file, place, until)
            guard let peer = PeerCredentials(ofSocket: file), peer.uid == geteuid() else {
                throw .notOurs(why: "\(place.path) belongs to another user's agent")
            }
            let process = ProcessEntry(peer.pid)
            if process.isStopped { throw .silent }
            var rest: [UInt8] = []
            try Self.awaitFirstByte(file, process, until)
            guard let line = Self.line(file, &rest, limit: 1024, until) else { throw .silent }
            guard let version = AgentProtocol.serverVersion(in: line) else { throw .otherProtocol }
            if !forPerson, let connections = AgentProtocol.connectionsOfBusy(in: line) {
                throw .busy(connections: connections)
            }
            serverVersion = version
            received = Mutex(rest)
        } catch {
            close(file)
            throw error
        }
        self.file = file
    }

    deinit { close(file) }

    /// Stops waiting early if the agent hangs.
    private static func awaitFirstByte(_ file: Int32, _ process: ProcessEntry, _ until: ContinuousClock.Instant)
        throws(Trouble)
    {
        // A service manager about to start the agent sleeps too, as does an sshd that waits for another host.
        lazy var isAgent = process.program?.split(separator: "/").last.map { ["foyer", "foyer-main"].contains($0) }
        var found = 0
        var look = ContinuousClock.now + firstLook
        while !wait(file, POLLIN, min(look, until)) {
            guard ContinuousClock.now < until else { throw .silent }
            found = isAgent == true && process.isAsleep ? found + 1 : 0
            guard found < looks else { throw .silent }
            look = ContinuousClock.now + nextLook
        }
    }

    /// - Parameter onEvent: called with each event except heartbeats.
    /// - Returns: nil if the agent disconnected, timed out, or sent an invalid response.
    package func ask(_ request: AgentRequest, onEvent: (JSONValue) -> Void = { _ in }) -> JSONValue? {
        ask(request.json, onEvent: onEvent)
    }

    package func ask(_ request: ForwardedTokenRequest, onEvent: (JSONValue) -> Void = { _ in }) -> JSONValue? {
        ask(request.json, onEvent: onEvent)
    }

    /// - Parameter patience: from one line to the next.
    package func ask(_ request: AgentRequest, within patience: Duration) -> JSONValue? {
        ask(request.json, patience) { _ in }
    }

    private func ask(_ request: JSONValue, _ patience: Duration = silence, onEvent: (JSONValue) -> Void) -> JSONValue? {
        let line = AgentProtocol.line(request)
        guard line.count <= AgentProtocol.longestRequest, send(line, ContinuousClock.now + patience) else { return nil }
        return received.withLock { received in
            while true {
                let until = ContinuousClock.now + patience
                guard let line = Self.line(file, &received, limit: AgentProtocol.longestAnswer, until),
                    let value = AgentProtocol.read(line, limit: AgentProtocol.longestAnswer)
                else { return nil }
                guard let event = value["event"]?.string else { return value }
                if event != "waiting" { onEvent(value) }
            }
        }
    }

    /// Unblocks a thread that waits in ``ask(_:onEvent:)``; called from another thread.
    package func hangUp() { shutdown(file, Int32(SHUT_RDWR)) }

    private static func connect(_ file: Int32, _ place: AgentPlace, _ until: ContinuousClock.Instant) throws(Trouble) {
        while true {
            guard let answer = place.withAddress({ address, length in Glibc.connect(file, address, length) }) else {
                throw .notRunning
            }
            if answer == 0 { return }
            switch Errno.last {
            case .interrupted: continue
            // The backlog is full: the agent is not accepting.
            case .resourceTemporarilyUnavailable:
                guard ContinuousClock.now < until else { throw .silent }
                usleep(2000)
            case .permissionDenied, .notPermitted: throw .notOurs(why: "\(place.path) is not safe to use")
            default: throw .notRunning
            }
        }
    }

    private func send(_ line: [UInt8], _ until: ContinuousClock.Instant) -> Bool {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch Errno.last {
            case .interrupted: continue
            case .resourceTemporarilyUnavailable: guard Self.wait(file, POLLOUT, until) else { return false }
            default: return false
            }
        }
        return true
    }

    /// - Parameter received: bytes after the line stay in it.
    private static func line(
        _ file: Int32, _ received: inout [UInt8], limit: Int, _ until: ContinuousClock.Instant
    ) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        var searched = 0
        while true {
            if let end = received[searched...].firstIndex(of: 0x0A) {
                defer { received.removeFirst(end + 1) }
                return Array(received[..<end])
            }
            searched = received.count
            guard received.count <= limit, wait(file, POLLIN, until) else { return nil }
            let count = recv(file, &chunk, chunk.count, 0)
            if count > 0 {
                received += chunk[..<count]
            } else {
                let error = Errno.last
                guard count < 0, error == .interrupted || error == .resourceTemporarilyUnavailable else { return nil }
            }
        }
    }

    /// Looks at least once: on a busy machine, the time can have passed while this process did not run.
    private static func wait(_ file: Int32, _ events: Int32, _ until: ContinuousClock.Instant) -> Bool {
        while true {
            let left = until - ContinuousClock.now
            var waiting = pollfd(fd: file, events: Int16(events), revents: 0)
            let count = poll(&waiting, 1, left > .zero ? Int32(clamping: Int64(left / .milliseconds(1)) + 1) : 0)
            if count > 0 { return true }
            if count < 0, Errno.last != .interrupted { return false }
            guard left > .zero else { return false }
        }
    }
}
