import CLinux
import CommandSupport
import Console
import Glibc
import Identity
import SystemPackage
import TokenCache

/// A foreground command with this process's standard streams, folder, inherited descriptors and signals.
struct StartedCommand {
    private let pid: pid_t

    /// Descriptors that a child inherits, such as those of make's job server. Call before anything is opened.
    static func inheritedDescriptors() -> Set<Int32> {
        Set(openDescriptors().filter { fcntl($0, F_GETFD) & FD_CLOEXEC == 0 })
    }

    private static func openDescriptors() -> [Int32] {
        var found: [Int32] = []
        FolderListing.walk("/proc/self/fd") { name in
            if let number = Int32(name), number > STDERR_FILENO { found.append(number) }
            return true
        }
        return found
    }

    /// - Throws: the reason with a shell's exit status, 127 for a command that does not exist.
    static func start(
        _ words: [String], set: [(name: String, value: String)], unset: [String], keeping inherited: Set<Int32>
    ) throws(NotStarted) -> StartedCommand {
        for file in openDescriptors() where !inherited.contains(file) { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
        foyer_relay_signals()
        let pid: pid_t
        do throws(Errno) {
            pid = try ChildProcess.start(
                words[0], words, inherited: ChildProcess.inherited(without: unset + set.map(\.name)),
                variables: set.map { "\($0.name)=\($0.value)" }, keepsDescriptors: true,
                // SIGPIPE is ignored here, but not in the command.
                attributes: { ChildProcess.resetSignals(&$0, [SIGPIPE]) })
        } catch { throw NotStarted(command: words[0], cause: error) }
        foyer_relay_to(pid)
        return StartedCommand(pid: pid)
    }

    struct NotStarted: Error {
        let command: String
        let cause: Errno
        var status: Int32 { cause == .noSuchFileOrDirectory ? 127 : 126 }
    }

    enum End: Hashable { case exited(Int32), died(signal: Int32) }

    /// Waits for its end and then stops relaying signals; blocks the thread.
    func end() -> End {
        // Its pid is not reused before `waitpid`.
        var ended = siginfo_t()
        _ = uninterrupted { waitid(P_PID, id_t(pid), &ended, WEXITED | WNOWAIT) }
        foyer_relay_end()
        var status: Int32 = 0
        _ = uninterrupted { waitpid(pid, &status, 0) }
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .died(signal: status & 0x7F)
    }
}
