import Console
package import Glibc
import TokenCache

/// A process's data from /proc, bounded and cleaned. Between two reads the process can end and its ID be reused.
package struct ProcessEntry {
    private let pid: pid_t

    package init(_ pid: pid_t) { self.pid = pid }

    /// Whether the process is gone, or a zombie.
    package var hasEnded: Bool { stat.map { $0.state == "Z" || $0.state == "X" } ?? true }

    /// Whether it is stopped by a signal or a debugger.
    package var isStopped: Bool { stat.map { $0.state == "T" || $0.state == "t" } ?? false }

    /// Whether all its threads sleep. A process with work to do does not, even if the machine is too busy to run it.
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

    /// The executable's path; only the name of a process that is not dumpable, such as foyer.
    package var program: String? {
        if let file = linkTarget("/proc/\(pid)/exe") { return SafeText.line(file, limit: 200) }
        return text("comm").map { SafeText.line($0.filter { $0 != "\n" }, limit: 64) }
    }

    package var controlGroup: String? { text("cgroup") }

    /// Fields 3, 4 and 22 of /proc/PID/stat, see proc(5). Field 2 can contain spaces and parentheses.
    package var stat: (state: String, parent: pid_t, start: UInt64)? {
        guard let fields = fields("stat"), fields.count > 19, let parent = pid_t(fields[1]),
            let start = UInt64(fields[19])
        else { return nil }
        return (String(fields[0]), parent, start)
    }

    /// The fields of a stat file from the third on.
    private func fields(_ name: String) -> [Substring]? {
        guard let text = text(name), let end = text.lastIndex(of: ")") else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }

    /// The arguments, which the process can overwrite; from the first 8 KiB.
    package var arguments: [String] {
        text("cmdline")?.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init) ?? []
    }

    /// A variable of its initial environment, from the first 64 KiB; nil if that is not readable.
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
        // A read from /proc returns at most a page.
        while length < limit {
            let count = buffer[length...].withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            length += count
        }
        return length > 0 ? String(decoding: buffer[..<length], as: UTF8.self) : nil
    }
}
