// Forwarding/ lets other hosts and containers use the agent, within the settings of this machine.

import CommandSupport
import Console
import FoundationEssentials
import Glibc
import Identity

/// A forwarded connection: an ssh that forwards the agent's socket, or a container process with the mounted socket. It
/// is identified by its process on this machine.
struct Forwarding: Hashable, Sendable {
    let pid: pid_t
    /// Unique together with the pid; nil if unknown.
    let startTime: UInt64?
    /// For the user and saved permissions: the host as given to ssh, the container, or the program.
    let name: String
    let words: String

    /// Programs that relay requests of other hosts.
    private static let passers: Set = ["ssh", "sshd", "sshd-session", "dropbear", "dbclient", "lsh", "lshd"]

    /// Nil for a local process at the agent's usual socket.
    ///
    /// - Parameter isForwardSocket: whether it connected to the forwarding socket.
    init?(_ asker: Peer, isForwardSocket: Bool) {
        let program = asker.program.split(separator: "/").last.map(String.init) ?? ""
        // A process that cannot be inspected is not treated as local.
        guard isForwardSocket || program.isEmpty || Self.isPasser(program) else { return nil }
        pid = asker.pid
        startTime = asker.startTime
        if Self.isPasser(program) {
            let host = program == "ssh" ? SSHCommandLine.host(ProcessEntry(asker.pid).arguments) : nil
            name = program + " " + (host ?? "of an unknown host")
            words = (host ?? "an unknown host") + ", forwarded by \(program) (pid \(asker.pid))"
        } else if let container = asker.container {
            name = "container " + container
            words = "\(asker.program) in container \(container) (pid \(asker.pid))"
        } else {
            name = program.isEmpty ? "a process that cannot be seen" : asker.program
            words = asker.words
        }
    }

    /// The kernel adds a suffix to the name if the executable is replaced while running.
    private static func isPasser(_ program: String) -> Bool { passers.contains(String(program.prefix { $0 != " " })) }

    /// The time since its process started, including sleep; nil if unknown.
    var age: Duration? {
        guard let startTime else { return nil }
        let perSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return BootClock.now - .milliseconds(startTime * 1000 / perSecond)
    }
}
