import CommandSupport
package import Glibc

/// Who calls the broker, as far as the bus and /proc tell. The user is certain; the program is for the log and the
/// question, and proves nothing: a process of the same user can make itself look like another.
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
