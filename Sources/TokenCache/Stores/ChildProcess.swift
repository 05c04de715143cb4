import CLinux
package import Glibc
package import SystemPackage

/// Runs another program with limits on time and output. Input never goes through arguments or the environment.
package enum ChildProcess {
    package enum Termination: Hashable, Sendable {
        /// It exited; the status is as in a shell: 128 plus the number for a signal.
        case exited(status: Int32, output: [UInt8])
        /// It was killed at the time limit, or because of too much output.
        case timedOut
        case notStarted(Errno)
    }

    /// POSIX_SPAWN_SETSID of glibc, not exported by its module.
    package static let inNewSession: Int16 = 0x80

    /// Discards standard error, as it can repeat the input. `isWanted` is polled; the program is killed once it is
    /// false.
    package static func run(
        _ program: String, _ arguments: [String], input: [UInt8], mostOutput: Int, limit: Duration,
        while isWanted: () -> Bool = { true }
    ) -> Termination {
        var ends: [Int32] = [-1, -1]
        // One socket for both directions: unlike a pipe, writing after the peer has closed raises no signal.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return .notStarted(.last)
        }
        defer { close(ends[0]) }
        let child: pid_t
        do {
            defer { close(ends[1]) }
            child = try start(
                program, [program] + arguments,
                files: { actions in
                    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
                    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
                    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
                })
        } catch { return .notStarted(error) }
        let deadline = ContinuousClock.now + limit
        let output = talk(ends[0], input, mostOutput: mostOutput, until: deadline, while: isWanted)
        while true {
            var status: Int32 = 0
            let ended = waitpid(child, &status, WNOHANG)
            if ended == child {
                guard let output else { return .timedOut }
                return .exited(status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F, output: output)
            }
            if ended < 0, Errno.last != .interrupted { return .notStarted(.last) }
            guard output != nil, ContinuousClock.now < deadline else {
                kill(child, SIGKILL)
                _ = uninterrupted { waitpid(child, &status, 0) }
                return .timedOut
            }
            usleep(2_000)
        }
    }

    /// Starts a program with only standard input, output and error: not every descriptor of this process is
    /// close-on-exec. An inherited one would keep a port, a lock or a connection open while the program runs.
    ///
    /// - Parameters:
    ///   - program: without a slash, it is looked up in `PATH`.
    ///   - arguments: the first is the program's own name.
    ///   - inherited: the part of this process's environment that it gets; by default all.
    ///   - variables: further variables, `NAME=VALUE`.
    ///   - keepsDescriptors: whether it also gets descriptors that are not close-on-exec.
    ///   - files: sets up its standard input, output and error; by default those of this process.
    package static func start(
        _ program: String, _ arguments: [String], inherited: [UnsafeMutablePointer<CChar>] = inherited(),
        variables: [String] = [], keepsDescriptors: Bool = false,
        attributes change: (inout posix_spawnattr_t) -> Void = { _ in },
        files: (inout posix_spawn_file_actions_t) -> Void = { _ in }
    ) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        files(&actions)
        if !keepsDescriptors { _ = foyer_spawn_close_from(&actions, STDERR_FILENO + 1) }
        change(&attributes)
        let words = arguments.map { strdup($0) } + [nil]
        let added = variables.map { strdup($0) } + [nil]
        defer { for word in words + added { free(word) } }
        var child = pid_t()
        let code = posix_spawnp(&child, program, &actions, &attributes, words, inherited + added)
        guard code == 0 else { throw Errno(rawValue: code) }
        return child
    }

    /// This process's environment without some variables; valid until it is changed.
    package static func inherited(without names: [String] = []) -> [UnsafeMutablePointer<CChar>] {
        var found: [UnsafeMutablePointer<CChar>] = []
        var next = environ
        while let variable = next.pointee {
            if !names.contains(String(String(cString: variable).prefix { $0 != "=" })) { found.append(variable) }
            next += 1
        }
        return found
    }

    /// The names of this process's environment variables, with those that are empty.
    package static func variableNames() -> [String] {
        inherited().map { String(String(cString: $0).prefix { $0 != "=" }) }
    }

    /// Resets signals as a shell does: none blocked, and these not ignored. Further flags are set in the same call.
    package static func resetSignals(
        _ attributes: inout posix_spawnattr_t, flags: Int16 = 0,
        _ numbers: [Int32] = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP]
    ) {
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in numbers { sigaddset(&defaults, number) }
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK) | flags)
    }

    /// Maximum interval between polls of `isWanted`; under a second.
    private static let longestPause: Duration = .milliseconds(200)

    /// Writes the input, then reads to the end; nil beyond the deadline or the size limit.
    private static func talk(
        _ end: Int32, _ input: [UInt8], mostOutput: Int, until deadline: ContinuousClock.Instant,
        while isWanted: () -> Bool
    ) -> [UInt8]? {
        var rest = input[...]
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero, isWanted() else { return nil }
            if rest.isEmpty { shutdown(end, Int32(SHUT_WR)) }
            var file = pollfd(fd: end, events: Int16(POLLIN) | (rest.isEmpty ? 0 : Int16(POLLOUT)), revents: 0)
            let pause = min(left, longestPause)
            let milliseconds = Int32(clamping: pause.components.attoseconds / 1_000_000_000_000_000 + 1)
            let ready = poll(&file, 1, milliseconds)
            guard ready > 0 else {
                if ready == 0 || Errno.last == .interrupted { continue }
                return nil
            }
            if file.revents & Int16(POLLOUT) != 0, !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(end, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if count > 0 { rest = rest.dropFirst(count) } else if Errno.last != .interrupted { rest = [] }
            }
            guard file.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 else { continue }
            let count = chunk.withUnsafeMutableBytes { recv(end, $0.baseAddress, $0.count, 0) }
            if count < 0, Errno.last == .interrupted { continue }
            guard count > 0 else { return output }
            output += chunk[..<count]
            guard output.count <= mostOutput else { return nil }
        }
    }
}
