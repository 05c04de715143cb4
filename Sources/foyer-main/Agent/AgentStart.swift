import CommandSupport
import Glibc
import Identity
import SystemPackage
import TokenCache

/// Starts the agent in a new session: it inherits no terminal, folder or descriptors.
struct AgentStart {
    let environment: ProcessEnvironment

    private static let patience: Duration = .seconds(20)
    /// Bytes; a larger log is truncated.
    private static let longestLog: off_t = 1_048_576

    /// Does not wait. If two start at the same time, only one keeps running.
    func begin() throws(Failure) { _ = try started() }

    /// Returns when the agent answers.
    func run() throws(Failure) {
        let place = AgentPlace(environment)
        let (child, log) = try started()
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            if (try? AgentConnection(place, patience: .milliseconds(500), forPerson: true)) != nil { return }
            var status: Int32 = 0
            guard uninterrupted({ waitpid(child, &status, WNOHANG) }) == 0 else {
                // Another agent may have started first.
                if (try? AgentConnection(place, patience: .seconds(2), forPerson: true)) != nil { return }
                throw Failure(.configuration, "the agent did not start", hint: .text("see \(log.shellWord)"))
            }
            usleep(10_000)
        }
        throw Failure(.unavailable, "the agent does not respond yet", hint: .text("see \(log.shellWord)"))
    }

    private func started() throws(Failure) -> (child: pid_t, log: String) {
        try AgentPlace(environment).prepareFolder()
        let log = try openLog()
        defer { close(log.file) }
        return (try spawn(log.file), log.path)
    }

    private func openLog() throws(Failure) -> (file: Int32, path: String) {
        let folder = environment.stateFolder
        let path = folder + "/agent.log"
        Folder.make(folder)
        let file = uninterrupted {
            open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        }
        guard file >= 0 else {
            throw Failure(.configuration, "\(path): \(Errno.last)", hint: "make the agent's log writable")
        }
        var info = stat()
        if fstat(file, &info) == 0, info.st_size > Self.longestLog { ftruncate(file, 0) }
        return (file, path)
    }

    private func spawn(_ log: Int32) throws(Failure) -> pid_t {
        do throws(Errno) {
            return try ChildProcess.start(
                "/proc/self/exe", AgentProcess.arguments,
                attributes: { ChildProcess.resetSignals(&$0, flags: ChildProcess.inNewSession) },
                files: { actions in
                    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
                    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
                    posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO)
                })
        } catch { throw Failure(.configuration, "the agent cannot be started: \(error)") }
    }
}
