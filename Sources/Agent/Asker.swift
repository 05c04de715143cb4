import CommandSupport
import Console
import Glibc
import NIOCore
import StrictJSON

/// Who has connected. The user is what the kernel says, and decides. All else says where a request came from as far as
/// that can be seen, and proves nothing: a process of the same user can make itself look like another.
struct Asker: Hashable, Sendable {
    let pid: pid_t
    let uid: uid_t
    /// The file that runs, or the process's own name where the file cannot be seen.
    var program = ""
    /// Since the machine has started, in clock ticks: with the number it names one process.
    var startTime: UInt64?
    /// The systemd unit that it is of.
    var unit: String?
    /// The container's identifier, shortened.
    var container: String?
    /// The program that has started it, where it is foyer itself.
    var parent: String?
    /// The host or the container that it passes requests on from.
    var forwarding: String?

    /// The program that a permission is for: who has started foyer, where foyer itself asks.
    var responsible: String { parent ?? program }

    /// For a log: cleaned, in one line.
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
            ("container", container.json), ("parent", parent.json), ("forwarded", forwarding.json))
    }
}

extension Asker {
    /// What an agent of this user serves: the user, and root, who can read the agent's memory anyway.
    var mayAsk: Bool { uid == geteuid() || uid == 0 }

    /// What /proc knows of the process.
    ///
    /// - Parameter descriptor: a pidfd of it, where the kernel gives one: what was read is dropped when the process has
    ///   ended meanwhile, as its number may be another's by then.
    func described(by descriptor: Int32?) -> Asker {
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
            // A pidfd is readable once the process has ended.
            if poll(&waiting, 1, 0) != 0 { return self }
        }
        return asker
    }

    /// Whether it is foyer itself, which asks for others.
    var isFoyer: Bool { ["foyer", "foyer-main"].contains(Self.lastPart(program)) }

    private static func lastPart(_ path: String) -> String {
        String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    }

    /// The unit and the container that a control group's path names.
    static func place(inCgroup text: String) -> (unit: String?, container: String?) {
        var unit: String?
        var container: String?
        for line in text.split(separator: "\n").prefix(32) {
            let path = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
            for part in path.split(separator: "/") {
                let name = SafeText.line(String(part), limit: 100)
                // docker-ID.scope, libpod-ID.scope, cri-containerd-ID.scope, or the identifier alone.
                let bare = name.hasSuffix(".scope") ? String(name.dropLast(6)) : name
                let id = bare.split(separator: "-").last.map(String.init) ?? ""
                if id.count == 64, id.allSatisfy(\.isHexDigit) { container = String(id.prefix(12)) }
                if name.hasSuffix(".service") || name.hasSuffix(".scope") { unit = name }
            }
        }
        return (unit, container)
    }
}
