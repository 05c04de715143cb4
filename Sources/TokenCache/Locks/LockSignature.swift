import Glibc
import Identity
import SystemPackage

/// The owner of a lock file, as written in it. The first line begins with `pid name`, as in all MSAL libraries; none of
/// them reads it. foyer appends the boot ID and the pid namespace in which the pid is valid, and on further lines the
/// other locks taken together with this one.
struct LockSignature: Equatable, Sendable {
    var pid: Int32?
    var name = ""
    /// The kernel's boot ID; only in foyer's own locks.
    var boot: String?
    /// Inode of the pid namespace; only in foyer's own locks.
    var namespace: String?
    var companions: [String] = []

    private static let program = "foyer"
    private static let maximumBytes = 16_384

    static func own(_ files: [String]) -> [UInt8] {
        var words = ["\(getpid())", program]
        if let boot = Host.boot { words.append("boot=\(boot)") }
        if let namespace = Host.namespace { words.append("pidns=\(namespace)") }
        let companions = files.count > 1 ? files.filter { !$0.utf8.contains(0x0A) } : []
        let text = ([words.joined(by: " ")] + companions).joined(by: "\n") + "\n"
        return Array(text.utf8.prefix(maximumBytes))
    }

    init() {}

    /// .NET writes a byte order mark before the number.
    init(of descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: Self.maximumBytes)
        let count = uninterrupted { pread(descriptor, &bytes, bytes.count, 0) }
        guard count > 0 else { return }
        var text = bytes[..<count]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard let line = lines.first else { return }
        let digits = line.prefix { $0 >= 0x30 && $0 <= 0x39 }
        pid = Int32(String(decoding: digits, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
        let words = line[digits.endIndex...].split { $0 <= 0x20 || $0 >= 0x7F }.map {
            String(decoding: $0, as: UTF8.self)
        }
        guard let first = words.first else { return }
        name = String((first.lastIndex(of: "/").map { first[first.index(after: $0)...] } ?? first[...]).prefix(64))
        guard first == Self.program else { return }
        boot = words.dropFirst().first { $0.hasPrefix("boot=") }.map { String($0.dropFirst(5)) }
        namespace = words.dropFirst().first { $0.hasPrefix("pidns=") }.map { String($0.dropFirst(6)) }
        // An unterminated last line can be truncated.
        companions = lines.dropFirst().dropLast().map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether foyer made it since the last boot: the owner then holds flock(2) while it is alive, whatever its pid.
    var isOfThisBoot: Bool { boot != nil && boot == Host.boot }

    /// Whether the pid can be looked up from this process.
    var isOfThisNamespace: Bool { isOfThisBoot && namespace != nil && namespace == Host.namespace }

    /// Boot ID and pid namespace of this process; nil without /proc.
    private enum Host {
        static let boot: String? = {
            let file = uninterrupted { open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC) }
            guard file >= 0 else { return nil }
            defer { close(file) }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = uninterrupted { pread(file, &bytes, bytes.count, 0) }
            let text = String(decoding: bytes.prefix(max(count, 0)).prefix { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
            return text.isEmpty ? nil : text
        }()

        static let namespace: String? = {
            var info = stat()
            return uninterrupted { stat("/proc/self/ns/pid", &info) } == 0 ? String(info.st_ino) : nil
        }()
    }
}

extension LockSignature {
    static func isAlive(_ pid: Int32) -> Bool { kill(pid, 0) == 0 || Errno.last == .notPermitted }

    /// Start time of a process in epoch seconds, by the current clock; nil if unknown.
    static func beginning(of pid: Int32) -> Double? {
        let file = uninterrupted { open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = uninterrupted { pread(file, &bytes, bytes.count, 0) }
        // The name in parentheses can contain anything; the start time is the 20th field after it (proc_pid_stat(5)).
        guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let words = bytes[bytes.index(after: end)..<count].split(separator: 0x20)
        guard words.count > 19, let ticks = Double(String(decoding: words[19], as: UTF8.self)) else { return nil }
        let second = Double(sysconf(Int32(_SC_CLK_TCK)))
        guard second > 0 else { return nil }
        return seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME) + ticks / second
    }

    static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
