import CommandSupport
import FoundationEssentials
import Glibc
import NIOCore
import StrictJSON
import Synchronization

/// Forwarded connections, with their use and open channels; in memory only.
final class Forwardings: Sendable {
    private struct ForwardedConnection {
        let since: Date?
        var forwarding: Forwarding
        var last: Date?
        var tokens = 0
        var failures = 0
        var program: String?
        /// Whether the user has closed it; requests by its process are then rejected.
        var isEnded = false
        var open: [ObjectIdentifier: any Channel] = [:]
        /// When each refused request may prompt the user again.
        var refused: [Permissions.Key: ContinuousClock.Instant] = [:]
    }

    private struct ID: Hashable {
        let pid: pid_t
        let startTime: UInt64?

        init(_ forwarding: Forwarding) { (pid, startTime) = (forwarding.pid, forwarding.startTime) }

        var text: String { String(pid) }

        /// Whether the process has exited, so its pid may have been reused.
        var hasEnded: Bool {
            guard pid > 0 else { return false }
            let stat = ProcessEntry(pid).stat
            return stat == nil || stat?.start != startTime || stat?.state == "Z"
        }
    }

    /// Limits per connection and in total, which leave room for local programs.
    static let mostOfOne = 32
    static let mostOpen = 96
    /// The number of connections that are remembered; the oldest ended ones are dropped first.
    private static let most = 64
    /// Blocks repeated prompts after a refusal.
    private static let refusalHolds: Duration = .seconds(60)

    private let ways = Mutex<[ID: ForwardedConnection]>([:])

    /// - Returns: false if there are too many connections, or the user has closed this one.
    func open(_ forwarding: Forwarding, _ channel: any Channel) -> Bool {
        ways.withLock { ways in
            guard ways.values.reduce(0, { $0 + $1.open.count }) < Self.mostOpen else { return false }
            let id = ID(forwarding)
            if ways[id] == nil {
                Self.makeRoom(&ways)
                let since = forwarding.age.map { Date(timeIntervalSinceNow: -Double($0 / .milliseconds(1)) / 1000) }
                ways[id] = ForwardedConnection(since: since, forwarding: forwarding)
            }
            guard let way = ways[id], !way.isEnded, way.open.count < Self.mostOfOne else { return false }
            // A shared ssh connection changes its arguments after it starts.
            ways[id]?.forwarding = forwarding
            ways[id]?.open[ObjectIdentifier(channel)] = channel
            return true
        }
    }

    func closed(_ forwarding: Forwarding, _ channel: any Channel) {
        ways.withLock { $0[ID(forwarding)]?.open[ObjectIdentifier(channel)] = nil }
    }

    private static func makeRoom(_ ways: inout [ID: ForwardedConnection]) {
        for (id, way) in ways where way.open.isEmpty && id.hasEnded { ways[id] = nil }
        guard ways.count >= most else { return }
        let idle = ways.filter { $0.value.open.isEmpty && !$0.value.isEnded }
        if let oldest = idle.min(by: { ($0.value.last ?? .distantPast) < ($1.value.last ?? .distantPast) }) {
            ways[oldest.key] = nil
        }
    }

    func isEnded(_ forwarding: Forwarding) -> Bool { ways.withLock { $0[ID(forwarding)]?.isEnded ?? false } }

    // MARK: Uses

    /// - Parameter program: already sanitized.
    func gave(_ forwarding: Forwarding, program: String?) { note(forwarding, program) { $0.tokens += 1 } }

    func refused(_ forwarding: Forwarding, program: String?) { note(forwarding, program) { $0.failures += 1 } }

    private func note(_ forwarding: Forwarding, _ program: String?, _ change: (inout ForwardedConnection) -> Void) {
        ways.withLock { ways in
            guard var way = ways[ID(forwarding)] else { return }
            change(&way)
            way.last = Date()
            way.program = program ?? way.program
            ways[ID(forwarding)] = way
        }
    }

    /// Refuses the same request without a prompt for a while.
    func holdRefusal(_ key: Permissions.Key, of forwarding: Forwarding) {
        ways.withLock { $0[ID(forwarding)]?.refused[key] = .now + Self.refusalHolds }
    }

    func isRefused(_ key: Permissions.Key, of forwarding: Forwarding) -> Bool {
        ways.withLock { $0[ID(forwarding)]?.refused[key].map { $0 > .now } ?? false }
    }

    // MARK: For the person

    /// Closes its connections and rejects further ones of its process.
    ///
    /// - Parameter id: the ID in ``json``.
    /// - Returns: its description; nil if the ID is unknown.
    func end(_ id: String) -> String? {
        let (words, open) = ways.withLock { ways -> (String?, [any Channel]) in
            guard let found = ways.first(where: { $0.key.text == id && !$0.key.hasEnded }) else { return (nil, []) }
            ways[found.key]?.isEnded = true
            return (found.value.forwarding.words, Array(found.value.open.values))
        }
        for channel in open { channel.close(promise: nil) }
        return words
    }

    /// The connections with a running process, most recently used first.
    var json: JSONValue {
        let ways = ways.withLock { $0 }
        let there = ways.filter { !$0.key.hasEnded }
            .sorted { ($0.value.last ?? .distantPast, $0.key.pid) > ($1.value.last ?? .distantPast, $1.key.pid) }
        return .array(
            there.map { id, way in
                JSONValue(
                    ("id", id.text.json), ("name", way.forwarding.name.json), ("words", way.forwarding.words.json),
                    ("pid", JSONValue(integer: id.pid)), ("program", way.program.json), ("since", way.since.json),
                    ("last", way.last.json), ("tokens", JSONValue(integer: way.tokens)),
                    ("failures", JSONValue(integer: way.failures)), ("connections", JSONValue(integer: way.open.count)),
                    ("ended", .bool(way.isEnded)))
            })
    }
}
