import CommandSupport
import FoundationEssentials
import Glibc
import NIOCore
import StrictJSON
import Synchronization

/// Who is forwarded: each way, what it was given, and its open connections; in memory alone.
final class Forwardings: Sendable {
    private struct Way {
        let since: Date?
        var forwarding: Forwarding
        var last: Date?
        var tokens = 0
        var failures = 0
        /// The program over there that asked last, as the other side calls it.
        var program: String?
        /// Whether the person has ended it: nothing of this process is served any more.
        var isEnded = false
        var open: [ObjectIdentifier: any Channel] = [:]
        /// Until when the same question is not asked again, after the person has refused it.
        var refused: [Permissions.Key: ContinuousClock.Instant] = [:]
    }

    private struct ID: Hashable {
        let pid: pid_t
        let startTime: UInt64?

        init(_ forwarding: Forwarding) { (pid, startTime) = (forwarding.pid, forwarding.startTime) }

        /// For a person to name it.
        var text: String { String(pid) }

        /// Whether the process is gone, and its number perhaps another's.
        var hasEnded: Bool {
            guard pid > 0 else { return false }
            let stat = ProcessEntry(pid).stat
            return stat == nil || stat?.start != startTime || stat?.state == "Z"
        }
    }

    /// Connections of one way, and of all: the programs of this machine need the others.
    static let mostOfOne = 32
    static let mostOpen = 96
    /// Ways that are remembered, the oldest of those that are over go first.
    private static let most = 64
    /// How long a refusal holds against whoever asks again and again.
    private static let refusalHolds: Duration = .seconds(60)

    private let ways = Mutex<[ID: Way]>([:])

    /// - Returns: false where there are too many connections, or the person has ended this way.
    func open(_ forwarding: Forwarding, _ channel: any Channel) -> Bool {
        ways.withLock { ways in
            guard ways.values.reduce(0, { $0 + $1.open.count }) < Self.mostOpen else { return false }
            let id = ID(forwarding)
            if ways[id] == nil {
                Self.makeRoom(&ways)
                let since = forwarding.age.map { Date(timeIntervalSinceNow: -Double($0 / .milliseconds(1)) / 1000) }
                ways[id] = Way(since: since, forwarding: forwarding)
            }
            guard let way = ways[id], !way.isEnded, way.open.count < Self.mostOfOne else { return false }
            // A shared connection of ssh writes what it is for into its arguments later.
            ways[id]?.forwarding = forwarding
            ways[id]?.open[ObjectIdentifier(channel)] = channel
            return true
        }
    }

    func closed(_ forwarding: Forwarding, _ channel: any Channel) {
        ways.withLock { $0[ID(forwarding)]?.open[ObjectIdentifier(channel)] = nil }
    }

    private static func makeRoom(_ ways: inout [ID: Way]) {
        for (id, way) in ways where way.open.isEmpty && id.hasEnded { ways[id] = nil }
        guard ways.count >= most else { return }
        let idle = ways.filter { $0.value.open.isEmpty && !$0.value.isEnded }
        if let oldest = idle.min(by: { ($0.value.last ?? .distantPast) < ($1.value.last ?? .distantPast) }) {
            ways[oldest.key] = nil
        }
    }

    func isEnded(_ forwarding: Forwarding) -> Bool { ways.withLock { $0[ID(forwarding)]?.isEnded ?? false } }

    // MARK: Uses

    /// - Parameter program: cleaned.
    func gave(_ forwarding: Forwarding, program: String?) { note(forwarding, program) { $0.tokens += 1 } }

    func refused(_ forwarding: Forwarding, program: String?) { note(forwarding, program) { $0.failures += 1 } }

    private func note(_ forwarding: Forwarding, _ program: String?, _ change: (inout Way) -> Void) {
        ways.withLock { ways in
            guard var way = ways[ID(forwarding)] else { return }
            change(&way)
            way.last = Date()
            way.program = program ?? way.program
            ways[ID(forwarding)] = way
        }
    }

    /// The person has refused: whoever asks for the same at once is refused without another question.
    func holdRefusal(_ key: Permissions.Key, of forwarding: Forwarding) {
        ways.withLock { $0[ID(forwarding)]?.refused[key] = .now + Self.refusalHolds }
    }

    func isRefused(_ key: Permissions.Key, of forwarding: Forwarding) -> Bool {
        ways.withLock { $0[ID(forwarding)]?.refused[key].map { $0 > .now } ?? false }
    }

    // MARK: For the person

    /// Closes its connections, and serves its process no more.
    ///
    /// - Parameter id: as ``json`` has it.
    /// - Returns: the way in words; nil when there is none of that name.
    func end(_ id: String) -> String? {
        let (words, open) = ways.withLock { ways -> (String?, [any Channel]) in
            guard let found = ways.first(where: { $0.key.text == id && !$0.key.hasEnded }) else { return (nil, []) }
            ways[found.key]?.isEnded = true
            return (found.value.forwarding.words, Array(found.value.open.values))
        }
        for channel in open { channel.close(promise: nil) }
        return words
    }

    /// Those whose process is there, the latest use first.
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
