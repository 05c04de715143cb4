// Forwarding/ is the remote end of the agent's forwarding: ssh with its socket, and token calls on a host without a
// sign-in. Nothing from the other host's agent is stored here.

import CommandSupport
import Glibc
import SystemPackage
import TokenCache

/// The sockets that can reach the agent of another host, or from a container the agent outside it.
struct ForwardedSockets {
    /// Prefix and suffix of the sockets that ssh creates for foyer.
    static let prefix = ".ssh-foyer-"
    private static let suffix = ".sock"
    /// Where `foyer ssh` has them created: the remote home folder is unknown before login, and ssh(1) only takes
    /// absolute paths. The name is random, and sshd lets only the user connect.
    static let folder = "/tmp"
    static let variable = "LC_FOYER_SOCK"

    /// Wait for the first line of one socket, and the number of sockets to try.
    private static let patience: Duration = .seconds(3)
    private static let most = 8
    /// Number of the oldest sockets to check in one call.
    private static let mostSwept = 64
    /// In a larger folder, the remaining entries are not searched.
    private static let mostEntries = 20_000
    /// Seconds; sshd creates a socket before it listens on it.
    private static let settlingTime: time_t = 10

    let environment: ProcessEnvironment

    /// In order: named by the user, set by `foyer ssh`, found in folders (newest first).
    private var paths: [String] {
        let named = ["FOYER_SOCK", Self.variable].compactMap { environment[$0] }.filter { $0.hasPrefix("/") }
        return named + found.filter { !named.contains($0) }
    }

    private var found: [String] {
        [environment.home, Self.folder].flatMap(Self.sockets).sorted { $0.since > $1.since }.map(\.path)
    }

    /// Cheaper than finding out whether a socket is needed.
    var isAny: Bool { !paths.isEmpty }

    /// The first one with an agent that responds, or nil. Also removes sockets without a listener, even those not
    /// tried: sshd leaves one behind for each closed connection.
    func connection() -> AgentConnection? {
        defer { for path in found.suffix(Self.mostSwept) { Self.removeIfDead(path) } }
        for path in paths.prefix(Self.most) {
            let place = AgentPlace(path: path, isForwarded: true)
            if let agent = try? AgentConnection(place, patience: Self.patience) { return agent }
        }
        return nil
    }

    /// Only this user's sockets.
    private static func sockets(in folder: String) -> [(path: String, since: time_t)] {
        var found: [(path: String, since: time_t)] = []
        var entries = 0
        FolderListing.walk(folder) { name in
            entries += 1
            let path = folder + "/" + name
            if isOurs(name), let since = timeOfOwnSocket(path) { found.append((path, since)) }
            return entries < mostEntries
        }
        return found
    }

    private static func isOurs(_ name: some StringProtocol) -> Bool { name.hasPrefix(prefix) && name.hasSuffix(suffix) }

    private static func timeOfOwnSocket(_ path: String) -> time_t? {
        var info = stat()
        guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFSOCK, info.st_uid == geteuid() else { return nil }
        return info.st_mtim.tv_sec
    }

    private static func removeIfDead(_ path: String) {
        guard let since = timeOfOwnSocket(path),
            since + settlingTime < time(nil), !isOnNetwork(path)
        else { return }
        // Nonblocking, as a full backlog means that the listener is alive.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let file = socket(AF_UNIX, kind, 0)
        guard file >= 0 else { return }
        defer { close(file) }
        let answer = AgentPlace(path: path).withAddress { address, length in connect(file, address, length) }
        if answer == -1, Errno.last == .connectionRefused { unlink(path) }
    }

    /// Whether it is on NFS: another host can be listening on the socket.
    private static func isOnNetwork(_ path: String) -> Bool {
        var info = stat()
        // Foundation stops after the kernel's first chunk of about 4 KB.
        guard lstat(path, &info) == 0,
            let bytes = try? TextFile.read("/proc/self/mountinfo", limit: 1 << 20, what: "list of mounts")
        else { return true }
        let mounts = String(decoding: bytes, as: UTF8.self)
        // The reverse of makedev(3).
        let number = UInt64(info.st_dev)
        let (major, minor) = ((number >> 8) & 0xFFF | (number >> 32) & ~0xFFF, number & 0xFF | (number >> 12) & ~0xFF)
        let device = "\(major):\(minor)"
        return mounts.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            guard fields.count > 2, fields[2] == device, let dash = fields.firstIndex(of: "-") else { return false }
            return fields.dropFirst(dash + 1).first?.hasPrefix("nfs") ?? false
        }
    }
}
