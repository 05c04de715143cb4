import Glibc
import SystemPackage

/// What a lock file says of its maker.
///
/// The first line begins with `pid name`, as all libraries of MSAL write it; none of them reads it. This program goes
/// on with the boot and the pid namespace in which that number means something, and on lines of their own with the
/// other locks that were taken together with this one.
struct LockSignature: Equatable, Sendable {
    var pid: Int32?
    var name = ""
    /// Of the boot, as the kernel names it; of this program's locks only.
    var boot: String?
    /// The inode of the pid namespace; of this program's locks only.
    var namespace: String?
    /// Paths of lock files.
    var companions: [String] = []

    private static let program = "foyer"
    /// No lock file says more than this.
    private static let maximumBytes = 16_384

    /// - Parameter files: all the locks that are taken together.
    static func own(_ files: [String]) -> [UInt8] {
        var words = ["\(getpid())", program]
        if let boot = Host.boot { words.append("boot=\(boot)") }
        if let namespace = Host.namespace { words.append("pidns=\(namespace)") }
        let companions = files.count > 1 ? files.filter { !$0.utf8.contains(0x0A) } : []
        let text = ([words.joined(separator: " ")] + companions).map { $0 + "\n" }.joined()
        return Array(text.utf8.prefix(maximumBytes))
    }

    init() {}

    /// .NET puts a byte order mark before the number.
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
        // A line that was not ended may be cut off.
        companions = lines.dropFirst().dropLast().map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether this program made it since this machine was started: its maker holds flock(2) as long as it lives,
    /// whatever its number means here.
    var isOfThisBoot: Bool { boot != nil && boot == Host.boot }

    /// Whether the number can be looked up among the processes that are seen here.
    var isOfThisNamespace: Bool { isOfThisBoot && namespace != nil && namespace == Host.namespace }

    /// What the kernel says of the machine; nil where /proc is not there.
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

    /// Seconds since the epoch at which a process began, by the clock as it is now; nil when that is unknown.
    static func beginning(of pid: Int32) -> Double? {
        let file = uninterrupted { open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = uninterrupted { pread(file, &bytes, bytes.count, 0) }
        // The name of the program, in brackets, may hold anything; the time is the twentieth word after it
        // (proc_pid_stat(5)).
        guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let words = bytes[bytes.index(after: end)..<count].split(separator: 0x20)
        guard words.count > 19, let ticks = Double(String(decoding: words[19], as: UTF8.self)) else { return nil }
        let second = Double(sysconf(Int32(_SC_CLK_TCK)))
        guard second > 0 else { return nil }
        return seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME) + ticks / second
    }

    /// What a clock of the system shows, in seconds.
    static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
