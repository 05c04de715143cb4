import Console
package import Glibc

/// What /proc tells of a process, bounded and cleaned. A process may end, and another have its number, between two
/// looks.
package struct ProcessEntry {
    private let pid: pid_t

    package init(_ pid: pid_t) { self.pid = pid }

    /// Whether there is no such process any more, or only its parent has not looked yet.
    package var hasEnded: Bool { stat.map { $0.state == "Z" || $0.state == "X" } ?? true }

    /// Whether it cannot run until somebody lets it.
    package var isStopped: Bool { stat.map { $0.state == "T" || $0.state == "t" } ?? false }

    /// The file that runs; of a process that forbids looks into it, such as foyer, only the name.
    package var program: String? {
        if let file = ProgramFile.target(ofLink: "/proc/\(pid)/exe") { return SafeText.line(file, limit: 200) }
        return text("comm").map { SafeText.line($0.filter { $0 != "\n" }, limit: 64) }
    }

    package var controlGroup: String? { text("cgroup") }

    /// The third, the fourth and the 22nd field of /proc/PID/stat, see proc(5). The second may hold blanks and
    /// brackets.
    package var stat: (state: String, parent: pid_t, start: UInt64)? {
        guard let text = text("stat"), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let parent = pid_t(fields[1]), let start = UInt64(fields[19]) else { return nil }
        return (String(fields[0]), parent, start)
    }

    private func text(_ name: String) -> String? {
        let file = open("/proc/\(pid)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = read(file, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
