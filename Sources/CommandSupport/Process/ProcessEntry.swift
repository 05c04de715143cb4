import Console
package import Glibc
import TokenCache

/// What /proc tells of a process, bounded and cleaned. A process may end, and another have its number, between two
/// looks.
package struct ProcessEntry {
    private let pid: pid_t

    package init(_ pid: pid_t) { self.pid = pid }

    /// Whether there is no such process any more, or only its parent has not looked yet.
    package var hasEnded: Bool { stat.map { $0.state == "Z" || $0.state == "X" } ?? true }

    /// Whether it cannot run until somebody lets it.
    package var isStopped: Bool { stat.map { $0.state == "T" || $0.state == "t" } ?? false }

    /// Whether all its threads wait for something, and none could go on if it was given a core: a process that has
    /// something to do shows it here, however busy the machine is.
    package var isAsleep: Bool {
        var threads = 0
        var areAsleep = true
        FolderListing.walk("/proc/\(pid)/task") { name in
            guard let thread = pid_t(name) else { return true }
            threads += 1
            areAsleep = fields("task/\(thread)/stat")?.first == "S"
            return areAsleep && threads < Self.mostThreads
        }
        return threads > 0 && areAsleep
    }

    private static let mostThreads = 512

    /// The file that runs; of a process that forbids looks into it, such as foyer, only the name.
    package var program: String? {
        if let file = ProgramFile.target(ofLink: "/proc/\(pid)/exe") { return SafeText.line(file, limit: 200) }
        return text("comm").map { SafeText.line($0.filter { $0 != "\n" }, limit: 64) }
    }

    package var controlGroup: String? { text("cgroup") }

    /// The third, the fourth and the 22nd field of /proc/PID/stat, see proc(5). The second may hold blanks and
    /// brackets.
    package var stat: (state: String, parent: pid_t, start: UInt64)? {
        guard let fields = fields("stat"), fields.count > 19, let parent = pid_t(fields[1]),
            let start = UInt64(fields[19])
        else { return nil }
        return (String(fields[0]), parent, start)
    }

    /// Those of a stat file from the third on.
    private func fields(_ name: String) -> [Substring]? {
        guard let text = text(name), let end = text.lastIndex(of: ")") else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }

    /// What it was started with, or what it has written in its place; at most 8 KiB.
    package var arguments: [String] {
        text("cmdline")?.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init) ?? []
    }

    /// A variable of the environment that it was started with, of the first 64 KiB; nil when it may not be looked at.
    package func variable(_ name: String) -> String? {
        text("environ", limit: 65_536)?.split(separator: "\0").first { $0.hasPrefix(name + "=") }.map {
            String($0.dropFirst(name.utf8.count + 1))
        }
    }

    private func text(_ name: String, limit: Int = 8192) -> String? {
        let file = open("/proc/\(pid)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: limit)
        var length = 0
        // A file of /proc gives a page at a time.
        while length < limit {
            let count = buffer[length...].withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            length += count
        }
        return length > 0 ? String(decoding: buffer[..<length], as: UTF8.self) : nil
    }
}
