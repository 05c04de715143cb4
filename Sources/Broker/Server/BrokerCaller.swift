import CommandSupport
package import Glibc

/// A caller of the broker, from D-Bus and /proc. The user is certain. The program is only for the log and the prompt:
/// a process can pose as another one of the same user.
package struct BrokerCaller: Hashable, Sendable {
    package let pid: pid_t
    package let uid: uid_t
    package let program: String

    package init(pid: pid_t, uid: uid_t) {
        self.pid = pid
        self.uid = uid
        program = ProcessEntry(pid).program ?? ""
    }

    package var words: String { "\(program.isEmpty ? "a process" : program) (pid \(pid))" }
}
