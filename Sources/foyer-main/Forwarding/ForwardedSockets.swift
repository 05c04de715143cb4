// Forwarding/ is the other end of the agent's forwarding: ssh with its socket, and a call for a token on a host where
// nobody is signed in. Nothing that comes from home is stored here.

import CommandSupport
import FoundationEssentials
import Glibc
import SystemPackage
import TokenCache

/// The sockets by which the agent of another host may be reached from here, or from within a container the one outside
/// of it.
struct ForwardedSockets {
    private struct Found {
        let path: String
        let since: time_t
    }

    /// What the names of sockets that ssh makes for foyer begin and end with.
    static let prefix = ".ssh-foyer-"
    private static let suffix = ".sock"
    /// Where `foyer ssh` has them made: the home folder there is not known before a login, and ssh(1) takes absolute
    /// paths only. The name is random, and sshd lets nobody else than the person use it.
    static let folder = "/tmp"
    static let variable = "LC_FOYER_SOCK"

    /// How long one of them may take for its first line, and how many are tried.
    private static let patience: Duration = .seconds(3)
    private static let most = 8
    /// The oldest that are looked at in one go.
    private static let mostSwept = 64
    /// A folder with more entries is not searched to its end.
    private static let mostEntries = 20_000
    /// Seconds; sshd makes a socket before it listens there.
    private static let settlingTime: time_t = 10

    private let environment: ProcessEnvironment

    init(_ environment: ProcessEnvironment) { self.environment = environment }

    /// In this order: what the person has named, what `foyer ssh` has, and those that are found, the newest first.
    private var paths: [String] {
        let named = ["FOYER_SOCK", Self.variable].compactMap { environment[$0] }.filter { $0.hasPrefix("/") }
        return named + found.filter { !named.contains($0) }
    }

    private var found: [String] {
        [environment.home, Self.folder].flatMap(Self.sockets).sorted { $0.since > $1.since }.map(\.path)
    }

    /// Whether there is one to try, which costs less than to find out whether it is needed.
    var isAny: Bool { !paths.isEmpty }

    /// The first one where an agent answers; nil where there is none. Those that nobody listens at any more are taken
    /// away, whether they were tried or not: sshd leaves one behind for each connection that has ended.
    func connection() -> AgentConnection? {
        defer { for path in found.suffix(Self.mostSwept) { Self.removeIfDead(path) } }
        for path in paths.prefix(Self.most) {
            let place = AgentPlace(path: path, isForwarded: true)
            if let agent = try? AgentConnection(place, patience: Self.patience) { return agent }
        }
        return nil
    }

    /// Of this user alone.
    private static func sockets(in folder: String) -> [Found] {
        var found: [Found] = []
        var entries = 0
        FolderListing.walk(folder) { name in
            entries += 1
            let path = folder + "/" + name
            if isOurs(name), let since = timeOfOwnSocket(path) { found.append(Found(path: path, since: since)) }
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
        // One that many wait at is alive, and not waited for.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let file = socket(AF_UNIX, kind, 0)
        guard file >= 0 else { return }
        defer { close(file) }
        let answer = AgentPlace(path: path).withAddress { address, length in connect(file, address, length) }
        if answer == -1, Errno.last == .connectionRefused { unlink(path) }
    }

    /// Whether the file system is one of NFS: another host may listen at a socket there that nobody listens at here.
    private static func isOnNetwork(_ path: String) -> Bool {
        var info = stat()
        // Foundation ends with the first piece of what the kernel writes, some 4 KB.
        guard lstat(path, &info) == 0,
            let bytes = try? TextFile.read("/proc/self/mountinfo", limit: 1 << 20, what: "list of mounts")
        else { return true }
        let mounts = String(decoding: bytes, as: UTF8.self)
        // makedev(3) of the C library, the other way round.
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

extension Errno {
    fileprivate static var last: Errno { Errno(rawValue: errno) }
}
