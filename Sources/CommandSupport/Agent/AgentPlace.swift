// The caller's side of the agent: where its socket is, what is said on it, and a call that asks it. The service is the
// target Agent. Nothing here waits for an agent that is not there, and nothing depends on one.

package import Glibc
package import Identity
import SystemPackage
import TokenCache

/// Where the agent's socket is: one place for each person and host, the same for everybody who looks.
///
/// `$XDG_RUNTIME_DIR/foyer/agent.sock`; where there is no such folder (cron, `su`, a container, after the last logout)
/// `~/.local/state/foyer/agent-HOST.sock`, with the host's name, as several hosts may share a home folder.
package struct AgentPlace: Hashable, Sendable {
    package let folder: String
    package let path: String
    private let isForwarded: Bool

    /// What fits into `sockaddr_un` with its zero.
    package static let longestPath = 107

    package init(_ environment: ProcessEnvironment) {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/"), Self.isOwnFolder(runtime) {
            self.init(folder: runtime + "/foyer", name: "agent.sock")
        } else {
            self.init(folder: environment.stateFolder, name: "agent-\(Self.host).sock")
        }
    }

    /// - Parameters:
    ///   - path: absolute, of a socket that somebody else has made for the agent.
    ///   - isForwarded: whether the agent is on another host, or outside of this container.
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

    /// Where the same agent listens for other hosts and for containers.
    package var forForwarding: AgentPlace {
        let name = path.dropFirst(folder.count + 1)
        return AgentPlace(
            folder: folder, name: name.hasPrefix("agent") ? "forward" + name.dropFirst(5) : "forward-" + name)
    }

    package var fits: Bool { path.utf8.count <= Self.longestPath }

    /// The lock that only one agent has.
    package var lockPath: String { path + ".lock" }

    /// Why the folder is not one for a socket: it has to be a folder of ours that nobody else may enter, and no link.
    package var distrust: String? {
        if isForwarded { return distrustOfFile }
        var info = stat()
        guard lstat(folder, &info) == 0 else { return "\(folder): \(Errno.last)" }
        guard info.st_mode & S_IFMT == S_IFDIR else { return "\(folder) is no folder" }
        guard info.st_uid == geteuid() else { return "\(folder) belongs to another user (uid \(info.st_uid))" }
        guard info.st_mode & 0o077 == 0 else {
            return "\(folder) can be entered by others (mode 0\(String(info.st_mode & 0o777, radix: 8)))"
        }
        return nil
    }

    /// The same of a socket in a folder of others, as sshd makes it: the socket has to be ours, and who listens is
    /// looked at besides.
    private var distrustOfFile: String? {
        var info = stat()
        guard lstat(path, &info) == 0 else { return "\(path): \(Errno.last)" }
        guard info.st_mode & S_IFMT == S_IFSOCK else { return "\(path) is no socket" }
        guard info.st_uid == geteuid() else { return "\(path) belongs to another user (uid \(info.st_uid))" }
        return nil
    }

    /// Makes the folder, for nobody but us; one of ours that others may enter is closed to them.
    ///
    /// - Throws: `configuration` when it is not ours, or what leads to it is in somebody else's hands.
    package func prepareFolder() throws(Failure) {
        guard fits else {
            throw Failure(
                .configuration, "the path of the agent's socket is longer than \(Self.longestPath) bytes: \(path)",
                hint: "set XDG_RUNTIME_DIR or XDG_STATE_HOME to a shorter path")
        }
        do { try TrustedFile.checkPlace(path) } catch {
            // A folder that is missing is made below.
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
                .configuration, "there is no safe folder for the agent's socket: \(distrust)",
                hint: "make \(folder.shellWord) a folder of your own with mode 0700")
        }
    }

    private static func isOwnFolder(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR && info.st_uid == geteuid()
    }

    /// The host's name, of characters that can stand in the name of a file.
    private static var host: String {
        var name = [CChar](repeating: 0, count: 65)
        guard gethostname(&name, 64) == 0 else { return "localhost" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let plain = text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        return plain.isEmpty ? "localhost" : plain
    }

    /// Calls a body with the address of the socket; nil when the path does not fit.
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
