import CommandSupport
import Console
import Glibc
import NIOCore
import StrictJSON

/// The process at the other end. Access depends only on the user, as reported by the kernel. Everything else is best
/// effort and proves nothing: processes of the same user can imitate each other.
struct Peer: Hashable, Sendable {
    let pid: pid_t
    let uid: uid_t
    /// The executable, or the process name if it cannot be read.
    var program = ""
    /// Clock ticks from boot to the process start; unique together with the pid.
    var startTime: UInt64?
    var unit: String?
    var container: String?
    /// The program that started it, if it is foyer itself.
    var parent: String?
    /// The host or container whose requests it passes on.
    var forwarding: String?
    /// The program there, as reported from there; sanitized.
    var forwardedProgram: String?

    /// The program that permissions apply to: foyer's parent if the process is foyer itself.
    var responsible: String { parent ?? program }

    var words: String {
        var words = "\(program.isEmpty ? "a process" : program) (pid \(pid)"
        if let parent { words += ", for \(parent)" }
        if let container { words += ", container \(container)" }
        if let unit { words += ", \(unit)" }
        if uid != geteuid() { words += ", uid \(uid)" }
        return words + ")"
    }

    var json: JSONValue {
        JSONValue(
            ("program", program.json), ("pid", JSONValue(integer: pid)), ("uid", JSONValue(integer: uid)),
            ("startTime", startTime.map { JSONValue(integer: $0) } ?? .null), ("unit", unit.json),
            ("container", container.json), ("parent", parent.json), ("forwarded", forwarding.json),
            ("forwardedProgram", forwardedProgram.json))
    }
}

extension Peer {
    /// The user, and root, which can read the agent's memory anyway.
    var mayAsk: Bool { uid == geteuid() || uid == 0 }

    /// Adds details from /proc.
    ///
    /// - Parameter descriptor: a pidfd, if the kernel provides one. If the process has ended since, the details are
    ///   dropped: its pid may be another process by then.
    func described(by descriptor: Int32?) -> Peer {
        var asker = self
        guard pid > 0 else { return asker }
        let entry = ProcessEntry(pid)
        let own = entry.program
        asker.program = own ?? ""
        if let stat = entry.stat {
            asker.startTime = stat.start
            if asker.isFoyer, stat.parent > 1 {
                asker.parent = ProcessEntry(stat.parent).program
            }
        }
        if let text = entry.controlGroup { (asker.unit, asker.container) = Self.place(inCgroup: text) }
        if let descriptor {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // A pidfd becomes readable when the process ends.
            if poll(&waiting, 1, 0) != 0 { return self }
        }
        return asker
    }

    /// Whether it is foyer itself, on behalf of another program.
    var isFoyer: Bool { ["foyer", "foyer-main"].contains(Self.lastPart(program)) }

    private static func lastPart(_ path: String) -> String {
        String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    }

    static func place(inCgroup text: String) -> (unit: String?, container: String?) {
        var unit: String?
        var container: String?
        for line in text.split(separator: "\n").prefix(32) {
            let path = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
            for part in path.split(separator: "/") {
                let name = SafeText.line(String(part), limit: 100)
                // docker-ID.scope, libpod-ID.scope, cri-containerd-ID.scope, or only the ID.
                let bare = name.hasSuffix(".scope") ? String(name.dropLast(6)) : name
                let id = bare.split(separator: "-").last.map(String.init) ?? ""
                if id.count == 64, id.allSatisfy(\.isHexDigit) { container = String(id.prefix(12)) }
                if name.hasSuffix(".service") || name.hasSuffix(".scope") { unit = name }
            }
        }
        return (unit, container)
    }
}
