import Glibc

/// A program, its arguments and all that it gets as its environment.
struct Command {
    var words: [String]
    var environment: [String]

    init(_ words: [String], _ environment: [String]) {
        self.words = words
        self.environment = environment
    }
}

/// Child processes that are waited for.
enum Child {
    /// POSIX_SPAWN_SETSID of glibc, whose module hides it.
    private static let newSession: Int16 = 0x80

    struct Termination {
        /// As wait(2) gives it; 0 is success.
        var status: Int32
        /// Standard output, at most 1 MiB.
        var output: String
    }

    /// - Parameter keepsOutput: its standard output is kept; else it goes nowhere, as standard error does.
    /// - Returns: nil when it did not start.
    static func run(_ command: Command, keepsOutput: Bool = false) -> Termination? {
        guard keepsOutput else { return start(command).flatMap { wait($0) } }
        guard let pipe = Pipe() else { return nil }
        let process = start(command, output: pipe.writing)
        pipe.closeWriting()
        let output = pipe.readAll()
        pipe.closeReading()
        return process.flatMap { wait($0, output) }
    }

    /// Whether it ran and said that all went well.
    static func succeeds(_ command: Command) -> Bool { run(command)?.status == 0 }

    /// - Parameters:
    ///   - input: its standard input, else nothing.
    ///   - output: its standard output, else nowhere.
    ///   - inSession: it gets a session of its own, and so no interrupt from the terminal.
    static func start(_ command: Command, input: Int32? = nil, output: Int32? = nil, inSession: Bool = false) -> pid_t?
    {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        return spawn(command, &actions, inSession: inSession)
    }

    /// - Parameter inSession: it gets a session of its own, of which the first terminal that it opens is the terminal.
    static func spawn(_ command: Command, _ actions: inout posix_spawn_file_actions_t, inSession: Bool) -> pid_t? {
        let argv = command.words.map { strdup($0) } + [nil]
        let envp = command.environment.map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        if inSession { posix_spawnattr_setflags(&attributes, newSession) }
        var process = pid_t()
        return posix_spawn(&process, command.words[0], &actions, &attributes, argv, envp) == 0 ? process : nil
    }

    static func wait(_ process: pid_t, _ output: String = "") -> Termination? {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return nil } }
        return Termination(status: status, output: output)
    }
}
