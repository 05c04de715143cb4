// Forwarding/ is the agent for other hosts and for containers: who comes from there, and what they may have. It must
// not serve anything that the settings of this machine do not name.

import CommandSupport
import Console
import FoundationEssentials
import Glibc
import Identity
import Wire

/// A way by which others than the programs of this machine reach the agent: an ssh that forwards its socket, or a
/// process with the mounted socket. One process of this machine stands for it.
struct Forwarding: Hashable, Sendable {
    /// The process, as the kernel names it.
    let pid: pid_t
    /// With the number it names one process; nil where it cannot be seen.
    let startTime: UInt64?
    /// The host as ssh was told it, the container, or the program: for a person, and for the answers that were given.
    let name: String
    /// In words: how it reaches the agent.
    let words: String

    /// Programs that pass on what others say.
    private static let passers: Set = ["ssh", "sshd", "sshd-session", "dropbear", "dbclient", "lsh", "lshd"]

    /// Nil for a process of this machine at the agent's usual socket.
    ///
    /// - Parameter isForwardSocket: whether it came by the socket for forwarding.
    init?(_ asker: Asker, isForwardSocket: Bool) {
        let program = asker.program.split(separator: "/").last.map(String.init) ?? ""
        // What cannot be looked at is not taken for a program of this machine.
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

    /// An upgrade while it runs leaves a mark behind the name.
    private static func isPasser(_ program: String) -> Bool { passers.contains(String(program.prefix { $0 != " " })) }

    /// How long its process has been there, the machine's sleep included; nil when that is not known.
    var age: Duration? {
        guard let startTime else { return nil }
        let perSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return BootClock.now - .milliseconds(startTime * 1000 / perSecond)
    }
}
