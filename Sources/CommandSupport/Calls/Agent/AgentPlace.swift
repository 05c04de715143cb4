// The client side of the agent, whose service is the target Agent. Nothing here waits for a missing agent or needs one.

package import Glibc
package import Identity
import SystemPackage
import TokenCache

/// The place of the agent's socket, one for each user and host.
///
/// `$XDG_RUNTIME_DIR/foyer/agent.sock`; without that folder (cron, `su`, a container, after the last logout)
/// `~/.local/state/foyer/agent-HOST.sock`, with the host name, as several hosts may share a home folder.
package struct AgentPlace: Hashable, Sendable {
    package let folder: String
    package let path: String
    private let isForwarded: Bool

    /// Bytes that fit into `sockaddr_un`, without the NUL.
    package static let longestPath = 107

    package init(_ environment: ProcessEnvironment) {
        if let runtime = environment.path("XDG_RUNTIME_DIR"), Self.isOwnFolder(runtime) {
            self.init(folder: runtime + "/foyer", name: "agent.sock")
        } else {
            self.init(folder: environment.stateFolder, name: "agent-\(Self.host).sock")
        }
    }

    /// - Parameter isForwarded: whether the agent is on another host or outside this container.
    package init(path: String, isForwarded: Bool = false) {
        self.path = path
        self.isForwarded = isForwarded
        folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    private init(folder: String, name: String) {
        self.folder = folder
        path = folder + "/" + name
        isForwarded = false
    }

    /// The agent's socket for other hosts and containers.
    package var forForwarding: AgentPlace {
        let name = String(path.dropFirst(folder.count + 1))
        return AgentPlace(
            folder: folder, name: name.hasPrefix("agent") ? "forward" + String(name.dropFirst(5)) : "forward-" + name)
    }

    package var fits: Bool { path.utf8.count <= Self.longestPath }

    package var lockPath: String { path + ".lock" }

    /// The reason not to use the folder: it must be ours, not a link, and closed to other users.
    package var distrust: String? {
        if isForwarded { return distrustOfFile }
        var info = stat()
        guard lstat(folder, &info) == 0 else { return "\(folder): \(Errno.last)" }
        guard info.st_mode & S_IFMT == S_IFDIR else { return "\(folder) is not a folder" }
        guard info.st_uid == geteuid() else { return "\(folder) belongs to another user (uid \(info.st_uid))" }
        guard info.st_mode & 0o077 == 0 else {
            return "\(folder) is accessible to others (mode 0\(String(info.st_mode & 0o777, radix: 8)))"
        }
        return nil
    }

    /// For a socket in a shared folder, such as sshd's: the socket must be ours; the listener is checked separately.
    private var distrustOfFile: String? {
        var info = stat()
        guard lstat(path, &info) == 0 else { return "\(path): \(Errno.last)" }
        guard info.st_mode & S_IFMT == S_IFSOCK else { return "\(path) is not a socket" }
        guard info.st_uid == geteuid() else { return "\(path) belongs to another user (uid \(info.st_uid))" }
        return nil
    }

    /// Creates the folder for us alone, or closes an existing folder of ours to others.
    ///
    /// - Throws: `configuration` if another user controls the folder or a parent of it.
    package func prepareFolder() throws(Failure) {
        guard fits else {
            throw Failure(
                .configuration, "the path of the agent's socket is longer than \(Self.longestPath) bytes: \(path)",
                hint: "set XDG_RUNTIME_DIR or XDG_STATE_HOME to a shorter path")
        }
        do { try TrustedFile.checkPlace(path) } catch {
            // A missing folder is created below.
            if case .io(let cause, _) = error.situation, cause.isAbsence {
            } else {
                throw Failure(distrust: error, what: "agent's socket")
            }
        }
        Folder.make(folder)
        var info = stat()
        if lstat(folder, &info) == 0, info.st_mode & S_IFMT == S_IFDIR, info.st_uid == geteuid(),
            info.st_mode & 0o077 != 0
        {
            chmod(folder, info.st_mode & 0o700)
        }
        if let distrust {
            throw Failure(
                .configuration, "no safe folder for the agent's socket: \(distrust)",
                hint: "make \(folder.shellWord) your own folder, mode 0700")
        }
    }

    private static func isOwnFolder(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR && info.st_uid == geteuid()
    }

    /// The host name, reduced to characters that are valid in a file name.
    private static var host: String {
        var name = [CChar](repeating: 0, count: 65)
        guard gethostname(&name, 64) == 0 else { return "localhost" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let plain = text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        return plain.isEmpty ? "localhost" : plain
    }

    /// Calls `body` with the socket's address; nil if the path is too long.
    package func withAddress<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value? {
        guard fits else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in room.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
